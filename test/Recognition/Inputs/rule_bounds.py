"""The rules of rounding=default beside their bounds in docs/Recognition.md.

    rule_bounds.py DOCUMENT SAMPLES

Both sides of a rule are computed in f32 from the same random sums, where rsqrt is off by up
to 1 ulp; their distance must be within the bound of the row that the rule has in the table.
"""
import re
import sys

import numpy as np

F, U = np.float32, 2.0**-24


def wide(v):
    return np.asarray(v, np.float64)


def rsqrt(v):
    exact = (1 / np.sqrt(wide(v))).astype(F)
    return np.nextafter(exact, F(0)), np.nextafter(exact, F(9e9))


def sides(s, n, e, x, w):
    """Yields the rule, the program's value and the op's."""
    c, one, count = F(1) / n, F(1), float(n)
    mean = s / n
    for r in rsqrt(mean + e):
        yield "rsqrt", r, one / np.sqrt(mean + e)
    yield "inverse", np.sqrt(one / (mean + e)), one / np.sqrt(mean + e)
    yield "quotient", x / np.sqrt(mean + e), x * (one / np.sqrt(mean + e))
    yield "reciprocal", 1 / np.sqrt(wide(s * c)), 1 / np.sqrt(wide(mean))
    yield "fma", 1 / np.sqrt(wide((wide(s) * c + e).astype(F))), 1 / np.sqrt(wide((wide(s * c) + e).astype(F)))
    yield "root-of-n", (one / np.sqrt(s)) * F(np.sqrt(count)), one / np.sqrt(mean)
    scaled = F(count * e)
    yield "epsilon", 1 / np.sqrt((wide(s) + scaled) / count), 1 / np.sqrt(wide(s) / count + F(float(scaled) / count))
    yield "clamp", np.sqrt(np.maximum(wide(mean), e)), np.maximum(np.sqrt(wide(mean)), F(np.sqrt(float(e))))
    cap = wide(1 / w)
    yield "cap", cap.astype(F), one / (one / cap.astype(F))
    r = one / np.sqrt(mean + e)
    yield "order", wide(x * w) * r, wide(x * r) * w


def norms(s, n, e, x, w):
    """Yields whole norms of the program, and the op's."""
    one, scaled = F(1), F(float(n) * float(e))
    op = (x * (one / np.sqrt(s / n + e))) * w
    for r in rsqrt(s * (one / n) + e):
        yield "norm", (x * w) * r, op
    op = (x * (one / np.sqrt(s / n + F(float(scaled) / float(n))))) * w
    yield "norm", ((x * w) / np.sqrt(s + scaled)) * F(np.sqrt(float(n))), op


def gradients(x, g, e):
    """Yields dx of the program and of the op, and the size of its terms."""
    n, one = F(x.shape[1]), F(1)

    def total(terms):
        return np.add.accumulate(terms, axis=1, dtype=F)[:, -1:]

    s = total(x * x)
    r = one / np.sqrt(s / n + e)
    z = x * r
    op = r * (g - z * (total(z * g) / n))
    size = wide(np.abs(r * g)) + np.abs(wide(z) * r) * total(np.abs(z * g)) / n
    for p in rsqrt(s * (one / n) + e):
        yield "dx", p * g - ((x * (one / n)) * (p * p * p)) * total(x * g), op, size


def get_ulp(v):
    return 2.0 ** (np.floor(np.log2(np.abs(wide(v)))) - 23)


bounds = {}
with open(sys.argv[1], encoding="utf-8") as file:
    for rule, top, bottom in re.findall(r"^\| ([a-z-]+) \|[^|]*\|[^|]*\| (\d+)(?:/(\d+))? u on", file.read(), re.M):
        bounds[rule] = int(top) / int(bottom or 1)
random = np.random.default_rng(1)
found, largest = {}, {}
for n in (3, 5, 7, 11, 49, 100, 111, 1000, 1536, 3000, 4095, 5120, 11008):
    s = np.exp2(random.uniform(-6, 12, int(sys.argv[2]))).astype(F)
    x, w = (random.uniform(1, 2, s.size).astype(F) for _ in "xw")
    for e in (1e-6, 1e-3, 1):
        for name, program, op in norms(s, F(n), F(e), x, w):
            largest[name] = max(largest.get(name, 0.0), np.max(np.abs(wide(program) - wide(op)) / get_ulp(op)))
        if n < 100:
            row, g = (random.uniform(1, 2, (s.size // n, n)).astype(F) for _ in "xg")
            for name, program, op, size in gradients(row, g, F(e)):
                largest[name] = max(largest.get(name, 0.0), np.max(np.abs(wide(program) - wide(op)) / get_ulp(size)))
        for rule, program, op in sides(s, F(n), F(e), x, w):
            distance = np.max(np.abs(wide(program) - wide(op)) / wide(op)) / U
            found[rule] = max(found.get(rule, 0.0), distance)
for rule, distance in found.items():
    # Bounds are of the first order in u.
    verdict = "holds" if distance <= bounds[rule] * (1 + 1e-5) else "FAILS"
    print(f"{rule}: {distance:.2f} of {bounds[rule]} u, {verdict}")
for name, bound in (("norm", 13.5), ("dx", 36.5)):
    print(f"{name}: {largest[name]:.1f} of {bound} ulp, {'holds' if largest[name] <= bound else 'FAILS'}")
