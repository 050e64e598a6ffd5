"""Functions of jax as linalg: one linalg.generic for each primitive of a jaxpr.

Each primitive is rounded to its type, and reductions of 16-bit floats accumulate in f32 and are
rounded once, as XLA's are on CPUs. Shapes are static, as those of jaxprs are.
"""
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy
from jax.extend import core

FLOATS = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16"}
INTEGERS = {"int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8"}
TYPES = {**FLOATS, **INTEGERS, "bool": "i1"}


class Unsupported(ValueError):
    """A primitive, or a form of one, that is not written; the message says which."""


class Value(NamedTuple):
    """A tensor of the program, or with the shape () a value of its element type."""

    name: str
    dtype: str
    shape: tuple[int, ...]


#: Writes a body: gets the names of elements and returns that of the result.
Body = Callable[..., str]


def get_element(dtype: str) -> str:
    if dtype not in TYPES:
        raise Unsupported(f"values of {dtype} are not written")
    return TYPES[dtype]


def print_type(value: Value) -> str:
    return f"tensor<{''.join(f'{e}x' for e in value.shape)}{get_element(value.dtype)}>"


def print_constant(number: Any, dtype: str) -> str:
    """An attribute, exactly."""
    if dtype == "bool":
        return "true" if number else "false"
    if dtype in INTEGERS:
        return f"{int(number)} : {INTEGERS[dtype]}"
    array = numpy.asarray(number).astype(jnp.dtype(dtype))
    if numpy.isfinite(array):
        return f"{float(array):.17e} : {get_element(dtype)}"
    bits = int.from_bytes(array.tobytes(), "little")
    return f"0x{bits:0{2 * array.itemsize}X} : {get_element(dtype)}"


class Program:
    """A function in the making: its lines, and the constants with which it begins."""

    def __init__(self, get_shape: Callable[[Any], tuple[int, ...]]) -> None:
        self.get_shape = get_shape
        self.constants: dict[str, str] = {}
        self.lines: list[str] = []
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"%{self.count - 1}"

    def emit(self, text: str) -> str:
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def emit_first(self, text: str) -> str:
        """An op with which the function begins; each text stands there once."""
        if text not in self.constants:
            self.constants[text] = self.name()
        return self.constants[text]

    def write_number(self, number: Any, dtype: str) -> str:
        return self.emit_first(f"arith.constant {print_constant(number, dtype)}")

    def write_filled(self, name: str, value: Value) -> Value:
        """A tensor like `value` whose elements are all `name`."""
        tensor = print_type(value)
        empty = self.emit_first(f"tensor.empty() : {tensor}")
        return value._replace(name=self.emit(
            f"linalg.fill ins({name} : {get_element(value.dtype)}) outs({empty} : {tensor}) "
            f"-> {tensor}"))

    def write_generic(self, kinds: Sequence[str], operands: Sequence[tuple[Value, list[str]]],
                      out: tuple[Value, list[str]], body: Body) -> Value:
        """One linalg.generic over loops of these kinds. `operands` and `out` are pairs of a tensor
        and the results of its indexing map."""
        dims = ", ".join(f"d{d}" for d in range(len(kinds)))
        pairs = [*operands, out]
        maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(m)})>" for _, m in pairs)
        names = [self.name() for _ in pairs]
        elements = ", ".join(f"{n}: {get_element(v.dtype)}" for n, (v, _) in zip(names, pairs))
        inputs = ""
        if operands:
            inputs = (f" ins({', '.join(v.name for v, _ in operands)} : "
                      f"{', '.join(print_type(v) for v, _ in operands)})")
        value = out[0]
        name = self.emit(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = ["
            + ", ".join(f'"{kind}"' for kind in kinds) + f"]}}{inputs} "
            f"outs({value.name} : {print_type(value)}) {{")
        self.lines.append(f"^bb0({elements}):")
        self.lines.append(f"linalg.yield {body(*names)} : {get_element(value.dtype)}")
        self.lines.append(f"}} -> {print_type(value)}")
        return value._replace(name=name)

    def write_elementwise(self, operands: Sequence[Value], dtype: str, shape: tuple[int, ...],
                          body: Body) -> Value:
        """An op on elements; dims of extent 1 are broadcast, and so are scalars."""
        if not shape:
            return Value(body(*(v.name for v in operands)), dtype, shape)
        tensors = [v for v in operands if v.shape]

        def write(*names: str) -> str:
            given = iter(names)
            return body(*(next(given) if v.shape else v.name for v in operands))

        map_to = lambda v: [f"d{d}" if e == shape[d] else "0" for d, e in enumerate(v.shape)]
        out = Value("", dtype, shape)
        out = out._replace(name=self.emit_first(f"tensor.empty() : {print_type(out)}"))
        return self.write_generic(["parallel"] * len(shape), [(v, map_to(v)) for v in tensors],
                                  (out, map_to(out)), write)

    def convert(self, name: str, source: str, target: str) -> str:
        """A conversion of an element, as XLA defines it."""
        types = f"{get_element(source)} to {get_element(target)}"
        if source == target:
            return name
        if source in FLOATS and target in FLOATS:
            sizes = [jnp.dtype(dtype).itemsize for dtype in (source, target)]
            if sizes[0] == sizes[1]:
                wide = self.convert(name, source, "float32")
                return self.convert(wide, "float32", target)
            op = "extf" if sizes[0] < sizes[1] else "truncf"
            return self.emit(f"arith.{op} {name} : {types}")
        if target in FLOATS:
            return self.emit(f"arith.{'uitofp' if source == 'bool' else 'sitofp'} {name} : {types}")
        if source == "bool":
            return self.emit(f"arith.extui {name} : {types}")
        raise Unsupported(f"a conversion of {source} to {target} is not written")

    def read_scalar(self, value: Value) -> Value:
        """The element of a tensor of rank 0."""
        return value._replace(name=self.emit(f"tensor.extract {value.name}[] : "
                                             f"{print_type(value)}"))


def write_arithmetic(float_op: str | None, integer_op: str | None = None,
                     bool_op: str | None = None) -> Callable[..., Value]:
    """An op of arith or math on elements of one type."""
    def write(program: Program, eqn: Any, *operands: Value) -> Value:
        out, dtype = eqn.outvars[0], operands[0].dtype
        op = float_op if dtype in FLOATS else bool_op if dtype == "bool" else integer_op
        if op is None or any(v.dtype != dtype for v in operands) or out.aval.dtype != dtype:
            raise Unsupported(f"{eqn.primitive} of {dtype} is not written")
        return program.write_elementwise(
            operands, dtype, program.get_shape(out),
            lambda *names: program.emit(f"{op} {', '.join(names)} : {get_element(dtype)}"))
    return write


def write_comparison(float_predicate: str, integer_predicate: str) -> Callable[..., Value]:
    def write(program: Program, eqn: Any, a: Value, b: Value) -> Value:
        if a.dtype == "bool":
            raise Unsupported(f"{eqn.primitive} of bool is not written")
        op = f"cmpf {float_predicate}" if a.dtype in FLOATS else f"cmpi {integer_predicate}"
        return program.write_elementwise(
            [a, b], "bool", program.get_shape(eqn.outvars[0]),
            lambda x, y: program.emit(f"arith.{op}, {x}, {y} : {get_element(a.dtype)}"))
    return write


def write_in_f32(body: Callable[[Program, str, str], str]) -> Callable[..., Value]:
    """A function of one float that is computed in f32 for 16 bits. `body` gets the name of x and
    the dtype."""
    def write(program: Program, eqn: Any, x: Value) -> Value:
        if x.dtype not in FLOATS:
            raise Unsupported(f"{eqn.primitive} of {x.dtype} is not written")
        wide = "float64" if x.dtype == "float64" else "float32"
        return program.write_elementwise(
            [x], x.dtype, program.get_shape(eqn.outvars[0]),
            lambda name: program.convert(
                body(program, program.convert(name, x.dtype, wide), wide), wide, x.dtype))
    return write


def write_math(op: str) -> Callable[..., Value]:
    return write_in_f32(lambda program, x, dtype: program.emit(f"{op} {x} : {TYPES[dtype]}"))


def write_logistic(program: Program, x: str, dtype: str) -> str:
    type, one = TYPES[dtype], program.write_number(1, dtype)
    exponential = program.emit(f"math.exp {program.emit(f'arith.negf {x} : {type}')} : {type}")
    below = program.emit(f"arith.addf {one}, {exponential} : {type}")
    return program.emit(f"arith.divf {one}, {below} : {type}")


def write_power(program: Program, eqn: Any, x: Value, exponent: int | None = None) -> Value:
    """A power of integer exponent by squaring, as XLA has it."""
    y = eqn.params["y"] if exponent is None else exponent
    if x.dtype not in FLOATS:
        raise Unsupported(f"{eqn.primitive} of {x.dtype} is not written")
    type = get_element(x.dtype)

    def body(base: str) -> str:
        multiply = lambda a, b: program.emit(f"arith.mulf {a}, {b} : {type}")
        result, rest = None, abs(y)
        while rest:
            if rest & 1:
                result = base if result is None else multiply(result, base)
            rest >>= 1
            base = multiply(base, base) if rest else base
        one = program.write_number(1, x.dtype)
        if y < 0:
            return program.emit(f"arith.divf {one}, {result} : {type}")
        return result or one

    return program.write_elementwise([x], x.dtype, x.shape, body)


def write_square(program: Program, eqn: Any, x: Value) -> Value:
    return write_power(program, eqn, x, 2)


def write_conversion(program: Program, eqn: Any, x: Value) -> Value:
    target = str(eqn.outvars[0].aval.dtype)
    if target == x.dtype:
        return x
    return program.write_elementwise([x], target, x.shape,
                                     lambda name: program.convert(name, x.dtype, target))


def write_select(program: Program, eqn: Any, which: Value, *cases: Value) -> Value:
    if which.dtype != "bool" or len(cases) != 2:
        raise Unsupported("select_n of other than two cases is not written")
    type = get_element(cases[0].dtype)
    return program.write_elementwise(
        [which, *cases], cases[0].dtype, program.get_shape(eqn.outvars[0]),
        lambda w, no, yes: program.emit(f"arith.select {w}, {yes}, {no} : {type}"))


def write_broadcast(program: Program, eqn: Any, x: Value, *dynamic: Value) -> Value:
    if dynamic:
        raise Unsupported("broadcast_in_dim to dynamic shapes is not written")
    shape = program.get_shape(eqn.outvars[0])
    out = Value("", x.dtype, shape)
    if x.shape == shape:
        return x
    if not x.shape:
        return program.write_filled(x.name, out)
    out = out._replace(name=program.emit_first(f"tensor.empty() : {print_type(out)}"))
    places = eqn.params["broadcast_dimensions"]
    source = [f"d{d}" if e == shape[d] else "0" for d, e in zip(places, x.shape)]
    return program.write_generic(["parallel"] * len(shape), [(x, source)],
                                 (out, [f"d{d}" for d in range(len(shape))]), lambda a, _: a)


def write_transpose(program: Program, eqn: Any, x: Value) -> Value:
    out = Value("", x.dtype, program.get_shape(eqn.outvars[0]))
    out = out._replace(name=program.emit_first(f"tensor.empty() : {print_type(out)}"))
    dims = [f"d{d}" for d in range(len(x.shape))]
    source = [""] * len(dims)
    for d, place in enumerate(eqn.params["permutation"]):
        source[place] = dims[d]
    return program.write_generic(["parallel"] * len(dims), [(x, source)], (out, dims),
                                 lambda a, _: a)


def find_groups(source: Sequence[int], target: Sequence[int]) -> list[tuple[range, range]]:
    """Groups of adjacent dims of two shapes that have equal products, the smallest ones."""
    groups, i, j = [], 0, 0
    while i < len(source) or j < len(target):
        begin, other, sizes = i, j, [1, 1]
        while True:
            if i < len(source) and (sizes[0] <= sizes[1] or j == len(target)):
                sizes[0], i = sizes[0] * source[i], i + 1
            else:
                sizes[1], j = sizes[1] * target[j], j + 1
            if sizes[0] == sizes[1] and i > begin and j > other:
                break
        groups.append((range(begin, i), range(other, j)))
        # What is left of one shape has the extent 1.
        if i == len(source) or j == len(target):
            groups[-1] = range(begin, len(source)), range(other, len(target))
            break
    return groups


def write_reshape(program: Program, eqn: Any, x: Value) -> Value:
    """Dims that are split or joined, in place."""
    shape = program.get_shape(eqn.outvars[0])
    if x.shape == shape:
        return x
    if 0 in x.shape or eqn.params.get("dimensions") is not None:
        raise Unsupported("a reshape of an empty or a transposed array is not written")
    if not x.shape:
        return program.write_filled(x.name, Value("", x.dtype, shape))
    if not shape:
        places = ", ".join(program.emit_first("arith.constant 0 : index") for _ in x.shape)
        return Value(program.emit(f"tensor.extract {x.name}[{places}] : {print_type(x)}"),
                     x.dtype, shape)
    groups = find_groups(x.shape, shape)
    print_lists = lambda ranges: str([[*r] for r in ranges])
    joined = Value("", x.dtype, tuple(math.prod(x.shape[d] for d in s) for s, _ in groups))
    if joined.shape != x.shape:
        x = joined._replace(name=program.emit(
            f"tensor.collapse_shape {x.name} {print_lists(s for s, _ in groups)} : "
            f"{print_type(x)} into {print_type(joined)}"))
    if x.shape == shape:
        return x
    out = Value("", x.dtype, shape)
    return out._replace(name=program.emit(
        f"tensor.expand_shape {x.name} {print_lists(t for _, t in groups)} output_shape "
        f"{[*shape]} : {print_type(x)} into {print_type(out)}"))


def write_reduction(float_op: str, integer_op: str, first: Any) -> Callable[..., Value]:
    """A reduction that begins with `first`, a number or a function of an integer's type."""
    def write(program: Program, eqn: Any, x: Value) -> Value:
        axes, shape = {int(a) for a in eqn.params["axes"]}, program.get_shape(eqn.outvars[0])
        if x.dtype == "bool" or eqn.params.get("out_sharding") is not None:
            raise Unsupported(f"this form of {eqn.primitive} is not written")
        if not axes:
            return x
        is_short = x.dtype in FLOATS and jnp.dtype(x.dtype).itemsize == 2
        dtype = "float32" if is_short else x.dtype
        op = float_op if dtype in FLOATS else integer_op
        number = first(dtype) if callable(first) else first
        out = Value("", dtype, shape)
        out = program.write_filled(program.write_number(number, dtype), out)
        kept = [f"d{d}" for d in range(len(x.shape)) if d not in axes]
        kinds = ["reduction" if d in axes else "parallel" for d in range(len(x.shape))]
        total = program.write_generic(
            kinds, [(x, [f"d{d}" for d in range(len(x.shape))])], (out, kept),
            lambda a, b: program.emit(f"{op} {program.convert(a, x.dtype, dtype)}, {b} : "
                                      f"{get_element(dtype)}"))
        total = total if shape else program.read_scalar(total)
        return program.write_elementwise([total], x.dtype, shape,
                                         lambda a: program.convert(a, dtype, x.dtype)) \
            if is_short else total
    return write


def get_lowest(dtype: str) -> Any:
    return -math.inf if dtype in FLOATS else numpy.iinfo(dtype).min


def get_highest(dtype: str) -> Any:
    return math.inf if dtype in FLOATS else numpy.iinfo(dtype).max


WRITERS: dict[str, Callable[..., Value]] = {
    "abs": write_arithmetic("math.absf", "math.absi"),
    "add": write_arithmetic("arith.addf", "arith.addi"),
    "add_any": write_arithmetic("arith.addf", "arith.addi"),
    "and": write_arithmetic(None, "arith.andi", "arith.andi"),
    "broadcast_in_dim": write_broadcast,
    "ceil": write_arithmetic("math.ceil"),
    "convert_element_type": write_conversion,
    "copy": lambda program, eqn, x: x,
    "copy_p": lambda program, eqn, x: x,
    "cos": write_math("math.cos"),
    "div": write_arithmetic("arith.divf"),
    "eq": write_comparison("oeq", "eq"),
    "erf": write_math("math.erf"),
    "exp": write_math("math.exp"),
    "exp2": write_math("math.exp2"),
    "expand_dims": write_reshape,
    "expm1": write_math("math.expm1"),
    "floor": write_arithmetic("math.floor"),
    "ge": write_comparison("oge", "sge"),
    "gt": write_comparison("ogt", "sgt"),
    "integer_pow": write_power,
    "le": write_comparison("ole", "sle"),
    "log": write_math("math.log"),
    "log1p": write_math("math.log1p"),
    "logistic": write_in_f32(write_logistic),
    "lt": write_comparison("olt", "slt"),
    "max": write_arithmetic("arith.maximumf", "arith.maxsi"),
    "min": write_arithmetic("arith.minimumf", "arith.minsi"),
    "mul": write_arithmetic("arith.mulf", "arith.muli"),
    "ne": write_comparison("une", "ne"),
    "neg": write_arithmetic("arith.negf"),
    "or": write_arithmetic(None, "arith.ori", "arith.ori"),
    "reduce_max": write_reduction("arith.maximumf", "arith.maxsi", get_lowest),
    "reduce_min": write_reduction("arith.minimumf", "arith.minsi", get_highest),
    "reduce_sum": write_reduction("arith.addf", "arith.addi", 0),
    "reshape": write_reshape,
    "rsqrt": write_arithmetic("math.rsqrt"),
    "select_n": write_select,
    "sin": write_math("math.sin"),
    "sqrt": write_arithmetic("math.sqrt"),
    "square": write_square,
    "squeeze": write_reshape,
    "sub": write_arithmetic("arith.subf", "arith.subi"),
    "tanh": write_math("math.tanh"),
    "transpose": write_transpose,
}

#: Calls that are inlined, with the parameter that has the jaxpr.
CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr",
         "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr", "remat": "jaxpr",
         "checkpoint": "jaxpr", "remat2": "jaxpr"}


def get_live(jaxpr: Any) -> list[Any]:
    """The equations that results depend on."""
    live = {v for v in jaxpr.outvars if not isinstance(v, core.Literal)}
    kept = []
    for eqn in reversed(jaxpr.eqns):
        if eqn.effects or any(v in live for v in eqn.outvars):
            live.update(v for v in eqn.invars if not isinstance(v, core.Literal))
            kept.append(eqn)
    return kept[::-1]


def inline(closed: Any) -> tuple[Any, list[Any]]:
    """A jaxpr without calls and without what is unused, of the same arguments and then the arrays
    that it holds; and these arrays. Raises Unsupported."""
    def evaluate(jaxpr: Any, constants: Iterable[Any], arguments: Iterable[Any]) -> list[Any]:
        values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *arguments]))
        read = lambda atom: atom.val if isinstance(atom, core.Literal) else values[atom]
        for eqn in get_live(jaxpr):
            name, operands = eqn.primitive.name, map(read, eqn.invars)
            if name in CALLS:
                inner = eqn.params[CALLS[name]]
                is_closed = isinstance(inner, core.ClosedJaxpr)
                results = evaluate(inner.jaxpr if is_closed else inner,
                                   inner.consts if is_closed else (), operands)
            elif name in WRITERS:
                results = [eqn.primitive.bind(*operands, **eqn.params)]
            else:
                raise Unsupported(f"the primitive {name} is not written")
            values.update(zip(eqn.outvars, results))
        return [read(atom) for atom in jaxpr.outvars]

    variables, count = (*closed.jaxpr.invars, *closed.jaxpr.constvars), len(closed.jaxpr.invars)
    flat = jax.make_jaxpr(lambda *given: evaluate(closed.jaxpr, given[count:], given[:count]))(
        *(jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in variables))
    return flat.jaxpr, [*closed.consts, *flat.consts]


def write(jaxpr: Any, results: Iterable[Any] | None = None,
          get_shape: Callable[[Any], tuple[int, ...]] = lambda v: v.aval.shape) -> str:
    """The text of an inlined jaxpr, perhaps with other results and with other shapes of its
    variables. Raises Unsupported."""
    program = Program(get_shape)
    values, given = {}, []
    for v in (*jaxpr.invars, *jaxpr.constvars):
        value = Value(program.name(), str(v.aval.dtype), get_shape(v))
        given.append(f"{value.name}: {print_type(value)}")
        values[v] = value if value.shape else program.read_scalar(value)

    def read(atom: Any) -> Value:
        if not isinstance(atom, core.Literal):
            return values[atom]
        dtype = str(atom.aval.dtype)
        if atom.aval.shape:
            raise Unsupported("a literal array is not written")
        return Value(program.write_number(atom.val, dtype), dtype, ())

    for eqn in jaxpr.eqns:
        operands = [read(atom) for atom in eqn.invars]
        values[eqn.outvars[0]] = WRITERS[eqn.primitive.name](program, eqn, *operands)
    returned = []
    for value in map(read, jaxpr.outvars if results is None else results):
        name = value.name
        if not value.shape:
            name = program.emit(f"tensor.from_elements {value.name} : {print_type(value)}")
        returned.append(value._replace(name=name))
    types = ", ".join(map(print_type, returned))
    head = [f"{name} = {text}" for text, name in program.constants.items()]
    return "\n".join([f"func.func @main({', '.join(given)}) -> ({types}) {{", *head,
                      *program.lines, f"return {', '.join(v.name for v in returned)} : {types}",
                      "}", ""])
