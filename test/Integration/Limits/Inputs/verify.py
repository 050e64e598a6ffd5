"""Calls functions that check their buffers, each in a process of its own, and prints how
that ended.

    verify.py PROGRAM WORK OPTIONS
"""
import os
import signal
import sys

import numpy as np

import caller
from caller import call
from normtest import make_descriptor

library = caller.compile_shared(sys.argv[1], sys.argv[2] + "/verify.so", "--verify-buffers", *sys.argv[3:])


def attempt(what, function, *buffers):
    """Prints the end of the call: returned, or the signal and standard error."""
    sys.stdout.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(writer, 2)
        call(library, function, *buffers)
        os._exit(0)
    os.close(writer)
    message = os.fdopen(reader).read().strip()
    status = os.waitpid(child, 0)[1]
    end = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"returned {os.WEXITSTATUS(status)}"
    print(f"{what}: {end}{' ' if message else ''}{message}")


memory = np.ones(8192, np.float32)
at = lambda first, rows=4, n=64: memory[first:first + rows * n].reshape(rows, n)
x, w, y = at(0), np.ones(64, np.float32), at(256)
attempt("apart", "norm", x, w, y)
attempt("side by side", "norm", at(256), w, at(0))
attempt("in place", "norm", x, w, x)
attempt("one element further", "norm", x, w, at(1))
attempt("one element before", "norm", at(1), w, at(0))
attempt("one row further", "norm", x, w, at(64))
attempt("last element", "norm", x, w, at(255))
attempt("in the weight", "norm", x, memory[4000:4064], at(4063))
attempt("on the weight", "norm", at(0, rows=1), memory[4000:4064], at(4000, rows=1))
attempt("another type in the same place", "widen", memory[:256].view(np.uint16).reshape(8, 64), memory[:512].reshape(8, 64))
attempt("same rows, other strides", "rows", memory[:512].reshape(8, 64)[:, :32], memory[:512].reshape(16, 32)[:8])
attempt("rows in turns", "rows", memory[:512].reshape(8, 64)[:, :32], memory[:512].reshape(8, 64)[:, 32:])
attempt("strided in place", "rows", memory[:512].reshape(8, 64)[:, :32], memory[:512].reshape(8, 64)[:, :32])
attempt("backwards, apart", "all", memory[:512].reshape(8, 64)[::-1, ::-1], memory[512:1024].reshape(8, 64))
attempt("backwards, one element over", "all", memory[:512].reshape(8, 64)[::-1, ::-1], memory[511:1023].reshape(8, 64))
attempt("two outputs in one", "two", x, y, y)
attempt("two outputs overlap", "two", x, at(1024), at(1028))
attempt("first output in place", "two", x, x, y)
attempt("second output in place", "two", x, y, x)
null = make_descriptor(0, (4, 64), (64, 1))
attempt("null input", "norm", null, w, y)
attempt("null output", "norm", x, w, null)
attempt("null of no rows", "norm", make_descriptor(0, (0, 64), (64, 1)), w, make_descriptor(0, (0, 64), (64, 1)))
odd = make_descriptor(memory.ctypes.data + 2, (4, 64), (64, 1))
attempt("between elements", "norm", odd, w, y)
attempt("strided for a type that is not", "norm", memory[:512].reshape(4, 128)[:, :64], w, y)
attempt("transposed", "norm", memory[:256].reshape(64, 4).T, w, y)
attempt("an offset", "norm", make_descriptor(memory.ctypes.data, (4, 64), (64, 1), offset=64), w, y)
attempt("too short", "norm", at(0, n=32), w, y)
attempt("negative extent", "norm", make_descriptor(memory.ctypes.data, (-4, 64), (64, 1)), w, y)
attempt("one row, any stride", "norm", make_descriptor(memory.ctypes.data, (1, 64), (7, 1)), w, at(256, rows=1))
