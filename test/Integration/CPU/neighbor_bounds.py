"""Results of norms with their neighbors against f64, for tests that run them.

Bounds follow from the roundings of each program, in units of half an ulp.
"""
import numpy as np

F32, F64 = np.float32, np.float64
UNIT = 2.0**-24


def bits_of_bf16(x):
    """Nearest, ties to even; the values here are finite."""
    bits = x.astype(F32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(F32)


def rmsnorm(x, w):
    x = x.astype(F64)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + F64(F32(1e-6))) * w.astype(F64)


def silu(z):
    z = z.astype(F64)
    return z / (1 + np.exp(-z))


def near(actual, expected, halves):
    return bool((np.abs(actual - expected) <= halves * UNIT * np.abs(expected) + 1e-44).all())


def check_residual(v, h, y):
    exact = bits_of_bf16(from_bf16(v["xb"]) + from_bf16(v["rb"]))
    one = from_bf16(bits_of_bf16(rmsnorm(from_bf16(exact), np.ones(1)).astype(F32)))
    expected = bits_of_bf16(one * from_bf16(v["wb"]))
    # The statistic's last bit may flip a rounding: a neighbor, and rarely.
    distance = np.abs(expected.astype(int) - y.astype(int))
    return (h == exact).all() and distance.max() <= 2 and (distance > 0).mean() <= 1e-3


def check_bias(v, y):
    # The bias rounds once more, and errors of the norm are not its ulp.
    norm = rmsnorm(v["x"], v["w"])
    bound = (8 * np.abs(norm) + np.abs(norm + v["b"])) * UNIT
    return (np.abs(y - (norm + v["b"])) <= bound).all()


def check_gate_after(v, y):
    return near(y, rmsnorm(v["x"], v["w"]) * silu(v["z"]), 16)


def check_gate_before(v, y):
    return near(y, rmsnorm(v["x"].astype(F64) * silu(v["z"]), v["w"]), 24)


def check_quantize(v, q, scale):
    norm = rmsnorm(v["x"], v["w"])
    expected = np.abs(norm).max(-1) / 127
    steps = norm / expected[:, None]
    return (near(scale, expected, 10) and np.abs(q.astype(int)).max(-1).min() == 127
            and (np.abs(q - steps) <= 0.5 + 127 * 20 * UNIT).all())
