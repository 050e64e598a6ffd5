"""The error of norm-lower-gpu-math approximate-roots over every significand, in u = 2^-24.

A root has the significands of two binades, [1, 4). The unit's approximation is put at
both ends of what PTX promises for rsqrt.approx.f32, a factor of 1 + 2^-22.9, and between.
"""
import numpy as np

U = 2.0**-24
ONE, HALF = np.float32(1), np.float32(0.5)


def fma(a, b, c):
    """Of f32; the product is exact in f64, and so is a sum near one."""
    return (a.astype(np.float64) * b.astype(np.float64) + np.float64(c)).astype(np.float32)


def refine(a, r):
    """What the pass writes behind the approximation."""
    residual = fma(-(a * r), r, 1)
    step = np.fmin(residual, ONE)
    return fma(step, r * HALF, r)


def get_errors(first, exponent):
    bits = np.arange(first, first + 2**20, dtype=np.uint32) | np.uint32(exponent << 23)
    a = bits.view(np.float32)
    exact = 1 / np.sqrt(a.astype(np.float64))
    error = lambda y: np.abs(y.astype(np.float64) / exact - 1).max() / U
    refined = max(
        error(refine(a, (exact * (1 + off * 2**-22.9)).astype(np.float32)))
        for off in (-1, -0.5, 0, 0.5, 1))
    return refined, error(ONE / np.sqrt(a))


errors = [get_errors(first, exponent)
          for exponent in (127, 128) for first in range(0, 2**23, 2**20)]
print("refined approximation: %.2f u" % max(e[0] for e in errors))
print("rounded root and reciprocal: %.2f u" % max(e[1] for e in errors))

with np.errstate(all="ignore"):
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, -1, 2.0**-149, 3.4e38], np.float32)
    r = (1 / np.sqrt(special.astype(np.float64))).astype(np.float32)
    got, expected = refine(special, r), ONE / np.sqrt(special)
    # Both are near the root: 1.25 u and 1.5 u.
    is_near = np.abs(got.astype(np.float64) / expected - 1) < 2.75 * U
same = (got == expected) | (np.isnan(got) & np.isnan(expected)) | is_near
print("special values: %d of %d as before" % (same.sum(), len(same)))
