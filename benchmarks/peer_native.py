"""norm-mlir's code and what it is measured against without a framework: copies and loops."""
import ctypes
import os
import subprocess
import tempfile

from peer_numerics import STORAGE, aligned, useful_bytes


class Rows(ctypes.Structure):
    """NormLoopsRows of tools/norm-bench/Loops/Loops.h."""
    _fields_ = [("x", ctypes.c_void_p), ("w", ctypes.c_void_p), ("y", ctypes.c_void_p),
                ("rows", ctypes.c_int64), ("cols", ctypes.c_int64), ("type", ctypes.c_int), ("gemma", ctypes.c_int32)]


def print_program(build, case):
    return subprocess.run([os.path.join(build, "bin", "norm-bench"), "--print-program", f"--rows={case['rows']}",
                           f"--cols={case['cols']}", f"--type={case['type']}", f"--variant={case['variant']}"],
                          check=True, stdout=subprocess.PIPE).stdout


def compile_shared(build, case, threads, output):
    done = subprocess.run([os.path.join(build, "bin", "norm-compile"), "-", "--emit=shared", "--mcpu=native",
                           f"--threads={threads}", "-o", output], input=print_program(build, case),
                          stderr=subprocess.PIPE)
    if done.returncode:
        raise RuntimeError(done.stderr.decode().strip())


def descriptor(array):
    """A ranked memref: allocated, aligned, offset, sizes, strides."""
    strides = [stride // array.itemsize for stride in array.strides]
    words = [array.ctypes.data, array.ctypes.data, 0, *array.shape, *strides]
    return (ctypes.c_int64 * len(words))(*words)


class Native:
    """Copies, loops with intrinsics and norm-mlir, on one pool of OpenMP threads."""
    NAMES = ["memcpy", "non-temporal copy", "intrinsics", "intrinsics nt", "norm-mlir"]

    def __init__(self, build, threads):
        self.build, self.threads = build, threads
        self.loops = ctypes.CDLL(os.path.join(build, "lib", "libnorm-bench-loops.so"))
        self.folder = tempfile.TemporaryDirectory()
        self.count = 0

    def versions(self):
        return {}

    def prepare(self, case, x, w):
        subjects = {}
        self.add_copies(subjects, case)
        self.add_loops(subjects, case, x, w)
        y = aligned(x.shape, x.dtype)
        subjects["norm-mlir"] = self.compile(case, [x, w, y], y)
        return subjects

    def prepare_backward(self, case, x, w, dy):
        subjects = {}
        self.add_copies(subjects, case)
        dx, dw = aligned(x.shape, x.dtype), aligned(w.shape, w.dtype)
        subjects["norm-mlir"] = self.compile(case, [x, dy, w, dx, dw], dx)
        return subjects

    def compile(self, case, arrays, result):
        self.count += 1
        path = os.path.join(self.folder.name, f"main{self.count}.so")
        compile_shared(self.build, case, self.threads, path)
        entry, arguments = ctypes.CDLL(path)._mlir_ciface_main, [descriptor(a) for a in arrays]
        addresses = [ctypes.c_void_p(ctypes.addressof(a)) for a in arguments]
        return lambda: entry(*addresses), lambda: result, (arguments, arrays)

    def add_copies(self, subjects, case):
        size = (useful_bytes(case) // 2 + 63) // 64 * 64
        source, target = aligned((size,), "u1"), aligned((size,), "u1")
        source[:] = 1
        copy = self.loops.normLoopsCopy
        arguments = [ctypes.c_void_p(target.ctypes.data), ctypes.c_void_p(source.ctypes.data), ctypes.c_int64(size)]
        for name, stream in ("memcpy", 0), ("non-temporal copy", 1):
            rest = [ctypes.c_int32(stream), ctypes.c_int32(self.threads)]
            subjects[name] = (lambda rest=rest: copy(*arguments, *rest), None, (source, target))

    def add_loops(self, subjects, case, x, w):
        bits = next((b for b in (512, 256) if self.loops.normLoopsHave(b)), None)
        if not bits:
            return
        for name, stream in ("intrinsics", 0), ("intrinsics nt", 1):
            y = aligned(x.shape, x.dtype)
            rows = Rows(x.ctypes.data, w.ctypes.data, y.ctypes.data, case["rows"], case["cols"],
                        list(STORAGE).index(case["type"]), 0)
            arguments = [ctypes.byref(rows)] + [ctypes.c_int32(v) for v in (bits, stream, self.threads)]
            subjects[name] = (lambda arguments=arguments: self.loops.normLoopsRMSNorm(*arguments), lambda y=y: y, rows)
