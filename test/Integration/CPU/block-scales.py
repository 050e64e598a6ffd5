"""Rows and blocks of f32 as floats of 8 and 4 bits with scales, bit for bit.

    block-scales.py write PREFIX    writes PREFIX.x.npy
    block-scales.py check PREFIX    compares PREFIX.FUNCTION.{q,scale}.npy

The encoders are those of fp8.py and mx.py, which search the table of all values of a
format; the scales of MXFP8 and MXFP4 follow OCP's Microscaling Formats (MX) 1.0, section
6.3. NVFP4 has an f8E4M3FN for 16 elements, times one f32 that is given.
"""
import sys

import numpy as np
from fp8 import FORMATS, round_to, same, values_of
from mx import E2M1, TIES, around, code_of_e2m1, code_of_e8m0, value_of_e8m0

F32 = np.float32
COLUMNS = 256
# Format, elements of a block, whether the scale is a power of two.
FUNCTIONS = {"row_e4m3": ("e4m3", COLUMNS, False), "blocks_e5m2": ("e5m2", 128, False),
             "blocks_e4m3": ("e4m3", 16, False), "mxfp8": ("e4m3", 32, True)}
# Elements of a block.
PACKED = {"mxfp4": 32, "mxfp4_pairs": 32, "nvfp4": 16, "nvfp4_strided": 16}
GIVEN = F32(0.375)


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


def inputs_for_4_bits():
    """As inputs(), for both lengths of blocks and both kinds of scale."""
    rows = []
    near = around(np.concatenate([E2M1, TIES]))
    near = near[np.abs(near) <= 6]
    for block, unit in (32, 1), (16, GIVEN):
        # Every place of a block, even and odd, has each point.
        points = np.resize(near, (near.size, block - 1)).ravel()
        points = np.resize(points, -(-points.size // (16 * (block - 1))) * 16 * (block - 1)).reshape(-1, block - 1)
        blocks = np.concatenate([np.full((len(points), 1), 6, F32), points], 1).reshape(-1, COLUMNS)
        rows += [blocks * F32(scale) * unit for scale in (1, 2.0 ** -6, 2.0 ** 5)]
    return np.concatenate(rows + [inputs()]).astype(F32)


def quantize_packed(x, function):
    """Codes of pairs, the first one in the low bits, and codes of scales."""
    block = PACKED[function]
    blocks = x.reshape(len(x), -1, block)
    top = np.abs(blocks).max(2)  # NaN if an element is
    if block == 32:
        scale = code_of_e8m0(top, "toward_zero").astype(int)
        scale = np.where(scale == 255, 255, np.maximum(scale - 2, 0)).astype(np.uint8)
        # f32 rounds a quotient once; so does f64, far from the ties of E2M1.
        codes = code_of_e2m1(blocks / value_of_e8m0(scale)[..., None])
    else:
        quotient = ((top / F32(6)).astype(F32) / GIVEN).astype(F32)
        bounded = np.where(np.isnan(quotient), quotient, np.clip(quotient, F32(2.0 ** -9), F32(448)))
        scale = round_to(bounded.astype(F32), "e4m3")
        value = np.where(scale == -1, np.nan, values_of("e4m3")[scale & 0x7F]).astype(F32)
        codes = code_of_e2m1((blocks / (GIVEN * value)[..., None]).astype(F32))
    codes = codes.reshape(x.shape)
    return codes[:, ::2] | codes[:, 1::2] << 4, scale


def check_packed(prefix, function):
    expected, scale = quantize_packed(np.load(prefix + ".x4.npy"), function)
    codes = np.load(f"{prefix}.{function}.q.npy").view(np.uint8)
    scales = np.load(f"{prefix}.{function}.scale.npy").view(np.uint8)
    good = bool((codes == expected).all())
    sound = bool(np.where(scale == -1, scales & 0x7F == 0x7F, scales == scale).all())
    seen = np.unique(np.concatenate([expected & 15, expected >> 4])).size
    print(f"{function}: {2 * codes.size} elements {'right' if good else 'WRONG'}, {seen} codes, "
          f"{scale.size} scales {'right' if sound else 'WRONG'}")
    return good and sound


def check_given(prefix):
    x = np.load(prefix + ".x.npy")
    scaled = (x / GIVEN).astype(F32)
    scaled = np.where(np.isnan(scaled), scaled, np.clip(scaled, F32(-448), F32(448)))
    expected = round_to(scaled, "e4m3")
    good = is_right("e4m3", x, np.load(prefix + ".given_e4m3.q.npy"), expected)
    seen = np.unique(expected[expected >= 0]).size
    print(f"given_e4m3: {x.size} elements {'right' if good else 'WRONG'}, {seen} codes")
    return good


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
        for function in PACKED:
            passed &= check_packed(prefix, function)
        return passed & check_given(prefix)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        with np.errstate(all="ignore"):
            np.save(sys.argv[2] + ".x.npy", inputs())
            np.save(sys.argv[2] + ".x4.npy", inputs_for_4_bits())
            np.save(sys.argv[2] + ".given.npy", np.array(GIVEN))
    else:
        sys.exit(not check(sys.argv[2]))
