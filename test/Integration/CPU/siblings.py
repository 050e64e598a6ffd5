"""Runs siblings.mlir and compares with f64.

    siblings.py PREFIX RUNNER PROGRAM
"""
import subprocess
import sys

import numpy as np

prefix, command = sys.argv[1], sys.argv[2:]
random = np.random.default_rng(3)
x = random.standard_normal((37, 96)).astype(np.float32)
w, v = random.uniform(0.5, 1.5, (2, 96)).astype(np.float32)
wide = x.astype(np.float64)
n = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + np.float64(np.float32(1e-6)))
for name, value in (("x", x), ("w", w), ("v", v)):
    np.save(f"{prefix}.{name}.npy", value)
passed = True
for function, expected in (("consumers", (n * w * v, -n * w)), ("norms", (n * w, n * v))):
    subprocess.run(command + [f"--function={function}"] + [f"--input=@{prefix}.{name}.npy" for name in "xwv"]
                   + [f"--output=@{prefix}.{i}.npy" for i in range(2)], check=True, stdout=subprocess.DEVNULL)
    worst = max((np.abs(np.load(f"{prefix}.{i}.npy") - e) / np.spacing(np.abs(e).astype(np.float32))).max()
                for i, e in enumerate(expected))
    print(f"{function}: max ulp {worst:.2f}")
    passed &= bool(worst <= 5)
sys.exit(0 if passed else 1)
