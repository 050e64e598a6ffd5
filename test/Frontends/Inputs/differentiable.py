"""norm_mlir.jax.differentiable under jit, grad and vmap, in every order, beside JAX's own."""
import jax
import jax.numpy as jnp

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


def check(title, transform, *arguments, dtype=jnp.float32, bound=2e-6):
    ours = jax.jit(transform(norm if dtype == jnp.float32 else short))
    actual, expected = ours(*arguments), transform(rms_norm)(*arguments)
    for a, b in zip(jax.tree.leaves(actual), jax.tree.leaves(expected)):
        assert a.dtype == b.dtype and difference(a, b) <= bound, (title, difference(a, b))
    text = str(jax.make_jaxpr(ours)(*arguments))
    print(f"{title}: {text.count('ffi_call[')} calls, {text.count('scan[')} loops")


x = jax.random.normal(jax.random.key(0), (4, 16, 64))
w = jax.random.uniform(jax.random.key(1), (64,), minval=0.5)
norm = norm_mlir.jax.differentiable(rms_norm, x[0], w)
short = norm_mlir.jax.differentiable(rms_norm, x[0].astype(jnp.bfloat16), w.astype(jnp.bfloat16))

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
      dtype=jnp.bfloat16, bound=2 ** -7)
check("bf16, grad", lambda f: jax.grad(loss(f), (0, 1)), x[0].astype(jnp.bfloat16),
      w.astype(jnp.bfloat16), dtype=jnp.bfloat16, bound=2 ** -6)
try:
    jax.jit(norm)(x[0].astype(jnp.bfloat16), w).block_until_ready()
except jax.errors.JaxRuntimeError as error:
    print(error)
