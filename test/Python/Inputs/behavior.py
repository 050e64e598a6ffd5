"""What holds beside results: no copies, caches, threads, forks, interrupts, memory."""
import array
import ctypes
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
from programs import DYNAMIC, elementwise, lookup

import norm_mlir

x = np.random.default_rng(3).standard_normal((64, 96)).astype(np.float32)
w = np.random.default_rng(4).standard_normal(96).astype(np.float32)
norm = norm_mlir.compile(DYNAMIC)
expected = norm(x, w)

# Without copies: the function reads and writes the caller's memory.
y = np.empty_like(x)
assert norm(x, w, out=y) is y and y.tobytes() == expected.tobytes()
identity = norm_mlir.compile(elementwise("tensor<?xf32>"))
memory = mmap.mmap(-1, 4096)
target = np.frombuffer(memory, np.float32)
address = target.ctypes.data
one = np.ones(1024, np.float32)
identity(one, one, out=memoryview(memory).cast("f"))
assert target.ctypes.data == address and target[0] == 2 and target[-1] == 2
assert ctypes.c_float.from_address(address).value == 2
assert identity(array.array("f", [1, 2]), array.array("f", [3, 4])).tolist() == [4, 6]
print("zero copies: mmap, memoryview, array.array and numpy")

# All element types.
for mlir, name, op in [("f64", "float64", "arith.addf"), ("f16", "float16", "arith.addf"),
                       ("i64", "int64", "arith.addi"), ("i32", "int32", "arith.addi"),
                       ("i16", "int16", "arith.addi"), ("i8", "int8", "arith.addi"),
                       ("i1", "bool", "arith.ori")]:
    add = norm_mlir.compile(elementwise(f"tensor<?x{mlir}>", op))
    ones = np.ones(5, name)
    result = add(ones, ones)
    assert result.dtype == name and (result == (ones | ones if name == "bool" else 2)).all()
for bits in (64, 32, 16, 8):
    type = f"tensor<?xui{bits}>"
    same = norm_mlir.compile(f"func.func @f(%x: {type}) -> {type} {{ return %x : {type} }}")
    values = np.array([0, 1, 2**bits - 1], f"uint{bits}")
    assert same(values).dtype == values.dtype and (same(values) == values).all()
print("types: f64, f16, i64, i32, i16, i8, i1, ui64, ui32, ui16, ui8")

# The same program is one function, and the folder serves another process.
assert norm_mlir.compile(DYNAMIC) is norm
with tempfile.TemporaryDirectory() as folder:
    os.environ["NORM_MLIR_CACHE"] = folder
    text = elementwise("tensor<7xf32>")
    norm_mlir.compile(text)
    (file,) = os.listdir(folder)
    path = os.path.join(folder, file)
    code = ("import norm_mlir, sys; core = norm_mlir._core; core.parse = None\n"
            "f = norm_mlir.compile(sys.stdin.read()); print(f)")
    run = lambda: subprocess.run([sys.executable, "-c", code], input=text, text=True,
                                 capture_output=True)
    assert "Function main" in run().stdout
    print("cache: another process compiles nothing")
    content = open(path, "rb").read()
    for damaged in (content[:-1], b"", content[:70] + b"x" + content[71:]):
        open(path, "wb").write(damaged)
        assert "'NoneType' object is not callable" in run().stderr
    print("cache: a damaged file is not used")
    os.environ["NORM_MLIR_CACHE"] = os.path.join(path, "no", "folder")
    norm_mlir.compile(elementwise("tensor<8xf32>"))
    print("cache: works without a folder")
os.environ["NORM_MLIR_CACHE"] = ""

# Threads of Python, which run at once because the lock is free in calls.
errors = []


def work(number):
    try:
        f = norm_mlir.compile(elementwise(f"tensor<{number + 20}xf32>"))
        ones = np.ones(number + 20, np.float32)
        assert (f(ones, ones) == 2).all()
        for _ in range(200):
            assert norm(x, w).tobytes() == expected.tobytes()
    except BaseException as error:
        errors.append(error)


threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not errors, errors
print("threads: 8 compiled and called at once")

big = np.ones(1 << 25, np.float32)
out = np.empty_like(big)
ticks = []
caller = threading.Thread(target=lambda: [identity(big, big, out=out) for _ in range(10)])
caller.start()
while caller.is_alive():
    ticks.append(time.perf_counter())
assert len(ticks) > 1000
print("threads: Python runs during a call")

# An assertion that fails in a row, the first, the last or one between, is an exception.
table = np.random.default_rng(5).standard_normal((100, 256)).astype(np.float32)
indices = np.arange(4096) % 100
for number in (1, 2):
    find = norm_mlir.compile(lookup(100, 256), threads=number)
    for wrong in (0, 2047, 4095):
        bad = indices.copy()
        bad[wrong] = 100
        try:
            find(table, bad)
            raise AssertionError("not rejected")
        except norm_mlir.NormError as error:
            assert str(error) == "index must be smaller than dim size"
        assert (find(table, indices) == table[indices]).all()
print("threads: an assertion that fails is an exception")

# Extents that do not fit are found before anything is computed: the loop with the assertion would
# write rows of 1000 where the op behind it says 1.
narrow = norm_mlir.compile("""
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%i: tensor<?x?xi64>) -> tensor<?x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = arith.constant 100 : i64
  %rows = tensor.dim %i, %c0 : tensor<?x?xi64>
  %columns = tensor.dim %i, %c1 : tensor<?x?xi64>
  %e = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %x = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?x?xi64>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: i64, %b: f32):
    %fits = arith.cmpi ult, %a, %size : i64
    cf.assert %fits, "index must be smaller than dim size"
    %v = arith.sitofp %a : i64 to f32
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  %one = tensor.empty(%rows) : tensor<?x1xf32>
  %y = linalg.exp ins(%x : tensor<?x?xf32>) outs(%one : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}""")
for columns in (1000, 1):
    try:
        assert (narrow(np.zeros((2, columns), np.int64)) == 1).all() and columns == 1
    except norm_mlir.NormError as error:
        assert "size mismatch of dim 1" in str(error) or "bounds" in str(error), error
        assert columns == 1000
print("extents are checked before loops run")

# A child after fork, also of a program whose loop has run in threads.
parallel = norm_mlir.compile(DYNAMIC, threads=2)
large = np.tile(x, (200, 1))
before = parallel(large, w).tobytes()
child = os.fork()
if child == 0:
    good = parallel(large, w).tobytes() == before
    fresh = norm_mlir.compile(elementwise("tensor<3xf32>"))
    os._exit(0 if good and norm(x, w).tobytes() == expected.tobytes()
             and fresh(w[:3], w[:3]).shape == (3,) else 1)
assert os.waitpid(child, 0)[1] == 0
print("fork: the child calls and compiles")

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have ignored it
# Ctrl-C while it compiles is an exception, and the next compilation works.
interrupted = 0
for i in range(5):
    timer = threading.Timer(0.02 + 0.005 * i, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        for n in range(20):
            norm_mlir.compile(DYNAMIC.replace("1.0e-6", f"{n + 1}.0e-6"), cache=False)
    except KeyboardInterrupt:
        interrupted += 1
    timer.join()
assert interrupted == 5
assert norm_mlir.compile(DYNAMIC, cache=False)(x, w).tobytes() == expected.tobytes()
print("Ctrl-C: KeyboardInterrupt each time")

# References: neither results, arguments nor failed calls are kept.
before = sys.getrefcount(x), sys.getrefcount(w)
for _ in range(100):
    norm(x, w, out=y)
    try:
        norm(x, w[:3])
    except norm_mlir.NormError:
        pass
assert (sys.getrefcount(x), sys.getrefcount(w)) == before
resident = lambda: int(open("/proc/self/statm").read().split()[1]) * 4096
for _ in range(100):
    norm(x, w)
start = resident()
for _ in range(20000):
    norm(x, w)
assert resident() - start < 8 << 20
print("memory: nothing is kept")
