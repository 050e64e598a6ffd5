"""A JAX function -> StableHLO -> linalg -> norm-compile -> called on JAX's arrays.

    $ python examples/frontends/jax_function.py
"""
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy
from jax.extend import mlir

import norm_mlir

# StableHLO's conversion to linalg, which the wheel of torch-mlir carries.
TO_LINALG = ("builtin.module(func.func(stablehlo-aggressive-simplification),"
             "stablehlo-legalize-to-linalg,symbol-dce,canonicalize,cse)")


def rms_norm(x, weight):
    """As Flax computes it: statistics in f32, one rounding at the end."""
    hidden = x.astype(jnp.float32)
    scale = jax.lax.rsqrt(jnp.mean(jnp.square(hidden), axis=-1, keepdims=True) + 1e-6)
    return (hidden * scale * weight.astype(jnp.float32)).astype(x.dtype)


def gated_norm(x, gate, weight):
    return rms_norm(x * jax.nn.silu(gate), weight)


def lower_jax(function, *example):
    # By way of HLO, which has no CHLO ops (jnp.square): the wheel cannot convert those.
    hlo = jax.jit(function).lower(*example).compiler_ir("hlo")
    stablehlo = mlir.hlo_to_stablehlo(hlo.as_serialized_hlo_module_proto())
    command = [sys.executable, "-m", "torch_mlir.tools.opt", f"--pass-pipeline={TO_LINALG}"]
    return subprocess.run(command, input=stablehlo, stdout=subprocess.PIPE,
                          check=True).stdout.decode()


def compile_function(function, *example):
    linalg = lower_jax(function, *example)
    print(f"{function.__name__}: {norm_mlir.recognize(linalg)[0]} norm found")
    return norm_mlir.compile(linalg)


def ulps(actual, expected):
    """Largest distance in representable values."""
    integer = f"int{8 * actual.itemsize}"
    low = numpy.iinfo(integer).min
    def order(array):
        bits = array.view(integer).astype(numpy.int64)
        return numpy.where(bits < 0, low - bits, bits)
    return abs(order(actual) - order(expected)).max()


def run(function, *arguments, most):
    # numpy.asarray of a JAX array on the CPU is a view, bfloat16 too.
    compiled = compile_function(function, *arguments)(*map(numpy.asarray, arguments))
    expected = numpy.asarray(jax.jit(function)(*arguments))
    print(f"max ulp against jax.jit: {ulps(compiled, expected)}")
    assert ulps(compiled, expected) <= most


if __name__ == "__main__":
    keys = jax.random.split(jax.random.key(0), 3)
    x, gate = (jax.random.normal(k, (32, 256)) for k in keys[:2])
    weight = jax.random.uniform(keys[2], (256,), minval=0.5, maxval=1.5)
    run(rms_norm, x.astype(jnp.bfloat16), weight.astype(jnp.bfloat16), most=1)
    run(rms_norm, x, weight, most=8)  # each is within 4 of the exact result
    run(gated_norm, x, gate, weight, most=16)
