"""Types of the extension."""
from typing import Any, Final, final

from ._types import TensorType

version: Final[str]
llvm_version: Final[str]

class NormError(ValueError):
    """A program that does not compile, or an argument that does not fit."""

@final
class Function:
    """A compiled function."""

    def __call__(self, /, *arguments: Any, out: Any = None) -> Any:
        """Arguments have DLPack or the buffer protocol, or are numbers; `out` is the result, or
        a tuple of results, to write: the tensors alone. Returns a result, or a tuple of
        several."""
    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> tuple[TensorType, ...]: ...
    @property
    def results(self) -> tuple[TensorType, ...]: ...

@final
class Program:
    """A parsed program."""

    def compile(self, **request: Any) -> tuple[bytes, str]: ...
    def kernels(self, **request: Any) -> str: ...
    def recognize(self, **request: Any) -> str: ...
    def explain(self, **request: Any) -> str: ...

def parse(text: str, name: str, /) -> Program: ...
def load(object: bytes, signature: str, openmp_library: str, /) -> Function: ...
def publish(function: Function, /) -> str: ...
def xla_handler() -> Any: ...
def host_cpu() -> str: ...
