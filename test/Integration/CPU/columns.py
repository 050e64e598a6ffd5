"""Runs columns.mlir and compares with f64.

    columns.py PREFIX PROGRAM

The bound of docs/Codegen.md: a sum of m rows is off by so many roundings as an
element goes through additions, of the sum of the magnitudes.
"""
import sys

import numpy as np
from normtest import UNIT, compile_shared, get_ulp, run_compiled, store, widen

prefix, program = sys.argv[1:]
random = np.random.default_rng(5)
passed = True
library = compile_shared(program, f"{prefix}.so", "--mcpu=native")


def run(function, *inputs, like=None):
    """The result of a function, a sum of columns in f32 unless it is like another array."""
    result = np.empty(inputs[0].shape[1], np.float32) if like is None else like
    return run_compiled(library, function, inputs, [result])[0]


def count_additions(m):
    return min(m, 16) + min(m / 16, 16) + min(m / 256, 16) + m / 4096 + 3


def report(text, error, bound):
    global passed
    worst = (error / bound).max() if error.size else 0.0
    passed &= bool(worst <= 1)
    print(f"{text}: error {worst:.2f} of the bound{'' if worst <= 1 else ' WRONG'}")


def check_sum(function, x, values):
    y = run(function, x)
    values = values.astype(np.float64)
    report(f"{function} {x.shape}", np.abs(y - values.sum(0)),
           count_additions(x.shape[0]) * UNIT["f32"] * np.abs(values).sum(0) + 1e-300)


for shape in ((1, 1), (3, 7), (16, 64), (17, 80), (300, 100), (5000, 33), (257, 200), (2, 4096), (70000, 3)):
    x = random.standard_normal(shape).astype(np.float32)
    check_sum("sum", x, x)
    check_sum("sum_inner", x, x)
for shape in ((16, 64), (300, 100), (5000, 33)):
    bits = store(random.standard_normal(shape), "bf16")
    check_sum("bf16", bits, widen(bits))
x = random.standard_normal((300, 100)).astype(np.float32)
check_sum("static", x, x)
for function, shape, axis in (("norm", (2, 3, 5), 1), ("norm", (3, 64, 49), 1), ("norm", (2, 300, 80), 1),
                              ("norm", (1, 5000, 64), 1), ("norm", (5, 1, 64), 1),
                              ("norm_first", (7, 3), 0), ("norm_first", (300, 100), 0), ("norm_first", (2048, 96), 0)):
    x = random.standard_normal(shape).astype(np.float32)
    w = random.uniform(0.5, 1.5, shape[axis]).astype(np.float32)
    y = run(function, x, w, like=x)
    wide = x.astype(np.float64)
    r = wide / np.sqrt((wide**2).mean(axis, keepdims=True) + np.float64(np.float32(1e-6)))
    r *= w.reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    report(f"{function} {shape}", np.abs(y - r),
           4 * get_ulp(np.maximum(np.abs(r), 1e-30), "f32"))

x = np.zeros((40, 70), np.float32)
x[3, 0], x[4, 1], x[5, 2], x[6, 2] = np.nan, np.inf, np.inf, -np.inf
x[:, 3], x[0, 4], x[39, 69] = -0.0, 1e-45, 3.4e38
with np.errstate(invalid="ignore"):
    expected = x.sum(0, dtype=np.float64).astype(np.float32)
same = np.array_equal(run("sum", x), expected, equal_nan=True) and np.array_equal(run("sum_inner", x), expected, equal_nan=True)
print(f"special values: {'the same' if same else 'WRONG'}")
sys.exit(0 if passed and same else 1)
