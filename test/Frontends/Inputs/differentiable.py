"""norm_mlir.jax.differentiable under jit, grad and vmap, in every order, beside JAX's own."""
import importlib.util
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

import norm_mlir.jax


def rms_norm(x, weight):
    hidden = x.astype(jnp.float32)
    scale = jax.lax.rsqrt(jnp.mean(jnp.square(hidden), axis=-1, keepdims=True) + 1e-6)
    return (hidden * scale * weight.astype(jnp.float32)).astype(x.dtype)


def difference(a, b):
    """The largest one, relative to the largest value."""
    a, b = (jnp.asarray(each, jnp.float32) for each in (a, b))
    assert a.shape == b.shape
    return float(jnp.max(jnp.abs(a - b)) / jnp.max(jnp.abs(b)))


def check(title, transform, *arguments, bound=2e-6):
    ours = jax.jit(transform(norm))
    actual, expected = ours(*arguments), transform(rms_norm)(*arguments)
    for a, b in zip(jax.tree.leaves(actual), jax.tree.leaves(expected)):
        assert a.dtype == b.dtype and difference(a, b) <= bound, (title, difference(a, b))
    text = str(jax.make_jaxpr(ours)(*arguments))
    print(f"{title}: {text.count('ffi_call[')} calls, {text.count('scan[')} loops")


x = jax.random.normal(jax.random.key(0), (4, 16, 64))
w = jax.random.uniform(jax.random.key(1), (64,), minval=0.5)
norm = norm_mlir.jax.differentiable(rms_norm, x[0], w)

loss = lambda f: lambda x, w: jnp.sum(f(x, w).astype(jnp.float32) ** 3)
rows = lambda f: jax.vmap(f, (0, None))
check("forward", lambda f: f, x[0], w)
check("grad", lambda f: jax.grad(loss(f), (0, 1)), x[0], w)
check("vmap", rows, x, w)
check("grad of vmap", lambda f: jax.grad(loss(rows(f)), (0, 1)), x, w)
check("vmap of grad", lambda f: rows(jax.grad(loss(f), (0, 1))), x, w)
check("vmap of vmap", lambda f: rows(rows(f)), x.reshape(2, 2, 16, 64), w)
check("vmap over weights", lambda f: jax.vmap(f, (None, 0)), x[0], jnp.stack([w, w + 1]))
check("vmap in other dimensions", lambda f: jax.vmap(f, (1, None), 2), x.swapaxes(0, 1), w)
check("bf16", lambda f: f, x[0].astype(jnp.bfloat16), w.astype(jnp.bfloat16),
      bound=2 ** -7)
check("bf16, grad", lambda f: jax.grad(loss(f), (0, 1)), x[0].astype(jnp.bfloat16),
      w.astype(jnp.bfloat16), bound=2 ** -6)
short_too = norm(x[0].astype(jnp.bfloat16), w.astype(jnp.bfloat16))
assert short_too.dtype == jnp.bfloat16 and jax.eval_shape(norm, x[0, :2], w).shape == (2, 64)
print("other shapes and types: compiled when traced")


def step(params, x, *, residual, count):
    """A tree of parameters, keywords, several results, and an integer that has no gradient."""
    total = x + residual
    return {"y": rms_norm(total, params["norm"]["scale"]) * params["gain"], "total": total}, count


compiled = norm_mlir.jax.differentiable(step)
params = {"norm": {"scale": w}, "gain": jnp.float32(1.5)}
arguments = dict(residual=x[1], count=jnp.arange(3))
ours, theirs = (jax.jit(f)(params, x[0], **arguments) for f in (compiled, step))
assert jax.tree.structure(ours) == jax.tree.structure(theirs)
assert jax.tree.all(jax.tree.map(lambda a, b: difference(a, b) <= 2e-6, ours[0], theirs[0]))
assert (ours[1] == theirs[1]).all()
value = lambda f: lambda params, x: sum(
    jnp.sum(a ** 2) for a in f(params, x, **arguments)[0].values())
ours, theirs = (jax.jit(jax.grad(value(f), (0, 1)))(params, x[0]) for f in (compiled, step))
assert jax.tree.all(jax.tree.map(lambda a, b: difference(a, b) <= 5e-6, ours, theirs))
print("trees, keywords, several results and integers, with gradients")

# Numbers of Python are of whatever type they meet; a tree may be empty, and all extents 1.
scale = lambda x, s, *, bias=0.5: x * s + bias
for given in (2.0, jnp.float32(2)):
    ours, theirs = (f(x[0].astype(jnp.bfloat16), given) for f in
                    (norm_mlir.jax.differentiable(scale), scale))
    assert ours.dtype == theirs.dtype and (ours == theirs).all()
assert norm_mlir.jax.differentiable(lambda x: {})(w) == {}
turn = lambda x: x.T + 1
assert (norm_mlir.jax.differentiable(turn)(jnp.ones((1, 1))) == 2).all()
mask = lambda x, m: x * m.astype(jnp.float32)
bytes = jnp.arange(250, 254, dtype=jnp.uint8)
assert importlib.util.find_spec("torch_mlir") is None or (
    norm_mlir.jax.differentiable(mask)(jnp.ones(4), bytes) == mask(jnp.ones(4), bytes)).all()
print("weak types, empty trees, extents of 1, unsigned integers")
try:
    jax.vmap(norm_mlir.jax.differentiable(lambda x: x - jax.lax.pmean(x, "i")), axis_name="i")(x[0])
except norm_mlir.NormError as error:
    print(error)

# Under shard_map results differ between devices where arguments do; a gradient of what is the
# same on all is summed.
mesh = jax.make_mesh((4,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
for check_vma in (True, False):
    sharded = jax.shard_map(norm, mesh=mesh, in_specs=(P("rows"), P()), out_specs=P("rows"),
                            check_vma=check_vma)
    assert difference(jax.jit(sharded)(x[0], w), rms_norm(x[0], w)) <= 2e-6
    ours, theirs = (jax.jit(jax.grad(loss(f), (0, 1)))(x[0], w) for f in (sharded, rms_norm))
    assert all(difference(*pair) <= 2e-6 for pair in zip(ours, theirs))
print("shard_map, with and without check_vma")
