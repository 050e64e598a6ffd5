"""What lower() hands to torch-mlir instead of operators that its lowering computes differently
from eager PyTorch."""

import torch

aten = torch.ops.aten
NARROW = torch.float16, torch.bfloat16


def rms_norm(x, shape, weight=None, eps=None):
    """torch-mlir's own computes 16-bit statistics in 16 bits, and takes 0 for eps=None."""
    return torch._decomp.decompositions._fused_rms_norm(x, shape, weight, eps)[0]


def topk(x, k, dim=-1, largest=True, sorted=True):
    """torch-mlir has none without an order."""
    return NotImplemented if sorted else torch.topk(x, k, dim, largest)


# A comparison with a NaN is false: where one is, these yield it as eager does.


def maximum(x, y):
    return torch.where((x != x) | (x >= y), x, y) if x.is_floating_point() else NotImplemented


def minimum(x, y):
    return torch.where((x != x) | (x <= y), x, y) if x.is_floating_point() else NotImplemented


def clamp(x, min=None, max=None):
    if not x.is_floating_point():
        return NotImplemented
    if min is not None:
        x = torch.where(x < min, min, x)
    return x if max is None else torch.where(x > max, max, x)


def clamp_tensor(x, min=None, max=None):
    if min is not None:
        x = torch.maximum(x, min)
    return x if max is None else torch.minimum(x, max)


def argmax(x, dim=None, keepdim=False, extreme=torch.amax):
    """Eager's index is that of a NaN, if there is one."""
    if not x.is_floating_point():
        return NotImplemented
    if dim is None:
        return argmax(x.flatten(), 0, False, extreme).reshape([1] * x.dim() * keepdim)
    found = (x == extreme(x, dim, True)) | (x != x)
    return found.int().argmax(dim, keepdim)


def argmin(x, dim=None, keepdim=False):
    return argmax(x, dim, keepdim, torch.amin)


def with_index(extreme):
    """The extreme along a dimension and its index."""

    def compute(x, dim, keepdim=False):
        if not x.is_floating_point():
            return NotImplemented
        return extreme(x, dim, keepdim), argmax(x, dim, keepdim, extreme)

    return compute


def in_f32(operator):
    """A sum of 16-bit numbers in f32, as eager adds them."""

    def compute(x, *arguments, dtype=None, **options):
        if x.dtype not in NARROW or dtype not in (None, x.dtype):
            return NotImplemented
        return operator(x.float(), *arguments, **options).to(x.dtype)

    return compute


def joins_open(extents):
    return sum(isinstance(extent, torch.SymInt) for extent in extents) > 1


def unless_joined(decomposition):
    """The decomposition of a product, unless it joins two open extents, for which torch-mlir's
    view makes one of them 1."""

    def compute(x, *arguments):
        return NotImplemented if joins_open(x.shape[:-1]) else decomposition(x, *arguments)

    return compute


def get_table(table):
    """torch-mlir's table of decompositions, with those of eager PyTorch."""
    own = {aten.rms_norm.default: rms_norm, aten.topk.default: topk,
           aten.maximum.default: maximum, aten.minimum.default: minimum,
           aten.clamp.default: clamp, aten.clamp.Tensor: clamp_tensor,
           aten.argmax.default: argmax, aten.argmin.default: argmin,
           aten.max.dim: with_index(torch.amax), aten.min.dim: with_index(torch.amin),
           aten.clamp_min.default: lambda x, min: clamp(x, min),
           aten.clamp_max.default: lambda x, max: clamp(x, None, max)}
    for operator in (aten.sum.default, aten.sum.dim_IntList, aten.mean.default, aten.mean.dim,
                     aten.cumsum.default, aten.linalg_vector_norm.default):
        own[operator] = in_f32(operator)
    for operator in aten.linear.default, aten.matmul.default:
        if operator in table:
            own[operator] = unless_joined(table[operator])
    # torch-mlir has 0.79772 for the root of 2/pi in gelu.
    torchs = torch._decomp.get_decompositions([aten.gelu, aten.hardtanh, aten.hardsigmoid])
    return {**table, **torchs, **own}


def flatten_views(graph):
    """Makes views that join two leading extents, both open, flattenings: torch-mlir's view would
    make one of them 1."""
    for node in graph.find_nodes(op="call_function", target=aten.view.default):
        x, shape = node.args[0].meta["val"].shape, node.meta["val"].shape
        joined = len(x) - len(shape) + 1
        if joined > 1 and joins_open(x[:joined]) and x[joined:] == shape[1:]:
            node.target = aten.flatten.using_ints
            node.args = node.args[0], 0, joined - 1


def keep_unsigned(module, program):
    """Makes unsigned tensors that the function takes and returns those that they are in torch:
    torch-mlir has signless integers alone."""
    from torch_mlir import ir

    def get_type(type, node):
        dtype = getattr(getattr(node, "meta", {}).get("val"), "dtype", None)
        if dtype not in (torch.uint8, torch.uint16, torch.uint32, torch.uint64):
            return type
        element = ir.IntegerType.get_unsigned(8 * dtype.itemsize)
        return ir.RankedTensorType.get(ir.RankedTensorType(type).shape, element)

    def cast(value, type):
        return ir.Operation.create("builtin.unrealized_conversion_cast", [type], [value])

    names = {node.name: node for node in program.graph.nodes}
    given = [names[name] for name in program.graph_signature.user_inputs if name in names]
    function = next(op for op in module.body if op.name.value == "main")
    block = function.body.blocks[0]
    end = block.operations[len(block.operations) - 1]
    with module.context, ir.Location.unknown():
        with ir.InsertionPoint.at_block_begin(block):
            for argument, node in zip(reversed(block.arguments), reversed(given)):
                type = argument.type
                argument.set_type(get_type(type, node))
                if argument.type != type:
                    converted = cast(argument, type)
                    argument.replace_all_uses_except(converted.result, converted)
        with ir.InsertionPoint(end):
            returned = program.graph.output_node().args[0]
            for i, node in zip(reversed(range(len(end.operands))), reversed(returned)):
                type = get_type(end.operands[i].type, node)
                if type != end.operands[i].type:
                    end.operands[i] = cast(end.operands[i], type).result
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(
            [argument.type for argument in block.arguments],
            [value.type for value in end.operands]))
