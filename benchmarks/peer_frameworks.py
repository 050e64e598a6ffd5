"""Llama's RMSNorm, unfused as its authors write it, in the frameworks that users have;
and the gradients of an RMSNorm that computes in f32 and rounds once.

Each class hosts one or more subjects: `prepare` returns for each name a function to time
and one that gives its result as a numpy array (bf16 as bits). Results go into a given
buffer where the framework can.
"""
import numpy as np

from peer_native import print_program
from peer_numerics import EPSILON, aligned


def as_bfloat16(array):
    import ml_dtypes
    return array.view(ml_dtypes.bfloat16)


class Torch:
    NAMES = ["torch eager", "torch.compile", "torch F.rms_norm"]

    def __init__(self, build, threads):
        import torch
        self.torch = torch
        torch.set_num_threads(threads)
        torch.set_grad_enabled(False)

    def versions(self):
        return {"torch": self.torch.__version__}

    def tensor(self, array, type):
        torch = self.torch
        if type == "bf16":
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(array)

    def prepare(self, case, x, w):
        torch, type = self.torch, case["type"]
        result = {name: aligned(x.shape, x.dtype) for name in self.NAMES}
        out = {name: self.tensor(array, type) for name, array in result.items()}
        tx, tw = self.tensor(x, type), self.tensor(w, type)

        def llama(x, w):
            h = x.to(torch.float32)
            variance = h.pow(2).mean(-1, keepdim=True)
            h = h * torch.rsqrt(variance + EPSILON)
            return w * h.to(x.dtype)

        def into(x, w, out):
            out.copy_(llama(x, w))

        torch._dynamo.reset()
        compiled = torch.compile(into, dynamic=False)
        last = {}  # what has no buffer to go into

        def eager():
            last["torch eager"] = llama(tx, tw)

        def fused():
            last["torch F.rms_norm"] = torch.nn.functional.rms_norm(tx, (case["cols"],), tw, EPSILON)

        def get(name):
            if name in last:
                out[name].copy_(last[name])
            return result[name]

        runs = {"torch eager": eager, "torch F.rms_norm": fused,
                "torch.compile": lambda: compiled(tx, tw, out["torch.compile"])}
        return {name: (runs[name], lambda name=name: get(name), None) for name in self.NAMES}


    def prepare_backward(self, case, x, w, dy):
        """The backward pass alone, of a graph that the forward pass has left."""
        import torch._functorch.config
        torch, type = self.torch, case["type"]
        # The graph is run again and again, so its buffers are not given away.
        torch._functorch.config.donated_buffer = False
        tx, tw = (self.tensor(a, type).requires_grad_() for a in (x, w))
        tdy = self.tensor(dy, type)

        def norm(x, w):
            h = x.to(torch.float32)
            h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + EPSILON)
            return (h * w.to(torch.float32)).to(x.dtype)

        torch._dynamo.reset()
        forward = {"torch eager": norm, "torch.compile": torch.compile(norm, dynamic=False),
                   "torch F.rms_norm": lambda x, w: torch.nn.functional.rms_norm(x, (case["cols"],), w, EPSILON)}
        with torch.enable_grad():
            graphs = {name: function(tx, tw) for name, function in forward.items()}
        last = {}

        def run(name):
            last[name] = torch.autograd.grad(graphs[name], (tx, tw), tdy, retain_graph=True)

        def get(name):
            dx = last[name][0]
            return dx.view(torch.int16).numpy().view(np.uint16) if type == "bf16" else dx.numpy()

        return {name: (lambda name=name: run(name), lambda name=name: get(name), graphs) for name in self.NAMES}


def make_onnx(case):
    """The module as exporters write it. bf16 and f16 weights multiply through f32, which
    rounds as the 16-bit product does: few runtimes have that."""
    import onnx
    from onnx import TensorProto, helper
    types = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16}
    type, shape = types[case["type"]], [case["rows"], case["cols"]]
    narrow = case["type"] != "f32"
    nodes = []

    def add(op, inputs, output, **attributes):
        nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def cast(value, to):
        return add("Cast", [value], f"{value}_{to}", to=to) if narrow else value

    h = cast("x", TensorProto.FLOAT)
    mean = add("ReduceMean", [add("Pow", [h, "two"], "square"), "axes"], "mean", keepdims=1)
    root = add("Sqrt", [add("Add", [mean, "epsilon"], "shifted")], "root")
    normalized = cast(add("Div", [h, root], "normalized"), type)
    widened = cast(normalized, TensorProto.FLOAT), cast("w", TensorProto.FLOAT)
    y = add("Mul", list(widened), "product" if narrow else "y")
    if narrow:
        add("Cast", [y], "y", to=type)
    initializers = [helper.make_tensor("two", TensorProto.FLOAT, [], [2.0]),
                    helper.make_tensor("epsilon", TensorProto.FLOAT, [], [EPSILON]),
                    helper.make_tensor("axes", TensorProto.INT64, [1], [-1])]
    graph = helper.make_graph(nodes, "llama", [helper.make_tensor_value_info("x", type, shape),
                                               helper.make_tensor_value_info("w", type, shape[1:])],
                              [helper.make_tensor_value_info("y", type, shape)], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    return model.SerializeToString()


class OnnxRuntime:
    NAMES = ["ONNX Runtime"]

    def __init__(self, build, threads):
        import onnx  # noqa: F401
        import onnxruntime
        self.onnxruntime, self.threads = onnxruntime, threads

    def versions(self):
        return {"onnxruntime": self.onnxruntime.__version__}

    def prepare(self, case, x, w):
        from onnx import TensorProto
        options = self.onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        # Threads that spin on after a run would slow the next subject down.
        options.add_session_config_entry("session.force_spinning_stop", "1")
        session = self.onnxruntime.InferenceSession(make_onnx(case), options, providers=["CPUExecutionProvider"])
        y = aligned(x.shape, x.dtype)
        element = {"f32": np.float32, "f16": np.float16, "bf16": TensorProto.BFLOAT16}[case["type"]]
        binding = session.io_binding()
        for name, array in ("x", x), ("w", w):
            binding.bind_input(name, "cpu", 0, element, array.shape, array.ctypes.data)
        binding.bind_output("y", "cpu", 0, element, y.shape, y.ctypes.data)
        return {"ONNX Runtime": (lambda: session.run_with_iobinding(binding), lambda: y, (x, w))}


class OpenVino:
    NAMES = ["OpenVINO"]

    def __init__(self, build, threads):
        import onnx  # noqa: F401
        import openvino
        self.openvino, self.threads = openvino, threads

    def versions(self):
        return {"openvino": self.openvino.__version__.split("-")[0]}

    def prepare(self, case, x, w):
        ov = self.openvino
        core = ov.Core()
        model = core.read_model(make_onnx(case), b"")
        compiled = core.compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": self.threads,
                                                     "PERFORMANCE_HINT": "LATENCY",
                                                     "INFERENCE_PRECISION_HINT": "f32"})
        y = aligned(x.shape, x.dtype)

        def tensor(array):
            if case["type"] == "bf16":
                return ov.Tensor(array, array.shape, ov.Type.bf16)
            return ov.Tensor(array, shared_memory=True)

        request = compiled.create_infer_request()
        tensors = [tensor(a) for a in (x, w, y)]
        request.set_tensor("x", tensors[0])
        request.set_tensor("w", tensors[1])
        request.set_tensor("y", tensors[2])

        def run():
            request.start_async()
            request.wait()

        return {"OpenVINO": (run, lambda: y, tensors)}


class Jax:
    """The result is a buffer of its own: JAX does not write into a given one."""
    NAMES = ["JAX"]

    def __init__(self, build, threads):
        import jax
        jax.config.update("jax_platforms", "cpu")
        self.jax = jax

    def versions(self):
        return {"jax": self.jax.__version__}

    def prepare(self, case, x, w):
        jax, jnp = self.jax, self.jax.numpy
        arrays = [jax.device_put(as_bfloat16(a) if case["type"] == "bf16" else a) for a in (x, w)]

        @jax.jit
        def llama(x, w):
            h = x.astype(jnp.float32)
            variance = jnp.mean(h * h, axis=-1, keepdims=True)
            h = h * jax.lax.rsqrt(variance + EPSILON)
            return w * h.astype(x.dtype)

        last = {}

        def run():
            last["y"] = llama(*arrays).block_until_ready()

        return {"JAX": (run, lambda: np.asarray(last["y"]).view(x.dtype), arrays)}

    def prepare_backward(self, case, x, w, dy):
        """With the statistic computed again, as under jax.checkpoint."""
        jax, jnp = self.jax, self.jax.numpy
        arrays = [jax.device_put(as_bfloat16(a) if case["type"] == "bf16" else a) for a in (x, w, dy)]

        def norm(x, w):
            h = x.astype(jnp.float32)
            h = h * jax.lax.rsqrt(jnp.mean(h * h, axis=-1, keepdims=True) + EPSILON)
            return (h * w.astype(jnp.float32)).astype(x.dtype)

        gradient = jax.jit(lambda x, w, dy: jax.vjp(norm, x, w)[1](dy))
        last = {}

        def run():
            last["d"] = jax.block_until_ready(gradient(*arrays))

        return {"JAX": (run, lambda: np.asarray(last["d"][0]).view(x.dtype), arrays)}


class Iree:
    """Compiles the same linalg program as norm-mlir; the result is a buffer of its own."""
    NAMES = ["IREE"]

    def __init__(self, build, threads):
        import iree.compiler
        import iree.runtime
        from iree.runtime import flags
        flags.parse_flags(f"--task_topology_group_count={threads}")
        self.iree, self.build = iree, build
        self.config = iree.runtime.Config("local-sync" if threads == 1 else "local-task")

    def versions(self):
        from importlib.metadata import version
        return {"iree": version("iree-base-compiler")}

    def prepare(self, case, x, w):
        return self.compile(case, [x, w], lambda y: y)

    def prepare_backward(self, case, x, w, dy):
        return self.compile(case, [x, dy, w], lambda results: results[0])

    def compile(self, case, operands, select):
        code = self.iree.compiler.compile_str(print_program(self.build, case).decode(), target_backends=["llvm-cpu"],
                                              extra_args=["--iree-llvmcpu-target-cpu=host"])
        runtime = self.iree.runtime
        context = runtime.SystemContext(config=self.config)
        context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, code))
        main = context.modules.module.main
        arrays = [as_bfloat16(a) if case["type"] == "bf16" else a for a in operands]
        arrays = [runtime.asdevicearray(self.config.device, a) for a in arrays]
        last = {}

        def run():
            last["y"] = main(*arrays)

        get = lambda: np.asarray(select(last["y"]).to_host()).view(operands[0].dtype)
        return {"IREE": (run, get, context)}
