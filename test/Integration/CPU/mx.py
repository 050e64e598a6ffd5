"""Conversions of E2M1 and E8M0 against the tables of OCP's Microscaling Formats (MX) 1.0.

    mx.py write PREFIX    writes the inputs PREFIX.NAME.npy
    mx.py check PREFIX    compares PREFIX.FUNCTION.npy
"""
import sys

import numpy as np
from normtest import store, widen

F32 = np.float32
# Section 5.3.3: the numbers of E2M1 by code; the fourth bit is the sign.
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
TIES = (E2M1[1:] + E2M1[:-1]) / 2


def code_of_e2m1(x):
    """The nearest number's code, of two the even one; saturates, and NaN is 6."""
    x = np.asarray(x, np.float64)
    magnitude = np.where(np.isnan(x), 6, np.minimum(np.abs(x), 6))[..., None]
    distance = np.abs(magnitude - E2M1)
    # Even codes first: of equal distances argmin takes the first.
    order = np.array([0, 2, 4, 6, 1, 3, 5, 7])
    code = order[np.argmin(distance[..., order], -1)]
    return (code | np.where(np.signbit(x) & ~np.isnan(x), 8, 0)).astype(np.uint8)


def value_of_e2m1(code):
    code = code.astype(int)
    return np.where(code & 8, -1.0, 1.0) * E2M1[code & 7]


def value_of_e8m0(code):
    """Section 5.4.1: 2^(code - 127), and 255 is NaN."""
    code = code.view(np.uint8).astype(int)
    return np.where(code == 255, np.nan, np.exp2(np.minimum(code, 254) - 127.0))


def code_of_e8m0(x, mode):
    """The code of a power of two near x; what is below the range is 2^-127."""
    x = x.astype(np.float64)
    fraction, exponent = np.frexp(np.where(np.isfinite(x) & (x > 0), x, 1))  # in [1/2, 1)
    up = {"toward_zero": np.zeros(x.shape, bool), "upward": fraction > 0.5, "nearest": fraction >= 0.75}[mode]
    code = exponent - 1 + up + 127
    code = np.where(x == 0, 0, np.maximum(code, 0))
    return np.where(~np.isfinite(x) | (x < 0) | (code > 254), 255, code).astype(np.uint8)


def rows(values):
    return np.resize(values, -(-values.size // 1024) * 1024).reshape(-1, 1024)


def around(points):
    points = np.asarray(points, F32)
    points = np.concatenate([points] + [np.nextafter(points, F32(to)) for to in (0, np.inf)])
    return np.concatenate([points, -points])


def inputs():
    random = np.random.default_rng(11)
    powers = np.exp2(np.arange(-149.0, 128))
    special = np.array([np.inf, np.nan, 3.4028235e38, 1e-45, 1e-38, 6.5, 7, 8, 100])
    points = around(np.concatenate([E2M1, TIES, powers, 1.5 * powers, special]))
    x = np.concatenate([points, np.array([0xFFC00000, 0x7F800001], np.uint32).view(F32),
                        random.integers(0, 2**32, 1 << 16, np.uint32).view(F32), random.uniform(-8, 8, 1 << 14)])
    codes = np.arange(256).astype(np.uint8)
    elements, scales = np.meshgrid(np.arange(16).astype(np.uint8), codes)
    # Points times each scale, with neighbors.
    near = around(np.concatenate([E2M1, TIES]))
    with_scale, scale = np.meshgrid(near, codes)
    scaled = (with_scale * np.nan_to_num(value_of_e8m0(scale), nan=1)).astype(F32)
    scaled[:, ::7] = around(special)[:1]
    halves = np.arange(65536).astype(np.uint16)
    return {"x": x.astype(F32), "halves": halves.view(np.int16), "codes": codes.view(np.int8),
            "elements": elements.ravel().view(np.int8), "scales_of_elements": scales.ravel().view(np.int8),
            "scaled": scaled.ravel(), "scales": scale.ravel().view(np.int8),
            "wide_scales": np.abs(np.resize(x, scaled.size)).astype(F32),
            "half_scales": np.resize(random.permutation(codes), 65536).view(np.int8)}


def bits_of(name, values):
    """Bits, with one NaN."""
    values = values.view({"f32": np.uint32, "f64": np.uint64}.get(name, np.uint16))
    infinity = {"f32": 0x7F800000, "f64": 0x7FF << 52, "f16": 0x7C00, "bf16": 0x7F80}[name]
    magnitude = values & values.dtype.type((1 << (8 * values.itemsize - 1)) - 1)
    return np.where(magnitude > infinity, values.dtype.type(infinity + 1), values)


def expectations(x):
    """Function, expected codes or bits, the type whose bits they are."""
    bf16 = widen(x["halves"].view(np.uint16))
    f16 = x["halves"].view(np.float16)
    yield "e2m1_of_f32", code_of_e2m1(x["x"]), None
    for mode in "nearest", "toward_zero", "upward":
        yield f"e8m0_{mode}", code_of_e8m0(x["x"], mode), None
    yield "e2m1_of_bf16", code_of_e2m1(bf16), None
    yield "e2m1_of_f16", code_of_e2m1(f16), None
    product = value_of_e2m1(x["elements"].view(np.uint8)) * value_of_e8m0(x["scales_of_elements"])
    wide = {"e2m1": value_of_e2m1(x["codes"].view(np.uint8) & 15), "e8m0": value_of_e8m0(x["codes"]), "scaled": product}
    for source, values in wide.items():
        for name in "f32", "f64", "f16", "bf16":
            yield f"{name}_of_{source}", bits_of(name, store(values, name)), name
    scaled = x["scaled"].astype(np.float64)
    yield "scaled_f32", code_of_e2m1(scaled / value_of_e8m0(x["scales"])), None
    yield "scaled_f16", code_of_e2m1(f16.astype(np.float64) / value_of_e8m0(x["half_scales"])), None
    scale = value_of_e8m0(code_of_e8m0(x["wide_scales"], "toward_zero"))
    yield "scaled_by_f32", code_of_e2m1(scaled / scale), None


def check(prefix):
    x = {name: np.load(f"{prefix}.{name}.npy") for name in inputs()}
    passed = True
    for function, expected, name in expectations(x):
        actual = np.load(f"{prefix}.{function}.npy")
        actual = bits_of(name, actual) if name else actual.view(np.uint8)
        good = actual == expected
        print(f"{function}: {good.sum()} right" + ("" if good.all() else f", {(~good).sum()} WRONG"))
        passed &= bool(good.all())
    return passed


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        if sys.argv[1] == "check":
            sys.exit(not check(sys.argv[2]))
        for name, values in inputs().items():
            np.save(f"{sys.argv[2]}.{name}.npy", rows(values))
