"""Writes x.npy and w.npy in f32, and y.npy: their RMSNorm computed in f64.

Llama's form: y = w * (x / sqrt(mean(x^2) + epsilon)) over the last dimension.
"""
import argparse
import os

import numpy as np

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rows", type=int, required=True)
parser.add_argument("--cols", type=int, required=True)
parser.add_argument("--epsilon", type=float, required=True)
parser.add_argument("--out", required=True, help="folder of the three files")
args = parser.parse_args()

random = np.random.default_rng(0)
x = random.standard_normal((1, args.rows, args.cols), dtype=np.float32)
w = random.uniform(0.5, 1.5, args.cols).astype(np.float32)
x64, w64 = x.astype(np.float64), w.astype(np.float64)
# The program's epsilon is an f64 constant truncated to f32.
epsilon = np.float64(np.float32(args.epsilon))
y = w64 * (x64 / np.sqrt(np.mean(x64 * x64, axis=-1, keepdims=True) + epsilon))
for name, value in [("x", x), ("w", w), ("y", y)]:
    np.save(os.path.join(args.out, name + ".npy"), value)
