"""A norm of a residual sum, each result in the buffer of an input, under the emulation.

    in_place.py WORK RUNNER ARGS...   one line a class: ok or the error in ulp
"""
import subprocess
import sys

import numpy as np

ROWS = 3
CLASSES = [(n, kind) for n in (520, 4096, 4097, 16384, 32768) for kind in ("f32", "f16", "bf16")]


def program(n, kind):
    rows, row = "%dx%dx%s" % (ROWS, n, kind), "%dx%s" % (n, kind)
    return """func.func @main(%%xb: memref<{0}>, %%rb: memref<{0}>, %%w: tensor<{1}>) {{
  %%x = bufferization.to_tensor %%xb restrict writable : memref<{0}> to tensor<{0}>
  %%r = bufferization.to_tensor %%rb restrict writable : memref<{0}> to tensor<{0}>
  %%h = linalg.add ins(%%x, %%r : tensor<{0}>, tensor<{0}>) outs(%%r : tensor<{0}>) -> tensor<{0}>
  %%y = norm.rmsnorm ins(%%h, %%w : tensor<{0}>, tensor<{1}>) outs(%%x : tensor<{0}>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<{0}>
  bufferization.materialize_in_destination %%h in restrict writable %%rb : (tensor<{0}>, memref<{0}>) -> ()
  bufferization.materialize_in_destination %%y in restrict writable %%xb : (tensor<{0}>, memref<{0}>) -> ()
  return
}}
""".replace("%%", "%").format(rows, row)


def to_bf16(v):
    bits = v.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def check(work, runner, n, kind):
    rng = np.random.default_rng(n)
    stored = {"f32": np.float32, "f16": np.float16}.get(kind)
    encode = to_bf16 if kind == "bf16" else lambda v: v.astype(stored)
    decode = from_bf16 if kind == "bf16" else lambda v: v
    x, r, w = (encode(rng.standard_normal(shape)) for shape in ((ROWS, n), (ROWS, n), (n,)))
    path = "%s/%d_%s" % (work, n, kind)
    with open(path + ".mlir", "w") as file:
        file.write(program(n, kind))
    command = runner + [path + ".mlir"]
    for name, value in (("x", x), ("r", r), ("w", w)):
        np.save("%s.%s.npy" % (path, name), value)
        command.append("--input=@%s.%s.npy" % (path, name))
    subprocess.run(command + ["--output=@%s.y.npy" % path, "--output=@%s.h.npy" % path], check=True,
                   stdout=subprocess.DEVNULL)
    h = encode((decode(x).astype(np.float32) + decode(r).astype(np.float32)))
    v = decode(h).astype(np.float64)
    expected = v / np.sqrt((v * v).mean(-1, keepdims=True) + np.float64(np.float32(1e-6))) * decode(w).astype(np.float64)
    y = decode(np.load(path + ".y.npy").view(x.dtype)).astype(np.float64)
    unit = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}[kind]
    least = {"f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133}[kind]
    error = (np.abs(y - expected) / (np.abs(expected) * 2 * unit + least)).max()
    same = np.array_equal(np.load(path + ".h.npy").view(x.dtype), h)
    bound = 6 if kind == "f32" else 1
    return "ok" if same and error <= bound else "sum %s, error %.2f ulp" % ("right" if same else "WRONG", error)


for n, kind in CLASSES:
    print("%d %s: %s" % (n, kind, check(sys.argv[1], sys.argv[2:], n, kind)))
