"""Which nodes of a torch graph are parts that norm-mlir compiles, and what was found in them."""
import graphlib
import json
from typing import NamedTuple

import torch
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from . import Module, NormError, _cache
from ._linalg import Unsupported, get_expression, write_part

# What a norm and its neighbors are made of, as ops of aten and prims.
REDUCTIONS = {"mean", "sum"}
ELEMENTWISE = {"_to_copy", "abs", "add", "convert_element_type", "detach", "div", "erf", "exp",
               "expand", "mul", "neg", "pow", "reciprocal", "relu", "rsqrt", "sigmoid", "sqrt",
               "sub", "tanh"}
VIEWS = {"alias", "expand", "permute", "reshape", "select", "slice", "squeeze", "unsqueeze", "view"}
PRODUCTS = {"addmm", "baddbmm", "bmm", "mm"}


def name_of(node):
    return getattr(getattr(node.target, "overloadpacket", None), "__name__", None)


def is_on_cpu(node):
    value = node.meta.get("val")
    return (isinstance(value, torch.Tensor) and value.device.type == "cpu"
            and value.is_floating_point())


def is_extent(node):
    return isinstance(node.meta.get("val"), torch.SymInt)


def is_sum_of_products(node):
    """Whether a norm may have such a sum. Others, as gradients of biases, stay beside it."""
    return name_of(node) in REDUCTIONS and name_of(node.args[0]) in {"mul", "pow"}


class NormOps(OperatorSupportBase):
    """Which nodes of a graph may be part of a norm."""

    def is_node_supported(self, submodules, node):
        # A product with a scalar, as of an embedding, is taken for one with the root. A mask is
        # left to inductor: behind it is another norm's gradient, for which one loop over rows
        # would have a second sum over them.
        return ((name_of(node) in ELEMENTWISE or is_sum_of_products(node)) and is_on_cpu(node)
                and all(is_extent(n) or is_on_cpu(n) and n.meta["val"].dim() > 0
                        for n in node.all_input_nodes))


def is_number(node):
    """Whether a node is a tensor of one number, as a float that dynamo made an input."""
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and not value.dim()


def explain_end(nodes):
    """Why a part ends at a mean of squares, if an epsilon that is an input is added to it."""
    sums = [user for node in nodes for user in node.users if name_of(user) == "add"]
    return ("the epsilon of a norm is an input, which dynamic=True makes of a float: set "
            "torch._dynamo.config.specialize_float"
            if any(map(is_number, (n for s in sums for n in s.all_input_nodes))) else "")


class Outcome(NamedTuple):
    """The numbers of norms in a part, with its program, or the reason why inductor compiles it."""

    module: Module | None = None
    reason: str = ""
    forward: int = 0
    backward: int = 0


def count_norms(module):
    """The numbers of norms and of backward passes, and why there is none, as JSON."""
    found = module.recognize()
    backward = sum(f.kind == "rmsnorm_backward" for f in found.recognized)
    reasons = (f"not an RMSNorm ({r.reason}): {r.explanation}" for r in found.rejected)
    return json.dumps([len(found.recognized) - backward, backward,
                       "" if found.recognized else next(reasons, "")]).encode()


def is_cube(node):
    return name_of(node) == "pow" and node.args[1] == 3


def explain_rest(part):
    """Why a part without a norm is left to inductor, if it looks like one's gradient."""
    return ("not the gradient of an RMSNorm: what is beside the cube of a reciprocal root has "
            "another form" if any(map(is_cube, part.graph.nodes)) else "")


def find_norms(part, values):
    try:
        module = Module(write_part(part, values))
        kept = _cache.fetch({"norms of": module.text}, lambda: count_norms(module))
    except (NormError, Unsupported) as error:
        return Outcome(reason=str(error).splitlines()[0])
    forward, backward, reason = json.loads(kept)
    if not forward + backward:
        return Outcome(reason=reason or explain_rest(part))
    return Outcome(module, reason, forward, backward)


def describe(part, values):
    """A text that parts have in common if only the names in them differ."""
    numbers = {node: f"%{i}" for i, node in enumerate(part.graph.nodes)}
    types = [(v.dtype, [*map(get_expression, v.shape)]) if isinstance(v, torch.Tensor)
             else get_expression(v) for v in values]
    lines = [(str(node.target), torch.fx.map_arg((node.args, node.kwargs), numbers.get))
             for node in part.graph.nodes if node.op != "placeholder"]
    return repr((types, lines))


OUTCOMES = {}


def find_norms_once(part, values):
    key = describe(part, values)
    if key not in OUTCOMES:
        OUTCOMES[key] = find_norms(part, values)
    return OUTCOMES[key]


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


def is_of_rows(node):
    """Whether a node is a product with a tensor that has one element for each row."""
    return name_of(node) == "mul" and len(node.all_input_nodes) == 2 and any(
        is_on_cpu(n) and n.meta["val"].shape[-1:] == (1,) != node.meta["val"].shape[-1:]
        for n in node.all_input_nodes)


def split_products(graph):
    """Takes dy * w * r out of the product of matrices that inductor adds to it: a gradient is
    their sum, with what comes behind the statistic. Returns such sums."""
    aten, sums = torch.ops.aten, []
    for node in graph.find_nodes(op="call_function", target=aten.addmm.default):
        given, *factors = node.args
        if node.kwargs or not is_on_cpu(node) or not is_of_rows(given):
            continue
        with graph.inserting_before(node):
            product = graph.call_function(aten.mm.default, tuple(factors))
            total = graph.call_function(aten.add.Tensor, (given, product))
        product.meta, total.meta = {**node.meta}, {**node.meta}
        node.replace_all_uses_with(total)
        graph.erase_node(node)
        sums.append(total)
    return sums


def join_products(graph, sums):
    """Gives sums that no part has back to their products."""
    kept = set(graph.nodes)
    for total in sums:
        if total in kept:
            given, product = total.args
            with graph.inserting_before(total):
                whole = graph.call_function(torch.ops.aten.addmm.default, (given, *product.args))
            whole.meta = product.meta
            total.replace_all_uses_with(whole)
            graph.erase_node(total)
            graph.erase_node(product)


def copy_normalized(graph):
    """Gives each reader of x*r in a backward graph its own. One that dy depends on, as by ReLU,
    cannot be in a part that reads dy. Returns the copies, each with its original."""
    copies = []
    for node in [n for n in graph.nodes if is_on_cpu(n) and is_of_rows(n)]:
        for user in [*node.users][1:]:
            if any(n.meta.get("partitioner_tag") == "is_backward" for n in (node, user)):
                with graph.inserting_before(user):
                    copy = graph.node_copy(node, lambda n: n)
                user.replace_input_with(node, copy)
                copies.append((copy, node))
    return copies


def drop_copies(graph, copies):
    """Takes back copies that no part has, unless one has the original."""
    kept = set(graph.nodes)
    for copy, node in copies:
        if copy in kept and node in kept:
            copy.replace_all_uses_with(node)
            graph.erase_node(copy)


def find_parts(graph_module):
    """The reductions of a graph with the element-wise ops around them, as lists of nodes. Those
    of norms that no such op connects are not joined: the last would keep the tensors of all."""
    partitioner = CapabilityBasedPartitioner(graph_module, NormOps(), skip_horizontal_fusion=True,
                                             allows_single_node_partition=True)
    parts = [list(part.nodes) for part in partitioner.propose_partitions()
             if any(is_sum_of_products(node) for node in part.nodes)]
    return join_gradients(graph_module.graph, parts)


def cut_scaling(nodes):
    """The nodes without one that scales a tensor of others, such as a dropout's, for each: where a
    number and the root scale x, the part with the product as its input is a norm."""
    for node in nodes:
        if (name_of(node) in {"div", "mul"} and not isinstance(node.args[1], torch.fx.Node)
                and node.args[0] not in nodes):
            yield [n for n in nodes if n is not node]
