"""Compiles MLIR on tensors with norm-compile and calls it on numpy arrays and
torch tensors, without copies.

    norm = norm_mlir.compile(text)      # programs from NORM_MLIR_BIN or PATH
    y = norm(x, weight)                 # allocates the results
    norm(x, weight, out=y)              # or writes to yours

Arguments and results must be contiguous, on the CPU, and of the function's type.
That extents which a function leaves open fit each other is for the caller to see to.
"""
import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from typing import NamedTuple

DTYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16",
          "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8", "i1": "bool"}


class NormError(RuntimeError):
    """A program that does not compile, or an argument that does not fit."""


class TensorType(NamedTuple):
    shape: tuple  # None where the function leaves an extent open
    dtype: str

    @staticmethod
    def parse(text, what):
        match = re.fullmatch(r"tensor<((?:[\d?]+x)*)(\w+)>", text)
        if not match or match[2] not in DTYPES:
            raise NormError(f"{what} is {text}; only tensors of {', '.join(DTYPES)} "
                            "can be passed")
        extents = match[1].split("x")[:-1]
        return TensorType(tuple(None if e == "?" else int(e) for e in extents),
                          DTYPES[match[2]])

    def __str__(self):
        return f"{self.dtype}[{', '.join('?' if e is None else str(e) for e in self.shape)}]"


class Buffer:
    """One numpy array or torch tensor, as a ranked memref descriptor sees it."""

    def __init__(self, array, what):
        self.what = what
        if hasattr(array, "data_ptr"):  # torch, which this file does not import
            if array.device.type != "cpu":
                raise NormError(f"{what} is on {array.device}, not on the CPU")
            self.pointer, self.contiguous = array.data_ptr(), array.is_contiguous()
            self.dtype, self.writable = str(array.dtype).removeprefix("torch."), True
        elif hasattr(array, "__array_interface__"):
            self.pointer, self.contiguous = array.ctypes.data, array.flags.c_contiguous
            self.dtype, self.writable = str(array.dtype), array.flags.writeable
        else:
            raise NormError(f"{what} is a {type(array).__name__}, neither a numpy array "
                            "nor a torch tensor")
        self.shape, self.bytes = tuple(array.shape), array.nbytes

    def check(self, expected):
        if self.dtype != expected.dtype:
            raise NormError(f"{self.what} is {self.dtype}, expected {expected}")
        if len(self.shape) != len(expected.shape):
            raise NormError(f"{self.what} has rank {len(self.shape)}, expected {expected}")
        if any(e not in (None, s) for s, e in zip(self.shape, expected.shape)):
            raise NormError(f"{self.what} has shape {list(self.shape)}, expected {expected}")
        if not self.contiguous:
            raise NormError(f"{self.what} is not contiguous; copy it with .contiguous() or "
                            "numpy.ascontiguousarray")

    def overlaps(self, other):
        return (self.pointer < other.pointer + other.bytes
                and other.pointer < self.pointer + self.bytes)

    def descriptor(self):
        """allocated, aligned, offset, sizes, strides: all of them words."""
        strides = []
        for extent in reversed(self.shape):
            strides.insert(0, strides[0] * last if strides else 1)
            last = extent
        words = [self.pointer, self.pointer, 0, *self.shape, *strides]
        return (ctypes.c_ssize_t * len(words))(*words)


class Function:
    """A compiled function; `arguments` and `results` are its TensorTypes."""

    def __init__(self, entry, arguments, results):
        self.entry, self.arguments, self.results = entry, arguments, results

    def __call__(self, *arguments, out=None):
        if len(arguments) != len(self.arguments):
            raise NormError(f"{len(arguments)} arguments, expected {len(self.arguments)}: "
                            f"{', '.join(map(str, self.arguments))}")
        sources = [Buffer(a, f"argument {i}") for i, a in enumerate(arguments)]
        for source, expected in zip(sources, self.arguments):
            source.check(expected)
        if out is None:
            out = self.allocate(arguments)
        outs = list(out) if isinstance(out, (list, tuple)) else [out]
        self.call(sources, self.check_results(outs, sources))
        return outs[0] if len(outs) == 1 else tuple(outs)

    def check_results(self, outs, sources):
        if len(outs) != len(self.results):
            raise NormError(f"{len(outs)} results, expected {len(self.results)}: "
                            f"{', '.join(map(str, self.results))}")
        targets = [Buffer(o, f"result {i}") for i, o in enumerate(outs)]
        for i, (target, expected) in enumerate(zip(targets, self.results)):
            target.check(expected)
            if not target.writable:
                raise NormError(f"{target.what} is read-only")
            # A result may be written before the last read of an argument.
            for other in sources + targets[:i]:
                if target.overlaps(other):
                    raise NormError(f"{target.what} overlaps {other.what}")
        return targets

    def allocate(self, arguments):
        """Buffers for the results, of the first argument's library."""
        for i, result in enumerate(self.results):
            if None in result.shape:
                raise NormError(f"result {i} is {result}: pass a buffer as out=")
        if not arguments or hasattr(arguments[0], "data_ptr"):
            import torch
            return [torch.empty(r.shape, dtype=getattr(torch, r.dtype)) for r in self.results]
        import numpy
        if any(r.dtype == "bfloat16" for r in self.results):
            import ml_dtypes  # noqa: F401, names numpy's bfloat16
        return [numpy.empty(r.shape, dtype=r.dtype) for r in self.results]

    def call(self, sources, targets):
        descriptors = [buffer.descriptor() for buffer in sources + targets]
        self.entry(*map(ctypes.byref, descriptors))


def run_program(name, *arguments, text):
    directory = os.environ.get("NORM_MLIR_BIN")
    program = shutil.which(name, path=directory)
    if not program:
        raise NormError(f"{name} is not in {directory or 'PATH'}: build norm-mlir, then set "
                        "NORM_MLIR_BIN to its bin folder")
    done = subprocess.run([program, "-", *arguments], input=text, capture_output=True, text=True)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise NormError(f"{name}: {(errors or [done.stderr.strip()])[0]}")
    return done.stdout, done.stderr


class Found(NamedTuple):
    forward: int  # RMSNorms
    backward: int  # their backward passes
    refused: list  # why the others were refused


def recognize(text):
    """What the program holds."""
    ir, remarks = run_program("norm-opt", "--norm-recognize", "--remarks-filter=norm.*",
                              text=text)
    refusals = re.findall(r'\[Missed\].*?Remark="(.*)"', remarks)
    count = lambda op: len(re.findall(rf"\bnorm\.{op}\b", ir))
    return Found(count("rmsnorm"), count("rmsnorm_backward"), refusals)


def compile(text, name="main", flags=("--mcpu=native",)):
    """The public function `name` of the MLIR program `text`, loaded."""
    header, _ = run_program("norm-compile", "--emit=header", "-o", "-", *flags, text=text)
    signature = re.search(rf"/\* {name}\((.*)\) -> \((.*)\) \*/", header)
    if not signature:
        raise NormError(f"the program has no public function {name}")
    arguments, results = ([TensorType.parse(t, f"{kind} {i} of {name}")
                           for i, t in enumerate(filter(None, types.split(", ")))]
                          for kind, types in zip(("argument", "result"), signature.groups()))
    with tempfile.TemporaryDirectory() as folder:  # the mapping outlives the file
        library = os.path.join(folder, "lib.so")
        run_program("norm-compile", "--emit=shared", "-o", library, *flags, text=text)
        entry = getattr(ctypes.CDLL(library), f"_mlir_ciface_{name}")
    entry.restype = None
    return Function(entry, arguments, results)


def lower_torch(module, *example):
    """The linalg of a PyTorch module at the shapes and types of `example`."""
    import torch
    from torch_mlir import fx
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    def rms_norm(x, shape, weight=None, eps=None):
        return torch._decomp.decompositions._fused_rms_norm(x, shape, weight, eps)[0]

    # torch-mlir's own lowering computes 16-bit statistics in 16 bits and takes 0
    # for eps=None; PyTorch's decomposition is what eager does.
    table = {**get_decomposition_table(), torch.ops.aten.rms_norm.default: rms_norm}
    return str(fx.export_and_import(module, *example, output_type="linalg-on-tensors",
                                    decomposition_table=table))
