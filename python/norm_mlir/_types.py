"""What is known of programs, as data."""
from dataclasses import dataclass
from typing import Literal

__all__ = ["Found", "Location", "Recognition", "Rejected", "TensorType"]


@dataclass(frozen=True)
class TensorType:
    """The type of an argument or a result."""

    dtype: str  #: as numpy, ml_dtypes and torch name it, such as bfloat16
    shape: tuple[int | None, ...] | None  #: None: an open extent; instead of a shape: a number

    def __str__(self) -> str:
        if self.shape is None:
            return self.dtype
        extents = ("?" if extent is None else str(extent) for extent in self.shape)
        return f"{self.dtype}[{', '.join(extents)}]"


@dataclass(frozen=True)
class Location:
    """A place in a file; lines and columns are from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Found:
    """An RMSNorm, or its gradients, that was recognized."""

    kind: Literal["rmsnorm", "rmsnorm_backward"]
    location: Location | None  #: None: the program does not say
    input: TensorType  #: of x
    weight: TensorType | None  #: None: there is no weight
    dims: tuple[int, ...]  #: the normalized dimensions of x
    epsilon: float | None  #: None: gradients from a root that was saved
    epsilon_mode: Literal["inside", "outside", "clamp"]  #: docs/Norm.md, S3
    compute_dtype: str  #: of the statistic
    description: str  #: which variant it is, in words
    op: str  #: the op of the dialect norm, as it is printed


@dataclass(frozen=True)
class Rejected:
    """A candidate that is left as it is."""

    location: Location | None
    reason: str  #: one word, docs/Recognition.md
    explanation: str  #: what was expected and what was found


@dataclass(frozen=True)
class Recognition:
    recognized: list[Found]
    rejected: list[Rejected]
    program: str  #: with the ops of what was recognized
