"""Inputs, the f64 reference and errors in ulp, with numpy alone (bf16 as its bits)."""
import numpy as np

EPSILON = 1.0e-6
ELEMENT_BYTES = {"f32": 4, "f16": 2, "bf16": 2}
STORAGE = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16}
# Rows that are compared with the reference.
CHECKED_ROWS = 64


def encode(values, type):
    """Rounds f64 values to the type, ties to even; no NaN."""
    if type != "bf16":
        return values.astype(STORAGE[type])
    # Through f32 a tie could be rounded twice; the sticky bit keeps it.
    single = values.astype(np.float32)
    bits = single.view(np.uint32).astype(np.int64)
    bits = np.where(single.astype(np.float64) != values, bits | 1, bits)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def decode(array, type):
    if type != "bf16":
        return array.astype(np.float64)
    return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def aligned(shape, dtype):
    """Zeros on a multiple of 64 bytes."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(count + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start:start + count].view(dtype).reshape(shape)


def make_inputs(rows, cols, type):
    random = np.random.default_rng(1)
    x, w = aligned((rows, cols), STORAGE[type]), aligned((cols,), STORAGE[type])
    # A period keeps large inputs quick to make and rows different.
    period = encode(random.uniform(-2, 2, min(rows * cols, 65537)), type)
    x[:] = np.resize(period, (rows, cols))
    w[:] = encode(random.uniform(-2, 2, cols), type)
    return x, w


def make_gradient(x, type):
    """The gradient of the norm's result: x's values, shifted, so that no sum vanishes."""
    dy = aligned(x.shape, x.dtype)
    dy[:] = np.roll(x.reshape(-1), 1).reshape(x.shape)
    return dy


def useful_bytes(case):
    """The least traffic: x and w in, y out; or x, dy and w in, dx and dw out."""
    rows, cols = case["rows"], case["cols"]
    elements = (3 * rows + 2) * cols if case["variant"] == "backward" else (2 * rows + 1) * cols
    return elements * ELEMENT_BYTES[case["type"]]


def reference(x, w, type):
    """Llama's RMSNorm of the checked rows in f64; 16-bit types round before the weight."""
    x, w = decode(x[:CHECKED_ROWS], type), decode(w, type)
    y = x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + EPSILON)
    if type != "f32":
        y = decode(encode(y, type), type)
    return y * w


def ordered(bits):
    """16-bit floats as integers in their order, one a step."""
    bits = bits.view(np.uint16).astype(np.int32)
    return np.where(bits & 0x8000, -(bits & 0x7FFF), bits)


def compare(y, expected, type):
    """Largest error in ulp, and for 16 bits how many outputs differ, of the checked rows."""
    y = y[:CHECKED_ROWS]
    if type == "f32":
        ulp = np.spacing(np.abs(expected).astype(np.float32)).astype(np.float64)
        return {"max_ulp": float(np.max(np.abs(y.astype(np.float64) - expected) / ulp))}
    steps = np.abs(ordered(np.ascontiguousarray(y)) - ordered(encode(expected, type)))
    return {"max_ulp": float(np.max(steps)), "differing": float(np.mean(steps != 0))}


def compare_gradient(dx, x, w, dy, type):
    """Largest error of dx in ulp at r (|g| + |z| mean|z g|), which bounds its terms."""
    x, dy, dx = (decode(a[:CHECKED_ROWS], type) for a in (x, dy, dx))
    r = 1 / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + EPSILON)
    g, z = dy * decode(w, type), x * r
    expected = r * (g - z * np.mean(z * g, axis=1, keepdims=True))
    size = r * (np.abs(g) + np.abs(z) * np.mean(np.abs(z * g), axis=1, keepdims=True))
    ulp = np.spacing(size.astype(np.float32 if type != "f16" else np.float16)).astype(np.float64)
    ulp *= 2.0**16 if type == "bf16" else 1
    return {"max_ulp": float(np.max(np.abs(dx - expected) / ulp))}
