"""fp8.mlir on a GPU: run_fp8.py WORK PROGRAM.mlir PREFIX writes what fp8.py checks."""
import sys
import numpy as np
import device
import fp8
from normtest import align

work, source, prefix = sys.argv[1:]
program = device.Program(device.build(source, work + "/fp8"))
x, codes = np.load(prefix + ".x.npy"), np.load(prefix + ".codes.npy")


for name in fp8.FORMATS:
    rounded, wide = align(np.zeros(x.shape, np.int8))[0], align(np.zeros(codes.shape, np.float32))[0]
    program.call(name, [align(x)[0], rounded])
    program.call(name + "_wide", [align(codes)[0], wide])
    np.save(f"{prefix}.{name}.npy", rounded)
    np.save(f"{prefix}.{name}.wide.npy", wide)
