"""Finds RMSNorm in MLIR programs and compiles them for this machine.

    import norm_mlir
    norm = norm_mlir.compile(pathlib.Path("llama_rmsnorm_f32.mlir"))
    y = norm(x, weight)               # numpy, torch on the CPU, DLPack, buffers
    norm(x, weight, out=y)            # into memory of yours, without a copy

docs/Python.md is the guide.
"""
import importlib
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Function, NormError
from ._program import Module, compile, explain, parse, ptx, recognize
from ._rms_norm import rms_norm, rms_norm_backward
from ._types import Found, Location, Recognition, Rejected, TensorType

__all__ = ["Found", "Function", "Location", "Module", "NormError", "Recognition", "Rejected",
           "TensorType", "compile", "explain", "llvm_version", "parse", "ptx",
           "recognize", "rms_norm", "rms_norm_backward"]
__version__: str = _core.version
llvm_version: str = _core.llvm_version

if TYPE_CHECKING:
    from . import jax as jax
    from . import torch as torch
else:  # a type checker would take it for all names
    def __getattr__(name: str) -> Any:
        """norm_mlir.jax and norm_mlir.torch need no import of their own, and import jax and torch
        where a program names them."""
        if name in ("jax", "torch"):
            return importlib.import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
