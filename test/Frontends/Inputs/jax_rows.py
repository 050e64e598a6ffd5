"""Functions of norm_mlir.jax.differentiable on sharded arrays give what jax gives, and gather none
of which each device can compute its rows. The argument is the type of the mesh's axes."""
import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

import norm_mlir.jax

mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(jax.sharding.AxisType[sys.argv[1]],) * 2)


def place(array, *spec):
    return jax.device_put(array, NamedSharding(mesh, P(*spec)))


def norm(x, w):
    wide = x.astype(jnp.float32)
    scale = jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6)
    return (wide * scale * w.astype(jnp.float32)).astype(x.dtype)


def gradient(x, w, dy):
    return jax.vjp(norm, x, w)[1](dy)


def check(what, function, *arguments, **named):
    compare(what, norm_mlir.jax.differentiable(function), function, *arguments, **named)


def compare(what, ours, theirs, *arguments, bound=4e-6):
    ours = jax.jit(ours)
    results, expected = ours(*arguments), theirs(*map(jnp.asarray, jax.device_get(arguments)))
    for a, b in zip(*map(jax.tree.leaves, (results, expected)), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype, what
        a, b = (jax.device_get(each).astype("float32") for each in (a, b))
        assert abs(a - b).max() <= bound * max(1, abs(b).max()), what
    text = ours.lower(*arguments).compile().as_text()
    moves = [op for op in ("all-gather", "all-reduce", "all-to-all", "collective-permute")
             if f" {op}(" in text]
    print(f"{what}: {', '.join(moves) or 'nothing moves'}")


x = jax.random.normal(jax.random.key(0), (16, 8))
w, v = jnp.linspace(0.5, 1.5, 8), jnp.linspace(-1, 1, 16)
square = x.reshape(2, 8, 8)[0]
rows, integers = place(x, "a"), place(jnp.full((16, 8), 2 ** 30), "a")
check("norm", norm, rows, w)
check("rows on two axes", norm, place(x, ("a", "b")), w)
check("three dimensions", norm, place(x.reshape(4, 4, 8), "a", "b"), w)
check("gradient", gradient, rows, w, rows * 2)
short = [a.astype(jnp.bfloat16) for a in (x, w, x * 2)]
with jax.set_mesh(mesh):
    grad = lambda function: jax.grad(lambda x, w: (function(x, w) ** 2).sum(), (0, 1))
    compare("gradient of a loss", grad(norm_mlir.jax.differentiable(norm)), grad(norm), rows, w)
check("gradient, bf16", gradient, place(short[0], "a"), short[1], place(short[2], "a"),
      bound=2 ** -7)
check("residual and silu", lambda x, r, w: (norm(jax.nn.silu(x + r), w), x + r), rows, rows, w)
check("mean of rows", lambda x: x.mean(0), rows)
check("weighted sums", lambda x, v: ((x * v[:, None]).sum(0) * 3, -(x * x).sum()), rows,
      place(v, "a"))
check("elements", lambda x: jnp.where(x > 0, jnp.exp(x), 0), place(x, "a", "b"))
check("columns as rows", lambda x: norm(x.T, jnp.ones(16)), place(x, None, "b"))
check("reshape", lambda x: norm(x.reshape(16, 2, 4), jnp.ones(4)).reshape(16, 8), rows)

# Each of these needs all rows, or would add what the devices have in common.
check("batch statistics", lambda x: x - x.mean(0), rows)
check("a square of a sum", lambda x: x.sum(0) ** 2, rows)
check("a sum and a number", lambda x: x.sum(0) + 1, rows)
check("sums that are multiplied", lambda x: x.sum(0) * (2 * x).sum(0), rows)
check("a sum over its rows", lambda x: x * x.sum(0), rows)
check("a maximum of rows", lambda x: x.max(0), rows)
check("beside a result without rows", lambda x, w: (x * w, w * 2, jnp.float32(3)), rows, w)
check("beside a constant", lambda x: (x * 2, jnp.ones(3)), rows)
check("a transposed addend", lambda x: x + x.T, place(square, "a"))
check("joined rows", lambda x: norm(x.reshape(4, 4, 8).reshape(2, 64), jnp.ones(64)), rows)
check("rounded sums", lambda x: (x.sum(0), x.sum(0) * 2), place(short[0], "a"), bound=2 ** -7)
check("a sum of bf16", lambda x: jax.lax.reduce_sum_p.bind(x, axes=(0,), out_sharding=None),
      place(short[0], "a"), bound=2 ** -7)
check("an integer sum", lambda x: x.sum(0), integers)
check("an integer sum that wraps", lambda x: x.sum(0).astype(jnp.float32), integers)
check("a quotient by a sum", lambda x: w / x.sum(0), rows, bound=1e-4)
held = jnp.arange(128.0).reshape(16, 8)
check("an array that is held", lambda x: x * held, rows)
