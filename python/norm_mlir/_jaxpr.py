"""Functions of jax as linalg: one linalg.generic for each primitive of a jaxpr.

Each primitive is rounded to its type, and reductions of 16-bit floats accumulate in f32 and are
rounded once, as XLA's are on CPUs. Shapes are static, as those of jaxprs are.
"""
import math
from collections.abc import Callable, Container, Iterable
from typing import Any

import jax
import numpy
from jax.extend import core

from . import _writer
from ._writer import (FLOATS, Shape, Unsupported, Value, has_dims, squeeze, widen,
                      write_in_f32, write_logistic)

INTEGERS = {"int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8"}
TYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", **INTEGERS,
         "bool": "i1"}


def get_element(atom: Any) -> str:
    dtype = str(atom.aval.dtype)
    if dtype not in TYPES:
        raise Unsupported(f"values of {dtype} are not written")
    return TYPES[dtype]


class Program(_writer.Program):
    """A program, with the shapes of its variables."""

    def __init__(self, get_shape: Callable[[Any], Shape]) -> None:
        super().__init__()
        self.get_shape = get_shape


def write_arithmetic(float_op: str | None, integer_op: str | None = None,
                     bool_op: str | None = None) -> Callable[..., Value]:
    """An op of arith or math on elements of one type."""
    def write(program: Program, eqn: Any, *operands: Value) -> Value:
        out, element = eqn.outvars[0], operands[0].element
        op = float_op if element in FLOATS else bool_op if element == "i1" else integer_op
        if op is None or {element} != {get_element(out), *(v.element for v in operands)}:
            raise Unsupported(f"{eqn.primitive} of {element} is not written")
        return program.write_elementwise(
            operands, element, program.get_shape(out),
            lambda *names: program.emit(f"{op} {', '.join(names)} : {element}"))
    return write


def write_comparison(float_predicate: str, integer_predicate: str) -> Callable[..., Value]:
    def write(program: Program, eqn: Any, a: Value, b: Value) -> Value:
        if a.element == "i1":
            raise Unsupported(f"{eqn.primitive} of i1 is not written")
        op = f"cmpf {float_predicate}" if a.element in FLOATS else f"cmpi {integer_predicate}"
        return program.write_elementwise(
            [a, b], "i1", program.get_shape(eqn.outvars[0]),
            lambda x, y: program.emit(f"arith.{op}, {x}, {y} : {a.element}"))
    return write


def write_function(body: Callable[[Program, str, str], str]) -> Callable[..., Value]:
    """A function of one float. `body` gets the name of x and the type."""
    def write(program: Program, eqn: Any, x: Value) -> Value:
        if x.element not in FLOATS:
            raise Unsupported(f"{eqn.primitive} of {x.element} is not written")
        return write_in_f32(program, x, lambda *name: body(program, *name))
    return write


def write_math(op: str) -> Callable[..., Value]:
    return write_function(lambda program, x, element: program.emit(f"{op} {x} : {element}"))


def write_power(program: Program, eqn: Any, x: Value, exponent: int | None = None) -> Value:
    """A power of integer exponent by squaring, as XLA has it."""
    y = eqn.params["y"] if exponent is None else exponent
    if x.element not in FLOATS:
        raise Unsupported(f"{eqn.primitive} of {x.element} is not written")

    def body(base: str) -> str:
        multiply = lambda a, b: program.emit(f"arith.mulf {a}, {b} : {x.element}")
        result, rest = None, abs(y)
        while rest:
            if rest & 1:
                result = base if result is None else multiply(result, base)
            rest >>= 1
            base = multiply(base, base) if rest else base
        one = program.write_number(1, x.element)
        if y < 0:
            return program.emit(f"arith.divf {one}, {result} : {x.element}")
        return result or one

    return program.write_elementwise([x], x.element, x.shape, body)


def write_square(program: Program, eqn: Any, x: Value) -> Value:
    return write_power(program, eqn, x, 2)


def write_conversion(program: Program, eqn: Any, x: Value) -> Value:
    return program.write_cast(x, get_element(eqn.outvars[0]))


def write_select(program: Program, eqn: Any, which: Value, *cases: Value) -> Value:
    if which.element != "i1" or len(cases) != 2:
        raise Unsupported("select_n of other than two cases is not written")
    element = cases[0].element
    return program.write_elementwise(
        [which, *cases], element, program.get_shape(eqn.outvars[0]),
        lambda w, no, yes: program.emit(f"arith.select {w}, {yes}, {no} : {element}"))


def write_broadcast(program: Program, eqn: Any, x: Value, *dynamic: Value) -> Value:
    if dynamic:
        raise Unsupported("broadcast_in_dim to dynamic shapes is not written")
    shape = program.get_shape(eqn.outvars[0])
    if squeeze(x.shape) == squeeze(shape):
        return x._replace(shape=shape)
    if not has_dims(x):
        return program.write_filled(x.name, x.element, shape)
    return program.write_moved(x, shape, eqn.params["broadcast_dimensions"])


def write_transpose(program: Program, eqn: Any, x: Value) -> Value:
    order = eqn.params["permutation"]
    if not has_dims(x):
        return x._replace(shape=program.get_shape(eqn.outvars[0]))
    return program.write_moved(x, program.get_shape(eqn.outvars[0]), [
        *map(order.index, range(len(order)))])


def write_reshape(program: Program, eqn: Any, x: Value) -> Value:
    if eqn.params.get("dimensions") is not None:
        raise Unsupported("a reshape of a transposed array is not written")
    return program.write_reshape(x, program.get_shape(eqn.outvars[0]))


def write_reduction(float_op: str, integer_op: str, first: Any) -> Callable[..., Value]:
    """A reduction that begins with `first`, a number or a function of a type."""
    def write(program: Program, eqn: Any, x: Value) -> Value:
        if x.element == "i1" or eqn.params.get("out_sharding") is not None:
            raise Unsupported(f"this form of {eqn.primitive} is not written")
        is_float = x.element in FLOATS
        element = widen(x.element) if is_float else x.element
        total = program.write_reduction(
            x, map(int, eqn.params["axes"]), program.get_shape(eqn.outvars[0]), element,
            first(element) if callable(first) else first, float_op if is_float else integer_op)
        return program.write_cast(total, x.element)
    return write


def get_lowest(element: str) -> Any:
    return -math.inf if element in FLOATS else -1 << int(element[1:]) - 1


def get_highest(element: str) -> Any:
    return math.inf if element in FLOATS else (1 << int(element[1:]) - 1) - 1


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
    "logistic": write_function(write_logistic),
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


def inline(closed: Any, primitives: Container[str] | None = None) -> tuple[Any, list[Any]]:
    """A jaxpr without calls and without what is unused, of the same arguments and then the arrays
    that it holds; and these arrays. Raises Unsupported for what is not one of the primitives, if
    these are given."""
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
            elif name == "optimization_barrier":  # of what checkpoint computes again
                results = list(operands)
            elif primitives is None or name in primitives:
                results = eqn.primitive.bind(*operands, **eqn.primitive.get_bind_params(eqn.params))
                results = results if eqn.primitive.multiple_results else [results]
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
    values = {v: program.add_argument(get_element(v), get_shape(v))
              for v in (*jaxpr.invars, *jaxpr.constvars)}

    def read(atom: Any) -> Value:
        if not isinstance(atom, core.Literal):
            return values[atom]
        if atom.aval.shape:
            raise Unsupported("a literal array is not written")
        number = numpy.asarray(atom.val).astype(atom.aval.dtype).item()
        return Value(program.write_number(number, get_element(atom)), get_element(atom), ())

    for eqn in jaxpr.eqns:
        operands = [read(atom) for atom in eqn.invars]
        values[eqn.outvars[0]] = WRITERS[eqn.primitive.name](program, eqn, *operands)
    return program.finish(map(read, jaxpr.outvars if results is None else results))
