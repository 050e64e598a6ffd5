"""Functions of jax: written as linalg, compiled, and differentiable; and compiled functions for
jitted code, which XLA calls on its own buffers.

    norm = norm_mlir.jax.differentiable(rms_norm)
    jax.jit(jax.grad(lambda x, w: norm(x, w).sum()))(x, weight)

    norm = norm_mlir.jax.wrap(norm_mlir.compile(pathlib.Path("norm.mlir")))
    jax.jit(norm)(x, weight)
"""
import functools
import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy
from jax.custom_batching import custom_vmap
from jax.extend import core, mlir
from jax.sharding import NamedSharding, PartitionSpec

from . import Function, NormError, TensorType, _core, _jaxpr, compile
from ._rms_norm import compile_backward, compile_forward, describe
from ._rows import Rows, find_rows
from ._sharding import Dims, find_explicit_mesh, keep_explicit, keep_sharded

__all__ = ["differentiable", "lower", "rms_norm", "wrap"]

# StableHLO's conversion to linalg, which the wheel of torch-mlir has.
TO_LINALG = ("builtin.module(func.func(stablehlo-aggressive-simplification),"
             "stablehlo-legalize-to-linalg,symbol-dce,canonicalize,cse)")

# One handler calls all functions: the attribute names which.
TARGET = "norm_mlir"
jax.ffi.register_ffi_target(TARGET, _core.xla_handler(), platform="cpu")


def _lower_by_stablehlo(closed: Any, reason: str) -> str:
    """The linalg of a jaxpr by way of StableHLO."""
    if importlib.util.find_spec("torch_mlir") is None:
        raise NormError(f"{reason}: the package torch-mlir would convert the function, but is not "
                        "installed")
    if closed.effects:
        raise NormError(f"{reason}, and its effects would be lost: "
                        f"{', '.join(map(str, closed.effects))}")
    jaxpr, constants = _jaxpr.inline(closed)
    arguments = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in jaxpr.invars]
    call = lambda *given: jax.core.eval_jaxpr(jaxpr, constants[len(closed.consts):], *given)
    # By way of HLO, which has no CHLO ops (jnp.square): the wheel cannot convert those.
    hlo = jax.jit(call, keep_unused=True).lower(*arguments).compiler_ir("hlo")
    stablehlo = mlir.hlo_to_stablehlo(hlo.as_serialized_hlo_module_proto())
    command = [sys.executable, "-m", "torch_mlir.tools.opt", f"--pass-pipeline={TO_LINALG}"]
    done = subprocess.run(command, input=stablehlo, capture_output=True)
    left = re.search(rb"stablehlo\.\w+", done.stdout)
    if done.returncode or left:
        lines = done.stderr.decode().splitlines()
        message = next((line for line in lines if "rror" in line),
                       f"it leaves {left[0].decode()}" if left else "it fails")
        raise NormError(f"{reason}, and torch-mlir does not convert the function: {message}")
    return done.stdout.decode()


def lower(function: Callable[..., Any], *example: Any, **named: Any) -> str:
    """The linalg of a function of jax at the shapes and types of an example. Its arguments are
    the arrays of the example's trees, and then those that the function holds; its results are
    those of the result's tree. What is not written here needs torch-mlir."""
    closed = jax.make_jaxpr(function)(*example, **named)
    try:
        return _jaxpr.write(_jaxpr.inline(closed, _jaxpr.WRITERS)[0])
    except _jaxpr.Unsupported as error:
        return _lower_by_stablehlo(closed, str(error))


def _get_varying(array: Any) -> frozenset[str]:
    """The axes of a mesh between whose devices an array differs under shard_map."""
    return jax.typeof(array).mat.varying


def _find_mismatch(found: TensorType, expected: TensorType) -> str | None:
    extents, shape = found.shape or (), expected.shape or ()
    if found.dtype != expected.dtype:
        return f"is {found.dtype}"
    if len(extents) != len(shape):
        return f"has rank {len(extents)}"
    fits = all(wanted in (None, extent) for extent, wanted in zip(extents, shape))
    return None if fits else f"has shape {[*extents]}"


def _check(kind: str, expected: Sequence[TensorType], arrays: Sequence[Any]) -> None:
    """What is known when a call is traced; with the extents, the handler checks all."""
    if len(arrays) != len(expected):
        raise TypeError(f"{len(arrays)} {kind}s, expected {len(expected)}: "
                        f"{', '.join(map(str, expected))}")
    for i, (array, type) in enumerate(zip(arrays, expected)):
        found = TensorType(str(jnp.result_type(array)), jnp.shape(array))
        if mismatch := _find_mismatch(found, type):
            raise NormError(f"{kind} {i} {mismatch}, expected {type}")


def _call(compiled: Function, results: Any, arguments: Sequence[Any]) -> Any:
    """A custom call of `compiled`."""
    key = _core.publish(compiled)
    _check("argument", compiled.arguments, arguments)
    _check("result", compiled.results, jax.tree.leaves(results))
    # Under shard_map a result differs between devices where any argument does.
    varying = frozenset().union(*map(_get_varying, arguments))
    place: dict[str, Any] = {}
    if varying:
        arguments = [jax.lax.pcast(a, tuple(varying - _get_varying(a)), to="varying")
                     for a in arguments]
        place = {"manual_axis_type": jax.sharding.ManualAxisType(varying=varying),
                 "sharding": NamedSharding(jax.sharding.get_abstract_mesh(), PartitionSpec())}
    results = jax.tree.map(lambda r: jax.ShapeDtypeStruct(r.shape, r.dtype, **place), results)
    call = jax.ffi.ffi_call(TARGET, results, vmap_method="sequential")
    return call(*arguments, function=key)


def _call_rows(call: Callable[..., Any], call_part: Callable[..., Any], dims: Dims,
               arguments: Sequence[Any]) -> Any:
    """`call(*arguments)`, each device on its rows: under shard_map it is called so."""
    if any(map(_get_varying, arguments)) or not dims.rows:
        return call(*arguments)
    mesh = find_explicit_mesh(arguments)
    keep = functools.partial(keep_explicit, mesh=mesh) if mesh else keep_sharded
    return keep(call, call_part, dims)(*arguments)


def _static_results(compiled: Function) -> Any:
    if any(None in (type.shape or ()) for type in compiled.results):
        raise NormError(f"{compiled} has results with open extents: pass like=, a jax function "
                        "with results of the same shapes")
    results = tuple(jax.ShapeDtypeStruct(type.shape or (), type.dtype)
                    for type in compiled.results)
    return results[0] if len(results) == 1 else results


def _merge(array: Any, size: int, is_batched: bool) -> Any:
    """The rows of a whole batch."""
    if not is_batched:
        array = jnp.broadcast_to(array, (size, *array.shape))
    return array.reshape(size * array.shape[1], *array.shape[2:])


def wrap(compiled: Function, like: Callable[..., Any] | None = None,
         rows: Sequence[int] = ()) -> Callable[..., Any]:
    """`compiled`, a function of norm_mlir.compile, for jitted code.

    `like` is a jax function with results of the same shapes and types, such as
    `lambda x, weight: x`; without open extents in the results it is not needed.

    jax.vmap calls it once for each element of the batch, and arguments that are sharded are
    gathered. `rows` says that row i of each
    result depends on nothing but row i of these arguments and on the others, which is for
    the caller to know: then the batch is more rows of one call, and each device computes the rows
    that it has.
    """
    if like is None:
        static = _static_results(compiled)
        like = lambda *_: static
    for i in rows:
        shape = compiled.arguments[i].shape
        if not shape or shape[0] is not None:
            raise NormError(f"rows: argument {i} is {compiled.arguments[i]}, which has no open "
                            "leading extent")

    def call(*arguments: Any) -> Any:
        return _call(compiled, jax.eval_shape(like, *arguments), arguments)

    if not rows:
        return call

    def call_flat(*arguments: Any) -> Any:
        return tuple(jax.tree.leaves(call(*arguments)))

    def get_dims(types: Sequence[TensorType], kind: str, sharded: Sequence[int]) -> Any:
        return [tuple("rows" if d == 0 and i in sharded else f"{kind}{i}_{d}"
                      for d in range(len(type.shape or ()))) for i, type in enumerate(types)]

    dims = Dims(get_dims(compiled.arguments, "argument", rows),
                get_dims(compiled.results, "result", range(len(compiled.results))),
                frozenset(["rows"]))
    @custom_vmap
    def call_rows(*arguments: Any) -> Any:
        structure = jax.tree.structure(jax.eval_shape(like, *arguments))
        results = _call_rows(call_flat, call_flat, dims, arguments)
        return jax.tree.unflatten(structure, results)

    @call_rows.def_vmap
    def batch(size: int, is_batched: Sequence[bool], *arguments: Any) -> Any:
        if any(batched and i not in rows for i, batched in enumerate(is_batched)):
            in_axes = [0 if batched else None for batched in is_batched]
            results = jax.vmap(call, in_axes, axis_size=size)(*arguments)
        else:
            results = call_rows(*(
                _merge(a, size, batched) if i in rows else a
                for i, (a, batched) in enumerate(zip(arguments, is_batched))))
            results = jax.tree.map(
                lambda r: r.reshape(size, r.shape[0] // size, *r.shape[1:]), results)
        return results, jax.tree.map(lambda _: True, results)

    return call_rows


class _Program(NamedTuple):
    """A function at certain shapes, with the arrays that it holds, which are its last arguments.
    `call_part` gives sums before they are rounded to 16 bits."""

    call: Callable[..., Any]
    call_part: Callable[..., Any]
    constants: list[Any]
    dims: Dims


def _make_program(closed: Any) -> _Program:
    try:
        jaxpr, constants = _jaxpr.inline(closed, _jaxpr.WRITERS)
        _jaxpr.write(jaxpr)  # or raises Unsupported
        rows = find_rows(jaxpr)
        return _Program(_call_jaxpr(jaxpr, jaxpr.outvars, rows),
                        _call_jaxpr(jaxpr, rows.sums, rows), constants, rows.dims)
    except _jaxpr.Unsupported as error:
        compiled = compile(_lower_by_stablehlo(closed, str(error)))
        call = lambda *arrays: _call(compiled, closed.out_avals, arrays)
        return _Program(call, call, closed.consts, Dims((), (), frozenset()))


def _call_jaxpr(jaxpr: Any, results: Sequence[Any], rows: Rows) -> Callable[..., Any]:
    """Calls an inlined jaxpr on arrays that have all rows or some of them: for these it is
    compiled with their extents, while its numbers stay."""
    @functools.cache
    def compile_for(*shapes: tuple[int, ...]) -> tuple[Function, tuple[Any, ...]]:
        extents = {name: extent for v, shape in zip((*jaxpr.invars, *jaxpr.constvars), shapes)
                   for name, extent in zip(rows.names[v], shape)}

        def get_shape(atom: Any) -> tuple[int, ...]:
            names = rows.names.get(atom, ()) if isinstance(atom, core.Var) else ()
            return tuple(extents[n] if n in rows.dims.rows else extent
                         for n, extent in zip(names, atom.aval.shape))

        types = tuple(jax.ShapeDtypeStruct(get_shape(atom), atom.aval.dtype) for atom in results)
        return compile(_jaxpr.write(jaxpr, results, get_shape)), types

    def call(*arrays: Any) -> Any:
        return _call(*compile_for(*(a.shape for a in arrays)), arrays)
    return call


def _get_type(array: Any) -> jax.ShapeDtypeStruct:
    """A number of Python has a weak type: it takes that of what it is combined with."""
    return jax.ShapeDtypeStruct(jnp.shape(array), jnp.result_type(array),
                                weak_type=jax.typeof(array).weak_type)


def _compile(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` from arrays to a tuple of arrays, compiled once for each of their shapes and
    types. jax.vmap calls the program of a batch."""
    batches: dict[Any, Callable[..., Any]] = {}

    @functools.cache
    def get_program(*types: Any) -> _Program:
        # A mesh of the context would be in the ops, while types have none.
        with jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((), ())):
            return _make_program(jax.make_jaxpr(function)(*types))

    @custom_vmap
    def call(*arguments: Any) -> Any:
        program = get_program(*map(_get_type, arguments))
        return _call_rows(program.call, program.call_part, program.dims,
                          [*map(jnp.asarray, (*arguments, *program.constants))])

    @call.def_vmap
    def batch(size: int, is_batched: Sequence[bool], *arguments: Any) -> Any:
        key = tuple(is_batched)
        if key not in batches:
            batches[key] = _compile(jax.vmap(function, [0 if b else None for b in key]))
        results = batches[key](*arguments)
        return results, tuple(True for _ in results)

    return call


def _is_differentiable(array: Any) -> bool:
    return bool(jnp.issubdtype(jnp.result_type(array), jnp.inexact))


def _match_type(gradient: Any, array: Any) -> Any:
    """The gradient of an array, which must be where the array is. If that is the same on devices
    between which its gradient differs, it is their sum."""
    gradient = jax.lax.psum(gradient, tuple(_get_varying(gradient) - _get_varying(array)))
    if find_explicit_mesh([array]):
        gradient = jax.sharding.reshard(gradient, jax.typeof(array).sharding)
    return gradient


def _compile_with_gradient(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """As `_compile`, with the gradient of a function of `count` arrays. Integers have none."""
    def differentiate(*arrays: Any) -> Any:
        given, gradients = arrays[:count], iter(arrays[count:])
        results, pull = jax.vjp(function, *given)
        pulled = pull(tuple(next(gradients) if _is_differentiable(r)
                            else numpy.zeros(r.shape, jax.dtypes.float0) for r in results))
        return tuple(d for a, d in zip(given, pulled) if _is_differentiable(a))

    forward, backward = _compile(function), _compile(differentiate)
    compiled = jax.custom_vjp(lambda *arrays: forward(*arrays))

    def pull(arrays: Any, gradients: Any) -> Any:
        found = iter(backward(*arrays, *(g for g in gradients if g.dtype != jax.dtypes.float0)))
        return tuple(_match_type(next(found), a) if _is_differentiable(a) else None
                     for a in arrays)

    compiled.defvjp(lambda *arrays: (forward(*arrays), arrays), pull)
    return compiled


def differentiable(function: Callable[..., Any], *example: Any, **named: Any) -> Callable[..., Any]:
    """`function`, compiled with its gradient when it is traced, once for each tree, shape and
    type of its arguments and its results. It works under jax.jit, jax.grad and jax.vmap. With an
    example it is compiled for that at once."""
    @functools.cache
    def flatten(tree: Any) -> Callable[..., Any]:
        def call(*arrays: Any) -> Any:
            arguments, named = jax.tree.unflatten(tree, arrays)
            return tuple(map(jnp.asarray, jax.tree.leaves(function(*arguments, **named))))
        return _compile_with_gradient(call, tree.num_leaves)

    @functools.cache
    def get_structure(tree: Any, *types: Any) -> Any:
        arguments, named = jax.tree.unflatten(tree, types)
        return jax.tree.structure(jax.eval_shape(function, *arguments, **named))

    @functools.wraps(function)
    def compiled(*arguments: Any, **named: Any) -> Any:
        arrays, tree = jax.tree.flatten((arguments, named))
        structure = get_structure(tree, *map(_get_type, arrays))
        if not structure.num_leaves:
            return jax.tree.unflatten(structure, ())
        return jax.tree.unflatten(structure, flatten(tree)(*arrays))

    if example or named:
        jax.eval_shape(compiled, *example, **named)
    return compiled


def _name_norm(x: Any, weight: Sequence[Any], leading: tuple[int, ...]) -> Any:
    """The names of dimensions of x and of the weight, and the dimensions that may be divided."""
    names = (*(f"row{d}" for d in range(jnp.ndim(x) - 1)), "columns")
    weights = [(*(names[d] for d in leading), "columns") for _ in weight]
    return names, weights, frozenset(names[:-1])


def _norm_forward(eps: float, threads: int, leading: tuple[int, ...]) -> Callable[..., Any]:
    """(x, weight) -> y, where the weight has the dims `leading` of x beside the last."""
    def call_norm(x: Any, *weight: Any) -> Any:
        norm = describe(x, *(weight or (None,)), eps, threads, (*leading, jnp.ndim(x) - 1))
        return (_call(compile_forward(norm), _get_type(x), (x, *weight)),)

    @custom_vmap
    def call(x: Any, *weight: Any) -> Any:
        names, weights, rows = _name_norm(x, weight, leading)
        dims = Dims([names, *weights], [names], rows)
        return _call_rows(call_norm, call_norm, dims, (x, *weight))[0]

    @call.def_vmap
    def batch(size: int, is_batched: Sequence[bool], x: Any, *weight: Any) -> Any:
        dims = tuple(d + 1 for d in leading)
        x = x if is_batched[0] else jnp.broadcast_to(x, (size, *x.shape))
        return _norm_forward(eps, threads, (0, *dims) if any(is_batched[1:]) else dims)(
            x, *weight), True

    return call


def _norm_backward(eps: float, threads: int, leading: tuple[int, ...]) -> Callable[..., Any]:
    """(dy, x, weight) -> (dx, dw)"""
    def call_norm(dy: Any, x: Any, *weight: Any) -> Any:
        norm = describe(x, *(weight or (None,)), eps, threads, (*leading, jnp.ndim(x) - 1))
        results = tuple(map(_get_type, (x, *weight)))
        return _call(compile_backward(norm), results, (dy, x, *weight))

    def call_part(dy: Any, x: Any, *weight: Any) -> Any:
        # A sum of parts is rounded to 16 bits once, like that of a whole.
        return call_norm(dy, x, *(w.astype(jnp.promote_types(w.dtype, jnp.float32))
                                  for w in weight))

    @custom_vmap
    def call(dy: Any, x: Any, *weight: Any) -> Any:
        names, weights, rows = _name_norm(x, weight, leading)
        dims = Dims([names, names, *weights], [names, *weights], rows)
        return _call_rows(call_norm, call_part, dims, (dy, x, *weight))

    @call.def_vmap
    def batch(size: int, is_batched: Sequence[bool], *arrays: Any) -> Any:
        arrays = tuple(a if batched else jnp.broadcast_to(a, (size, *a.shape))
                       for a, batched in zip(arrays, is_batched))
        results = _norm_backward(eps, threads, (0, *(d + 1 for d in leading)))(*arrays)
        return results, tuple(True for _ in results)

    return call


@functools.cache
def _make_norm(eps: float, threads: int) -> Callable[..., Any]:
    forward, backward = _norm_forward(eps, threads, ()), _norm_backward(eps, threads, ())
    norm = jax.custom_vjp(lambda *arrays: forward(*arrays))
    norm.defvjp(lambda *arrays: (forward(*arrays), arrays),
                lambda arrays, dy: tuple(_match_type(d, a) for d, a in
                                         zip(backward(dy, *arrays), arrays)))
    return norm


def rms_norm(x: Any, weight: Any = None, eps: float = 1e-6, *, threads: int = 1) -> Any:
    """norm_mlir.rms_norm for jitted code. It works under jax.jit, jax.grad, jax.vmap and
    jax.shard_map, and each device computes the rows that it has."""
    arrays = tuple(jnp.asarray(a) for a in (x, weight) if a is not None)
    norm = describe(*arrays, *(() if len(arrays) == 2 else (None,)), eps, threads)
    return _make_norm(norm.eps, threads)(*arrays)
