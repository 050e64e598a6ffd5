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
