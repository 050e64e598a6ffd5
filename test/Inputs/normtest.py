"""What tests in Python share: element types, errors in ulp, memref descriptors, and runs
of programs on arrays. lit puts this folder into PYTHONPATH."""
import ctypes
import os
import subprocess

import numpy as np

# numpy has no bf16: arrays and files hold its bits as 16-bit integers.
NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": np.uint16}
# Bits of the significand, exponent of the least normal number.
BITS = {"f64": (53, -1022), "f32": (24, -126), "f16": (11, -14), "bf16": (8, -126)}
UNIT = {element: 2.0**-bits for element, (bits, _) in BITS.items()}  # half an ulp, relative


def narrow(values):
    """f32 to the bits of bf16, ties to even; a NaN keeps its upper half and is quiet."""
    values = np.asarray(values, np.float32)
    bits = values.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), bits >> 16 | 0x40, rounded).astype(np.uint16)


def widen(stored):
    """The bits of bf16 as f32; arrays of other types as they are."""
    if stored.dtype != np.uint16:
        return stored
    return np.asarray(np.left_shift(stored, 16, dtype=np.uint32)).view(np.float32)


def store(values, element):
    """The array of a type that is nearest to the values."""
    with np.errstate(over="ignore", invalid="ignore"):
        return narrow(values) if element == "bf16" else np.asarray(values).astype(NUMPY[element])


def get_ulp(values, element):
    """The spacing of a type's numbers at each magnitude."""
    bits, least = BITS[element]
    exponent = np.where(values == 0, least, np.frexp(np.abs(values))[1] - 1)
    return np.exp2(np.maximum(exponent, least) - (bits - 1.0))


def round_to(values, element):
    """f64 rounded to a type, as f64, whatever the type's range."""
    if element == "f64":
        return np.asarray(values, np.float64)
    unit = get_ulp(values, element)
    return np.round(np.asarray(values, np.float64) / unit) * unit


def get_errors(actual, expected, element):
    """In ulp of a type; infinite where one alone is NaN or infinite."""
    actual, expected = (np.asarray(values, np.float64) for values in (actual, expected))
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        errors = np.abs(actual - expected) / get_ulp(expected, element)
    return np.where(same, 0, np.where(np.isfinite(actual) & np.isfinite(expected), errors, np.inf))


def order(bits):
    """Floats as integers in the order of their values: neighbors differ by 1."""
    values = bits.view({2: np.int16, 4: np.int32}[bits.itemsize]).astype(np.int64)
    return np.where(values < 0, -(1 << (8 * bits.itemsize - 1)) - values, values)


def norm(x, w, epsilon=1e-6):
    """RMSNorm of the last dimension in f64."""
    x = x.astype(np.float64)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + np.float64(np.float32(epsilon))) * w


def align(array, offset=0, filler=0):
    """A copy so many bytes behind a cache line, and all of its memory."""
    memory = np.full(array.nbytes + offset + 256, filler, np.uint8)
    begin = -memory.ctypes.data % 64 + 64 + offset
    copy = memory[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy, memory


def make_descriptor(address, extents, strides, offset=0):
    """A memref's allocated and aligned pointer, offset, extents and strides in elements."""
    words = [address, address, offset, *extents, *strides]
    return (ctypes.c_int64 * len(words))(*words)


def describe(array):
    return make_descriptor(array.ctypes.data, array.shape, [s // array.itemsize for s in array.strides])


def call(function, *buffers):
    """By the C convention; buffers are arrays or descriptors, outputs last."""
    words = [b if isinstance(b, ctypes.Array) else describe(b) for b in buffers]
    function(*map(ctypes.byref, words))


def compile_shared(program, output, *options):
    subprocess.run(["norm-compile", program, "--emit=shared", "-o", output, *options], check=True)
    return ctypes.CDLL(os.path.abspath(output))


def run_compiled(library, function, inputs, results):
    """The results of a function, which have the shapes and types of the given ones."""
    results = [np.empty_like(result) for result in results]
    call(library[f"_mlir_ciface_{function}"], *inputs, *results)
    return results


def run(command, prefix, inputs, results=1):
    """The results of norm-run, whose inputs and outputs are files PREFIX.NUMBER.npy."""
    outputs = [f"{prefix}.out{i}.npy" for i in range(results)]
    command = [*command, *(f"--output=@{name}" for name in outputs)]
    for i, value in enumerate(inputs):
        np.save(f"{prefix}.{i}.npy", np.asarray(value, order="C"))
        command.append(f"--input=@{prefix}.{i}.npy")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return [np.load(name) for name in outputs]


def pick(items, part):
    """Each Nth item for a part SEED/N, all without."""
    seed, count = map(int, (part or "0/1").split("/"))
    return list(items)[seed % count::count]
