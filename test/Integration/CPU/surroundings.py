"""Runs programs of norm-bench with what stands around a norm, and compares with f64.

    surroundings.py VARIANT TYPE ROWS COLUMNS PREFIX PROGRAM RUNNER ARGS

The normalized value lies within the bound of docs/Codegen.md around that of f64. All that
follows it is a few sums and products, each rounded to TYPE and each monotone, so a result
lies between those of both ends of that interval. In 16 bits it is nearly always the result
of the exact value, too. Rows hold NaN, infinities, zeros, subnormals and huge numbers.
"""
import sys

import numpy as np
from normtest import UNIT, run, store, widen

variant, element, rows, columns, prefix, program = sys.argv[1:7]
rows, columns, command = int(rows), int(columns), sys.argv[7:]
GROUPS = 8
# Arguments with a value for each element, and with a value for each column.
ELEMENTS = {"residuals": ["x", "attention", "mlp"], "group-gate": ["x", "z"]}
COLUMNS = {"residuals": ["w"], "group-gate": ["w"], "modulation": ["scale", "shift"],
           "two-consumers": ["scale_1", "shift_1", "scale_2", "shift_2"]}


def round_to_type(value):
    """Through f32, in which elements are computed; what it returns is f32."""
    return widen(store(value.astype(np.float32), element)).astype(np.float32)


def draw(random):
    values = {name: random.standard_normal((rows, columns)) for name in ELEMENTS.get(variant, ["x"])}
    values.update({name: random.uniform(-1.5, 1.5, columns) for name in COLUMNS[variant]})
    values = {name: value.astype(np.float32) for name, value in values.items()}
    x = values["x"]
    x[1, 2], x[2, 3], x[3, 4], x[4] = np.nan, np.inf, -np.inf, -0.0
    x[5] *= 1e-40 if element != "f16" else 1e-6
    x[8] *= 1e-3
    x[6] *= 2e19 if element != "f16" else 3e4
    x[7, ::2] = 0.0
    if "z" in values:
        values["z"] *= 3
        values["z"][7, 1:9] = [-100, 100, -np.inf, np.inf, np.nan, -89, 89, -0.0]
    return {name: round_to_type(value) for name, value in values.items()}


def get_error(length):
    """Of a normalized value of a row: the bound in units of f32."""
    strips = -(-length // 64)
    additions = min(strips, 16) + min(-(-strips // 16) if strips > 16 else 0, 16) + 7
    gate = 14 if variant == "group-gate" else 0
    return (additions + 1 + 14 + gate) * UNIT["f32"]


def normalize(x, length):
    wide = x.reshape(rows, -1, length).astype(np.float64)
    sums = (wide**2).sum(-1, keepdims=True).astype(np.float32).astype(np.float64)
    return (wide / np.sqrt(sums / length + np.float64(np.float32(1e-6)))).reshape(rows, columns)


def add(a, b):
    return round_to_type(a + b)


def multiply(a, b):
    return round_to_type(a * b)


def modulate(n, v, number=""):
    scaled = multiply(n, add(v["scale" + number], np.float32(1)))
    return add(scaled, v["shift" + number])


def get_results(v, n):
    """Of a normalized value in f64: what follows it."""
    n = round_to_type(n)
    if variant == "modulation":
        return [modulate(n, v)]
    if variant == "two-consumers":
        return [modulate(n, v, "_1"), modulate(n, v, "_2")]
    return [multiply(n, v["w"])]


def prepare(v):
    """Results before the norm, and the normalized value in f64."""
    if variant == "residuals":
        h = add(add(v["x"], v["attention"]), v["mlp"])
        return [h], normalize(h, columns)
    if variant == "group-gate":
        z = v["z"].astype(np.float64)
        return [], normalize(v["x"] * (z / (1 + np.exp(-z))), columns // GROUPS)
    return [], normalize(v["x"], columns)


def is_between(actual, ends):
    low, high = np.minimum(*ends), np.maximum(*ends)
    return (np.isnan(actual) & np.isnan(low)) | ((low <= actual) & (actual <= high))


def run_program(values):
    count = 2 if variant in ("residuals", "two-consumers") else 1
    outputs = run([*command, program], prefix, [store(v, element) for v in values.values()], count)
    return [widen(v).astype(np.float32) for v in outputs]


def main():
    values = draw(np.random.default_rng(7))
    with np.errstate(all="ignore"):
        before, n = prepare(values)
        error = get_error(columns // GROUPS if variant == "group-gate" else columns)
        # What exp of a large number overflows to is not subnormal here.
        least = 1e-37 if variant == "group-gate" else 2e-45
        ends = [get_results(values, n * (1 + sign * error) + sign * least) for sign in (-1, 1)]
        exact = get_results(values, n)
    actual = run_program(values)
    good = all(np.array_equal(a, b, equal_nan=True) for a, b in zip(actual, before))
    differ = 0
    for i, result in enumerate(actual[len(before):]):
        good &= is_between(result, [end[i] for end in ends]).all()
        differ = max(differ, np.mean((result != exact[i]) & ~np.isnan(exact[i])))
    good &= element == "f32" or differ <= 2e-3
    print(f"{variant} {element} {rows}x{columns}: {'within the bound' if good else f'OVER, {differ:.4f} differ'}")
    return 0 if good else 1


sys.exit(main())
