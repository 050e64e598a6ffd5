"""Streamed rows of a norm and of its gradients, on results at any element of a line.

    streamed_offsets.py PREFIX NORM-BENCH NORM-COMPILE NORM-OPT MLIR-TRANSLATE CLANG

Every offset gives the bits of the loop that does not stream, and nothing is written outside.
"""
import ctypes
import subprocess
import sys

import numpy as np

from normtest import align, call, store

prefix, bench, compiler, opt, translate, clang = sys.argv[1:]
random = np.random.default_rng(22)


def build(variant, element, m, n):
    """The function as norm-compile writes it, and one that always streams."""
    source, ordinary, llvm_mlir, ir, streamed = (
        f"{prefix}.{variant}.{element}.{m}x{n}.{end}" for end in ("mlir", "so", "llvm.mlir", "ll", "streamed.so"))
    subprocess.run([bench, "--print-program", f"--variant={variant}", f"--type={element}", f"--rows={m}",
                    f"--cols={n}", "-o", source], check=True)
    subprocess.run([compiler, source, "--emit=shared", "-o", ordinary], check=True)
    subprocess.run([opt, source, "--norm-to-cpu=cache-bytes=1", "-o", llvm_mlir], check=True)
    subprocess.run([translate, "--mlir-to-llvmir", llvm_mlir, "-o", ir], check=True)
    subprocess.run([clang, "-O2", "-Wno-override-module", "-fPIC", "-shared", ir, "-o", streamed, "-lm"],
                   check=True)
    return [ctypes.CDLL(path)._mlir_ciface_main for path in (ordinary, streamed)]


def run(function, inputs, offset):
    x, w = inputs[0], inputs[-1]
    y, memory = align(x, offset, 0xA5)
    results = [y] if len(inputs) == 2 else [y, np.empty_like(w)]
    call(function, *inputs, *results)
    written = b"".join(r.tobytes() for r in results)
    y.view(np.uint8)[...] = 0xA5
    assert (memory == 0xA5).all(), f"writes outside at offset {offset}"
    return written


for variant, numbers in ("llama", 1), ("backward", 2):
    for element, step in ("f32", 4), ("bf16", 2), ("f16", 2):
        for m, n in (70, 2048), (66, 2100), (9, 5000), (130, 1024), (3, 67):
            ordinary, streamed = build(variant, element, m, n)
            inputs = [store(random.standard_normal(s), element) for s in ((m, n),) * numbers + ((n,),)]
            expected = run(ordinary, inputs, 0)
            offsets = range(0, 64, step)
            wrong = [offset for offset in offsets if run(streamed, inputs, offset) != expected]
            print(f"{variant} {element} {m}x{n}:",
                  f"WRONG at {wrong}" if wrong else f"the same bits at {len(offsets)} offsets")
