"""Runs siblings.mlir and compares with f64.

    siblings.py PREFIX RUNNER PROGRAM
"""
import sys

import numpy as np
from normtest import get_errors, norm, run

prefix, command = sys.argv[1], sys.argv[2:]
random = np.random.default_rng(3)
x = random.standard_normal((37, 96)).astype(np.float32)
w, v = random.uniform(0.5, 1.5, (2, 96)).astype(np.float32)
n = norm(x, 1)
passed = True
for function, expected in (("consumers", (n * w * v, -n * w)), ("norms", (n * w, n * v))):
    results = run([*command, f"--function={function}"], prefix, (x, w, v), 2)
    worst = max(get_errors(y, e, "f32").max() for y, e in zip(results, expected))
    print(f"{function}: max ulp {worst:.2f}")
    passed &= bool(worst <= 5)
sys.exit(0 if passed else 1)
