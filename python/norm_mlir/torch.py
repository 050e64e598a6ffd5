"""torch.compile with compiled norms: the norm parts of a graph, forward and backward,
go through norm-mlir, the rest stays as it is.

    model = torch.compile(model, backend="norm_mlir")
    model = torch.compile(model, backend="norm_mlir", options={"rest": "inductor"})
    model = torch.compile(model, backend=norm_mlir.torch.NormBackend())  # with its own counts

The logger "norm_mlir" says why norm-mlir leaves a part of a graph out, each reason once. The
rest of the graph runs in eager mode, or is compiled by inductor.
"""
import collections
import functools
import graphlib
import logging
from typing import NamedTuple, Optional

import torch
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from torch._decomp import get_decompositions
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.convert_frame import compile_lock
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase
from torch.fx.passes.tools_common import stable_topological_sort
from torch.fx.passes.utils.fuser_utils import (erase_nodes, fuse_as_graphmodule,
                                               fuse_by_partitions, insert_subgm)

from . import Function, NormError, compile, recognize
from ._linalg import Unsupported, get_expression, write_part

log = logging.getLogger("norm_mlir")

# What a norm and its neighbors are made of, as aten ops.
REDUCTIONS = {"mean", "sum"}
ELEMENTWISE = {"_to_copy", "abs", "add", "detach", "div", "expand", "mul", "neg", "pow",
               "reciprocal", "rsqrt", "sqrt", "sub"}


def name_of(node):
    return getattr(getattr(node.target, "overloadpacket", None), "__name__", None)


def is_on_cpu(node):
    value = node.meta.get("val")
    return (isinstance(value, torch.Tensor) and value.device.type == "cpu"
            and value.is_floating_point())


def is_extent(node):
    return isinstance(node.meta.get("val"), torch.SymInt)


def lower(module, *example, dynamic_shapes=None):
    """The linalg of a PyTorch module at the shapes and types of `example`; which extents are open
    is for `dynamic_shapes` to say, as for torch.export."""
    from torch_mlir import fx
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    def rms_norm(x, shape, weight=None, eps=None):
        return torch._decomp.decompositions._fused_rms_norm(x, shape, weight, eps)[0]

    # torch-mlir's own lowering computes 16-bit statistics in 16 bits and takes 0
    # for eps=None; PyTorch's decomposition is what eager does.
    table = {**get_decomposition_table(), torch.ops.aten.rms_norm.default: rms_norm}
    return str(fx.export_and_import(module, *example, output_type="linalg-on-tensors",
                                    decomposition_table=table, dynamic_shapes=dynamic_shapes))


class NormOps(OperatorSupportBase):
    """Which nodes of a graph may be part of a norm."""

    def is_node_supported(self, submodules, node):
        return (name_of(node) in ELEMENTWISE | REDUCTIONS and is_on_cpu(node)
                and all(is_on_cpu(n) or is_extent(n) for n in node.all_input_nodes))


class Outcome(NamedTuple):
    """A compiled part with its numbers of norms, or the reason why it is left out."""

    function: Optional[Function] = None
    reason: str = ""
    forward: int = 0
    backward: int = 0


def compile_part(part, values, threads):
    try:
        ir = write_part(part, values)
        found = recognize(ir)
        backward = sum(f.kind == "rmsnorm_backward" for f in found.recognized)
        if found.recognized:
            return Outcome(compile(ir, threads=threads), "", len(found.recognized) - backward,
                           backward)
    except (NormError, Unsupported) as error:
        return Outcome(reason=str(error).splitlines()[0])
    return Outcome(reason=next((f"not an RMSNorm ({r.reason}): {r.explanation}"
                                for r in found.rejected), "no RMSNorm in it"))


def describe(part, values):
    """A text that parts have in common if only the names in them differ."""
    numbers = {node: f"%{i}" for i, node in enumerate(part.graph.nodes)}
    types = [(v.dtype, [*map(get_expression, v.shape)]) if isinstance(v, torch.Tensor)
             else get_expression(v) for v in values]
    lines = [(str(node.target), torch.fx.map_arg((node.args, node.kwargs), numbers.get))
             for node in part.graph.nodes if node.op != "placeholder"]
    return repr((types, lines))


class NormPart(torch.nn.Module):
    """A call of what a part was compiled to."""

    def __init__(self, function, backend):
        super().__init__()
        self.function, self.backend = function, backend

    def forward(self, *arguments):
        self.backend.calls += 1
        # Contiguous results serve what follows: every view of them is possible.
        return self.function(*(a.contiguous() for a in arguments if isinstance(a, torch.Tensor)))


def get_inputs(nodes):
    return {n for node in nodes for n in node.all_input_nodes} - set(nodes)


def is_acyclic(graph, parts):
    """Whether each part can be one node."""
    groups = {node: i for i, part in enumerate(parts) for node in part}
    sorter = graphlib.TopologicalSorter()
    for node in graph.nodes:
        group = groups.get(node, node)
        sorter.add(group, *({groups.get(n, n) for n in node.all_input_nodes} - {group}))
    try:
        sorter.prepare()
    except graphlib.CycleError:
        return False
    return True


def join_gradients(graph, parts):
    """Joins parts with two inputs in common, as dx and dw of one norm: one pass computes both."""
    joined = []
    for number, part in enumerate(parts):
        for i, other in enumerate(joined):
            candidate = [*joined[:i], other + part, *joined[i + 1:]]
            if len(get_inputs(other) & get_inputs(part)) > 1 and is_acyclic(
                    graph, candidate + parts[number + 1:]):
                joined = candidate
                break
        else:
            joined.append(part)
    order = {node: i for i, node in enumerate(graph.nodes)}
    return [sorted(part, key=order.get) for part in joined]


def find_parts(graph_module):
    """The reductions of a graph with the element-wise ops around them, as lists of nodes. Those
    of different norms are not joined: the last would keep the tensors of all of them."""
    partitioner = CapabilityBasedPartitioner(graph_module, NormOps(), skip_horizontal_fusion=True,
                                             allows_single_node_partition=True)
    parts = [list(part.nodes) for part in partitioner.propose_partitions()
             if any(name_of(node) in REDUCTIONS for node in part.nodes)]
    return join_gradients(graph_module.graph, parts)


class CalledFunctions(OperatorSupportBase):
    """What stays in a graph whose norms are modules."""

    def is_node_supported(self, submodules, node):
        return node.op == "call_function"


class InductorPart(torch.nn.Module):
    def __init__(self, part, inputs):
        super().__init__()
        # Random numbers are those of eager mode.
        options = {"config_patches": {"fallback_random": True}}
        self.compiled = torch._inductor.standalone_compile(
            part, inputs, dynamic_shapes="from_tracing_context", options=options)

    def forward(self, *arguments):
        return self.compiled(*arguments)


def pass_symbols(graph, node):
    """Gives a part the symbols of extents as arguments, from which inductor reads them."""
    part = graph.get_submodule(node.target)
    given = {get_expression(a.meta["val"]) for a in node.args if is_extent(a)}
    for symbol in graph.graph.find_nodes(op="placeholder"):
        if is_extent(symbol) and get_expression(symbol.meta["val"]) not in given:
            with part.graph.inserting_before(next(iter(part.graph.nodes))):
                part.graph.placeholder(f"{symbol.name}_").meta = symbol.meta
            node.args = (symbol, *node.args)
    part.recompile()


def compile_rest(graph):
    """Lets inductor compile what lies between the modules of a graph."""
    partitioner = CapabilityBasedPartitioner(graph, CalledFunctions(),
                                             allows_single_node_partition=True)
    parts = [part.nodes for part in partitioner.propose_partitions()]
    fuse_by_partitions(graph, parts, prefix="rest_", always_return_tuple=True)
    for node in graph.graph.nodes:
        if node.op == "call_module" and node.target.startswith("rest_"):
            pass_symbols(graph, node)
            inputs = [argument.meta["val"] for argument in node.args]
            setattr(graph, node.target, InductorPart(getattr(graph, node.target), inputs))
    graph.recompile()


class Options(NamedTuple):
    """Who compiles the rest, and the threads of compiled parts."""

    rest: str = "eager"
    threads: int = 1


def read_options(given):
    options = Options(**given) if set(given) <= set(Options._fields) else None
    if (not options or options.rest not in ("eager", "inductor")
            or not isinstance(options.threads, int) or options.threads < 1):
        raise ValueError("the options are rest, which is 'eager' or 'inductor', and threads, "
                         f"a number above 0, got {given}")
    return options


class NormBackend:
    """For torch.compile(backend=...). `compiled` programs and their `calls`, with `forward` norms
    and `backward` passes in all parts, and `fallbacks`, a count for each reason why a part was
    left out, say what happened."""

    def __init__(self):
        self.calls, self.compiled, self.fallbacks = 0, 0, collections.Counter()
        self.forward, self.backward = 0, 0
        self.outcomes = {}

    def __call__(self, graph_module, example_inputs, *, options=None):
        compile_graph = functools.partial(self.compile_graph, read_options(options or {}))
        # aot_autograd makes graphs of aten ops without mutation, backward ones too.
        fused = get_decompositions([torch.ops.aten._fused_rms_norm])
        # What is cheap is computed again: a backward graph then reads x and r, from which
        # dw can be recognized, and not a saved x * r.
        compiler = aot_autograd(fw_compiler=compile_graph, decompositions=fused,
                                partition_fn=min_cut_rematerialization_partition)
        return compiler(graph_module, example_inputs)

    def compile_graph(self, options, graph_module, example_inputs):
        # torch holds it around forward graphs only; what it notes of nodes is no thread's own.
        with compile_lock:
            return self.compile_parts(options, graph_module)

    def compile_parts(self, options, graph_module):
        for node in graph_module.graph.nodes:
            if name_of(node) in REDUCTIONS and not NormOps().is_node_supported({}, node):
                log.warning("left to %s: %s, not of floats on the CPU", options.rest, node)
        for number, nodes in enumerate(find_parts(graph_module)):
            name = f"norm_{number}"
            part, inputs, outputs = fuse_as_graphmodule(graph_module, nodes, name)
            function = self.find_function(options, part, inputs, outputs)
            if function:
                insert_subgm(graph_module, part, inputs, outputs, nodes[-1])
                erase_nodes(graph_module, nodes)
                setattr(graph_module, name, NormPart(function, self))
        stable_topological_sort(graph_module)
        graph_module.recompile()
        if options.rest == "inductor":
            compile_rest(graph_module)
        return make_boxed_func(graph_module.forward)

    def find_function(self, options, part, inputs, outputs):
        values = [node.meta["val"] for node in inputs]
        # Inductor relies on the strides of eager mode.
        if options.rest == "inductor" and not all(n.meta["val"].is_contiguous() for n in outputs):
            outcome = Outcome(reason="its results are not contiguous")
        else:
            outcome = self.compile_once(part, values, options.threads)
        self.forward += outcome.forward
        self.backward += outcome.backward
        if outcome.reason:
            if outcome.reason not in self.fallbacks:
                log.warning("left to %s: %s", options.rest, outcome.reason)
            self.fallbacks[outcome.reason] += 1
        return outcome.function

    def compile_once(self, part, values, threads):
        key = threads, describe(part, values)
        if key not in self.outcomes:
            outcome = self.outcomes[key] = compile_part(part, values, threads)
            self.compiled += outcome.function is not None
            if outcome.function:
                log.info("compiled: %d norms, %d backward passes", outcome.forward,
                         outcome.backward)
        return self.outcomes[key]


#: What torch.compile(backend="norm_mlir") uses; its counts are of the whole process.
backend = NormBackend()
