"""Compiles programs and calls their functions through the C convention, by ctypes."""
import ctypes
import os
import subprocess

import numpy as np

CODES = {"f32": np.float32, "f16": np.float16, "bf16": np.uint16, "i8": np.int8}


def compile_shared(program, output, *options):
    subprocess.run(["norm-compile", program, "--emit=shared", "-o", output, *options], check=True)
    return ctypes.CDLL(os.path.abspath(output))


def compile_forced(program, output, cpu, pipeline, library_dir):
    """With options of norm-to-cpu that norm-compile keeps: threads and streamed
    stores for small buffers too."""
    run = lambda *command: subprocess.run(command, check=True)
    run("norm-opt", program, f"--norm-to-cpu={pipeline}", "-o", output + ".mlir")
    run("mlir-translate", "--mlir-to-llvmir", output + ".mlir", "-o", output + ".ll")
    run("clang-22", "-O2", f"-march={cpu}", "-fPIC", "-shared", "-Wno-override-module", output + ".ll", "-o", output,
        f"-L{library_dir}", f"-Wl,-rpath,{library_dir}", "-lomp", "-lm")
    return ctypes.CDLL(os.path.abspath(output))


def descriptor(address, sizes, strides, offset=0):
    """Allocated and aligned pointer, offset, sizes and strides in elements."""
    words = [address, address, offset, *sizes, *strides]
    return (ctypes.c_int64 * len(words))(*words)


def describe(array):
    return descriptor(array.ctypes.data, array.shape, [s // array.itemsize for s in array.strides])


def call(library, name, *buffers):
    """Arrays, or descriptors of one's own; outputs last."""
    words = [b if isinstance(b, ctypes.Array) else describe(b) for b in buffers]
    getattr(library, "_mlir_ciface_" + name)(*[ctypes.byref(w) for w in words])


def widen(values, kind):
    if kind == "bf16":
        return (values.astype(np.uint32) << 16).view(np.float32)
    return values.astype(np.float32)


def narrow(values, kind):
    """f32 to the nearest value of a type, NaN included."""
    if kind == "f32":
        return values.astype(np.float32)
    if kind == "f16":
        with np.errstate(over="ignore"):
            return values.astype(np.float16)
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


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


def exact(x, w, epsilon):
    """In f64."""
    x = x.astype(np.float64)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + np.float64(np.float32(epsilon))) * w


def distance(actual, expected, kind):
    """Of each element in ulp of the type; infinite where the class differs: NaN,
    infinity, the sign of a zero."""
    a = widen(actual, kind).astype(np.float64)
    e = expected.astype(np.float64)
    if kind != "f32":
        e = widen(narrow(expected.astype(np.float32), kind), kind).astype(np.float64)
    same = (np.isnan(a) & np.isnan(e)) | ((a == e) & (np.signbit(a) == np.signbit(e)))
    bothFinite = np.isfinite(a) & np.isfinite(e)
    precision, least = {"f32": (23, -126), "f16": (10, -14), "bf16": (7, -126)}[kind]
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.frexp(np.where(bothFinite, e, 1))[1] - 1, least)
        ulp = np.abs(a - e) / np.ldexp(1.0, exponent - precision)
        # A zero of the other sign is another class, a small number beside it is not.
        ulp = np.where(bothFinite & ~((a == 0) & (e == 0)), ulp, np.inf)
    return np.where(same, 0, ulp)


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
