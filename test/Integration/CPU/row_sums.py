"""Runs the gradients of a norm and compares with f64.

    row_sums.py PREFIX NORM-BENCH NORM-RUN NORM-COMPILE [--wrong]

With --wrong the last row is left out of the expected sum of a few programs. The bound of a sum over m rows is that of docs/Codegen.md; r and z round a few times more.
"""
import ctypes
import subprocess
import sys

import numpy as np

from normtest import UNIT, call, run, store, widen

prefix, bench, runner, compiler = sys.argv[1:5]
rows_summed = -1 if "--wrong" in sys.argv else None
random = np.random.default_rng(20)


def write_program(element, m, n, dynamic=False):
    path = f"{prefix}.mlir"
    subprocess.run([bench, "--print-program", "--variant=backward", f"--type={element}", f"--rows={m or 1}",
                    f"--cols={n}", "-o", path] + (["--dynamic-rows"] if dynamic else []), check=True)
    return path


def run_program(path, *inputs, threads=1):
    return run([runner, path, f"--threads={threads}"], prefix, inputs, results=2)


def run_in_place(path, x, dy, w):
    """Writes dx over dy."""
    subprocess.run([compiler, path, "--emit=shared", "-o", f"{prefix}.so"], check=True)
    dx, dw = dy.copy(), np.empty_like(w)
    call(ctypes.CDLL(f"{prefix}.so")._mlir_ciface_main, x, dx, w, dx, dw)
    return dx, dw


def model(x, dy, w):
    x, dy, w = (widen(v).astype(np.float64) for v in (x, dy, w))
    r = 1 / np.sqrt((x * x).mean(1, keepdims=True) + 1.0e-6)
    z, g = x * r, dy * w
    products = z * g
    dx = r * (g - z * products.mean(1, keepdims=True))
    size = np.abs(r) * (np.abs(g) + np.abs(z) * np.abs(products).mean(1, keepdims=True))
    return dx, (dy * z)[:rows_summed].sum(0), size, np.abs(dy * z).sum(0)


def count_additions(m):
    parts = -(-m // 64)
    return min(m, 16) + 4 + min(parts, 16) + min(parts / 16, 16) + parts / 256 + 3


def check(text, y, expected, bound):
    good = (np.abs(widen(y).astype(np.float64) - expected) <= bound).all()
    print(f"{text}: {'within the bound' if good else 'WRONG'}")


def make(m, n, element):
    return [store(random.standard_normal(s), element) for s in ((m, n), (m, n), (n,))]


def get_bounds(m, n, element, size, total):
    # Roundings of a row's sum, r, z, g and the products, and the last one.
    row = min(n / 64, 16) + n / 1024 + 24
    narrow = 0 if element == "f32" else UNIT["bf16"]
    return (size * (row * UNIT["f32"] + narrow), total * ((row + count_additions(m)) * UNIT["f32"] + narrow))


shapes = ((1, 64), (7, 111), (64, 128), (65, 1000), (130, 96), (33, 16384), (300, 64))
for element in ("f32", "bf16"):
    for m, n in shapes[:2] if rows_summed else shapes:
        for dynamic in (False, True) if n < 1000 else (False,):
            x, dy, w = make(m, n, element)
            dx, dw = run_program(write_program(element, m, n, dynamic=dynamic), x, dy, w)
            expected = model(x, dy, w)
            bounds = get_bounds(m, n, element, *expected[2:])
            kind = "dynamic" if dynamic else "static"
            check(f"{element} {m}x{n} {kind} dx", dx, expected[0], bounds[0] + 1e-37)
            check(f"{element} {m}x{n} {kind} dw", dw, expected[1], bounds[1] + 1e-37)

if rows_summed:
    sys.exit()

dx, dw = run_program(write_program("f32", 0, 96, dynamic=True), *make(0, 96, "f32"))
print("no rows:", "the same" if dx.shape == (0, 96) and (dw == 0).all() else "WRONG")

# A row of NaN makes all of dw NaN, and no other row of dx; the others are as in f64.
x, dy, w = make(70, 200, "f32")
x[3] = 0
x[5] *= np.float32(1e-40)
x[6] *= np.float32(1e18)
dy[7] *= np.float32(1e-40)
path = write_program("f32", 70, 200)
dx, dw = run_program(path, x, dy, w)
expected = model(x, dy, w)
good = (np.abs(dx - expected[0]) <= expected[2] * 60 * UNIT["f32"] + 1e-37).all()
good &= (np.abs(dw - expected[1]) <= expected[3] * 60 * UNIT["f32"] + 1e-37).all()
x[66, 11] = np.nan
dy[2, 7] = np.inf
with_nan = run_program(path, x, dy, w)
others = np.delete(np.arange(70), (2, 66))
good &= with_nan[0][others].tobytes() == dx[others].tobytes() and np.isnan(with_nan[0][66]).all()
good &= np.isnan(with_nan[1]).all()
print("special values:", "the same" if good else "WRONG")

x, dy, w = make(300, 1024, "bf16")
path = write_program("bf16", 300, 1024)
runs = [run_program(path, x, dy, w, threads=threads) for threads in (1, 2, 7, 7)]
same = all(a.tobytes() == b.tobytes() for other in runs[1:] for a, b in zip(runs[0], other))
print("threads:", "the same bits" if same else "WRONG")
in_place = run_in_place(path, x, dy, w)
same = all(a.tobytes() == b.tobytes() for a, b in zip(runs[0], in_place))
print("in place:", "the same bits" if same else "WRONG")
