"""JAX functions: lowered by way of StableHLO, compiled, and differentiable.

    norm = norm_mlir.jax.differentiable(rms_norm, x, weight)
    jax.jit(jax.grad(lambda x, w: norm(x, w).sum()))(x, weight)

The conversion to linalg is the one that torch-mlir's wheel carries.
"""
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy
from jax.extend import mlir

from . import compile

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

    It works under jax.jit, jax.grad and jax.vmap; jax waits for each call.
    """
    def gradient(*arguments_and_dy):
        *arguments, dy = arguments_and_dy
        return jax.vjp(function, *arguments)[1](dy)

    result = jax.eval_shape(function, *example)
    forward = compile(lower(function, *example))
    backward = compile(lower(gradient, *example, jnp.zeros(result.shape, result.dtype)))

    def call(compiled, shapes, arguments):
        run = lambda *arrays: compiled(*map(numpy.asarray, arrays))
        # A batch is one call after the other: the extents are those of the program.
        return jax.pure_callback(run, shapes, *arguments, vmap_method="sequential")

    @jax.custom_vjp
    def compiled(*arguments):
        return call(forward, result, arguments)

    shapes = tuple(jax.ShapeDtypeStruct(e.shape, e.dtype) for e in example)
    compiled.defvjp(lambda *arguments: (compiled(*arguments), arguments),
                    lambda arguments, dy: call(backward, shapes, (*arguments, dy)))
    return compiled
