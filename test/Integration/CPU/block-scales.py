"""Rows and blocks of f32 as 8-bit floats with scales, bit for bit.

    block-scales.py write PREFIX    writes PREFIX.x.npy
    block-scales.py check PREFIX    compares PREFIX.FUNCTION.{q,scale}.npy

The encoder is that of fp8.py, which searches the table of all values of a format; the
scales of MXFP8 follow OCP's Microscaling Formats (MX) 1.0, section 6.3.
"""
import sys

import numpy as np
from fp8 import FORMATS, round_to, same, values_of

F32 = np.float32
COLUMNS = 256
# Format, elements of a block, whether the scale is a power of two.
FUNCTIONS = {"row_e4m3": ("e4m3", COLUMNS, False), "blocks_e5m2": ("e5m2", 128, False),
             "blocks_e4m3": ("e4m3", 16, False), "mxfp8": ("e4m3", 32, True)}


def largest_of(name):
    value = values_of(name)
    return F32(value[np.isfinite(value)].max())


def points_of(name):
    """Every number of the format, the ties between them, and the f32 beside each."""
    value = values_of(name)
    finite = value[np.isfinite(value)]
    points = np.concatenate([finite, (finite[1:] + finite[:-1]) / 2]).astype(F32)
    around = [np.nextafter(points, F32(to)) for to in (0, np.inf)]
    points = np.concatenate([points] + around)
    return np.concatenate([points, -points])


def inputs():
    """Rows of points times powers of two, each block of which has the format's largest
    number, so that its scale is that power; of random numbers; of zeros, subnormals,
    infinities and NaN."""
    rows = []
    for name, block, _ in FUNCTIONS.values():
        top = largest_of(name)
        points = points_of(name)
        points = points[np.abs(points) <= top]
        blocks = np.resize(points, (-(-points.size // (block - 1)), block - 1))
        blocks = np.concatenate([np.full((len(blocks), 1), top), blocks], 1)
        blocks = np.resize(blocks, (-(-blocks.size // COLUMNS) * COLUMNS // block, block))
        rows += [blocks.reshape(-1, COLUMNS) * F32(scale) for scale in (1, 2.0 ** -9, 2.0 ** 20)]
    random = np.random.default_rng(3)
    rows.append(random.standard_normal((64, COLUMNS)) * 10.0 ** random.uniform(-20, 20, (64, 1)))
    special = np.zeros((8, COLUMNS))
    special[1] = -0.0
    special[2] = random.uniform(-1, 1, COLUMNS) * 1e-40
    special[3, ::40] = np.inf
    special[4, ::40] = -np.inf
    special[5, ::40] = np.nan
    special[6, :] = 3e38
    special[7, ::7] = 1e-45
    return np.concatenate(rows + [special]).astype(F32)


def scales_of(top, name, is_power):
    if not is_power:
        return np.maximum((top / largest_of(name)).astype(F32), F32(1e-12))
    exponent = top.view(np.uint32) >> 23
    return np.maximum(exponent.astype(int) - 8, 0).astype(np.uint8)


def quantize(x, function):
    name, block, is_power = FUNCTIONS[function]
    blocks = x.reshape(len(x), -1, block)
    magnitude = np.abs(blocks)
    top = magnitude.max(2)  # NaN if an element is
    scale = scales_of(top, name, is_power)
    if is_power:
        bound = largest_of(name)
        scaled = blocks * np.exp2(127 - scale.astype(np.float64)).astype(F32)[..., None]
        scaled = np.where(np.isnan(scaled), scaled, np.clip(scaled, -bound, bound))
    else:
        scaled = blocks / scale[..., None]
    return round_to(scaled.astype(F32), name).reshape(x.shape), scale


def is_right(name, x, codes, expected):
    codes = codes.view(np.uint8).astype(int)
    is_nan = np.isnan(values_of(name)[codes & 0x7F])
    return bool(np.where(expected == -1, is_nan, codes == expected).all())


def check(prefix):
    x = np.load(prefix + ".x.npy")
    passed = True
    with np.errstate(all="ignore"):
        for function, (name, block, is_power) in FUNCTIONS.items():
            expected, scale = quantize(x, function)
            codes = np.load(f"{prefix}.{function}.q.npy")
            scales = np.load(f"{prefix}.{function}.scale.npy").reshape(scale.shape)
            good = is_right(name, x, codes, expected)
            sound = same(scales.view(np.uint8) if is_power else scales, scale.astype(float))
            seen = np.unique(expected[expected >= 0]).size
            print(f"{function}: {x.size} elements {'right' if good else 'WRONG'}, {seen} codes, "
                  f"{scale.size} scales {'right' if sound else 'WRONG'}")
            passed &= good and sound
    return passed


if __name__ == "__main__":
    if sys.argv[1] == "write":
        with np.errstate(all="ignore"):
            np.save(sys.argv[2] + ".x.npy", inputs())
    else:
        sys.exit(not check(sys.argv[2]))
