"""Parts of a torch graph as linalg: one linalg.generic for each op of aten, on logical dims.

Numbers are those of eager mode on the CPU: 16-bit floats are computed in f32 and rounded once per
op, and their sums and means accumulate in f32. Shapes are tuples of numbers and, where an extent
is open, of sympy expressions: equal ones are one extent, which the program reads from the first
argument that has it and asserts of the others.

Where a value has an extent of 1, its node may have any, along which all elements are equal. One
without dims is of a node without dims, whose type counts less than that of others.
"""
import sympy
import torch
from torch.utils._sympy.functions import FloorDiv

from . import _writer
from ._writer import (SHORT, Unsupported, Value, multiply, print_type, squeeze, write_in_f32,
                      write_logistic)

ATEN, PRIMS = torch.ops.aten, torch.ops.prims
TYPES = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}
DTYPES = {element: dtype for dtype, element in TYPES.items()}


def get_expression(extent):
    """A number, or an expression of symbols where the extent is open."""
    if not isinstance(extent, torch.SymInt):
        return extent
    number = extent.node.maybe_as_int()
    return simplify(extent.node.expr) if number is None else number


def simplify(expression):
    """The expression with the divisions that leave no rest: where batch and length were equal at
    first, torch has one symbol s for both, and s * s // s where they are split again."""
    def divide(a, b):
        quotient = sympy.cancel(a / b)
        return quotient if sympy.denom(quotient) == 1 else FloorDiv(a, b)

    return expression.replace(FloorDiv, divide)


def get_shape(tensor):
    return tuple(map(get_expression, tensor.shape))


def get_element(node):
    return TYPES[node.meta["val"].dtype]


def broadcast(shapes):
    """The extents of shapes that are aligned at their last dims."""
    rank = max(map(len, shapes), default=0)
    result = []
    for extents in zip(*((1,) * (rank - len(shape)) + shape for shape in shapes)):
        wide = {e for e in extents if e != 1}
        if len(wide) > 1:
            raise Unsupported("extents {} and {} are not known to be equal".format(
                *sorted(map(str, wide))))
        result.append(wide.pop() if wide else 1)
    return tuple(result)


def round_to(number, element):
    return torch.tensor(number, dtype=torch.float64).to(DTYPES[element]).item()


class Program(_writer.Program):
    """A program with the numbers of eager mode, and with open extents, by their expressions."""

    def __init__(self):
        super().__init__()
        self.extents = {}

    def write_number(self, number, element):
        """A number of Python's, or the value of an expression."""
        if not isinstance(number, sympy.Expr):
            return super().write_number(round_to(number, element), element)
        wide = self.emit_first(f"arith.index_cast {self.write_extent(number)} : index to i64")
        inner = "f32" if element in SHORT else element
        return self.convert(self.emit_first(f"arith.sitofp {wide} : i64 to {inner}"), inner,
                            element)

    def write_extent(self, extent):
        if isinstance(extent, int) or extent.is_Integer:
            return super().write_extent(extent)
        if extent in self.extents:
            return self.extents[extent]
        ops = {sympy.Add: "arith.addi", sympy.Mul: "arith.muli"}
        if extent.func not in ops:
            raise Unsupported("an integer is not the extent of a tensor")
        first, *others = map(self.write_extent, extent.args)
        for other in others:
            first = self.emit_first(f"{ops[extent.func]} {first}, {other} : index")
        self.extents[extent] = first
        return first

    def add_argument(self, element, shape):
        """An argument; its open extents are read, or asserted where an earlier one has them."""
        name = f"%arg{len(self.arguments)}"
        for d, extent in enumerate(shape):
            if isinstance(extent, int):
                continue
            size = self.emit_first(f"tensor.dim {name}, {self.write_extent(d)} : "
                                   f"{print_type(element, shape)}")
            if self.extents.setdefault(extent, size) != size:
                equal = self.emit_first(f"arith.cmpi eq, {self.extents[extent]}, {size} : index")
                self.head.append(f'cf.assert {equal}, "extents of arguments that must be equal '
                                 'differ"')
        return super().add_argument(element, shape)

    def convert(self, name, source, target):
        # torch converts through f32.
        if source == "f64" and target in SHORT:
            name, source = super().convert(name, source, "f32"), "f32"
        return super().convert(name, source, target)

    def write_expanded(self, value, shape):
        """A value with all elements of a node of this shape."""
        if squeeze(value.shape) == squeeze(shape):
            return value._replace(shape=shape)
        return self.write_elementwise([value], value.element, shape, lambda x: x)


def write_arithmetic(program, element, operands, inner, body):
    """An op on elements in the type `inner`, whose operands are values and numbers. Those of
    16-bit floats are native where that is what f32 and one rounding give."""
    values = [v for v in operands if isinstance(v, Value)]

    def write_body(*names):
        given = iter(names)
        elements = [program.convert(next(given), v.element, inner) if isinstance(v, Value)
                    else program.write_number(v, inner) for v in operands]
        return body(*elements)

    return program.write_elementwise(values, element, broadcast([v.shape for v in values]),
                                     write_body)


def write_op(program, node, op, operands, inner=None):
    element = get_element(node)
    inner = inner or element
    return write_arithmetic(program, element, operands, inner, lambda *names: program.convert(
        program.emit(f"{op} {', '.join(names)} : {inner}"), inner, element))


def unary(op):
    return lambda program, node, x: write_op(program, node, op, [x])


def function(op):
    """A function of one float."""
    return lambda program, node, x: write_in_f32(
        program, x, lambda name, type_: program.emit(f"{op} {name} : {type_}"))


def write_sigmoid(program, node, x):
    return write_in_f32(program, x, lambda *name: write_logistic(program, *name))


def write_relu(program, node, x):
    return write_op(program, node, "arith.maximumf", [x, 0.0])


def is_exact(operand, element):
    """Whether an operand is the same in a type of 16 bits."""
    if isinstance(operand, Value):
        return operand.element == element or operand.shape
    return isinstance(operand, (int, float)) and operand == round_to(operand, element)


def product(op):
    """Eager mode rounds a number beside 16-bit floats to their type, except for the second operand
    of a product or quotient."""
    def write(program, node, a, b):
        element = get_element(node)
        is_wide = element in SHORT and isinstance(a, Value) and not is_exact(b, element)
        return write_op(program, node, op, [a, b], "f32" if is_wide else element)
    return write


def sum_of(op):
    def write(program, node, a, b, alpha=1):
        if alpha == 1:
            return write_op(program, node, op, [a, b])
        element = get_element(node)
        if any(isinstance(v, sympy.Expr) for v in (a, b)):
            raise Unsupported("a multiple of an extent is not written")
        a, b = (round_to(v, element) if not isinstance(v, Value) else
                v if v.shape else program.write_cast(v, element) for v in (a, b))
        factor = round_to(alpha if op == "arith.addf" else -alpha, element)
        return write_op(program, node, "math.fma", [factor, b, a], _writer.widen(element))
    return write


def write_reversed(program, node, a, b, alpha=1):
    return sum_of("arith.subf")(program, node, b, a, alpha)


def write_reciprocal(program, node, x):
    return write_op(program, node, "arith.divf", [1, x])


def write_power(program, node, x, exponent):
    """The exponents that eager mode computes without a logarithm, and that of a derivative of
    pow(x, -0.5). It rounds each product of bfloat16, and takes float16 to the power in f32."""
    element = get_element(node)
    if exponent == 1:
        return x
    if exponent in (0.5, -0.5) and element != "f16":
        return write_op(program, node, "math.sqrt" if exponent > 0 else "math.rsqrt", [x])
    if exponent == -1.5 and element in ("f32", "f64"):
        return write_op(program, node, "math.powf", [x, exponent])
    if exponent not in (2, 3, -1, -2):
        raise Unsupported(f"a power of {element} with exponent {exponent} is not written")
    inner = "f32" if element == "f16" else element

    def body(name, one):
        multiply = lambda a, b: program.emit(f"arith.mulf {a}, {b} : {inner}")
        result = name if exponent == -1 else multiply(name, name)
        if exponent == 3:
            result = multiply(result, name)
        elif exponent < 0:
            result = program.emit(f"arith.divf {one}, {result} : {inner}")
        return program.convert(result, inner, element)
    return write_arithmetic(program, element, [x, 1], inner, body)


def write_cast(program, node, x, *_, **__):
    return program.write_cast(x, get_element(node))


def write_same(program, node, x, *_, **__):
    return x._replace(shape=(1,) * (node.meta["val"].dim() - len(x.shape)) + x.shape)


def write_view(program, node, x, *_, **__):
    expanded = program.write_expanded(x, get_shape(node.all_input_nodes[0].meta["val"]))
    return program.write_reshape(expanded, get_shape(node.meta["val"]))


def write_full(program, node, shape, number, **_):
    element = get_element(node)
    return Value(program.write_number(number, element), element, (1,) * node.meta["val"].dim())


def write_number(program, node, number, **_):
    return write_full(program, node, (), number)


def write_total(program, node, x, dims, keepdim):
    """A sum in the type of the node, or in f32 for 16-bit floats, with the number of addends."""
    shape, element = get_shape(node.all_input_nodes[0].meta["val"]), get_element(node)
    if element in SHORT and x.element != element:
        raise Unsupported(f"a sum of {x.element} in {element} is not written")
    summed = {d % len(shape) for d in dims or range(len(shape))} if shape else set()
    rest = tuple(1 if d in summed else e for d, e in enumerate(shape) if keepdim or d not in summed)
    total = program.write_reduction(program.write_expanded(x, shape), summed, rest,
                                    _writer.widen(element), 0, "arith.addf")
    return total, multiply([shape[d] for d in sorted(summed)])


def write_sum(program, node, x, dims=None, keepdim=False, **_):
    total, _ = write_total(program, node, x, dims, keepdim)
    return program.write_cast(total, get_element(node))


def write_mean(program, node, x, dims=None, keepdim=False, **_):
    total, count = write_total(program, node, x, dims, keepdim)
    mean = write_arithmetic(
        program, total.element, [total, count], total.element,
        lambda *names: program.emit(f"arith.divf {', '.join(names)} : {total.element}"))
    return program.write_cast(mean, get_element(node))


WRITERS = {
    ATEN._to_copy.default: write_cast, PRIMS.convert_element_type.default: write_cast,
    ATEN.abs.default: unary("math.absf"), ATEN.neg.default: unary("arith.negf"),
    ATEN.sqrt.default: unary("math.sqrt"), ATEN.rsqrt.default: unary("math.rsqrt"),
    ATEN.reciprocal.default: write_reciprocal, ATEN.pow.Tensor_Scalar: write_power,
    ATEN.add.Tensor: sum_of("arith.addf"), ATEN.add.Scalar: sum_of("arith.addf"),
    ATEN.sub.Tensor: sum_of("arith.subf"), ATEN.sub.Scalar: sum_of("arith.subf"),
    ATEN.rsub.Tensor: write_reversed, ATEN.rsub.Scalar: write_reversed,
    ATEN.mul.Tensor: product("arith.mulf"), ATEN.mul.Scalar: product("arith.mulf"),
    ATEN.div.Tensor: product("arith.divf"), ATEN.div.Scalar: product("arith.divf"),
    ATEN.relu.default: write_relu,
    ATEN.sigmoid.default: write_sigmoid, ATEN.exp.default: function("math.exp"),
    ATEN.erf.default: function("math.erf"), ATEN.tanh.default: function("math.tanh"),
    ATEN.sum.default: write_sum, ATEN.sum.dim_IntList: write_sum,
    ATEN.mean.default: write_mean, ATEN.mean.dim: write_mean,
    ATEN.alias.default: write_same, ATEN.clone.default: write_same,
    ATEN.detach.default: write_same, ATEN.expand.default: write_same,
    ATEN.lift_fresh_copy.default: write_same,
    ATEN._unsafe_view.default: write_view, ATEN.reshape.default: write_view,
    ATEN.squeeze.default: write_view, ATEN.squeeze.dim: write_view,
    ATEN.squeeze.dims: write_view, ATEN.unsqueeze.default: write_view,
    ATEN.view.default: write_view,
    ATEN.full.default: write_full, ATEN.scalar_tensor.default: write_number,
}


def check_node(node):
    """Raises Unsupported where a node is no tensor of the program."""
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor):
        raise Unsupported(f"{node} is not a tensor")
    if value.device.type != "cpu" or value.dtype not in TYPES:
        raise Unsupported(f"{node} is of {value.dtype} on {value.device}, expected a float on the "
                          "CPU")


def write_node(program, node, values):
    def get(argument):
        if argument not in values and not isinstance(argument.meta["val"], (int, torch.SymInt)):
            raise Unsupported(f"{argument} is neither a tensor nor an integer")
        return values.get(argument) or get_expression(argument.meta["val"])

    check_node(node)
    if node.target not in WRITERS:
        raise Unsupported(f"the op {node.target} is not written")
    return WRITERS[node.target](program, node, *torch.fx.map_arg(node.args, get),
                                **torch.fx.map_arg(node.kwargs, get))


def write_part(part, values):
    """The text of a part, a torch.fx.GraphModule whose placeholders are like `values`, of a
    graph's metadata. Its arguments are the tensors; an integer must be an extent of them, or a
    sum or product of such extents. Raises Unsupported."""
    program, known, given = Program(), {}, iter(values)
    for node in part.graph.nodes:
        if node.op == "placeholder":
            node.meta["val"] = value = next(given)
            if isinstance(value, torch.Tensor):
                check_node(node)
                known[node] = program.add_argument(get_element(node), get_shape(value))
        elif node.op == "output":
            nodes = node.args[0] if isinstance(node.args[0], (list, tuple)) else node.args
            return program.finish(program.write_expanded(known[n], get_shape(n.meta["val"]))
                                  for n in nodes)
        elif not isinstance(node.meta.get("val"), torch.SymInt):
            known[node] = write_node(program, node, known)
