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


def pad(x, amounts, value=0.0):
    """torch-mlir drops what takes as much from one end as it adds to the other."""
    if all(amount >= 0 for amount in amounts):
        return NotImplemented
    for i, (low, high) in enumerate(zip(amounts[::2], amounts[1::2])):
        dim = x.dim() - 1 - i
        x = aten.slice.Tensor(x, dim, max(-low, 0), x.shape[dim] - max(-high, 0))
    return aten.constant_pad_nd.default(x, [max(amount, 0) for amount in amounts], value)


def in_f32(operator):
    """A sum or a function of 16-bit numbers in f32, as in eager mode."""

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
           aten.constant_pad_nd.default: pad,
           aten.argmax.default: argmax, aten.argmin.default: argmin,
           aten.max.dim: with_index(torch.amax), aten.min.dim: with_index(torch.amin),
           aten.clamp_min.default: lambda x, min: clamp(x, min),
           aten.clamp_max.default: lambda x, max: clamp(x, None, max)}
    for operator in (aten.sum.default, aten.sum.dim_IntList, aten.mean.default, aten.mean.dim,
                     aten.cumsum.default, aten.logcumsumexp.default,
                     aten.linalg_vector_norm.default, aten.avg_pool1d.default,
                     aten.avg_pool2d.default, aten.avg_pool3d.default, aten.sigmoid.default,
                     aten.silu.default):
        own[operator] = in_f32(operator)
    for operator in aten.linear.default, aten.matmul.default:
        if operator in table:
            own[operator] = unless_joined(table[operator])
    # torch-mlir has 0.79772 for the root of 2/pi in gelu, and exp(x) - 1 in elu.
    torchs = torch._decomp.get_decompositions([aten.gelu, aten.hardtanh, aten.hardsigmoid,
                                               aten.hardswish, aten.elu])
    return {**table, **torchs, **own}


def drop_none(program):
    """Leaves None out of the results, for which torch-mlir has no type."""
    output, specs = program.graph.output_node(), program.graph_signature.output_specs
    kept = [i for i, result in enumerate(output.args[0]) if result is not None]
    output.args = tuple(output.args[0][i] for i in kept),
    specs[:] = [specs[i] for i in kept]


def flatten_views(graph):
    """Makes views that join two leading extents, both open, flattenings: torch-mlir's view would
    make one of them 1."""
    for node in graph.find_nodes(op="call_function", target=aten.view.default):
        x, shape = node.args[0].meta["val"].shape, node.meta["val"].shape
        joined = len(x) - len(shape) + 1
        if joined > 1 and joins_open(x[:joined]) and x[joined:] == shape[1:]:
            node.target = aten.flatten.using_ints
            node.args = node.args[0], 0, joined - 1


FILLS = {aten.full.default, aten.full_like.default, aten.scalar_tensor.default}
SHAPES = {aten.alias.default, aten.clone.default, aten.detach.default, aten.expand.default,
          aten.lift_fresh_copy.default, aten.permute.default, aten.squeeze.dims,
          aten.unsqueeze.default, aten.view.default}


def fold_uniform(program):
    """Computes in eager mode what has one value in all elements: torch-mlir compares and divides
    such constants wrongly."""
    signature, state = program.graph_signature, {**program.state_dict, **program.constants}
    held = {**signature.inputs_to_parameters, **signature.inputs_to_buffers,
            **signature.inputs_to_lifted_tensor_constants}
    known = {}  # with extents of 1
    for node in list(program.graph.nodes):
        result = node.meta.get("val")
        # Of open extents torch-mlir folds nothing.
        if not isinstance(result, torch.Tensor) or not all(
                isinstance(extent, int) for extent in result.shape):
            continue
        ones, operands = [1] * result.dim(), node.all_input_nodes
        if node.op == "placeholder":
            tensor = state.get(held.get(node.name))
            if tensor is not None and tensor.numel() == 1:
                known[node] = tensor.detach().reshape(ones)
        elif node.target in FILLS and not isinstance(node.args[-1], torch.fx.Node):
            known[node] = torch.full(ones, node.args[-1], dtype=result.dtype)
        elif operands and all(operand in known for operand in operands):
            if node.target in SHAPES:
                known[node] = known[operands[0]].reshape(ones)
            elif torch.Tag.pointwise in getattr(node.target, "tags", ()):
                args, options = torch.fx.map_arg((node.args, node.kwargs), known.__getitem__)
                known[node] = node.target(*args, **options)
                with program.graph.inserting_before(node):
                    full = program.graph.call_function(
                        aten.full.default, ([*result.shape], known[node].item()),
                        {"dtype": result.dtype})
                full.meta = node.meta
                known[full] = known[node]
                node.replace_all_uses_with(full)
                program.graph.erase_node(node)


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
    function = ir.SymbolTable(module.operation)["main"]
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
