"""Buffers that begin anywhere, are strided, or are shared between an input and an
output.

    places.py WORK CPU LIBRARY-DIR
"""
import ctypes
import mmap
import os
import sys

import numpy as np

import caller
from caller import LIMIT, bits, call, distance, norm_function
from normtest import align, norm, store, widen

WORK, CPU, LIBRARY_DIR = sys.argv[1:]
LIBC = ctypes.CDLL(None, use_errno=True)
random = np.random.default_rng(9)
LENGTHS = (3, 64, 100, 257, 1000)

# All strides dynamic, or those between rows alone.
STRIDED = """
func.func @{name}(%x: memref<?x?x{t}, strided<[?, {inner}], offset: ?>>, %w: memref<?x{t}>,
                  %y: memref<?x?x{t}, strided<[?, {inner}], offset: ?>>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tx = bufferization.to_tensor %x restrict : memref<?x?x{t}, strided<[?, {inner}], offset: ?>> to tensor<?x?x{t}>
  %tw = bufferization.to_tensor %w restrict : memref<?x{t}> to tensor<?x{t}>
  %m = tensor.dim %tx, %c0 : tensor<?x?x{t}>
  %n = tensor.dim %tx, %c1 : tensor<?x?x{t}>
  %i = tensor.empty(%m, %n) : tensor<?x?x{t}>
  %r = norm.rmsnorm ins(%tx, %tw : tensor<?x?x{t}>, tensor<?x{t}>) outs(%i : tensor<?x?x{t}>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?x{t}>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<?x?x{t}>, memref<?x?x{t}, strided<[?, {inner}], offset: ?>>) -> ()
  return
}}
"""
# h = x + residual and its norm are both results.
RESIDUAL = """
func.func @residual_{n}(%x: tensor<?x{n}xf32>, %res: tensor<?x{n}xf32>, %w: tensor<{n}xf32>) -> (tensor<?x{n}xf32>, tensor<?x{n}xf32>) {{
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x{n}xf32>
  %i = tensor.empty(%m) : tensor<?x{n}xf32>
  %h = linalg.add ins(%x, %res : tensor<?x{n}xf32>, tensor<?x{n}xf32>) outs(%i : tensor<?x{n}xf32>) -> tensor<?x{n}xf32>
  %y = norm.rmsnorm ins(%h, %w : tensor<?x{n}xf32>, tensor<{n}xf32>) outs(%i : tensor<?x{n}xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x{n}xf32>
  return %h, %y : tensor<?x{n}xf32>, tensor<?x{n}xf32>
}}
"""
failures = []


def program(kinds):
    text = ""
    for kind in kinds:
        text += "".join(norm_function(f"{kind}_{n}", kind, None, n) for n in LENGTHS)
        text += norm_function(f"{kind}_any", kind, None, None)
        text += STRIDED.format(name=f"{kind}_strided", t=kind, inner="?")
        text += STRIDED.format(name=f"{kind}_rows", t=kind, inner="1")
    return text + "".join(RESIDUAL.format(n=n) for n in LENGTHS + (20000,))


def compile_all():
    def write(name, kinds):
        with open(f"{WORK}/{name}.mlir", "w") as file:
            file.write(program(kinds))
        return f"{WORK}/{name}.mlir"

    every, wide = ("f32", "f16", "bf16"), ("f32", "f16")
    file = write("every", every)
    yield "one thread", every, caller.compile_shared(file, WORK + "/one.so", f"--mcpu={CPU}", "--verify-buffers")
    yield "two threads", every, caller.compile_shared(file, WORK + "/two.so", f"--mcpu={CPU}", "--threads=2")
    # Not bf16, for which clang calls a function that libgcc may lack.
    forced = "cache-bytes=1 threads=2 grain=1"
    yield "streamed", wide, caller.compile_forced(write("wide", wide), WORK + "/wide.so", CPU, forced, LIBRARY_DIR)


def expect(holds, what):
    if not holds:
        failures.append(what)


def values(rows, n, kind):
    x = store(random.standard_normal((rows, n)).astype(np.float32), kind)
    w = store(random.uniform(0.5, 1.5, n).astype(np.float32), kind)
    return x, w


def near(y, x, w, kind):
    return distance(y, norm(widen(x), widen(w)), kind).max() <= LIMIT[kind]


def test_unaligned(library, how, kinds):
    for kind in kinds:
        for n in LENGTHS + (None,):
            x, w = values(21, n or 111, kind)
            for shift in range(0, 33, 1 if n == 100 else 5):
                size = x.itemsize
                y, around = align(x, shift * size, 7)
                call(library, f"{kind}_{n or 'any'}", align(x, 3 * shift % 17 * size)[0],
                     align(w, shift % 7 * size)[0], y)
                expect(near(y, x, w, kind), f"{how}: {kind}_{n} at {shift} is wrong")
                y.view(np.uint8)[...] = 7
                expect((around == 7).all(), f"{how}: {kind}_{n} at {shift} writes outside")


def fence(array, atEnd):
    """A copy that ends where a page ends behind which nothing may be accessed, or begins
    where one begins before which nothing may be."""
    page = mmap.PAGESIZE
    room = -(-array.nbytes // page) * page
    memory = mmap.mmap(-1, room + 2 * page)
    around = np.frombuffer(memory, np.uint8)
    for forbidden in (0, page + room):
        if LIBC.mprotect(ctypes.c_void_p(around.ctypes.data + forbidden), page, 0):
            raise OSError("mprotect")
    first = page + (room - array.nbytes if atEnd else 0)
    inside = around[first:first + array.nbytes].view(array.dtype).reshape(array.shape)
    inside[...] = array
    return inside


def test_fences(library, how, kinds):
    """A read or a write outside ends the program."""
    for kind in kinds:
        for n in LENGTHS + (None,):
            for rows in (1, 21):
                x, w = values(rows, n or 111, kind)
                for atEnd in (True, False):
                    y = fence(np.zeros_like(x), atEnd)
                    call(library, f"{kind}_{n or 'any'}", fence(x, atEnd), fence(w, atEnd), y)
                    expect(near(y, x, w, kind), f"{how}: {kind}_{n}, {rows} rows between fences are wrong")


def test_large(library, how, kinds):
    """Larger than the caches, so that rows are streamed, at every place of a line: the
    bits of few rows, which are not."""
    least = 20 * max(os.sysconf(191), 2**20)  # _SC_LEVEL2_CACHE_SIZE
    for kind in kinds:
        for n in (100, 1000, None):
            x, w = values(251, n or 111, kind)
            few = np.zeros_like(x)
            name = f"{kind}_{n or 'any'}"
            call(library, name, x, w, few)
            times = 1 + least // (2 * x.nbytes)
            y = fence(np.zeros((times * 251, x.shape[1]), x.dtype), atEnd=True)
            call(library, name, np.tile(x, (times, 1)), w, y)
            expect((bits(y) == np.tile(bits(few), (times, 1))).all(), f"{how}: {name}, many rows differ from few")


VIEWS = {"every third column": lambda a: a[:, ::3], "transposed": lambda a: a.T, "columns backwards": lambda a: a[:, ::-1],
         "rows backwards": lambda a: a[::-1], "every other row": lambda a: a[::2, 1:], "a row for all": None}


def test_strided(library, how, kinds):
    for kind in kinds:
        for name, view in VIEWS.items():
            memory, _ = values(43, 311, kind)
            x = view(memory) if view else np.broadcast_to(memory[:1], (9, 311))
            w = values(1, x.shape[1], kind)[1]
            original, out = x.copy(), np.full((2 * x.shape[0], 2 * x.shape[1]), 7, x.dtype)
            y = out[::2, ::2]
            call(library, f"{kind}_strided", x, w, y)
            expect(near(y, original, w, kind), f"{how}: {kind}, {name} is wrong")
            if view:
                call(library, f"{kind}_strided", x, w, x)
                expect((bits(x) == bits(y)).all(), f"{how}: {kind}, {name}, differs in place")
            y[...] = 7
            expect((out == 7).all(), f"{how}: {kind}, {name} writes outside")
        memory, w = values(30, 1000, kind)
        for columns in (slice(0, 64), slice(100, 357), slice(1, 1000)):
            out = np.full((30, 1003), 7, memory.dtype)
            x, y = memory[:, columns], out[:, columns]
            call(library, f"{kind}_rows", x, w[columns], y)
            expect(near(y, x, w[columns], kind), f"{how}: {kind}, {columns} is wrong")
            before = memory.copy()
            call(library, f"{kind}_rows", x, w[columns], x)
            expect((bits(x) == bits(y)).all(), f"{how}: {kind}, {columns} differs in place")
            before[:, columns] = x
            expect((bits(memory) == bits(before)).all(), f"{how}: {kind}, {columns} in place writes outside")


def test_in_place(library, how, kinds):
    for kind in kinds:
        # Short rows in blocks and what is left of them; rows beyond the caches, read twice.
        for n, rows in [(n, r) for n in LENGTHS for r in (1, 4, 37, 6000 if n < 257 else 600)] + [(None, 3)]:
            x, w = values(rows, n or 1048576, kind)
            y, z = np.zeros_like(x), x.copy()
            call(library, f"{kind}_{n or 'any'}", x, w, y)
            call(library, f"{kind}_{n or 'any'}", z, w, z)
            expect((bits(y) == bits(z)).all(), f"{how}: {kind}_{n}, {rows} rows differ in place")
            expect(near(y, x, w, kind), f"{how}: {kind}_{n}, {rows} rows are wrong")


def test_residual(library, how, kinds):
    for n in LENGTHS + (20000,):
        for rows in (5, 37, 600):
            x, w = values(rows, n, "f32")
            res = values(rows, n, "f32")[0]
            h, y = np.zeros_like(x), np.zeros_like(x)
            call(library, f"residual_{n}", x, res, w, h, y)
            expect((bits(h) == bits(x + res)).all() and near(y, h, w, "f32"), f"{how}: residual_{n} is wrong")
            for outputs in ((0, None), (None, 0), (1, None), (None, 1), (0, 1), (1, 0)):
                inputs = [x.copy(), res.copy()]
                h1, y1 = (np.zeros_like(x) if o is None else inputs[o] for o in outputs)
                call(library, f"residual_{n}", *inputs, w, h1, y1)
                expect((bits(h1) == bits(h)).all() and (bits(y1) == bits(y)).all(),
                       f"{how}: residual_{n}, {rows} rows, outputs in inputs {outputs} differ")


for how, kinds, library in compile_all():
    for test in (test_unaligned, test_fences, test_large, test_strided, test_in_place, test_residual):
        test(library, how, kinds)
        print(f"{test.__name__} {how}: {len(failures)} wrong")
for failure in failures[:20]:
    print(failure)
sys.exit(int(bool(failures)))
