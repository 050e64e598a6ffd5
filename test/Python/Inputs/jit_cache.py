"""jit_cache.py FOLDER OP: a jitted call of OP, with jax's cache of programs in FOLDER."""
import os
import sys

import jax
import jax.numpy as jnp
from programs import elementwise

import norm_mlir
import norm_mlir.jax

folder, op = sys.argv[1:]
jax.config.update("jax_compilation_cache_dir", folder)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
function = norm_mlir.jax.wrap(norm_mlir.compile(elementwise("tensor<4xf32>", op)))
v = jnp.array([1, 2, 3, 4], jnp.float32)
count = lambda: len([f for f in os.listdir(folder) if "double" in f]) if os.path.exists(folder) else 0


def double(x):
    return function(x, x)


before = count()
print(op, jax.jit(double)(v), "compiled by XLA:", count() > before)
