"""Runs backward passes of norms on the emulated GPU, against f64 and, where the inverse
roots are given, against the order of the sums in docs/GPU.md, to the bit.

    backward.py DIRECTORY static|dynamic FORM-TYPE-ROWSxCOLUMNS...
"""
import sys

import numpy as np
from normtest import UNIT, run, store, widen

from backward_program import Program
from column_sums import sum_parts

EPSILON = np.float32(1.0e-6)
failed = False


def round_to(v, element):
    return widen(store(v, element))


def make_inputs(form, element, rows, columns):
    random = np.random.default_rng(rows * 7 + columns)
    x, dy = (round_to(random.standard_normal((rows, columns)), element) for _ in range(2))
    w = round_to(random.standard_normal(columns), element)
    r = random.uniform(0.5, 2, rows).astype(np.float32)
    mean = random.standard_normal(rows).astype(np.float32)
    special = iter(random.permutation(rows))

    def put(values, row, column, value):
        if row is not None and columns > column:
            values[row, column] = value

    if rows > 8:
        # The squares of 2**80 overflow, so its inverse root is 0.
        for value in (0.0, -0.0, 1e-40, 2.0**40 if form in ("saved", "layer") else 2.0**80):
            x[next(special)] = value
        put(dy, next(special, None), 3, np.nan)
        put(dy, next(special, None), 5, np.inf)
        put(dy, next(special, None), 7, -np.inf)
        dy[next(special)] = -0.0
        if form in ("saved", "layer"):
            put(x, next(special, None), 9, np.nan)
        x = round_to(x, element)
    return x, dy, w, r, mean


def backward(form, element, x, dy, w, r, mean, dtype):
    """dx, dw, db, and what bounds the errors of dx and of the products of dw."""
    columns = x.shape[1]
    rounds = form == "llama"
    round = (lambda v: round_to(v, element).astype(dtype)) if rounds else (lambda v: v)
    x, dy, w = x.astype(dtype), dy.astype(dtype), w.astype(dtype)
    if form in ("saved", "layer"):
        r = r.astype(dtype)
    else:
        with np.errstate(all="ignore"):
            squares = (x.astype(np.float32)**2).sum(1)
            exact = (x * x).sum(1)
        squares = np.where(np.isfinite(squares), exact, squares).astype(dtype)
        r = 1 / np.sqrt(squares / columns + dtype(EPSILON))
    z = (x - mean.astype(dtype)[:, None] if form == "layer" else x) * r[:, None]
    g = round(dy * w)
    p = (z * g).mean(1, keepdims=True)
    shift = g.mean(1, keepdims=True) if form == "layer" else dtype(0)
    dx = r[:, None] * (g - z * p - shift)
    products = round(dy * round(z))
    size = np.abs(r[:, None]) * (np.abs(g) + np.abs(z) * np.abs(z * g).mean(1, keepdims=True)
                                 + (np.abs(g).mean(1, keepdims=True) if form == "layer" else 0))
    return dx, products, dy, size


def check(text, good):
    global failed
    failed |= not good
    if not good:
        print(f"{text}: WRONG")


def is_near(y, expected, size, unit, additions):
    """NaN and infinities are where they are to be, the others within the bound."""
    same = (np.isnan(y) == np.isnan(expected)).all()
    infinite = np.isinf(expected) | np.isinf(y)
    same &= np.array_equal(y[infinite], expected[infinite])
    finite = np.isfinite(expected) & np.isfinite(y)
    bound = additions * 2.0**-24 * size + unit * np.abs(expected) + 1e-40
    error = np.abs(y - expected)
    return bool(same) and bool((error <= bound)[finite & np.isfinite(size)].all())


def sum_in_order(x, isStatic):
    """As norm-tile-rows adds rows that are summed in the loop over them."""
    warps = -(-x.shape[1] // 512)
    rows = max(8, min(64, -(-len(x) // (8192 // warps))))
    sums = []
    for begin in range(0, len(x), rows):
        total = np.full(x.shape[1], -0.0, np.float32)
        for row in x[begin:begin + rows]:
            total = total + row
        sums.append(total)
    sums = np.array(sums)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.float32(0) + sum_parts(sums, len(sums) if isStatic else None, 4, True)[0]


def same(a, b):
    nans = np.isnan(a) & np.isnan(b)
    return np.array_equal(np.where(nans, 0, a).view(np.uint32), np.where(nans, 0, b).view(np.uint32))


def run_case(case):
    form, element, shape = case.split("-")
    rows, columns = map(int, shape.split("x"))
    isStatic = sys.argv[2] == "static"
    x, dy, w, r, mean = make_inputs(form, element, rows, columns)
    name = f"{sys.argv[1]}/{case}"
    inputs = [(x, element), (dy, element), (w, element)]
    inputs += {"saved": [(r, "f32")], "layer": [(r, "f32"), (mean, "f32")]}.get(form, [])
    with open(f"{name}.mlir", "w") as file:
        file.write(Program(form, element, rows if isStatic else "?", columns).write())
    results = ["dx", "dw", "db"] if form == "layer" else ["dx", "dw"]
    outputs = run(["norm-run", "--pipeline=simt", f"{name}.mlir"], name, [store(v, type) for v, type in inputs], len(results))
    outputs = dict(zip(results, map(widen, outputs)))
    with np.errstate(all="ignore"):
        dx, products, gradients, size = backward(form, element, x, dy, w, r, mean, np.float64)
        # A product whose factors lie on the other side of a tie.
        slack = 2.0**-7 * np.abs(products).max() if form == "llama" else 0
        unit = UNIT[element]
        check(f"{case} dx", is_near(outputs["dx"], dx, size, unit, 40))
        for result, v in zip(results[1:], (products, gradients)):
            expected = v.sum(0)
            check(f"{case} {result}", is_near(outputs[result], expected, np.abs(v).sum(0) + slack * 2.0**24, unit, 40))
        if form == "saved":
            z = x * r[:, None]
            check(f"{case} order", same(outputs["dw"], round_to(sum_in_order(dy * z, isStatic), element)))
    print(f"{case}: done")


for case in sys.argv[3:]:
    run_case(case)
print("failed" if failed else "all ok")
sys.exit(failed)
