"""norm_mlir.rms_norm on jax arrays, under its transformations and on several devices."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax
import jax.numpy as jnp
import programs  # without a cache on disk
from jax.sharding import NamedSharding, PartitionSpec as P

import norm_mlir
import norm_mlir.jax


def plain(x, weight=None):
    wide = x.astype(jnp.promote_types(x.dtype, jnp.float32))
    y = wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6)
    return (y if weight is None else y * weight.astype(y.dtype)).astype(x.dtype)


def compare(actual, expected, bound):
    for a, b in zip(*map(jax.tree.leaves, (actual, expected)), strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype, (a.shape, b.shape)
        a, b = (each.astype(jnp.float32) for each in (a, b))
        difference = float(jnp.max(jnp.abs(a - b)) / jnp.max(jnp.abs(b)))
        assert difference <= bound, difference


ours = norm_mlir.rms_norm
gradient = lambda f: lambda *a: jax.grad(
    lambda *a: jnp.sum(f(*a).astype(jnp.float32) ** 3), tuple(range(len(a))))(*a)
identity = lambda f: f
x, w = jax.random.normal(jax.random.key(0), (6, 8, 64)), jnp.linspace(0.5, 1.5, 64)
ws = jnp.stack([w + i for i in range(6)])
for dtype, bound in ((jnp.float32, 4e-6), (jnp.bfloat16, 2 ** -6)):
    a, b, bs = (each.astype(dtype) for each in (x, w, ws))
    for change in (identity, gradient):
        for transform, *arguments in (
                (identity, a, b), (identity, a), (identity, a[0, 0], b),
                (lambda f: jax.vmap(f, (0, None)), a, b), (lambda f: jax.vmap(f, (1, None)), a, b),
                (lambda f: jax.vmap(f, (None, 0)), a, bs), (lambda f: jax.vmap(f), a, bs),
                (lambda f: jax.vmap(jax.vmap(f, (0, None))), a, bs), (jax.vmap, a)):
            compare(jax.jit(change(transform(ours)))(*arguments),
                    change(transform(plain))(*arguments), bound)
            compare(jax.jit(transform(change(ours)))(*arguments),
                    transform(change(plain))(*arguments), bound)
print("jit, grad and vmap: as jax")

mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
place = lambda array, *spec: jax.device_put(array, NamedSharding(mesh, P(*spec)))
sums = lambda text: [op for op in ("all-gather", "all-reduce", "all-to-all", "collective-permute")
                     if f" {op}(" in text]


def run(what, f, expected, *arguments, bound=4e-6):
    f = jax.jit(f)
    results = f(*arguments)
    compare(jax.device_get(results), expected, bound)
    print(f"{what}:", *(r.sharding.spec for r in jax.tree.leaves(results)),
          sums(f.lower(*arguments).compile().as_text()))


run("rows", ours, plain(x, w), place(x, "a", "b"), w)
run("rows on both axes", ours, plain(x, w), place(x, None, ("a", "b")), w)
run("columns", ours, plain(x, w), place(x, "a", None, "b"), w)
run("gradient", gradient(ours), gradient(plain)(x, w), place(x, "a", "b"), w)
short = [each.astype(jnp.bfloat16) for each in (x, w)]
run("gradient, bf16", gradient(ours), gradient(plain)(*short), place(short[0], "a", "b"),
    short[1], bound=2 ** -6)
run("vmap over weights", jax.vmap(ours), jax.vmap(plain)(x, ws), place(x, "a", "b"), ws)
wrapped = norm_mlir.jax.wrap(norm_mlir.compile(programs.DYNAMIC), like=lambda x, w: x, rows=(0,))
run("wrap", wrapped, plain(x[0], w), place(x[0], "b"), w)
for check_vma in (True, False):
    sharded = jax.shard_map(ours, mesh=mesh, in_specs=(P("a", "b"), P()), out_specs=P("a", "b"),
                            check_vma=check_vma)
    compare(jax.jit(gradient(sharded))(x, w), gradient(plain)(x, w), 4e-6)
print("shard_map: as jax")

# Of axes that are explicit, jax's default, types of arrays have the shardings.
mesh = jax.make_mesh((2, 2), ("a", "b"))
with jax.set_mesh(mesh):
    run("explicit rows", ours, plain(x, w), place(x, "a", "b"), place(w, None))
    run("explicit columns", gradient(ours), gradient(plain)(x, w), place(x, "a", None, "b"),
        place(w, "b"))
    for check_vma in (True, False):
        sharded = jax.shard_map(ours, mesh=mesh, axis_names={"a"}, in_specs=(P("a"), P()),
                                out_specs=P("a"), check_vma=check_vma)
        run("explicit rows, one axis mapped", gradient(sharded), gradient(plain)(x, w),
            place(x, "a", None), place(w, None))
    run("explicit batch", gradient(jax.vmap(ours)), gradient(jax.vmap(plain))(x, ws),
        place(x, "a", "b"), place(ws, "a", None))
    run("explicit wrap", wrapped, plain(x[0], w), place(x[0], "b", None), place(w, None))


def reject(*arguments, **options):
    try:
        print("not rejected", jax.jit(lambda *a: ours(*a, **options))(*arguments))
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")


reject(x, w[:7])
reject(x.astype(int), w)
reject(x, w, w[0])
