"""JAX functions: lowered by way of StableHLO, compiled, and differentiable; and compiled
functions for jitted code, which XLA calls on its own buffers.

    norm = norm_mlir.jax.differentiable(rms_norm, x, weight)
    jax.jit(jax.grad(lambda x, w: norm(x, w).sum()))(x, weight)

    norm = norm_mlir.jax.wrap(norm_mlir.compile(pathlib.Path("norm.mlir")))
    jax.jit(norm)(x, weight)

The conversion to linalg is the one that torch-mlir's wheel carries.
"""
import subprocess
import sys

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap
from jax.extend import mlir

from . import NormError, _core, compile

# StableHLO's conversion to linalg, which the wheel of torch-mlir carries.
TO_LINALG = ("builtin.module(func.func(stablehlo-aggressive-simplification),"
             "stablehlo-legalize-to-linalg,symbol-dce,canonicalize,cse)")

# One handler calls all functions: the attribute names which.
TARGET = "norm_mlir"
jax.ffi.register_ffi_target(TARGET, _core.xla_handler(), platform="cpu")


def lower(function, *example):
    """The linalg of a JAX function at the shapes and types of `example`."""
    # By way of HLO, which has no CHLO ops (jnp.square): the wheel cannot convert those.
    hlo = jax.jit(function).lower(*example).compiler_ir("hlo")
    stablehlo = mlir.hlo_to_stablehlo(hlo.as_serialized_hlo_module_proto())
    command = [sys.executable, "-m", "torch_mlir.tools.opt", f"--pass-pipeline={TO_LINALG}"]
    return subprocess.run(command, input=stablehlo, stdout=subprocess.PIPE,
                          check=True).stdout.decode()


def _call(compiled, results, arguments):
    """A custom call of `compiled`; the handler checks shapes and types."""
    results = jax.tree.map(lambda r: jax.ShapeDtypeStruct(r.shape, r.dtype), results)
    call = jax.ffi.ffi_call(TARGET, results, vmap_method="sequential")
    return call(*arguments, function=_core.publish(compiled))


def _static_results(compiled):
    if any(None in (type.shape or ()) for type in compiled.results):
        raise NormError(f"{compiled} has results with open extents: pass like=, a jax function "
                        "with results of the same shapes")
    results = tuple(jax.ShapeDtypeStruct(type.shape or (), type.dtype)
                    for type in compiled.results)
    return results[0] if len(results) == 1 else results


def _merge(array, size, is_batched):
    """The rows of a whole batch."""
    if not is_batched:
        array = jnp.broadcast_to(array, (size, *array.shape))
    return array.reshape(size * array.shape[1], *array.shape[2:])


def wrap(compiled, like=None, rows=()):
    """`compiled`, a function of norm_mlir.compile, for jitted code.

    `like` is a jax function with results of the same shapes and types, such as
    `lambda x, weight: x`; without open extents in the results it is not needed.

    jax.vmap calls it once for each element of the batch. `rows` says that row i of each
    result depends on nothing but row i of these arguments and on the others, which is for
    the caller to know: then the batch is more rows of one call.
    """
    if like is None:
        static = _static_results(compiled)
        like = lambda *_: static
    for i in rows:
        shape = compiled.arguments[i].shape
        if not shape or shape[0] is not None:
            raise NormError(f"rows: argument {i} is {compiled.arguments[i]}, which has no open "
                            "leading extent")

    def call(*arguments):
        return _call(compiled, jax.eval_shape(like, *arguments), arguments)

    if not rows:
        return call
    call_rows = custom_vmap(call)

    @call_rows.def_vmap
    def batch(size, is_batched, *arguments):
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


def _compile(function, *example):
    """`function`, compiled at the shapes and types of `example`. jax.vmap compiles the
    program of a batch, once for each of its shapes."""
    results = jax.eval_shape(function, *example)
    compiled = compile(lower(function, *example))
    batches = {}

    @custom_vmap
    def call(*arguments):
        return _call(compiled, results, arguments)

    @call.def_vmap
    def batch(size, is_batched, *arguments):
        key = (size, *is_batched)
        if key not in batches:
            in_axes = [0 if batched else None for batched in is_batched]
            shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arguments]
            batches[key] = _compile(jax.vmap(function, in_axes), *shapes)
        return batches[key](*arguments), jax.tree.map(lambda _: True, results)

    return call


def differentiable(function, *example):
    """`function` at the shapes and types of `example`, compiled with its gradient. It works
    under jax.jit, jax.grad and jax.vmap."""
    def gradient(*arguments_and_dy):
        *arguments, dy = arguments_and_dy
        return jax.vjp(function, *arguments)[1](dy)

    result = jax.eval_shape(function, *example)
    forward = _compile(function, *example)
    backward = _compile(gradient, *example, jax.ShapeDtypeStruct(result.shape, result.dtype))

    @jax.custom_vjp
    def compiled(*arguments):
        return forward(*arguments)

    compiled.defvjp(lambda *arguments: (forward(*arguments), arguments),
                    lambda arguments, dy: backward(*arguments, dy))
    return compiled
