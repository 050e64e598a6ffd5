"""Buffers of more than 2^31 elements, of which few pages are touched.

    huge.py PROGRAM WORK sparse|long OPTIONS
"""
import mmap
import sys

import numpy as np

import caller
from caller import LIMIT, distance
from normtest import NUMPY, make_descriptor, norm, store, widen

FAR = 2**31 + 8  # elements
library = caller.compile_shared(sys.argv[1], sys.argv[2] + "/huge.so", *sys.argv[4:])
random = np.random.default_rng(4)
passed = True


class Sparse:
    """Memory of `count` elements that are zero and take no room until they are written."""

    def __init__(self, count, kind):
        self.type = np.dtype(NUMPY[kind])
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
        self.memory = mmap.mmap(-1, count * self.type.itemsize, flags=flags)
        self.array = np.frombuffer(self.memory, self.type)
        self.address = self.array.ctypes.data

    def rows(self, first, stride, count, n):
        return np.lib.stride_tricks.as_strided(self.array[first:], (count, n), (stride * self.type.itemsize, self.type.itemsize))


def report(what, holds):
    global passed
    passed &= bool(holds)
    print(f"{what}: {'right' if holds else 'WRONG'}")


def near(y, x, kind):
    return distance(y, norm(widen(x), 1), kind).max() <= LIMIT[kind]


def test_rows(kind, n, function, stride=FAR):
    """Three rows, 2^31 elements from each other, at an offset of as many."""
    x, y = (Sparse(4 * stride, kind) for _ in range(2))
    values = store(random.standard_normal((3, n)).astype(np.float32), kind)
    x.rows(stride, stride, 3, n)[...] = values
    describe = lambda b: make_descriptor(b.address, (3, n), (stride, 1), offset=stride)
    caller.call(library, function, describe(x), describe(y))
    out = y.rows(stride, stride, 3, n)
    outside = y.rows(0, stride, 4, n + 64)[:, n:].any() or y.rows(0, stride, 1, n).any()
    report(f"{function}, rows {stride} elements apart", near(out, values, kind) and not outside)
    caller.call(library, function, describe(x), describe(x))
    report(f"{function}, in place", (x.rows(stride, stride, 3, n) == out).all())


def test_columns(kind, n=5):
    """Five elements a row, 2^31 elements from each other."""
    x, y = (Sparse(n * FAR, kind) for _ in range(2))
    values = store(random.standard_normal((3, n)).astype(np.float32), kind)
    for j in range(n):
        x.array[j * FAR:j * FAR + 3] = values[:, j]
    describe = lambda b: make_descriptor(b.address, (3, n), (1, FAR))
    caller.call(library, f"columns_{kind}", describe(x), describe(y))
    out = np.stack([y.array[j * FAR:j * FAR + 3] for j in range(n)], 1)
    report(f"columns_{kind}, {FAR} elements apart", near(out, values, kind))


def contiguous(kind, rows, n, marked):
    x = Sparse(rows * n, kind)
    view = x.array.reshape(rows, n)
    for row in marked:
        view[row] = store(random.standard_normal(n).astype(np.float32), kind)
    return x, view


def test_statistic(kind="bf16", rows=524289, n=4096):
    """2^31 + 4096 elements are read, a value a row is written."""
    marked = [0, 1, rows - 2, rows - 1]
    x, view = contiguous(kind, rows, n, marked)
    r = np.zeros(rows, np.float32)
    caller.call(library, "statistic", make_descriptor(x.address, (rows, n), (n, 1)), make_descriptor(r.ctypes.data, (rows,), (1,)))
    wide = widen(view[marked]).astype(np.float64)
    expected = 1 / np.sqrt((wide**2).mean(-1) + 1e-6)
    rest = np.delete(r, marked)
    report(f"statistic of {rows}x{n}", np.allclose(r[marked], expected, rtol=4e-7, atol=0)
           and (np.abs(rest - 1000) < 1e-3).all())


def test_one_row(kind="bf16", n=2**31 + 100):
    """The sum of one row, whose first and last elements alone are not zero."""
    x = Sparse(n, kind)
    x.array[[0, 64, 2**31 - 1, 2**31, n - 17, n - 1]] = store(np.float32([256, 512, 1024, 2048, 4096, 8192]), kind)
    r = np.zeros(1, np.float32)
    caller.call(library, "one_row", make_descriptor(x.address, (1, n), (n, 1)), make_descriptor(r.ctypes.data, (1,), (1,)))
    mean = sum(4.0**i for i in range(8, 14)) / n
    report(f"statistic of 1x{n}", abs(r[0] * np.sqrt(mean + 1e-6) - 1) < 4e-7)


def test_in_place(kind="bf16", rows=524289, n=4096):
    """A static shape of 2^31 + 4096 elements, all of them written."""
    marked = [0, 524287, rows - 1]
    x, view = contiguous(kind, rows, n, marked)
    values = view[marked].copy()
    d = make_descriptor(x.address, (rows, n), (n, 1))
    caller.call(library, "all", d, d)
    rest = not view[1:524287:4099].any() and not view[rows - 2].any() if 524287 != rows - 2 else not view[1:524287:4099].any()
    report(f"in place {rows}x{n}", near(view[marked], values, kind) and rest)


if sys.argv[3] == "sparse":
    test_rows("bf16", 1000, "rows_bf16")
    test_rows("f32", 100, "rows_f32")
    test_rows("f16", 64, "static_f16", stride=2147483712)
    test_columns("bf16")
    test_columns("f32")
else:
    test_statistic()
    test_one_row()
    test_in_place()
sys.exit(int(not passed))
