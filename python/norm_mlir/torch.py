"""torch.compile with compiled norms: the norm parts of a graph, forward and backward,
go through norm-mlir, the rest stays as it is.

    model = torch.compile(model, backend="norm_mlir")
    model = torch.compile(model, backend=norm_mlir.torch.NormBackend())  # with its own counts
    model = torch.compile(model, backend="norm_mlir", options={"rest": "inductor"})

Parts that norm-mlir does not recognize, cannot compile or cannot call run in
eager mode; the logger "norm_mlir" says why, each reason once.
"""
import collections
import logging
import operator
from concurrent.futures import ThreadPoolExecutor

import torch
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from torch._decomp import get_decompositions
from torch._dynamo.backends.common import aot_autograd
from torch._guards import detect_fake_mode
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from . import compile, recognize

log = logging.getLogger("norm_mlir")

# What a norm and its neighbors are made of, as aten ops.
REDUCTIONS = {"mean", "sum"}
ELEMENTWISE = {"_to_copy", "abs", "add", "detach", "div", "expand", "mul", "neg", "pow",
               "reciprocal", "rsqrt", "sqrt", "sub"}
SHORT = (torch.bfloat16, torch.float16)


def name_of(node):
    return getattr(getattr(node.target, "overloadpacket", None), "__name__", None)


def is_on_cpu(node):
    value = node.meta.get("val")
    return (isinstance(value, torch.Tensor) and value.device.type == "cpu"
            and value.is_floating_point())


def lower(module, *example):
    """The linalg of a PyTorch module at the shapes and types of `example`."""
    from torch_mlir import fx
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    def rms_norm(x, shape, weight=None, eps=None):
        return torch._decomp.decompositions._fused_rms_norm(x, shape, weight, eps)[0]

    # torch-mlir's own lowering computes 16-bit statistics in 16 bits and takes 0
    # for eps=None; PyTorch's decomposition is what eager does.
    table = {**get_decomposition_table(), torch.ops.aten.rms_norm.default: rms_norm}
    return str(fx.export_and_import(module, *example, output_type="linalg-on-tensors",
                                    decomposition_table=table))


class NormOps(OperatorSupportBase):
    """Which nodes of a graph may be part of a norm."""

    def is_node_supported(self, submodules, node):
        if not all(map(is_on_cpu, [node, *node.all_input_nodes])):
            return False
        if name_of(node) in REDUCTIONS:
            # torch-mlir accumulates in the tensor's type, eager in f32.
            return node.all_input_nodes[0].meta["val"].dtype not in SHORT
        return name_of(node) in ELEMENTWISE


class NormPart(torch.nn.Module):
    """A part of a graph, compiled once for each list of shapes and types."""

    def __init__(self, part, backend):
        super().__init__()
        self.part, self.backend, self.functions = part, backend, {}

    def forward(self, *arguments):
        function, reason = self.find(arguments)
        if function is None:
            if not self.backend.fallbacks[reason]:
                log.warning("left to eager: %s", reason)
            self.backend.fallbacks[reason] += 1
            return self.part(*arguments)
        self.backend.calls += 1
        # Contiguous results serve what follows: every view of them is possible.
        return function(*(a.contiguous() for a in arguments))

    def find(self, arguments):
        key = tuple((a.shape, a.dtype) for a in arguments)
        if key not in self.functions:
            if len(self.functions) == self.backend.most_shapes:
                return None, f"more than {self.backend.most_shapes} lists of shapes"
            # In another thread: inside a running graph the dispatcher cannot trace.
            with ThreadPoolExecutor(1) as thread:
                self.functions[key] = thread.submit(self.compile, arguments).result()
        return self.functions[key]

    def compile(self, arguments):
        """A function, or None and the reason why there is none."""
        try:
            ir = lower(self.part, *(a.contiguous() for a in arguments))
            found = recognize(ir)
            backward = found.program.count("norm.rmsnorm_backward ")
            forward = found.program.count("norm.rmsnorm ")
            if not forward + backward:
                return None, next((f"not an RMSNorm ({r.reason}): {r.explanation}"
                                   for r in found.refused), "no RMSNorm in it")
            function = compile(ir)
        except Exception as error:  # torch-mlir raises many kinds
            return None, (str(error).strip() or repr(error)).splitlines()[0]
        self.backend.compiled += 1
        self.backend.forward += forward
        self.backend.backward += backward
        log.info("compiled: %d norms, %d backward passes", forward, backward)
        return function, None


# Inductor compiles graphs of ops: an op for all parts, which it calls by their number.
_parts = []


def _as_list(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


@torch.library.custom_op("norm_mlir::part", mutates_args=())
def run_part(arguments: list[torch.Tensor], number: int) -> list[torch.Tensor]:
    # A part that is left to eager may return views, which an op must not.
    return [r.clone() if r._is_view() or any(r is a for a in arguments) else r
            for r in _as_list(_parts[number](*arguments))]


@run_part.register_fake
def _(arguments, number):
    return [torch.empty_like(r, memory_format=torch.contiguous_format)
            for r in _as_list(_parts[number].part(*arguments))]


def call_by_number(graph_module, node, part):
    """Replaces the call of a submodule by that of the op."""
    graph = graph_module.graph
    with graph.inserting_before(node):
        call = graph.call_function(torch.ops.norm_mlir.part.default,
                                   (list(node.args), len(_parts)))
        _parts.append(part)
        output = next(n for n in part.part.graph.nodes if n.op == "output")
        if not isinstance(output.args[0], (tuple, list)):
            call = graph.call_function(operator.getitem, (call, 0))
    node.replace_all_uses_with(call)
    graph.erase_node(node)


class NormBackend:
    """For torch.compile(backend=...). `calls` of compiled programs, `compiled` ones, with
    `forward` norms and `backward` passes, and `fallbacks`, a count for each reason, say
    what happened."""

    def __init__(self, most_shapes=8):
        self.most_shapes = most_shapes
        self.calls, self.compiled, self.fallbacks = 0, 0, collections.Counter()
        self.forward, self.backward = 0, 0

    def __call__(self, graph_module, example_inputs, options=None):
        options = dict(options or {})
        rest = options.pop("rest", "eager")
        if options or rest not in ("eager", "inductor"):
            raise ValueError(f"options are rest='eager' or 'inductor', got {options or rest!r}")
        compile_graph = self.compile_graph if rest == "eager" else self.compile_for_inductor
        # aot_autograd makes graphs of aten ops without mutation, backward ones too.
        decompositions = get_decompositions([torch.ops.aten._fused_rms_norm])
        if rest == "inductor":
            from torch._inductor.decomposition import select_decomp_table

            decompositions = {**select_decomp_table(), **decompositions}
        # What is cheap is computed again: a backward graph then reads x and r, from which
        # dw can be recognized, and not a saved x * r.
        compiler = aot_autograd(fw_compiler=compile_graph, decompositions=decompositions,
                                partition_fn=min_cut_rematerialization_partition)
        return compiler(graph_module, example_inputs)

    def compile_graph(self, graph_module, example_inputs):
        return make_boxed_func(self.split(graph_module).forward)

    def compile_for_inductor(self, graph_module, example_inputs):
        from torch._inductor.compile_fx import compile_fx_inner

        fused = self.split(graph_module)
        for node in list(fused.graph.nodes):
            part = getattr(fused, str(node.target)) if node.op == "call_module" else None
            if isinstance(part, NormPart):
                call_by_number(fused, node, part)
        fused.recompile()
        FakeTensorProp(fused, detect_fake_mode(example_inputs)).propagate_dont_convert_inputs(
            *example_inputs)
        return compile_fx_inner(fused, example_inputs)

    def split(self, graph_module):
        """The graph with a NormPart for each part that may be a norm."""
        for node in graph_module.graph.nodes:
            if name_of(node) in REDUCTIONS and not NormOps().is_node_supported({}, node):
                log.warning("left to eager: %s, not of f32 or f64 on the CPU", node)
        partitioner = CapabilityBasedPartitioner(graph_module, NormOps(),
                                                 allows_single_node_partition=True)
        partitions = [p for p in partitioner.propose_partitions()
                      if any(name_of(node) in REDUCTIONS for node in p.nodes)]
        fused = partitioner.fuse_partitions(partitions)
        for name, part in list(fused.named_children()):
            if name.startswith("fused_"):
                setattr(fused, name, NormPart(part, self))
        return fused


#: What torch.compile(backend="norm_mlir") uses; its counts are of the whole process.
backend = NormBackend()
