"""Roundings to and from 8-bit floats, each against a table of their values.

    fp8.py write PREFIX    writes PREFIX.x.npy (f32) and PREFIX.codes.npy (all bytes)
    fp8.py check PREFIX    compares PREFIX.{e4m3,e5m2}.npy and PREFIX.{e4m3,e5m2}.wide.npy
"""
import sys

import numpy as np

# Exponent bits, mantissa bits, bias, has infinities.
FORMATS = {"e4m3": (4, 3, 7, False), "e5m2": (5, 2, 15, True)}


def values_of(name):
    """What the 128 codes without sign mean, f64."""
    exponent_bits, mantissa_bits, bias, has_infinity = FORMATS[name]
    codes = np.arange(128)
    exponent, mantissa = codes >> mantissa_bits, codes & ((1 << mantissa_bits) - 1)
    fraction = mantissa / (1 << mantissa_bits)
    value = np.where(exponent == 0, fraction * 2.0 ** (1 - bias), (1 + fraction) * 2.0 ** (exponent - bias))
    if has_infinity:
        top = exponent == (1 << exponent_bits) - 1
        value[top] = np.where(mantissa[top] == 0, np.inf, np.nan)
    else:
        value[127] = np.nan
    return value


def round_to(x, name):
    """Nearest code, ties to an even one; what is too large as IEEE would."""
    value = values_of(name)
    finite = value[np.isfinite(value)]
    # The value that the next code would have if the format went on.
    bounded = np.append(finite, 2 * finite[-1] - finite[-2])
    magnitude = np.abs(x.astype(np.float64))
    upper = np.clip(np.searchsorted(bounded, magnitude), 1, bounded.size - 1)
    below, above = magnitude - bounded[upper - 1], bounded[upper] - magnitude
    code = np.where((below < above) | ((below == above) & (upper % 2 == 1)), upper - 1, upper)
    special = 0x7C if FORMATS[name][3] else 0x7F
    code = np.where((code >= finite.size) | np.isinf(magnitude), special, code)
    sign = np.signbit(x) * 0x80
    return np.where(np.isnan(x), -1, code | sign)


def inputs():
    """All f16 values, and the f32 neighbors of each code and each tie."""
    halves = np.arange(65536).astype(np.uint16).view(np.float16).astype(np.float32)
    points = []
    for name in FORMATS:
        value = values_of(name)
        finite = value[np.isfinite(value)]
        finite = np.append(finite, 2 * finite[-1] - finite[-2])
        points += [finite, (finite[1:] + finite[:-1]) / 2]
    points = np.concatenate(points).astype(np.float32)
    around = [points] + [np.nextafter(points, np.float32(to)) for to in (0, np.inf)]
    extreme = np.array([3e38, 1e-45, 1e-38, 1e-10, 1e6], np.float32)
    x = np.concatenate([halves] + around + [extreme])
    x = np.concatenate([x, -x])
    return np.resize(x, -(-x.size // 1024) * 1024).reshape(-1, 1024)


def same(actual, expected):
    nan = np.isnan(expected)
    return bool((np.isnan(actual) == nan).all() and (actual[~nan] == expected[~nan]).all()
                and (np.signbit(actual[~nan]) == np.signbit(expected[~nan])).all())


def is_right(name, x, codes):
    expected = round_to(x, name)
    codes = codes.view(np.uint8).astype(int)
    is_nan = np.isnan(values_of(name)[codes & 0x7F])
    nan = expected == -1
    # A code of NaN for a number too large has no sign to compare.
    right = np.where(nan, is_nan, (codes == expected) | (is_nan & (np.isin(expected & 0x7F, 0x7F))))
    return bool(right.all())


def check(prefix):
    x, codes = np.load(prefix + ".x.npy"), np.load(prefix + ".codes.npy")
    passed = True
    for name in FORMATS:
        good = is_right(name, x, np.load(f"{prefix}.{name}.npy"))
        unsigned = codes.view(np.uint8).astype(int)
        expected = np.where(unsigned & 0x80, -1.0, 1.0) * values_of(name)[unsigned & 0x7F]
        wide = same(np.load(f"{prefix}.{name}.wide.npy"), expected)
        print(f"{name}: {x.size} roundings {'right' if good else 'WRONG'}, "
              f"{codes.size} codes {'right' if wide else 'WRONG'}")
        passed &= good and wide
    return passed


if __name__ == "__main__":
    if sys.argv[1] == "write":
        np.save(sys.argv[2] + ".x.npy", inputs())
        np.save(sys.argv[2] + ".codes.npy", np.arange(256).astype(np.uint8).view(np.int8))
    else:
        sys.exit(not check(sys.argv[2]))
