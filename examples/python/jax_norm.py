"""The same on jax arrays; the result is a numpy array, which jax takes without a copy.

    $ python examples/python/jax_norm.py
"""
from pathlib import Path

import jax
import jax.numpy as jnp

import norm_mlir

norm = norm_mlir.compile(Path("examples/llama_rmsnorm_f32.mlir"))
x = jax.random.normal(jax.random.key(0), (2, 5, 64))
weight = jax.random.uniform(jax.random.key(1), (64,), minval=0.5)
y = norm(x, weight)
scale = jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-5)
print(f"{type(y).__name__}: largest difference {abs(y - x * scale * weight).max():.1e}")
assert abs(y - x * scale * weight).max() < 1e-5
try:
    norm(x, weight, out=jnp.zeros_like(x))
except norm_mlir.NormError as error:
    print(error)
