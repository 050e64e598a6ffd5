"""A JAX function -> linalg -> norm-compile -> called on JAX's arrays,
and under jax.jit and jax.grad with its gradient compiled too.

    $ python examples/frontends/jax_function.py
"""
import jax
import jax.numpy as jnp
import numpy

import norm_mlir
import norm_mlir.jax

def rms_norm(x, weight):
    """As Flax computes it: statistics in f32, one rounding at the end."""
    hidden = x.astype(jnp.float32)
    scale = jax.lax.rsqrt(jnp.mean(jnp.square(hidden), axis=-1, keepdims=True) + 1e-6)
    return (hidden * scale * weight.astype(jnp.float32)).astype(x.dtype)


def gated_norm(x, gate, weight):
    return rms_norm(x * jax.nn.silu(gate), weight)


def compile_function(function, *example):
    linalg = norm_mlir.jax.lower(function, *example)
    print(f"{function.__name__}: {len(norm_mlir.recognize(linalg).recognized)} norm found")
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

    # A step of gradient descent through the norm, jitted: its gradient is compiled here.
    norm = norm_mlir.jax.differentiable(rms_norm)
    target = jax.random.normal(jax.random.key(1), x.shape)
    loss = lambda norm: lambda x, weight: jnp.mean((norm(x, weight) * gate - target) ** 2)
    ours = jax.jit(jax.grad(loss(norm), argnums=(0, 1)))(x, weight)
    batch = jnp.stack([x, gate])
    batched = jax.vmap(norm, in_axes=(0, None))(batch, weight)
    assert jnp.array_equal(batched[1], norm(gate, weight))
    theirs = jax.jit(jax.grad(loss(rms_norm), argnums=(0, 1)))(x, weight)
    for name, a, b in zip(("dx", "dw"), ours, theirs):
        difference = float(jnp.max(jnp.abs(a - b)) / jnp.max(jnp.abs(b)))
        print(f"{name}: relative to its largest value {difference:.1e} from jax.grad")
        assert difference < 1e-6
