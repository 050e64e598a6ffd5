#!/usr/bin/env python3
"""Times products of matrices beside torch's, as a share of it and of the FMA peak.

    peers-venv/bin/python benchmarks/products.py [--build BUILD] [--update FILE]

A product of M rows is MxKxN, with B as K rows (kn) or as N rows (nk), as a torch.nn.Linear has
its weight. The peak is that of a loop of independent multiplications and additions in f32, compiled
by norm-mlir in the same run; AVX512-BF16 has twice as many in bf16. The best of all calls counts,
which alternate. Without torch, it is left out.
"""
import argparse
import ctypes
import os
import subprocess
import tempfile
import time

import numpy as np

import report
from peer_native import descriptor
from peer_numerics import aligned

SHAPES = ("256x1024x1024", "512x4096x4096", "1x4096x4096", "4x4096x4096", "8x4096x4096",
          "37x111x129")
RESULTS = {"f32": "f32", "bf16": "bf16", "i8": "i32"}
STORAGE = {"f32": np.float32, "bf16": np.uint16, "i8": np.int8, "i32": np.int32}
ROUNDS = 4
CHAINS, STEPS = 12, 1000000


def write_product(m, k, n, element, is_turned):
    result = RESULTS[element]
    b = f"{n}x{k}" if is_turned else f"{k}x{n}"
    order = "(n, k)" if is_turned else "(k, n)"
    maps = ", ".join(f"affine_map<(m, n, k) -> {dims}>" for dims in ("(m, k)", order, "(m, n)"))
    a, b, c = (f"tensor<{dims}x{kind}>" for dims, kind in ((f"{m}x{k}", element), (b, element), (f"{m}x{n}", result)))
    return f"""func.func @main(%a: {a}, %b: {b}) -> {c} {{
  %zero = arith.constant {'0' if result == 'i32' else '0.0'} : {result}
  %empty = tensor.empty() : {c}
  %start = linalg.fill ins(%zero : {result}) outs(%empty : {c}) -> {c}
  %c = linalg.matmul indexing_maps = [{maps}] ins(%a, %b : {a}, {b}) outs(%start : {c}) -> {c}
  return %c : {c}
}}
"""


def write_peak(lanes):
    """Each of the chains waits for itself only."""
    vector, names = f"vector<{lanes}xf32>", [f"%v{i}" for i in range(CHAINS)]
    types = ", ".join([vector] * CHAINS)
    inits = ", ".join(f"%s{i} = %one" for i in range(CHAINS))
    body = "\n".join(f"    {v} = vector.fma %s{i}, %factor, %one : {vector}" for i, v in enumerate(names))
    total = "\n".join(f"  %t{i} = arith.addf %t{i - 1}, %r#{i} : {vector}" for i in range(1, CHAINS))
    return f"""func.func @main(%x: tensor<1xf32>) -> tensor<{lanes}xf32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant {STEPS} : index
  %one = arith.constant dense<1.0> : {vector}
  %e = tensor.extract %x[%c0] : tensor<1xf32>
  %factor = vector.broadcast %e : f32 to {vector}
  %r:{CHAINS} = scf.for %i = %c0 to %steps step %c1 iter_args({inits}) -> ({types}) {{
{body}
    scf.yield {", ".join(names)} : {types}
  }}
  %t0 = arith.addf %r#0, %r#0 : {vector}
{total}
  %empty = tensor.empty() : tensor<{lanes}xf32>
  %y = vector.transfer_write %t{CHAINS - 1}, %empty[%c0] {{in_bounds = [true]}} : {vector}, tensor<{lanes}xf32>
  return %y : tensor<{lanes}xf32>
}}
"""


class Compiler:
    def __init__(self, arguments):
        self.arguments, self.folder, self.count = arguments, tempfile.TemporaryDirectory(), 0

    def compile(self, text, buffers):
        self.count += 1
        path = os.path.join(self.folder.name, f"{self.count}.so")
        given = self.arguments
        subprocess.run([os.path.join(given.build, "bin", "norm-compile"), "-", "--emit=shared", f"--mcpu={given.mcpu}",
                        f"--threads={given.threads}", f"--products={given.products}", "-o", path],
                       input=text, text=True, check=True)
        descriptors = [descriptor(buffer) for buffer in buffers]
        addresses = [ctypes.c_void_p(ctypes.addressof(d)) for d in descriptors]
        entry, keep = ctypes.CDLL(path)._mlir_ciface_main, (buffers, descriptors)
        return lambda keep=keep: entry(*addresses)


def make(shape, element):
    array, values = aligned(shape, STORAGE[element]), np.random.default_rng(3).standard_normal(shape)
    array[...] = values.astype(np.float32).view(np.uint32) >> 16 if element == "bf16" else \
        values * 20 if element == "i8" else values
    return array


def make_torch(a, b, element, is_turned, threads):
    try:
        import torch
    except ImportError:
        return None
    if element == "i8":
        return None
    torch.set_num_threads(threads)
    x, y = (torch.from_numpy(v) if element == "f32" else torch.from_numpy(v.view(np.int16)).view(torch.bfloat16)
            for v in (a, b))
    return lambda: torch.matmul(x, y.T if is_turned else y)


def measure(subjects, seconds, threads=1):
    """Best times, of several calls in a row."""
    best, spent = [float("inf")] * len(subjects), [0] * len(subjects)
    while min(spent) < seconds:
        for i, subject in enumerate(subjects):
            report.rest(threads)
            begin = time.perf_counter()
            while time.perf_counter() < begin + seconds / ROUNDS:
                start = time.perf_counter()
                subject()
                best[i] = min(best[i], time.perf_counter() - start)
            spent[i] += time.perf_counter() - begin
    return best


def get_peak(compiler, seconds):
    """GFLOP/s of one thread, in vectors of 8 and of 16 elements."""
    found = 0
    for lanes in (8, 16):
        x = make((1,), "f32")
        x[...] = 0.5
        run = compiler.compile(write_peak(lanes), [x, aligned((lanes,), np.float32)])
        found = max(found, 2e-9 * CHAINS * STEPS * lanes / measure([run], seconds)[0])
    return found


def get_rows(compiler, arguments, peak):
    for element in arguments.types.split(","):
        for shape in arguments.shapes.split(","):
            m, k, n = map(int, shape.split("x"))
            for is_turned in (False, True):
                a, b = make((m, k), element), make((n, k) if is_turned else (k, n), element)
                c = aligned((m, n), STORAGE[RESULTS[element]])
                ours = compiler.compile(write_product(m, k, n, element, is_turned), [a, b, c])
                theirs = make_torch(a, b, element, is_turned, arguments.threads)
                times = measure([ours] + [theirs] * (theirs is not None), arguments.seconds,
                                arguments.threads)
                rate = 2e-9 * m * n * k / times[0]
                yield [f"{element} {shape}", "nk" if is_turned else "kn", f"{times[0] * 1e3:.3f}", f"{rate:.1f}",
                       f"{rate / peak / arguments.threads:.2f}", f"{b.nbytes / times[0] * 1e-9:.1f}",
                       f"{times[1] / times[0]:.2f}" if theirs else ""]


def parse_arguments(description, types, form, shapes, seconds, table):
    """Also for attention.py; `table` is what a document has a table of."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--build", default="build", help="build folder (default: build)")
    parser.add_argument("--types", default=types)
    parser.add_argument("--shapes", default=",".join(shapes), help=f"{form} (default {','.join(shapes)})")
    parser.add_argument("--mcpu", default="native", help="norm-compile's; torch takes what it finds")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--products", default="blocks", help="norm-compile's: blocks or loops")
    parser.add_argument("--seconds", type=float, default=seconds, help=f"for each (default {seconds})")
    parser.add_argument("--update", help=f"document whose table of {table} is replaced")
    return parser.parse_args()


def main():
    arguments = parse_arguments(__doc__, "f32,bf16,i8", "MxKxN", SHAPES, 0.5, "products")
    about, compiler = report.machine(), Compiler(arguments)
    peak = get_peak(compiler, arguments.seconds)
    header = ["product", "B", "ms", "GFLOP/s", "of f32 peak", "GB/s of B", "of torch"]
    lines = [f"{report.describe(about)}; --mcpu={arguments.mcpu}, {arguments.threads} threads, f32 peak {peak:.1f} GFLOP/s "
             "of a thread.", "", *report.markdown([header] + list(get_rows(compiler, arguments, peak)))]
    print("\n".join(lines))
    if arguments.update:
        report.update(arguments.update, "products", lines)


if __name__ == "__main__":
    main()
