"""Compiles programs and calls their functions through the C convention, by ctypes."""
import ctypes
import os
import subprocess

import normtest
import numpy as np
from normtest import compile_shared, store, widen  # noqa: F401



def compile_forced(program, output, cpu, pipeline, library_dir):
    """With options of norm-to-cpu that norm-compile keeps: threads and streamed
    stores for small buffers too."""
    run = lambda *command: subprocess.run(command, check=True)
    run("norm-opt", program, f"--norm-to-cpu={pipeline}", "-o", output + ".mlir")
    run("mlir-translate", "--mlir-to-llvmir", output + ".mlir", "-o", output + ".ll")
    run("clang-22", "-O2", f"-march={cpu}", "-fPIC", "-shared", "-Wno-override-module", output + ".ll", "-o", output,
        f"-L{library_dir}", f"-Wl,-rpath,{library_dir}", "-lomp", "-lm")
    return ctypes.CDLL(os.path.abspath(output))


def call(library, name, *buffers):
    normtest.call(getattr(library, "_mlir_ciface_" + name), *buffers)


def bits(array):
    return array.view({1: np.uint8, 2: np.uint16, 4: np.uint32}[array.itemsize])


def rmsnorm(x, w, epsilon, mode="inside"):
    """In f32 step by step as the program says, but for the sum, which is exact until
    it is rounded once."""
    one, e = np.float32(1), np.float32(epsilon)
    with np.errstate(all="ignore"):
        total = (x * x).astype(np.float64).sum(-1, keepdims=True).astype(np.float32)
        mean = total / np.float32(x.shape[-1])
        if mode == "inside":
            r = one / np.sqrt(mean + e)
        elif mode == "outside":
            r = one / (np.sqrt(mean) + e)
        else:
            r = one / np.maximum(np.sqrt(mean), e)
        return x * r * w


def distance(actual, expected, kind):
    """Of each element in ulp of the type; infinite where the class differs: NaN,
    infinity, the sign of a zero."""
    a, e = (widen(v).astype(np.float64) for v in (actual, store(expected, kind) if kind != "f32" else expected))
    # A zero of the other sign is another class, a small number beside it is not.
    return np.where((a == 0) & (e == 0) & (np.signbit(a) != np.signbit(e)), np.inf, normtest.get_errors(a, e, kind))


LIMIT = {"f32": 4, "f16": 1, "bf16": 1}


def norm_function(name, kind, rows, n, epsilon=1e-6, mode="inside"):
    """A function of x and a weight; extents of None are dynamic."""
    text = lambda *extents: "tensor<" + "".join("?x" if e is None else f"{e}x" for e in extents) + f"{kind}>"
    x, w = text(rows, n), text(n)
    dims = "".join(f"  %c{d} = arith.constant {d} : index\n  %d{d} = tensor.dim %x, %c{d} : {x}\n"
                   for d, e in enumerate((rows, n)) if e is None)
    sizes = ", ".join(f"%d{d}" for d, e in enumerate((rows, n)) if e is None)
    return f"""func.func @{name}(%x: {x}, %w: {w}) -> {x} {{
{dims}  %i = tensor.empty({sizes}) : {x}
  %y = norm.rmsnorm ins(%x, %w : {x}, {w}) outs(%i : {x}) dims = [1] epsilon = {epsilon:e} : f32 epsilon_mode = {mode} -> {x}
  return %y : {x}
}}
"""
