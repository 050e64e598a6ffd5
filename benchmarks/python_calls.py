"""What the Python package costs beside the code that it calls: benchmarks/results/zen4.md.

python3 benchmarks/python_calls.py, with norm_mlir on PYTHONPATH and
norm-compile on PATH
"""
import os
import subprocess
import tempfile
import time
from pathlib import Path

os.environ["NORM_MLIR_CACHE"] = ""
import numpy as np

numpy_loaded = time.perf_counter()
import norm_mlir

loaded = time.perf_counter()
norm = norm_mlir.compile(Path("examples/llama_rmsnorm_f32.mlir"))
print(f"import {1e3 * (loaded - numpy_loaded):.0f} ms, first compile "
      f"{1e3 * (time.perf_counter() - loaded):.0f} ms")


def measure(title, call, rounds=30, calls=1000):
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - start) / calls)
    print(f"{title}: {1e6 * best:.2f} us")


x, weight = np.ones((2, 5, 64), np.float32), np.ones(64, np.float32)
y = norm(x, weight)
measure("numpy", lambda: norm(x, weight))
measure("numpy, out", lambda: norm(x, weight, out=y))


def measure_torch():
    import torch

    tensors = [torch.from_numpy(array) for array in (x, weight, y)]
    measure("torch", lambda: norm(*tensors[:2]))
    measure("torch, out", lambda: norm(*tensors[:2], out=tensors[2]))


def measure_tvm_ffi():
    import torch
    import tvm_ffi

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "norm.so")
        subprocess.run(["norm-compile", "examples/llama_rmsnorm_f32.mlir", "--entry=tvm-ffi",
                        "--emit=shared", "--mcpu=native", "-o", path], check=True)
        function = tvm_ffi.load_module(path).main
        tensors = [torch.from_numpy(array) for array in (x, weight, y)]
        measure("TVM FFI", lambda: function(*tensors))


def measure_jax():
    import jax
    import norm_mlir.jax

    def repeat(function, times):
        """A jitted function of many calls, which measures one without the call of jit."""
        def run(x, weight):
            for _ in range(times):
                x = function(x, weight)
            return x
        jitted = jax.jit(run)
        arrays = jax.numpy.asarray(x), jax.numpy.asarray(weight)
        return lambda: jitted(*arrays).block_until_ready()

    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    callback = lambda *arrays: jax.pure_callback(
        lambda *each: norm(*map(np.asarray, each)), result, *arrays)
    for name, function in (("norm", norm_mlir.jax.wrap(norm)), ("pure_callback", callback),
                           ("x + weight", lambda x, weight: x + weight)):
        measure(f"jax.jit, {name}", repeat(function, 1), rounds=5)
        measure(f"jax.jit, 20 of {name}", repeat(function, 20), rounds=5, calls=100)


for measure_library in (measure_torch, measure_tvm_ffi, measure_jax):
    try:
        measure_library()
    except ImportError as error:
        print(error)
