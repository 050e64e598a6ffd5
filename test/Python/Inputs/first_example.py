"""The first example of docs/Python.md, beside numpy in f64."""
import os
import sys
from pathlib import Path

import numpy as np

os.environ["NORM_MLIR_CACHE"] = ""
import norm_mlir

program = norm_mlir.parse(Path(sys.argv[1]))
norm = program.compile()
x = np.random.default_rng(1).standard_normal((2, 5, 64), np.float32)
w = np.random.default_rng(2).standard_normal(64, np.float32)
y = norm(x, w)

exact = x.astype(float)
exact = exact / np.sqrt((exact ** 2).mean(-1, keepdims=True) + np.float32(1e-5)) * w
ulp = np.abs(y - exact) / np.spacing(np.abs(exact).astype(np.float32))
print(f"max ulp {ulp.max():.2f} over {y.size} elements")
both = program.compile(threads=2)(x, w)
print("two threads:", "the same bits" if both.tobytes() == y.tobytes() else "other bits")
