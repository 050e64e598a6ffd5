"""Parts of a torch graph as linalg: one linalg.generic for each op of aten, on logical dims.

Numbers are those of eager mode on the CPU: 16-bit floats are computed in f32 and rounded once per
op, and their sums and means accumulate in f32. Shapes are tuples of numbers and, where an extent
is open, of sympy expressions: equal ones are one extent, which the program reads from the first
argument that has it and asserts of the others.
"""
import math
from typing import NamedTuple

import sympy
import torch

ATEN, PRIMS = torch.ops.aten, torch.ops.prims
TYPES = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16"}
SHORT = (torch.bfloat16, torch.float16)


class Unsupported(ValueError):
    """An op, or a form of one, that is not written; the message says which."""


class Value(NamedTuple):
    """A tensor of the program. Where `shape` has 1, or no dim, a node may have any extent, all
    elements of which are equal. `is_scalar` is said of nodes with no dims."""

    name: str
    dtype: torch.dtype
    shape: tuple
    is_scalar: bool


def get_expression(extent):
    """A number, or an expression of symbols where the extent is open."""
    if not isinstance(extent, torch.SymInt):
        return extent
    number = extent.node.maybe_as_int()
    return extent.node.expr if number is None else number


def get_shape(tensor):
    return tuple(map(get_expression, tensor.shape))


def print_type(dtype, shape):
    extents = "".join(f"{e}x" if isinstance(e, int) else "?x" for e in shape)
    return f"tensor<{extents}{TYPES[dtype]}>"


def print_map(rank, results):
    dims = ", ".join(f"d{d}" for d in range(rank))
    return f"affine_map<({dims}) -> ({', '.join(results)})>"


def print_number(number, dtype):
    """A constant of a type, exactly."""
    rounded = torch.tensor(number, dtype=torch.float64).to(dtype)
    if rounded.isfinite():
        return f"{rounded.item():.17e}"
    bits = int.from_bytes(rounded.reshape(1).view(torch.uint8).tolist(), "little")
    return f"0x{bits:0{2 * dtype.itemsize}X}"


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


def multiply(extents):
    product = math.prod(extents)
    return product if isinstance(product, int) else as_extent(sympy.expand(product))


def as_extent(expression):
    return int(expression) if expression.is_Integer else expression


def find_groups(source, target):
    """Groups of adjacent dims of two shapes that have equal products."""
    def get_boundaries(shape):
        """The first place of each product of leading extents."""
        products = [multiply(shape[:i]) for i in range(len(shape) + 1)]
        return {p: i for i, p in reversed([*enumerate(products)])}, products[-1]

    (begins, size), (others, other_size) = get_boundaries(source), get_boundaries(target)
    if size != other_size:
        raise Unsupported(f"a view of {list(source)} as {list(target)} is not known to fit")
    bounds = [(i, others[p]) for p, i in begins.items() if p in others and p not in (1, size)]
    bounds = [(0, 0), *sorted(bounds), (len(source), len(target))]
    return [(range(a, b), range(c, d)) for (a, c), (b, d) in zip(bounds, bounds[1:])]


def print_groups(groups):
    begin, lists = 0, []
    for group in groups:
        lists.append(list(range(begin, begin + len(group))))
        begin += len(group)
    return str(lists)


class Program:
    """A function in the making: what it begins with, by its texts, its lines, and the names of
    extents."""

    def __init__(self):
        self.head, self.lines, self.count = [], [], 0
        self.first, self.extents = {}, {}

    def name(self):
        self.count += 1
        return f"%{self.count - 1}"

    def emit(self, text):
        """An op with one result."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def emit_first(self, text):
        """One with which the function begins; each text stands there once."""
        if text not in self.first:
            self.first[text] = self.name()
            self.head.append(f"{self.first[text]} = {text}")
        return self.first[text]

    def write_number(self, number, dtype):
        """A number of Python's, or the value of an expression."""
        if isinstance(number, sympy.Expr):
            wide = self.emit_first(f"arith.index_cast {self.write_extent(number)} : index to i64")
            inner = torch.float32 if dtype in SHORT else dtype
            name = self.emit_first(f"arith.sitofp {wide} : i64 to {TYPES[inner]}")
            return self.convert(name, inner, dtype)
        return self.emit_first(f"arith.constant {print_number(number, dtype)} : {TYPES[dtype]}")

    def write_extent(self, extent):
        """An extent as a value of type index."""
        if isinstance(extent, int) or extent.is_Integer:
            return self.emit_first(f"arith.constant {int(extent)} : index")
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

    def add_argument(self, number, tensor):
        """An argument; its open extents are read, or asserted where an earlier one has them."""
        shape = get_shape(tensor)
        value = Value(f"%arg{number}", tensor.dtype, shape, not shape)
        for d, extent in enumerate(shape):
            if isinstance(extent, int):
                continue
            place = self.emit_first(f"arith.constant {d} : index")
            size = self.emit_first(
                f"tensor.dim {value.name}, {place} : {print_type(value.dtype, shape)}")
            if self.extents.setdefault(extent, size) != size:
                equal = self.emit_first(f"arith.cmpi eq, {self.extents[extent]}, {size} : index")
                self.head.append(f'cf.assert {equal}, "extents of arguments that must be equal '
                                 'differ"')
        return value

    def write_empty(self, dtype, shape):
        open_extents = ", ".join(self.write_extent(e) for e in shape if not isinstance(e, int))
        return self.emit_first(f"tensor.empty({open_extents}) : {print_type(dtype, shape)}")

    def write_filled(self, number, dtype, shape):
        constant, empty = self.write_number(number, dtype), self.write_empty(dtype, shape)
        type_ = print_type(dtype, shape)
        return self.emit(f"linalg.fill ins({constant} : {TYPES[dtype]}) outs({empty} : {type_}) "
                         f"-> {type_}")

    def write_generic(self, domain, operands, result, body):
        """One linalg.generic. `operands` and `result` are pairs of a value and the results of its
        indexing map; `domain` has the kinds of loops. `body` gets the names of elements."""
        maps = ", ".join(print_map(len(domain), m) for _, m in (*operands, result))
        kinds = ", ".join(f'"{kind}"' for kind in domain)
        types = [print_type(v.dtype, v.shape) for v, _ in operands]
        out_type = print_type(result[0].dtype, result[0].shape)
        names = [self.name() for _ in (*operands, result)]
        elements = ", ".join(f"{name}: {TYPES[v.dtype]}"
                             for name, (v, _) in zip(names, (*operands, result)))
        inputs = ", ".join(v.name for v, _ in operands)
        generic = self.emit(f"linalg.generic {{indexing_maps = [{maps}], "
                            f"iterator_types = [{kinds}]}} ins({inputs} : {', '.join(types)}) "
                            f"outs({result[0].name} : {out_type}) {{")
        self.lines.append(f"^bb0({elements}):")
        self.lines.append(f"linalg.yield {body(*names)} : {TYPES[result[0].dtype]}")
        self.lines.append(f"}} -> {out_type}")
        return result[0]._replace(name=generic)

    def write_elementwise(self, operands, dtype, shape, is_scalar, body):
        """A generic of parallel loops over a shape to which the operands are broadcast."""
        def map_to(value):
            dims = range(len(shape) - len(value.shape), len(shape))
            return [f"d{d}" if e == shape[d] else "0" for d, e in zip(dims, value.shape)]

        out = Value(self.write_empty(dtype, shape), dtype, shape, is_scalar)
        return self.write_generic(["parallel"] * len(shape), [(v, map_to(v)) for v in operands],
                                  (out, map_to(out)), body)

    def convert(self, name, source, target):
        """A conversion of an element, where there is one to do."""
        if source == target:
            return name
        if target == torch.float64 or source in SHORT and target == torch.float32:
            return self.emit(f"arith.extf {name} : {TYPES[source]} to {TYPES[target]}")
        # torch converts through f32.
        if source != torch.float32 and target in SHORT:
            name, source = self.convert(name, source, torch.float32), torch.float32
        return self.emit(f"arith.truncf {name} : {TYPES[source]} to {TYPES[target]}")

    def write_cast(self, value, dtype):
        if value.dtype == dtype:
            return value
        return self.write_elementwise([value], dtype, value.shape, value.is_scalar,
                                      lambda x, _: self.convert(x, value.dtype, dtype))

    def write_expanded(self, value, shape):
        """A value with all elements of a node of this shape."""
        if value.shape == shape:
            return value
        return self.write_elementwise([value], value.dtype, shape, not shape, lambda x, _: x)

    def write_sum(self, value, dims, keepdim):
        """The sum over dims, accumulated in the type of the value."""
        rank = len(value.shape)
        shape = tuple(1 if d in dims else e for d, e in enumerate(value.shape)
                      if keepdim or d not in dims)
        kinds = ["reduction" if d in dims else "parallel" for d in range(rank)]
        kept = ["0" if d in dims else f"d{d}" for d in range(rank) if keepdim or d not in dims]
        zero = Value(self.write_filled(0, value.dtype, shape), value.dtype, shape, not shape)
        return self.write_generic(
            kinds, [(value, [f"d{d}" for d in range(rank)])], (zero, kept),
            lambda x, sum_: self.emit(f"arith.addf {x}, {sum_} : {TYPES[value.dtype]}"))

    def write_reshape(self, value, shape):
        """Dims that are split or joined, in place."""
        if value.shape == shape:
            return value
        if 0 in (*value.shape, *shape):
            raise Unsupported("a view of an empty tensor is not written")
        groups = find_groups(value.shape, shape)
        if any(len(source) != 1 for source, _ in groups):
            joined = tuple(multiply([value.shape[d] for d in source]) for source, _ in groups)
            joined = joined if value.shape and shape else ()
            lists = print_groups(source for source, _ in groups) if joined else "[]"
            name = self.emit(f"tensor.collapse_shape {value.name} {lists} : "
                             f"{print_type(value.dtype, value.shape)} into "
                             f"{print_type(value.dtype, joined)}")
            value = Value(name, value.dtype, joined, not shape)
        if value.shape == shape:
            return value
        # Upstream's expand-strided-metadata crashes on more than one.
        if any(sum(not isinstance(shape[d], int) for d in target) > 1 for _, target in groups):
            raise Unsupported("a view that splits a dim into two open extents is not written")
        lists = print_groups(target for _, target in groups) if value.shape else "[]"
        sizes = ", ".join(str(e) if isinstance(e, int) else self.write_extent(e) for e in shape)
        name = self.emit(f"tensor.expand_shape {value.name} {lists} output_shape [{sizes}] : "
                         f"{print_type(value.dtype, value.shape)} into "
                         f"{print_type(value.dtype, shape)}")
        return Value(name, value.dtype, shape, False)

    def finish(self, arguments, results):
        types = [print_type(v.dtype, v.shape) for v in results]
        given = ", ".join(f"{v.name}: {print_type(v.dtype, v.shape)}" for v in arguments)
        end = f"return {', '.join(v.name for v in results)} : {', '.join(types)}"
        return "\n".join([f"func.func @main({given}) -> ({', '.join(types)}) {{", *self.head,
                          *self.lines, end, "}", ""])


def write_arithmetic(program, node, operands, inner, body):
    """An op on elements in the type `inner`, whose operands are values and numbers. Those of
    16-bit floats are native where that is what f32 and one rounding give."""
    dtype = node.meta["val"].dtype
    values = [v for v in operands if isinstance(v, Value)]

    def write_body(*names):
        given = iter(names)
        elements = [program.convert(next(given), v.dtype, inner) if isinstance(v, Value)
                    else program.write_number(v, inner) for v in operands]
        return program.convert(body(TYPES[inner], *elements), inner, dtype)

    return program.write_elementwise(values, dtype, broadcast([v.shape for v in values]),
                                     not node.meta["val"].shape, write_body)


def write_op(program, node, op, operands, inner=None):
    return write_arithmetic(
        program, node, operands, inner or node.meta["val"].dtype,
        lambda type_, *names: program.emit(f"{op} {', '.join(names)} : {type_}"))


def unary(op):
    return lambda program, node, x: write_op(program, node, op, [x])


def is_exact(operand, dtype):
    """Whether an operand is the same in a type of 16 bits."""
    if isinstance(operand, Value):
        return operand.dtype == dtype or not operand.is_scalar
    return isinstance(operand, (int, float)) and operand == round_to(operand, dtype)


def round_to(number, dtype):
    return torch.tensor(number, dtype=torch.float64).to(dtype).item()


def product(op):
    """Eager mode rounds a number beside 16-bit floats to their type, except for the second operand
    of a product or quotient."""
    def write(program, node, a, b):
        dtype = node.meta["val"].dtype
        is_wide = dtype in SHORT and isinstance(a, Value) and not is_exact(b, dtype)
        return write_op(program, node, op, [a, b], torch.float32 if is_wide else dtype)
    return write


def sum_of(op):
    def write(program, node, a, b, alpha=1):
        if alpha == 1:
            return write_op(program, node, op, [a, b])
        dtype = node.meta["val"].dtype
        if any(isinstance(v, sympy.Expr) for v in (a, b)):
            raise Unsupported("a multiple of an extent is not written")
        a, b = (round_to(v, dtype) if not isinstance(v, Value) else
                program.write_cast(v, dtype) if v.is_scalar else v for v in (a, b))
        factor = alpha if op == "arith.addf" else -alpha
        return write_op(program, node, "math.fma", [factor, b, a],
                        torch.float32 if dtype in SHORT else dtype)
    return write


def write_reversed(program, node, a, b, alpha=1):
    return sum_of("arith.subf")(program, node, b, a, alpha)


def write_reciprocal(program, node, x):
    return write_op(program, node, "arith.divf", [1, x])


def write_power(program, node, x, exponent):
    """The exponents that eager mode computes without a logarithm. It rounds each product of
    bfloat16, and takes float16 to the power in f32."""
    dtype = node.meta["val"].dtype
    if exponent == 1:
        return x
    if exponent in (0.5, -0.5) and dtype != torch.float16:
        return write_op(program, node, "math.sqrt" if exponent > 0 else "math.rsqrt", [x])
    if exponent not in (2, 3, -1, -2):
        raise Unsupported(f"a power of {dtype} with exponent {exponent} is not written")

    def write_body(type_, name, one):
        multiply = lambda a, b: program.emit(f"arith.mulf {a}, {b} : {type_}")
        square = name if exponent == -1 else multiply(name, name)
        if exponent > 0:
            return square if exponent == 2 else multiply(square, name)
        return program.emit(f"arith.divf {one}, {square} : {type_}")
    inner = torch.float32 if dtype == torch.float16 else dtype
    return write_arithmetic(program, node, [x, 1], inner, write_body)


def write_cast(program, node, x, *_, **__):
    return program.write_cast(x, node.meta["val"].dtype)


def write_same(program, node, x, *_, **__):
    return x._replace(is_scalar=not node.meta["val"].shape)


def write_view(program, node, x, *_, **__):
    expanded = program.write_expanded(x, get_shape(node.all_input_nodes[0].meta["val"]))
    return program.write_reshape(expanded, get_shape(node.meta["val"]))


def write_full(program, node, shape, number, **_):
    dtype = node.meta["val"].dtype
    return Value(program.write_filled(number, dtype, ()), dtype, (), not node.meta["val"].shape)


def write_number(program, node, number, **_):
    return write_full(program, node, (), number)


def write_total(program, node, x, dims, keepdim):
    """A sum in the type of the node, or in f32 for 16-bit floats, with the number of addends."""
    shape, dtype = get_shape(node.all_input_nodes[0].meta["val"]), node.meta["val"].dtype
    if dtype in SHORT and x.dtype != dtype:
        raise Unsupported(f"a sum of {x.dtype} in {dtype} is not written")
    summed = {d % len(shape) for d in dims or range(len(shape))} if shape else set()
    wide = program.write_cast(program.write_expanded(x, shape),
                              torch.float32 if dtype in SHORT else dtype)
    return (program.write_sum(wide, summed, keepdim),
            multiply([shape[d] for d in sorted(summed)]))


def write_sum(program, node, x, dims=None, keepdim=False, **_):
    total, _ = write_total(program, node, x, dims, keepdim)
    return program.write_cast(total, node.meta["val"].dtype)


def write_mean(program, node, x, dims=None, keepdim=False, **_):
    total, count = write_total(program, node, x, dims, keepdim)
    divisor = program.write_number(count, total.dtype)
    mean = program.write_elementwise(
        [total], total.dtype, total.shape, total.is_scalar,
        lambda sum_, _: program.emit(f"arith.divf {sum_}, {divisor} : {TYPES[total.dtype]}"))
    return program.write_cast(mean, node.meta["val"].dtype)


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
    program, arguments, known, given = Program(), [], {}, iter(values)
    for node in part.graph.nodes:
        if node.op == "placeholder":
            node.meta["val"] = value = next(given)
            if isinstance(value, torch.Tensor):
                check_node(node)
                arguments.append(program.add_argument(len(arguments), value))
                known[node] = arguments[-1]
        elif node.op == "output":
            nodes = node.args[0] if isinstance(node.args[0], (list, tuple)) else node.args
            results = [program.write_expanded(known[n], get_shape(n.meta["val"])) for n in nodes]
            return program.finish(arguments, results)
        elif not isinstance(node.meta.get("val"), torch.SymInt):
            known[node] = write_node(program, node, known)
