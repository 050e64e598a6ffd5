"""A program: parsed once, then recognized, compiled and explained."""
import functools
import json
import operator
import os
import stat
from collections.abc import Callable
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from . import _cache, _core
from ._types import Found, Location, Recognition, Rejected, TensorType

Rounding = Literal["default", "exact", "relaxed"]
#: The text of a program, or the path of a file that has it.
Program = str | os.PathLike[str]

_OPENMP = os.path.join(os.path.dirname(__file__), "libomp.so.5")


def _read(program: Program) -> tuple[str, str]:
    """The text of a program and its name."""
    if isinstance(program, str):
        if program.endswith(".mlir") and "\n" not in program:
            raise _core.NormError(f"{program!r} is the name of a file, but a str is a program: "
                                  f"pass pathlib.Path({program!r})")
        return program, "<program>"
    if not isinstance(program, os.PathLike):
        raise TypeError("a program is a str of MLIR or an os.PathLike of a file, not "
                        f"{type(program).__name__}")
    try:
        with open(program, encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not file.isatty()):
                raise _core.NormError(f"{os.fspath(program)} is a device, not a file")
            return file.read(), os.fspath(program)
    except UnicodeDecodeError:
        raise _core.NormError(f"{os.fspath(program)} is not UTF-8 text; bytecode is for "
                              "norm-opt to read") from None


def _make_request(*, threads: int = 1, **texts: str | None) -> dict[str, Any]:
    """The options of the compiler."""
    request: dict[str, Any] = {"function": "", "target": "cpu", "rounding": "default", "cpu": "",
                               "features": "", "chip": ""}
    for name, text in texts.items():
        if not isinstance(text, str) and (name != "function" or text is not None):
            raise TypeError(f"{name} must be a str, not {type(text).__name__}")
        request[name] = text or ""
    try:
        number = operator.index(threads)
    except TypeError:
        raise TypeError(f"threads must be an int, not {type(threads).__name__}") from None
    if not 1 <= number <= 1024:
        raise _core.NormError(f"threads must be from 1 to 1024, got {threads}")
    return request | {"threads": number}


def _read_type(type: dict[str, Any] | None) -> TensorType | None:
    return type and TensorType(type["element"], None if type["scalar"] else tuple(
        None if extent < 0 else extent for extent in type["shape"]))


def _read_location(found: dict[str, Any]) -> Location | None:
    return found["location"] and Location(**found["location"])


def _read_found(found: dict[str, Any]) -> Found:
    return Found(**found | {"location": _read_location(found), "dims": tuple(found["dims"]),
                            "input": _read_type(found["input"]),
                            "weight": _read_type(found["weight"])})


class Module:
    """A program, which is parsed when it is first needed, and once.

    `program` is its text, or a path. Threads may share a module: one after the other uses it.
    """

    def __init__(self, program: Program) -> None:
        self.text, self.name = _read(program)

    def __repr__(self) -> str:
        return f"<norm_mlir.Module {self.name}>"

    @functools.cached_property
    def _parsed(self) -> _core.Program:
        return _core.parse(self.text, self.name)

    def recognize(self, *, rounding: Rounding = "default") -> Recognition:
        """What the program holds, and what was rejected and why."""
        found = json.loads(self._parsed.recognize(**_make_request(rounding=rounding)))
        return Recognition(
            [_read_found(each) for each in found["recognized"]],
            [Rejected(**each | {"location": _read_location(each)}) for each in found["rejected"]],
            found["program"])

    def compile(self, function: str | None = None, *, target: Literal["cpu", "nvvm"] = "cpu",
                threads: int = 1, rounding: Rounding = "default", cpu: str = "native",
                features: str = "", chip: str = "", cache: bool = True) -> _core.Function:
        """Compiles a function; without a name the only public one, or main. For nvvm it is one
        of tensors on an NVIDIA GPU, of which `chip` is the oldest (sm_90) that it runs on.

        Equal programs and options are compiled once in a process, and once on a machine: the
        folder is $NORM_MLIR_CACHE, or norm-mlir in the user's cache folder; NORM_MLIR_CACHE=
        (empty) keeps none. A program from there is not even parsed.
        """
        request = _make_request(function=function, target=target, threads=threads,
                                rounding=rounding, cpu=cpu, features=features, chip=chip)
        if target == "nvvm" and request["threads"] > 1:
            raise _core.NormError("threads are for the target cpu")
        if target == "cpu" and chip:
            raise _core.NormError("chip is for the target nvvm")
        build = lambda: self._parsed.compile(**request)
        load = lambda built: _core.load(*built, _OPENMP if request["threads"] > 1 else "")
        if not cache:
            return load(build())
        return _cache.get(request | {"text": self.text}, build, load)

    def ptx(self, *, chip: str = "sm_90", rounding: Rounding = "default") -> str:
        """The kernels for an NVIDIA GPU, as PTX text."""
        return self._parsed.kernels(**_make_request(target="nvvm", chip=chip, rounding=rounding))

    def explain(self, *, target: Literal["cpu", "nvvm"] = "cpu", threads: int = 1,
                rounding: Rounding = "default", cpu: str = "", chip: str = "") -> str:
        """The page that norm-compile --explain prints: what was found, fused and moved."""
        return self._parsed.explain(**_make_request(target=target, threads=threads, cpu=cpu,
                                                  rounding=rounding, chip=chip))


def parse(program: Program) -> Module:
    """Parses a program. What is no program is a NormError."""
    module = Module(program)
    module._parsed
    return module


P = ParamSpec("P")
T = TypeVar("T")


def _of_program(
        method: Callable[Concatenate[Module, P], T]) -> Callable[Concatenate[Program, P], T]:
    """A method of Module as a function of a program."""
    def function(program: Program, *arguments: P.args, **options: P.kwargs) -> T:
        return method(Module(program), *arguments, **options)

    return functools.wraps(method, assigned=("__doc__", "__name__", "__qualname__"))(function)


compile = _of_program(Module.compile)
ptx = _of_program(Module.ptx)
recognize = _of_program(Module.recognize)
explain = _of_program(Module.explain)
