"""Finds RMSNorm in MLIR programs and compiles them for this machine.

    import norm_mlir
    norm = norm_mlir.compile("llama_rmsnorm_f32.mlir")
    y = norm(x, weight)               # numpy, torch on the CPU, DLPack, buffers
    norm(x, weight, out=y)            # into memory of yours, without a copy

docs/Python.md is the guide.
"""
import json
import os
from dataclasses import dataclass
from typing import List, Optional, Union

from . import _cache, _core
from ._core import Function, NormError

__all__ = ["Found", "Function", "NormError", "Recognition", "Rejected", "compile", "explain",
           "llvm_version", "ptx", "recognize"]
__version__: str = _core.version
llvm_version: str = _core.llvm_version

_OPENMP = os.path.join(os.path.dirname(__file__), "libomp.so.5")


@dataclass(frozen=True)
class Found:
    """An RMSNorm, or its gradients, that was recognized."""

    location: str
    name: str  #: norm.rmsnorm or norm.rmsnorm_backward
    description: str  #: which variant it is, in words
    op: str  #: the op, as it is printed


@dataclass(frozen=True)
class Rejected:
    """A candidate that is left as it is."""

    location: str
    reason: str  #: one word, docs/Recognition.md
    explanation: str  #: what was expected and what was found


@dataclass(frozen=True)
class Recognition:
    recognized: List[Found]
    rejected: List[Rejected]
    program: str  #: with the ops of what was recognized


def _read(program):
    """The text of a program and its name: a path, or the text itself."""
    is_name = isinstance(program, os.PathLike) or "\n" not in program and (
        program.endswith(".mlir") or os.path.exists(program))
    if is_name:
        try:
            with open(program, encoding="utf-8") as file:
                return file.read(), os.fspath(program)
        except UnicodeDecodeError:
            raise NormError(f"{os.fspath(program)} is not UTF-8 text; bytecode is for "
                            "norm-opt to read") from None
    return program, "<program>"


def _request(program, *, function="", target="cpu", threads=1, rounding="default", cpu="",
             features="", chip=""):
    if not 1 <= threads <= 1024:
        raise NormError(f"threads must be from 1 to 1024, got {threads}")
    text, name = _read(program)
    return {"text": text, "name": name, "function": function or "", "target": target,
            "threads": threads, "rounding": rounding, "cpu": cpu, "features": features,
            "chip": chip}


def compile(program: Union[str, os.PathLike], function: Optional[str] = None, *,
            target: str = "cpu", threads: int = 1, rounding: str = "default", cpu: str = "native",
            features: str = "", cache: bool = True) -> Function:
    """Compiles a function of an MLIR program, given as text or as a path.

    Without `function` it is the only public one, or main. Equal programs and options are
    compiled once in a process, and once on a machine: the folder is $NORM_MLIR_CACHE, or
    norm-mlir in the user's cache folder; NORM_MLIR_CACHE= (empty) keeps none.
    """
    request = _request(program, function=function, target=target, threads=threads,
                       rounding=rounding, cpu=cpu, features=features)
    if target == "nvvm":
        raise NormError("kernels for nvvm do not run in this process: norm_mlir.ptx returns them "
                        "as text, and norm-compile --target=nvvm writes code that launches them")
    load = lambda built: _core.load(*built, _OPENMP if threads > 1 else "")
    if not cache:
        return load(_core.compile(**request))
    return _cache.get(request, lambda: _core.compile(**request), load)


def ptx(program: Union[str, os.PathLike], *, chip: str = "sm_90",
        rounding: str = "default") -> str:
    """The kernels of a program for an NVIDIA GPU, as PTX text. Whoever loads them launches them:
    there is no function of Python for them."""
    return _core.kernels(**_request(program, target="nvvm", chip=chip, rounding=rounding))


def recognize(program: Union[str, os.PathLike], *, rounding: str = "default") -> Recognition:
    """What the program holds, and what was rejected and why."""
    found = json.loads(_core.recognize(**_request(program, rounding=rounding)))
    return Recognition([Found(**f) for f in found["recognized"]],
                       [Rejected(**f) for f in found["rejected"]], found["program"])


def explain(program: Union[str, os.PathLike], *, target: str = "cpu", threads: int = 1,
            rounding: str = "default", cpu: str = "", chip: str = "") -> str:
    """The page that norm-compile --explain prints: what was found, fused and moved."""
    return _core.explain(**_request(program, target=target, threads=threads, rounding=rounding,
                                    cpu=cpu, chip=chip))
