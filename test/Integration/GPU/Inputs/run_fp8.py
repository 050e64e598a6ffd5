"""fp8.mlir on a GPU: run_fp8.py WORK PROGRAM.mlir PREFIX writes what fp8.py checks."""
import sys
import numpy as np
import device
import fp8

work, source, prefix = sys.argv[1:]
program = device.Program(device.build(source, work + "/fp8"))
x, codes = np.load(prefix + ".x.npy"), np.load(prefix + ".codes.npy")


def aligned(shape, dtype):
    """Zeros at a multiple of 16 bytes."""
    count = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(count + 16, np.uint8)
    return raw[-raw.ctypes.data % 16:][:count].view(dtype).reshape(shape)


def copy(values):
    result = aligned(values.shape, values.dtype)
    result[...] = values
    return result


for name in fp8.FORMATS:
    rounded, wide = aligned(x.shape, np.int8), aligned(codes.shape, np.float32)
    program.call(name, [copy(x), rounded])
    program.call(name + "_wide", [copy(codes), wide])
    np.save(f"{prefix}.{name}.npy", rounded)
    np.save(f"{prefix}.{name}.wide.npy", wide)
