"""The text of linalg programs, as the front ends of torch and jax write it.

Dims of extent 1 are not written: a row's statistic is a tensor of rows, and a tensor with one
element is that element. Arguments and results have them, as the callers have.
"""
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

#: The bits of floats, and those of their mantissa.
FLOATS = {"f64": (64, 52), "f32": (32, 23), "f16": (16, 10), "bf16": (16, 7)}
SHORT = ("f16", "bf16")

#: The extents of a tensor: numbers, and for open ones expressions.
Shape = tuple[Any, ...]
#: Writes a body: gets the names of elements and returns that of the result.
Body = Callable[..., str]


class Unsupported(ValueError):
    """An op, or a form of one, that is not written; the message says which."""


class Value(NamedTuple):
    """A tensor of the program, or an element if it has no more than one."""

    name: str
    element: str
    shape: Shape


def get_dims(shape: Shape) -> list[int]:
    """The dims that are written."""
    return [d for d, extent in enumerate(shape) if extent != 1]


def has_dims(value: Value) -> bool:
    return bool(get_dims(value.shape))


def squeeze(shape: Shape) -> Shape:
    return tuple(shape[d] for d in get_dims(shape))


def print_type(element: str, shape: Shape) -> str:
    extents = "".join(f"{e}x" if isinstance(e, int) else "?x" for e in shape)
    return f"tensor<{extents}{element}>"


def print_value_type(value: Value) -> str:
    return print_type(value.element, squeeze(value.shape))


def print_groups(groups: Iterable[Sequence[int]]) -> str:
    """The numbers of dims in groups of adjacent ones."""
    begin, lists = 0, []
    for group in groups:
        lists.append([*range(begin, begin + len(group))])
        begin += len(group)
    return str(lists)


def print_number(number: Any, element: str) -> str:
    """A constant, of which `number` is a value of its type."""
    if element == "i1":
        return "true" if number else "false"
    if element not in FLOATS:
        return f"{int(number)} : {element}"
    if math.isfinite(number):
        return f"{float(number):.17e} : {element}"
    bits, mantissa = FLOATS[element]
    pattern = (1 << bits - 1) - (1 << mantissa)
    if math.isnan(number):
        pattern |= 1 << mantissa - 1
    elif number < 0:
        pattern |= 1 << bits - 1
    return f"0x{pattern:0{bits // 4}X} : {element}"


def multiply(extents: Iterable[Any]) -> Any:
    product = math.prod(extents)
    if isinstance(product, int):
        return product
    product = product.expand()
    return int(product) if product.is_Integer else product


def find_groups(source: Shape, target: Shape) -> list[tuple[list[int], list[int]]]:
    """Groups of adjacent dims of two shapes that have equal products, the smallest ones, without
    dims of extent 1."""
    def get_places(dims: list[int], shape: Shape) -> dict[Any, int]:
        return {multiply(shape[d] for d in dims[:i]): i for i in range(len(dims) + 1)}

    dims, others = get_dims(source), get_dims(target)
    begins, ends = get_places(dims, source), get_places(others, target)
    bounds = [(i, ends[product]) for product, i in begins.items() if product in ends]
    if bounds[-1] != (len(dims), len(others)):
        raise Unsupported(f"a view of {[*source]} as {[*target]} is not known to fit")
    return [(dims[a:b], others[c:d]) for (a, c), (b, d) in zip(bounds, bounds[1:])]


def group_dims(shape: Shape) -> list[range]:
    """Groups of adjacent dims with one each that is written."""
    dims = get_dims(shape)
    begins = [0, *dims[1:]]
    return [range(*pair) for pair in zip(begins, [*begins[1:], len(shape)])]


def widen(element: str) -> str:
    """The type in which functions of a float are computed."""
    return "f64" if element == "f64" else "f32"


class Program:
    """A function in the making: its arguments, what it begins with, by its texts, and its lines."""

    def __init__(self) -> None:
        self.arguments: list[str] = []
        self.first: dict[str, str] = {}
        self.written: dict[str, str] = {}
        self.head: list[str] = []
        self.lines: list[str] = []
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"%{self.count - 1}"

    def emit(self, text: str) -> str:
        """An op with one result."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def emit_first(self, text: str) -> str:
        """One with which the function begins; each text stands there once."""
        if text not in self.first:
            self.first[text] = f"%first{len(self.first)}"
            self.head.append(f"{self.first[text]} = {text}")
        return self.first[text]

    def write_extent(self, extent: Any) -> str:
        """An extent as a value of type index."""
        return self.emit_first(f"arith.constant {int(extent)} : index")

    def write_number(self, number: Any, element: str) -> str:
        return self.emit_first(f"arith.constant {print_number(number, element)}")

    def add_argument(self, element: str, shape: Shape) -> Value:
        name, type = f"%arg{len(self.arguments)}", print_type(element, shape)
        self.arguments.append(f"{name}: {type}")
        value = Value(name, element, shape)
        if not has_dims(value):
            places = ", ".join(self.write_extent(0) for _ in shape)
            return value._replace(name=self.emit(f"tensor.extract {name}[{places}] : {type}"))
        if squeeze(shape) == shape:
            return value
        return value._replace(name=self.emit(
            f"tensor.collapse_shape {name} {print_groups(group_dims(shape))} : {type} into "
            f"{print_value_type(value)}"))

    def write_result(self, value: Value) -> str:
        """The tensor of all dims."""
        type = print_type(value.element, value.shape)
        if not has_dims(value):
            return self.emit(f"tensor.from_elements {value.name} : {type}")
        if squeeze(value.shape) == value.shape:
            return value.name
        return self.write_expand_shape(value.name, print_value_type(value), value.element,
                                       value.shape, group_dims(value.shape))

    def write_expand_shape(self, name: str, type: str, element: str, shape: Shape,
                           groups: Iterable[Sequence[int]]) -> str:
        sizes = ", ".join(str(e) if isinstance(e, int) else self.write_extent(e) for e in shape)
        return self.emit(f"tensor.expand_shape {name} {print_groups(groups)} output_shape "
                         f"[{sizes}] : {type} into {print_type(element, shape)}")

    def write_empty(self, element: str, shape: Shape) -> str:
        shape = squeeze(shape)
        extents = ", ".join(self.write_extent(e) for e in shape if not isinstance(e, int))
        return self.emit_first(f"tensor.empty({extents}) : {print_type(element, shape)}")

    def write_filled(self, name: str, element: str, shape: Shape) -> Value:
        """A tensor whose elements are all `name`."""
        type = print_type(element, squeeze(shape))
        return Value(self.emit(f"linalg.fill ins({name} : {element}) outs("
                               f"{self.write_empty(element, shape)} : {type}) -> {type}"),
                     element, shape)

    def write_generic(self, kinds: Sequence[str], operands: Sequence[tuple[Value, list[str]]],
                      out: tuple[Value, list[str]], body: Body) -> Value:
        """One linalg.generic over loops of these kinds. `operands` and `out` are pairs of a tensor
        and the results of its indexing map. An op that has been written is not written again:
        inductor repeats those of several users, and a norm's gradients are found of one dy."""
        dims = ", ".join(f"d{d}" for d in range(len(kinds)))
        pairs = [*operands, out]
        maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(m)})>" for _, m in pairs)
        begin, line = self.count, len(self.lines)
        names = [self.name() for _ in pairs]
        elements = ", ".join(f"{n}: {v.element}" for n, (v, _) in zip(names, pairs))
        iterators = ", ".join(f'"{kind}"' for kind in kinds)
        inputs = ", ".join(v.name for v, _ in operands)
        types = ", ".join(print_value_type(v) for v, _ in operands)
        value, type = out[0], print_value_type(out[0])
        name = self.emit(f"linalg.generic {{indexing_maps = [{maps}], iterator_types = "
                         f"[{iterators}]}} ins({inputs} : {types}) outs({value.name} : {type}) {{")
        self.lines.append(f"^bb0({elements}):")
        self.lines.append(f"linalg.yield {body(*names)} : {value.element}")
        self.lines.append(f"}} -> {type}")
        text = re.sub(r"%(\d+)", lambda found: f"%+{int(found[1]) - begin}"
                      if int(found[1]) >= begin else found[0], "\n".join(self.lines[line:]))
        if self.written.setdefault(text, name) != name:
            del self.lines[line:]
        return value._replace(name=self.written[text])

    def write_moved(self, value: Value, shape: Shape, places: Sequence[int]) -> Value:
        """Elements of a tensor whose dims are at these places of a shape."""
        loops = {d: f"d{i}" for i, d in enumerate(get_dims(shape))}
        out = Value(self.write_empty(value.element, shape), value.element, shape)
        return self.write_generic(["parallel"] * len(loops),
                                  [(value, [loops[places[d]] for d in get_dims(value.shape)])],
                                  (out, [*loops.values()]), lambda x, _: x)

    def write_elementwise(self, operands: Sequence[Value], element: str, shape: Shape,
                          body: Body) -> Value:
        """An op on elements of tensors that are aligned at their last dims."""
        tensors, loops = [v for v in operands if has_dims(v)], {}
        for d in get_dims(shape):
            loops[d - len(shape)] = f"d{len(loops)}"
        if not loops:
            return Value(body(*(v.name for v in operands)), element, shape)

        def write(*names: str) -> str:
            given = iter(names)
            return body(*(next(given) if has_dims(v) else v.name for v in operands))

        if not tensors:
            return self.write_filled(write(), element, shape)
        map_to = lambda v: [loops[d - len(v.shape)] for d in get_dims(v.shape)]
        out = Value(self.write_empty(element, shape), element, shape)
        return self.write_generic(["parallel"] * len(loops), [(v, map_to(v)) for v in tensors],
                                  (out, map_to(out)), write)

    def write_reduction(self, value: Value, dims: Iterable[int], shape: Shape, element: str,
                        first: Any, op: str) -> Value:
        """A reduction over dims, in a type, that begins with a number."""
        kept, reduced = get_dims(value.shape), {*dims}
        if not reduced.intersection(kept):
            return self.write_cast(value, element)._replace(shape=shape)
        loops = {d: f"d{i}" for i, d in enumerate(kept)}
        kinds = ["reduction" if d in reduced else "parallel" for d in kept]
        total = self.write_generic(
            kinds, [(value, [*loops.values()])],
            (self.write_filled(self.write_number(first, element), element, shape),
             [loops[d] for d in kept if d not in reduced]),
            lambda x, total: self.emit(f"{op} {self.convert(x, value.element, element)}, {total} "
                                       f": {element}"))
        if has_dims(total):
            return total
        return total._replace(name=self.emit(f"tensor.extract {total.name}[] : "
                                             f"{print_value_type(total)}"))

    def write_reshape(self, value: Value, shape: Shape) -> Value:
        """Dims that are split or joined, in place."""
        if squeeze(value.shape) == squeeze(shape):
            return value._replace(shape=shape)
        if 0 in (*value.shape, *shape):
            raise Unsupported("a view of an empty tensor is not written")
        groups = find_groups(value.shape, shape)
        joined = value._replace(shape=tuple(multiply(value.shape[d] for d in a) for a, _ in groups))
        if joined.shape != squeeze(value.shape):
            joined = joined._replace(name=self.emit(
                f"tensor.collapse_shape {value.name} {print_groups(a for a, _ in groups)} : "
                f"{print_value_type(value)} into {print_value_type(joined)}"))
        if joined.shape == squeeze(shape):
            return joined._replace(shape=shape)
        name = self.write_expand_shape(joined.name, print_value_type(joined), value.element,
                                       squeeze(shape), [b for _, b in groups])
        return Value(name, value.element, shape)

    def convert(self, name: str, source: str, target: str) -> str:
        """A conversion of an element."""
        types = f"{name} : {source} to {target}"
        if source == target:
            return name
        if source in SHORT and target in SHORT:
            return self.convert(self.convert(name, source, "f32"), "f32", target)
        if source in FLOATS and target in FLOATS:
            op = "extf" if FLOATS[source] < FLOATS[target] else "truncf"
            return self.emit(f"arith.{op} {types}")
        if target in FLOATS:
            return self.emit(f"arith.{'uitofp' if source == 'i1' else 'sitofp'} {types}")
        if source == "i1":
            return self.emit(f"arith.extui {types}")
        raise Unsupported(f"a conversion of {source} to {target} is not written")

    def write_cast(self, value: Value, element: str) -> Value:
        if value.element == element:
            return value
        return self.write_elementwise([value], element, value.shape,
                                      lambda x: self.convert(x, value.element, element))

    def finish(self, results: Iterable[Value]) -> str:
        results = [*results]
        names = ", ".join([self.write_result(v) for v in results])
        types = ", ".join(print_type(v.element, v.shape) for v in results)
        return "\n".join([f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{",
                          *self.head, *self.lines, f"return {names} : {types}", "}", ""])


def write_in_f32(program: Program, x: Value, body: Callable[[str, str], str]) -> Value:
    """A function of one float that is computed in f32 for 16 bits. `body` gets the name of x and
    the type."""
    wide = widen(x.element)
    return program.write_elementwise([x], x.element, x.shape, lambda name: program.convert(
        body(program.convert(name, x.element, wide), wide), wide, x.element))


def write_logistic(program: Program, x: str, element: str) -> str:
    one = program.write_number(1, element)
    negative = program.emit(f"arith.negf {x} : {element}")
    exponential = program.emit(f"math.exp {negative} : {element}")
    below = program.emit(f"arith.addf {one}, {exponential} : {element}")
    return program.emit(f"arith.divf {one}, {below} : {element}")
