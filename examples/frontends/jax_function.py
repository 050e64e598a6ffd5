"""A JAX function -> StableHLO -> linalg -> norm-compile -> called on JAX's arrays,
and under jax.jit and jax.grad with its gradient compiled too.

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
    found = norm_mlir.recognize(linalg)
    backward = f", {found.backward} backward pass" if found.backward else ""
    print(f"{function.__name__}: {found.forward} norm found{backward}")
    return norm_mlir.compile(linalg)


def differentiable(function, *example):
    """`function` at the shapes and types of `example`, compiled with its gradient."""
    def gradient(*arguments_and_dy):
        *arguments, dy = arguments_and_dy
        return jax.vjp(function, *arguments)[1](dy)

    result = jax.eval_shape(function, *example)
    forward = compile_function(function, *example)
    backward = compile_function(gradient, *example, jnp.zeros(result.shape, result.dtype))

    def call(compiled, shapes, arguments):
        run = lambda *arrays: compiled(*map(numpy.asarray, arrays))
        return jax.pure_callback(run, shapes, *arguments)

    @jax.custom_vjp
    def compiled(*arguments):
        return call(forward, result, arguments)

    shapes = tuple(jax.ShapeDtypeStruct(e.shape, e.dtype) for e in example)
    compiled.defvjp(lambda *arguments: (compiled(*arguments), arguments),
                    lambda arguments, dy: call(backward, shapes, (*arguments, dy)))
    return compiled


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

    # A step of gradient descent through the norm, jitted: its gradient is compiled here.
    norm = differentiable(rms_norm, x, weight)
    target = jax.random.normal(jax.random.key(1), x.shape)
    loss = lambda norm: lambda x, weight: jnp.mean((norm(x, weight) * gate - target) ** 2)
    ours = jax.jit(jax.grad(loss(norm), argnums=(0, 1)))(x, weight)
    theirs = jax.jit(jax.grad(loss(rms_norm), argnums=(0, 1)))(x, weight)
    for name, a, b in zip(("dx", "dw"), ours, theirs):
        difference = float(jnp.max(jnp.abs(a - b)) / jnp.max(jnp.abs(b)))
        print(f"{name}: relative to its largest value {difference:.1e} from jax.grad")
        assert difference < 1e-6
