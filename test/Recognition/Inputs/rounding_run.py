"""What rounding=relaxed makes of programs of rounding-relaxed.mlir, against f64.

    rounding_run.py OUT          writes OUT.x16.npy, OUT.x32.npy, OUT.w16.npy, OUT.w32.npy
    rounding_run.py OUT --check  compares OUT.FUNCTION.program.npy and .relaxed.npy

The reference is f64 but for the roundings that the norm keeps.
"""
import sys

import numpy as np
from normtest import order

F16, F32, F64 = np.float16, np.float32, np.float64
EPSILON = 1e-3
# Function: x, w, epsilon's type, roundings of r and z, the result's type.
FUNCTIONS = {
    "squares": ("x16", None, F32, F64, F64, F16),
    "mean": ("x16", "w32", F32, F64, F64, F16),
    "statistic": ("x16", "w32", F16, F16, F64, F32),
    "sixteen_bits": ("x16", "w16", F16, F16, F16, F16),
    "x_for_statistic": ("x32", None, F32, F64, F64, F32),
}


def write(prefix):
    rng = np.random.default_rng(4)
    x = rng.standard_normal((4, 6)) * [[1], [0.01], [30], [600]]  # 600^2 is no f16
    for bits, type in (("16", F16), ("32", F32)):
        np.save(f"{prefix}.x{bits}.npy", x.astype(type))
        np.save(f"{prefix}.w{bits}.npy", rng.standard_normal(6).astype(type))


def reference(x, w, epsilon, scale, normalized, result):
    x = x.astype(F64)
    r = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + F64(epsilon(EPSILON)))
    z = (x * r.astype(scale).astype(F64)).astype(normalized).astype(F64)
    return (z if w is None else z * w.astype(F64)).astype(result)


prefix = sys.argv[1]
if len(sys.argv) == 2:
    write(prefix)
    sys.exit()
for name, (x, w, *types) in FUNCTIONS.items():
    x, w = (v and np.load(f"{prefix}.{v}.npy") for v in (x, w))
    expected = reference(x, w, *types)
    program, relaxed = (
        np.abs(order(np.load(f"{prefix}.{name}.{of}.npy").view(expected.dtype).reshape(expected.shape)) - order(expected)).max(-1)
        for of in ("program", "relaxed")
    )
    print(f"{name}: relaxed {relaxed.max()} ulp, no row worse: {(relaxed <= np.maximum(program, 1)).all()}, "
          f"the program {'the same' if program.max() <= relaxed.max() else 'further'}")
