"""A Llama RMSNorm on numpy arrays, beside f64.

    $ python examples/python/numpy_norm.py
"""
from pathlib import Path

import numpy as np

import norm_mlir

norm = norm_mlir.compile(Path("examples/llama_rmsnorm_f32.mlir"))
x = np.random.default_rng(1).standard_normal((2, 5, 64), np.float32)
weight = np.random.default_rng(2).standard_normal(64, np.float32)
y = norm(x, weight)

wide = x.astype(float)
exact = wide / np.sqrt((wide ** 2).mean(-1, keepdims=True) + np.float32(1e-5)) * weight
ulp = np.abs(y - exact) / np.spacing(np.abs(exact).astype(np.float32))
print(norm)
print(f"max ulp {ulp.max():.2f} over {y.size} elements")
