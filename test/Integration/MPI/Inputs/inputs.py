"""Writes inputs of layer.mlir and of jax.mlir, and what they return, in f64.

    inputs.py DIRECTORY

Everything is positive, so that no sum cancels.
"""
import os
import sys

import numpy as np
from normtest import norm


def main(directory):
    os.makedirs(directory, exist_ok=True)
    rng = np.random.default_rng(1)
    shapes = [(16, 64), (64,), (64, 64), (64, 64), (64,), (64,), (64, 64)]
    arrays = [rng.uniform(0.5, 1.5, shape).astype(np.float32) for shape in shapes]
    for i, array in enumerate(arrays):
        np.save(f"{directory}/layer{i}.npy", array)
    x, w, wq, wk, q_weight, k_weight, wo = (array.astype(np.float64) for array in arrays)
    h = norm(x, w)
    np.save(f"{directory}/layer.npy", (norm(h @ wq, q_weight) * norm(h @ wk, k_weight)) @ wo)
    x, w = rng.standard_normal((16, 512)).astype(np.float32), rng.standard_normal(512).astype(np.float32)
    np.save(f"{directory}/jax0.npy", x)
    np.save(f"{directory}/jax1.npy", w)
    np.save(f"{directory}/jax.npy", norm(x.astype(np.float64), w.astype(np.float64)))


main(*sys.argv[1:])
