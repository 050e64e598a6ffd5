"""torch.compile with compiled norms: inductor compiles a model, and norm-mlir the norms in it,
forward and backward.

    model = torch.compile(model, backend="norm_mlir")
    model = torch.compile(model, backend=norm_mlir.torch.NormBackend())  # with its own counts

A pass over inductor's graphs replaces each part with a norm by a call of what norm-mlir compiled.
Inductor fuses the rest, plans the memory of both, and caches the result.
"""
import base64
import collections
import functools
import hashlib
import logging
import operator
import threading
import zlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch._dynamo.convert_frame import compile_lock
from torch._inductor import config, list_mode_options
from torch._inductor.codegen.custom_extern_kernel_codegen import (CUSTOM_EXTERN_KERNEL_CODEGEN,
                                                                  CustomCodegen)
from torch._inductor.compile_fx import compile_fx
from torch._inductor.custom_graph_pass import (CustomGraphPass, get_custom_graph_passes,
                                               get_hash_for_files)
from torch._inductor.lowering import add_needs_realized_inputs, fallbacks
from torch._inductor.pattern_matcher import stable_topological_sort
from torch._inductor.virtualized import V
from torch.fx.passes.utils.fuser_utils import fuse_as_graphmodule
from torch.utils._pytree import tree_leaves

from . import NormError, _cache, _eager, _linalg, _parts, _writer, compile
from ._linalg import get_expression, get_shape
from ._parts import (PRODUCTS, REDUCTIONS, VIEWS, Outcome, copy_normalized, cut_scaling,
                     drop_copies, explain_end, find_norms_once, find_parts, is_extent,
                     is_sum_of_products, join_products, name_of, split_products)

__all__ = ["NormBackend", "backend", "explain", "lower"]
log = logging.getLogger("norm_mlir")


def lower(module: torch.nn.Module, *example: Any, dynamic_shapes: Any = None) -> str:
    """The linalg of a PyTorch module at the shapes and types of `example`; which extents are open
    is for `dynamic_shapes` to say, as for torch.export. Needs torch-mlir."""
    try:
        from torch_mlir import fx
        from torch_mlir.extras.fx_decomp_util import get_decomposition_table
    except ImportError:
        raise NormError("norm_mlir.torch.lower needs torch-mlir: pip install torch-mlir") from None

    program = torch.export.export(module, example, dynamic_shapes=dynamic_shapes)
    program = program.run_decompositions(_eager.get_table(get_decomposition_table()))
    signature = program.graph_signature
    written = {**signature.buffers_to_mutate, **signature.parameters_to_mutate}
    if written:
        raise NormError(f"the module writes {', '.join(written.values())} in place, which a "
                        "compiled function does not keep: make it an argument")
    _eager.drop_none(program)
    _eager.flatten_views(program.graph)
    _eager.fold_uniform(program)
    # torch-mlir looks for all buffers where torch keeps those that are saved.
    for name in program.graph_signature.non_persistent_buffers:
        program.state_dict[name] = program.constants[name]
    module = fx.export_and_import(program, output_type="linalg-on-tensors", decomposition_table={},
                                  backend_legal_ops=["aten.flatten.using_ints"])
    _eager.keep_unsigned(module, program)
    return str(module)


# The operators of all parts, by the number of results: inductor allows no list of results in a branch
# or a loop. The program is an argument, so that what inductor caches is complete.
MOST_RESULTS = 32
LIBRARY = torch.library.Library("norm_mlir", "FRAGMENT")
CALLS = {}


def pack(program):
    return base64.b85encode(zlib.compress(program.encode())).decode()


@functools.lru_cache(None)
def load_part(packed, threads):
    """The function of a part: its program is on disk, or is compiled."""
    return compile(zlib.decompress(base64.b85decode(packed)).decode(), threads=threads)


def call_part(inputs, *rest):
    *results, packed, threads = rest
    load_part(packed, threads)(*inputs, out=tuple(results))


def call_fake(inputs, *rest):
    pass


def write_call(node, write_line):
    """Inductor's code of a part: it calls the function, and not the operator, which takes twice
    the time."""
    inputs, *results, packed, threads = node.unflatten_args(
        [value.codegen_reference() for value in node.inputs], node.constant_args)[0]
    name = f"norm_{hashlib.sha256(packed.encode()).hexdigest()[:12]}_{threads}"
    wrapper = V.graph.wrapper_code
    wrapper.add_import_once("from norm_mlir.torch import load_part as load_norm")
    wrapper.add_import_once(f"{name} = load_norm({packed!r}, {threads})")
    write_line(f"{name}({', '.join(inputs)}, out=({', '.join(results)},))")


def define_call(count):
    name, results = f"call{count}", "".join(f"Tensor(r{i}!) r{i}, " for i in range(count))
    LIBRARY.define(f"{name}(Tensor[] inputs, {results}str program, int threads) -> ()",
                   tags=(torch.Tag.needs_contiguous_strides,))
    torch.library.impl(LIBRARY, name, "CPU")(call_part)
    torch.library.register_fake(f"norm_mlir::{name}")(call_fake)
    CALLS[count] = getattr(torch.ops.norm_mlir, name).default
    add_needs_realized_inputs(CALLS[count])
    CUSTOM_EXTERN_KERNEL_CODEGEN[f"torch.ops.norm_mlir.{name}.default"] = CustomCodegen(
        python=write_call)


for count in range(1, MOST_RESULTS + 1):
    define_call(count)


def get_number(extent):
    """The extent that an open one had when the graph was traced."""
    return extent if isinstance(extent, int) else extent.node.hint or 0


class Part(NamedTuple):
    """Nodes of a graph, as a graph of their own, with the nodes that it reads, and those among
    them that others read."""

    nodes: list
    module: torch.fx.GraphModule
    inputs: tuple
    outputs: tuple

    def get_values(self):
        return [node.meta["val"] for node in (*self.inputs, *self.outputs)
                if isinstance(node.meta["val"], torch.Tensor)]

    def get_size(self):
        """The bytes that it reads and writes, less those that a call adds: what would stay in
        registers of inductor's loops, which write or read it too for a call. At least 0."""
        later = self.find_later()
        fused = [node for node in self.inputs if not is_extent(node) and self.is_input_fused(node)]
        fused += [node for node in self.outputs if is_read_by_loops(node, later)]
        added = count_bytes(node.meta["val"] for node in fused)
        return max(0, count_bytes(self.get_values()) - 2 * added)

    def is_input_fused(self, node):
        """Whether a loop of inductor's computes an input, and nothing but this part reads it."""
        readers = {*self.nodes}
        while name_of(node) in VIEWS and {*node.users} <= readers:
            node, readers = node.args[0], {node}
        return is_loop(node) and {*node.users} <= readers

    def find_later(self):
        """The nodes that need results of products, and the like, of what this part computes."""
        nodes, reached, later = {*self.nodes}, {*self.nodes}, set()
        for node in self.nodes[0].graph.nodes:
            inputs = {*node.all_input_nodes} - nodes
            if not reached.isdisjoint(node.all_input_nodes):
                reached.add(node)
            if not later.isdisjoint(inputs) or not all(map(is_loop, reached & inputs)):
                later.add(node)
        return later

    def get_modules(self):
        """The ids of the modules that its sums are from, with the names that they are traced by."""
        stacks = [node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack")
                  for node in self.nodes if is_sum_of_products(node)]
        modules = [[*stack.items()][-1] for stack in stacks if stack]
        # A second call of a module has its id with a number behind it.
        return tuple({key.partition("@")[0]: path for key, (path, _) in modules}.items())

    def is_backward(self):
        return any(node.meta.get("partitioner_tag") == "is_backward" for node in self.nodes)


class Finding(NamedTuple):
    """What became of a part, for whoever knows the modules."""

    modules: tuple
    pass_name: str
    reason: str


def make_part(graph_module, nodes):
    return Part(nodes, *fuse_as_graphmodule(graph_module, nodes, "norm"))


def count_bytes(values):
    return sum(get_number(value.numel()) * value.element_size() for value in values)


def is_loop(node):
    """Whether inductor has a node in its loops."""
    return (name_of(node) is not None and name_of(node) not in PRODUCTS
            and node.target not in fallbacks)


def is_written_by_inductor(node):
    """Whether inductor's loops compute a tensor, in whatever order is asked for."""
    while name_of(node) in VIEWS:
        node = node.args[0]
    return is_loop(node)


def is_read_by_loops(node, later):
    """Whether loops are all that reads a node, at once or through views, and none of them is to
    run later."""
    return not find_copy(node) and all(
        user not in later and (is_read_by_loops(user, later) if name_of(user) in VIEWS
                               else is_loop(user)) for user in node.users)


def find_copy(node):
    """The copy of a node, and the order of the dims that it is made in, where that is all that
    reads the node; None where it is not."""
    order = [*range(node.meta["val"].dim())]
    users = [*node.users]
    if len(users) == 1 and name_of(users[0]) == "permute":
        order, users = users[0].args[1], [*users[0].users]
    return (users[0], order) if len(users) == 1 and name_of(users[0]) == "clone" else None


def get_expected(node):
    """What a node should be like in memory: as in eager mode, or so that it need not be copied."""
    copy = find_copy(node)
    if copy is None:
        return node.meta["val"]
    clone, order = copy
    return clone.meta["val"].permute([*map([d % len(order) for d in order].index,
                                           range(len(order)))])


def find_order(part):
    """The order of the dims in memory, from the outermost, for which the fewest bytes of inputs
    and results are copied."""
    rank = max(value.dim() for value in part.get_values())
    values = [node.meta["val"] for node in part.inputs if not is_written_by_inductor(node)]
    values += [get_expected(node) for node in part.outputs]
    values = [v for v in values if isinstance(v, torch.Tensor) and v.dim() == rank]
    orders = [tuple(range(rank))]
    for value in values:
        strides = [*map(get_number, value.stride())]
        order = tuple(sorted(range(rank), key=lambda d: -strides[d]))
        if all(is_permutable(node, order) for node in part.module.graph.nodes):
            orders.append(order)
    return min(orders, key=lambda order: sum(
        get_number(v.numel()) for v in values if not v.permute(order).is_contiguous()))


def is_permutable(node, order):
    """Whether a node of a part can have its dims in another order."""
    rank, value = len(order), node.meta.get("val")
    if not isinstance(value, torch.Tensor):
        return True
    is_full = value.dim() == rank
    if name_of(node) in REDUCTIONS and node.args[0].meta["val"].dim() == rank:
        return is_full and len(node.args) > 1
    # A tensor with fewer dims has the last ones.
    kept = tuple(range(rank - value.dim(), rank))
    return is_full or order[rank - len(kept):] == kept


def permute_dims(module, order):
    """Makes a part one of tensors with their dims in another order."""
    rank = len(order)
    for node in module.graph.nodes:
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor) or value.dim() < rank:
            continue
        node.meta["val"] = value.permute(order)
        if name_of(node) in REDUCTIONS and len(node.args) > 1:
            dims = [order.index(d % rank) for d in node.args[1]]
            node.args = (node.args[0], dims, *node.args[2:])
        elif name_of(node) == "expand":
            node.args = (node.args[0], [node.args[1][d - rank] for d in order])


def find_units(value):
    """The dims of a tensor that have one element."""
    return [d for d, extent in enumerate(get_shape(value)) if extent == 1]


def squeeze(node):
    """A node without these dims."""
    value, units = node.meta["val"], find_units(node.meta["val"])
    return add_node(node.graph, torch.ops.aten.squeeze.dims, (node, units),
                    value.squeeze(units)) if units else node


def unsqueeze(node, units):
    """A node with such dims in these places."""
    for d in units:
        node = add_node(node.graph, torch.ops.aten.unsqueeze.default, (node, d),
                        node.meta["val"].unsqueeze(d))
    return node


def squeeze_dims(module):
    """Makes a part one of tensors without dims of one element, which would be loops in the midst
    of its own: a statistic of rows has one element for each."""
    graph = module.graph
    first = next(node for node in graph.nodes if node.op != "placeholder")
    for node in graph.find_nodes(op="placeholder"):
        value = node.meta["val"]
        if not isinstance(value, torch.Tensor) or not find_units(value):
            continue
        users, node.meta["val"] = [*node.users], value.squeeze(find_units(value))
        with graph.inserting_before(first):
            whole = unsqueeze(node, find_units(value))
        for user in users:
            user.replace_input_with(node, whole)
    output = graph.output_node()
    with graph.inserting_before(output):
        output.args = torch.fx.map_arg(output.args, squeeze)


def compile_part(part, options):
    """What was found in a part, and the order of its dims in memory."""
    order = find_order(part)
    permute_dims(part.module, order)
    squeeze_dims(part.module)
    values = [node.meta["val"] for node in part.module.graph.find_nodes(op="placeholder")]
    outcome = find_norms_once(part.module, values)
    if not outcome.module:
        return outcome, order
    if len(part.outputs) > MOST_RESULTS:
        return outcome._replace(reason=f"more than {MOST_RESULTS} results"), order
    if part.get_size() < options.min_bytes:
        return outcome._replace(reason=f"fewer than {options.min_bytes} bytes"), order
    try:
        outcome.module.compile(threads=options.threads)
    except NormError as error:
        return outcome._replace(reason=str(error).splitlines()[0]), order
    return outcome, order


def contiguous_like(value):
    return torch.empty_like(value, memory_format=torch.contiguous_format)


def add_node(graph, target, args, value):
    node = graph.call_function(target, args)
    node.meta["val"] = value
    return node


def permute(node, order):
    """A node with the dims of another in an order."""
    value = node.meta["val"]
    if value.dim() < len(order) or order == tuple(sorted(order)):
        return node
    return add_node(node.graph, torch.ops.aten.permute.default, (node, order), value.permute(order))


def use_result(old, new):
    """Reads a result in place of a node of a part. It has the strides of eager mode, unless a copy
    is all that reads it."""
    copy, value = find_copy(old), old.meta["val"]
    if copy:
        clone, order = copy
        permuted = permute(new, tuple(order))
        if permuted.meta["val"].stride() == clone.meta["val"].stride():
            clone.replace_all_uses_with(permuted)
            clone.graph.erase_node(clone)
    elif new.meta["val"].stride() != value.stride() and value.is_contiguous():
        new = add_node(new.graph, torch.ops.aten.clone.default, (new,), value)
        new.kwargs = {"memory_format": torch.contiguous_format}
    old.replace_all_uses_with(new)


def replace_part(part, order, packed, threads):
    """Puts one node in place of a part, which has no results yet: others read them through it, so
    that the graph can be sorted."""
    graph = part.nodes[0].graph
    with graph.inserting_before(part.nodes[-1].next):
        tensors = [squeeze(permute(node, order)) for node in part.inputs if not is_extent(node)]
        call = add_node(graph, CALLS[len(part.outputs)], (tensors, packed, threads), None)
        for number, old in enumerate(part.outputs):
            value = old.meta["val"]
            permuted = value.permute(order) if value.dim() == len(order) else value
            units = find_units(permuted)
            read = add_node(graph, operator.getitem, (call, number),
                            contiguous_like(permuted.squeeze(units)))
            use_result(old, permute(unsqueeze(read, units),
                                    tuple(map(order.index, range(len(order))))))
    for node in reversed(part.nodes):
        graph.erase_node(node)
    return call


def allocate_results(call):
    """Gives a call memory for its results, which inductor plans, in place of the reads through
    it."""
    graph = call.graph
    extents = {get_expression(e): (tensor, d) for tensor in reversed(call.args[0])
               for d, e in enumerate(tensor.meta["val"].shape)}
    results = []
    with graph.inserting_before(call):
        for read in sorted(call.users, key=lambda user: user.args[1]):
            value, size = read.meta["val"], []
            for extent in value.shape:
                expression = get_expression(extent)
                size.append(expression if isinstance(expression, int) else add_node(
                    graph, torch.ops.aten.sym_size.int, extents[expression], extent))
            result = add_node(graph, torch.ops.aten.empty.memory_format, (size,), value)
            result.kwargs = {"dtype": value.dtype, "device": value.device}
            read.replace_all_uses_with(result)
            results.append(result)
    call.args = (call.args[0], *results, *call.args[1:])
    for read in [*call.users]:
        graph.erase_node(read)


# Below this size no model is known to gain by calls. Sums that calls write over summands change
# nothing that can be measured in models: what costs time is fresh pages, which malloc may keep.
MIN_BYTES = 1 << 22


class Options(NamedTuple):
    """The threads of compiled parts, and the least size (Part.get_size) that is faster than
    inductor's code for it."""

    threads: int
    min_bytes: int = MIN_BYTES


def read_options(given):
    """The options of the backend, and those of inductor."""
    ours = Options(**{"threads": torch.get_num_threads(),
                      **{name: given[name] for name in Options._fields if name in given}})
    rest = {name.replace("-", "_"): value for name, value in given.items()
            if name not in Options._fields}
    unknown = sorted(set(rest) - set(torch._inductor.config.get_config_copy()))
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no option of norm_mlir, which are threads and "
                         "min_bytes, nor one of inductor")
    for name, least in (("threads", 1), ("min_bytes", 0)):
        value = getattr(ours, name)
        if type(value) is not int or value < least:
            raise ValueError(f"the option {name} must be a number from {least} on, got {value!r}")
    return ours, rest


class NormPass(CustomGraphPass):
    """Replaces norms in inductor's graphs, forward and backward, by calls."""

    def __init__(self, options, backend):
        self.options, self.backend = options, backend

    def uuid(self):
        """What inductor's cache depends on; None, for a backend with its own counts, is no cache:
        it would count nothing of what comes from there."""
        if self.backend is not backend:
            return None
        return get_hash_for_files((__file__, *(m.__file__ for m in (_linalg, _parts, _writer))),
                                  repr((self.options, _cache._BUILD)))

    def __call__(self, graph):
        # torch holds it around forward graphs only; what it notes of nodes is no thread's own.
        with compile_lock:
            self.replace_parts(graph)

    def compile_nodes(self, graph_module, nodes):
        """A part of these nodes, or of those of them that are a norm."""
        part = make_part(graph_module, nodes)
        found = part, *compile_part(part, self.options)
        if found[1].module:
            return found
        for kept in cut_scaling(nodes):
            part = make_part(graph_module, kept)
            outcome, order = compile_part(part, self.options)
            if outcome.module:
                return part, outcome, order
        part, outcome, order = found
        return part, outcome._replace(reason=outcome.reason or explain_end(nodes)), order

    def replace_parts(self, graph):
        calls, outcomes = [], []
        sums, copies = split_products(graph), copy_normalized(graph)
        for nodes in find_parts(graph.owning_module):
            part, outcome, order = self.compile_nodes(graph.owning_module, nodes)
            self.backend.record(part, outcome)
            outcomes.append(outcome)
            if outcome.module and not outcome.reason:
                calls.append(replace_part(part, order, pack(outcome.module.text),
                                          self.options.threads))
        join_products(graph, sums)
        drop_copies(graph, copies)
        stable_topological_sort(graph)
        for call in calls:
            allocate_results(call)
        log_norms([outcome for outcome in outcomes if outcome.module])


def log_norms(outcomes):
    """One line about the norms of a graph."""
    if outcomes:
        reasons = collections.Counter(outcome.reason for outcome in outcomes if outcome.reason)
        left = "".join(f"; left to inductor, {n} times: {reason}" for reason, n in reasons.items())
        log.info("%d of %d norms compiled%s", len(outcomes) - reasons.total(), len(outcomes), left)


class NormBackend:
    """For torch.compile(backend=...). It has found `forward` norms and `backward` passes, and has
    compiled `programs` for them; `fallbacks` has a count for each reason why it left a part to
    inductor."""

    def __init__(self) -> None:
        self.programs: set[str] = set()
        self.fallbacks: collections.Counter[str] = collections.Counter()
        self.forward, self.backward = 0, 0
        self.findings: list[Finding] = []
        self.lock = threading.Lock()

    def __call__(self, graph_module: torch.fx.GraphModule, example_inputs: list[Any], *,
                 mode: str | None = None, options: Mapping[str, Any] | None = None,
                 name: str | None = None) -> Callable[..., Any]:
        ours, patches = read_options(options or {})
        patches = {**(list_mode_options(mode) if mode else {}), **patches}
        key = "post_grad_custom_post_pass"
        others = get_custom_graph_passes(patches.get(key, getattr(config, key)))
        patches[key] = (*others, NormPass(ours, self))
        return compile_fx(graph_module, example_inputs, config_patches=patches,
                          compile_region_name=name)

    def __deepcopy__(self, memo: Any) -> "NormBackend":
        return self

    def __reduce__(self) -> Any:
        """Counts are of what a process compiled, and stay in it."""
        return "backend" if self is backend else (NormBackend, ())

    def record(self, part: Part, outcome: Outcome) -> None:
        with self.lock:
            self.forward += outcome.forward
            self.backward += outcome.backward
            if outcome.module and not outcome.reason:
                self.programs.add(outcome.module.text)
            elif outcome.reason:
                self.fallbacks[outcome.reason] += 1
                log.debug("left to inductor: %s", outcome.reason)
            if outcome.module or outcome.reason:
                self.findings.append(Finding(
                    part.get_modules(), "backward" if part.is_backward() else "forward",
                    outcome.reason))


#: What torch.compile(backend="norm_mlir") uses; its counts are of what this process compiled.
backend = NormBackend()


def run_step(function, leaves, inputs, named):
    """A forward pass and, if it has gradients, a backward pass, which adds to none."""
    with torch.random.fork_rng(devices=[]):
        results = [value for value in tree_leaves(function(*inputs, **named))
                   if isinstance(value, torch.Tensor) and value.requires_grad]
        leaves = [value for value in (*leaves, *tree_leaves((inputs, named)))
                  if isinstance(value, torch.Tensor) and value.requires_grad]
        if results and leaves:
            torch.autograd.grad(results, leaves, [*map(torch.ones_like, results)],
                                allow_unused=True)


def explain(model: Callable[..., Any], *inputs: Any, options: Mapping[str, Any] | None = None,
            **named: Any) -> str:
    """Runs a step of a model, forward and backward, and says which norms the backend found, by the
    names of modules, and why it left others to inductor."""
    module = getattr(model, "_orig_mod", model)
    is_module = isinstance(module, torch.nn.Module)
    names = {str(id(m)): name or type(m).__name__
             for name, m in module.named_modules()} if is_module else {}
    found = NormBackend()
    run_step(torch.compile(module, backend=found, options=options),
             module.parameters() if is_module else (), inputs, named)
    lines = {}
    for modules, pass_name, reason in found.findings:
        title = ", ".join(names.get(key, path) for key, path in modules) or "outside of modules"
        line = f"{pass_name} left to inductor: {reason}" if reason else f"{pass_name} compiled"
        lines.setdefault(title, {})[line] = None
    order = {name: number for number, name in enumerate(names.values())}
    return "\n".join(f"{title}: {'; '.join(lines[title])}" for title in sorted(
        lines, key=lambda title: order.get(title.split(", ")[0], len(order))))
