"""The decoder layer of decoder.py as an ONNX model, for layers.py.

Arguments are in the order of decoder.py. All but the first three are the model's constants, as
exporters write them: ONNX Runtime packs these once, before the first call.
"""
import numpy as np
import onnx
from onnx import helper, numpy_helper


class Writer:
    """The nodes of one graph; each op has one result."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def op(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def integers(self, *values):
        return self.constant(np.array(values, np.int64))


def turn(w, x, cos, sin, size):
    low, high = (w.op("Slice", x, w.integers(a), w.integers(b), w.integers(2))
                 for a, b in ((0, size // 2), (size // 2, size)))
    turned = w.op("Concat", w.op("Neg", high), low, axis=2)
    return w.op("Add", w.op("Mul", x, cos), w.op("Mul", turned, sin))


def attention(w, y, cos, sin, take, heads, shape):
    s, hidden = shape
    size = hidden // heads

    def split():
        x = w.op("Reshape", w.op("MatMul", y, take()), w.integers(s, heads, size))
        return w.op("Transpose", x, perm=[1, 0, 2])

    q, k = (turn(w, split(), cos, sin, size) for _ in range(2))
    v = split()
    scores = w.op("MatMul", q, w.op("Transpose", k, perm=[0, 2, 1]))
    scores = w.op("Mul", scores, w.constant(np.float32(size ** -0.5)))
    hidden_part = np.triu(np.full((s, s), -np.inf, np.float32), 1)
    p = w.op("Softmax", w.op("Add", scores, w.constant(hidden_part)), axis=-1)
    mixed = w.op("Transpose", w.op("MatMul", p, v), perm=[1, 0, 2])
    return w.op("MatMul", w.op("Reshape", mixed, w.integers(s, hidden)), take())


def mlp(w, y, take):
    gate, up = w.op("MatMul", y, take()), w.op("MatMul", y, take())
    return w.op("MatMul", w.op("Mul", w.op("Mul", gate, w.op("Sigmoid", gate)), up), take())


def make_model(arguments, heads):
    """The model as bytes, with inputs h, cos and sin and the result y, in f32."""
    w, shape = Writer(), arguments[0].shape
    weights = iter(arguments[3:])
    take = lambda: w.constant(next(weights))
    norm = lambda x: w.op("RMSNormalization", x, take(), axis=-1, epsilon=1e-5)
    h = w.op("Add", "h", attention(w, norm("h"), "cos", "sin", take, heads, shape))
    h = w.op("Add", h, mlp(w, norm(h), take))
    y = norm(h)
    tensor = lambda name, dims: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, dims)
    inputs = [tensor(name, array.shape) for name, array in zip(("h", "cos", "sin"), arguments)]
    graph = helper.make_graph(w.nodes, "layer", inputs, [tensor(y, shape)], w.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    return model.SerializeToString()
