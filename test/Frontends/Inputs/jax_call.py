"""norm_mlir.jax.differentiable under jit, grad and vmap, beside jax itself."""
import jax
import jax.numpy as jnp
import numpy
import norm_mlir.jax


def rms_norm(x, weight):
    hidden = x.astype(jnp.float32)
    scale = jax.lax.rsqrt(jnp.mean(jnp.square(hidden), axis=-1, keepdims=True) + 1e-6)
    return (hidden * scale).astype(x.dtype) * weight


def compare(what, actual, expected, limit):
    worst = max(float(jnp.max(jnp.abs((a - e).astype(jnp.float32))) / jnp.max(jnp.abs(e.astype(jnp.float32))))
                for a, e in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True))
    print(f"{what}: {'within' if worst <= limit else 'WRONG, not within'} {limit:.0e} of jax")


for dtype, limit in (jnp.float32, 1e-6), (jnp.bfloat16, 2 ** -8):
    x = jax.random.normal(jax.random.key(0), (5, 16, 96), dtype)
    w = jax.random.uniform(jax.random.key(1), (96,), dtype, 0.5, 1.5)
    weights = jnp.stack([w * i for i in range(1, 6)])
    norm = norm_mlir.jax.differentiable(rms_norm, x[0], w)
    name = jnp.dtype(dtype).name
    loss = lambda f: lambda x, w: jnp.sum(f(x, w).astype(jnp.float32) ** 2)
    compare(f"{name} jit", jax.jit(norm)(x[0], w), rms_norm(x[0], w), limit)
    compare(f"{name} vmap of x", jax.jit(jax.vmap(norm, (0, None)))(x, w), rms_norm(x, w), limit)
    compare(f"{name} vmap of both", jax.vmap(norm)(x, weights), jax.vmap(rms_norm)(x, weights), limit)
    compare(f"{name} grad of vmap", jax.grad(loss(jax.vmap(norm, (0, None))), (0, 1))(x, w),
            jax.grad(loss(jax.vmap(rms_norm, (0, None))), (0, 1))(x, w), 4 * limit)
    compare(f"{name} vmap of grad", jax.jit(jax.vmap(jax.grad(loss(norm), (0, 1)), (0, None)))(x, w),
            jax.vmap(jax.grad(loss(rms_norm), (0, 1)), (0, None))(x, w), 4 * limit)

norm = norm_mlir.jax.differentiable(rms_norm, jnp.ones((16, 96)), jnp.ones(96))
for wrong in jnp.ones((15, 96)), jnp.ones((16, 96), jnp.bfloat16):
    try:
        jax.block_until_ready(norm(wrong, jnp.ones(96)))
    except jax.errors.JaxRuntimeError as error:
        print("refused:", str(error).splitlines()[0])



print("numpy:", numpy.asarray(jax.jit(norm)(jnp.ones((16, 96)), jnp.ones(96)))[0, :2])
