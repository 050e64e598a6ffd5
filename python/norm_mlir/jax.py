"""JAX functions: lowered by way of StableHLO, compiled, and differentiable.

    norm = norm_mlir.jax.differentiable(rms_norm, x, weight)
    jax.jit(jax.grad(lambda x, w: norm(x, w).sum()))(x, weight)

The conversion to linalg is the one that torch-mlir's wheel carries.
"""
import functools
import secrets
import subprocess
import sys

import jax
import numpy
from jax.extend import mlir

from . import _core, compile

# StableHLO's conversion to linalg, which the wheel of torch-mlir carries.
TO_LINALG = ("builtin.module(func.func(stablehlo-aggressive-simplification),"
             "stablehlo-legalize-to-linalg,symbol-dce,canonicalize,cse)")


def lower(function, *example):
    """The linalg of a JAX function at the shapes and types of `example`."""
    # By way of HLO, which has no CHLO ops (jnp.square): the wheel cannot convert those.
    hlo = jax.jit(function).lower(*example).compiler_ir("hlo")
    stablehlo = mlir.hlo_to_stablehlo(hlo.as_serialized_hlo_module_proto())
    command = [sys.executable, "-m", "torch_mlir.tools.opt", f"--pass-pipeline={TO_LINALG}"]
    return subprocess.run(command, input=stablehlo, stdout=subprocess.PIPE,
                          check=True).stdout.decode()


def differentiable(function, *example):
    """`function` at the shapes and types of `example`, compiled with its gradient.

    It works under jax.jit, jax.grad and jax.vmap. XLA calls the compiled code itself, with
    the addresses of its buffers. Under vmap, the batched function is compiled at its own
    shapes, at the first use of each.
    """
    def gradient(*arguments_and_dy):
        *arguments, dy = arguments_and_dy
        return jax.vjp(function, *arguments)[1](dy)

    result = jax.eval_shape(function, *example)
    forward = _make_callable(function, *example)
    backward = _make_callable(gradient, *example, result)

    @jax.custom_vjp
    def compiled(*arguments):
        return forward(*arguments)

    compiled.defvjp(lambda *arguments: (forward(*arguments), arguments),
                    lambda arguments, dy: tuple(backward(*arguments, dy)))
    return compiled


def _make_callable(function, *example):
    """`function` compiled at these shapes, called through XLA's foreign functions."""
    example = tuple(jax.ShapeDtypeStruct(e.shape, e.dtype) for e in example)
    shapes = jax.eval_shape(function, *example)
    compiled = compile(lower(function, *example))
    _register()

    @jax.custom_batching.custom_vmap
    def run(*arguments):
        call = jax.ffi.ffi_call("norm_mlir_call", shapes)
        return call(*arguments, function=numpy.int64(compiled.address), process=_process)

    batched = {}

    @run.def_vmap
    def batch(axis_size, in_batched, *arguments):
        key = (axis_size, tuple(in_batched))
        if key not in batched:
            axes = tuple(0 if b else None for b in in_batched)
            batched[key] = _make_callable(jax.vmap(function, in_axes=axes), *arguments)
        return batched[key](*arguments), jax.tree.map(lambda _: True, shapes)

    # XLA knows the function's address alone, and may call it as long as jax keeps its code.
    _alive.append(compiled)
    return run


_alive = []
# An address means nothing in another process: programs of jax's cache on disk must not match.
_process = numpy.int64(secrets.randbits(62))


@functools.cache
def _register():
    jax.ffi.register_ffi_target("norm_mlir_call", _core.xla_handler(), platform="cpu")
