"""RMSNorm and its gradients as functions, for which no program has to be written.

The programs have open extents but for the length of a row, of which a model has few.
"""
import functools
import math
import numbers
import sys
from typing import Any, NamedTuple

import numpy

from ._core import Function, NormError
from ._program import compile

__all__ = ["rms_norm", "rms_norm_backward"]

_MLIR_TYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16"}


class Norm(NamedTuple):
    """What a program is compiled for. `weight_dims` are the dimensions of x that the weight and
    its gradient have, the last and perhaps those of a batch."""

    dtype: str
    rank: int
    length: int
    weight_dtype: str | None
    weight_dims: tuple[int, ...]
    eps: float
    threads: int

    def get_type(self) -> str:
        return f"tensor<{'?x' * (self.rank - 1)}{self.length}x{_MLIR_TYPES[self.dtype]}>"

    def get_weight_type(self) -> str:
        assert self.weight_dtype
        extents = "?x" * (len(self.weight_dims) - 1)
        return f"tensor<{extents}{self.length}x{_MLIR_TYPES[self.weight_dtype]}>"

    def get_attributes(self) -> str:
        weight_dims = f" weight_dims = {[*self.weight_dims]}" if self.weight_dtype else ""
        return f"dims = [{self.rank - 1}] epsilon = {self.eps:.17e} : f64{weight_dims}"


def describe(x: Any, weight: Any, eps: float, threads: int,
             weight_dims: tuple[int, ...] | None = None) -> Norm:
    """The norm of these arrays, which have dtypes and shapes of their libraries."""
    names = [str(a.dtype).removeprefix("torch.") for a in (x, weight) if a is not None]
    for kind, name in zip(("x", "weight"), names):
        if name not in _MLIR_TYPES:
            raise TypeError(f"{kind} is of {name}; rms_norm takes {', '.join(_MLIR_TYPES)}")
    if not x.shape:
        raise NormError("x has no dimension to normalize")
    dims = (len(x.shape) - 1,) if weight_dims is None else weight_dims
    expected = tuple(x.shape[d] for d in dims)
    if weight is not None and tuple(weight.shape) != expected:
        raise NormError(f"weight has shape {[*weight.shape]}, expected {[*expected]}")
    if not isinstance(eps, numbers.Real):
        raise TypeError(f"eps must be a float, not {type(eps).__name__}")
    eps = float(eps)
    largest = float(numpy.finfo("float64" if names[0] == "float64" else "float32").max)
    if not 0 <= eps <= largest:
        raise NormError(f"eps must be a number from 0, got {eps}")
    return Norm(names[0], len(x.shape), x.shape[-1], names[1] if len(names) == 2 else None, dims,
                eps, threads)


def _write_empty(name: str, source: str, dims: tuple[int, ...], type: str, source_type: str) -> str:
    """Lines that make the tensor `name`, with open extents of `source`."""
    lines = [f"  {name}_{d} = arith.constant {d} : index\n"
             f"  {name}_extent{d} = tensor.dim {source}, {name}_{d} : {source_type}"
             for d in dims[:-1]]
    extents = ", ".join(f"{name}_extent{d}" for d in dims[:-1])
    return "\n".join([*lines, f"  {name} = tensor.empty({extents}) : {type}"])


@functools.cache
def compile_forward(norm: Norm) -> Function:
    """(x, weight) -> y"""
    x, weight = norm.get_type(), norm.weight_dtype and norm.get_weight_type()
    arguments = f"%x: {x}, %w: {weight}" if weight else f"%x: {x}"
    inputs = f"%x, %w : {x}, {weight}" if weight else f"%x : {x}"
    return compile(f"""
func.func @rms_norm({arguments}) -> {x} {{
{_write_empty("%init", "%x", (*range(norm.rank),), x, x)}
  %y = norm.rmsnorm ins({inputs}) outs(%init : {x}) {norm.get_attributes()} -> {x}
  return %y : {x}
}}""", threads=norm.threads)


@functools.cache
def compile_backward(norm: Norm) -> Function:
    """(dy, x, weight) -> (dx, dw)"""
    x, weight = norm.get_type(), norm.weight_dtype and norm.get_weight_type()
    arguments, operands, inits, results = f"%dy: {x}, %x: {x}", "", f"dx(%dx_init : {x})", x
    lines = [_write_empty("%dx_init", "%x", (*range(norm.rank),), x, x)]
    if weight:
        arguments, operands = f"{arguments}, %w: {weight}", f" weight(%w : {weight})"
        inits, results = f"{inits} dw(%dw_init : {weight})", f"{x}, {weight}"
        lines.append(_write_empty("%dw_init", "%x", norm.weight_dims, weight, x))
    values = "%dx, %dw" if weight else "%dx"
    return compile("\n".join([
        f"func.func @rms_norm_backward({arguments}) -> ({results}) {{", *lines,
        f"  {values} = norm.rmsnorm_backward ins(%dy, %x : {x}, {x}){operands} {inits}",
        f"    {norm.get_attributes()} -> {results}", f"  return {values} : {results}", "}"]),
        threads=norm.threads)


def _is_of(library: str, name: str, value: Any) -> bool:
    """Whether it is of a class of a library, which is not imported for this."""
    return library in sys.modules and isinstance(value, getattr(sys.modules[library], name))


def rms_norm(x: Any, weight: Any = None, eps: float = 1e-6, *, threads: int = 1) -> Any:
    """x / sqrt(mean(x^2) + eps) * weight over the last dimension of x.

    The statistic and the products are in f32 for floats of 16 bits, and the result is rounded to
    the type of x once. On torch tensors and jax arrays it has a gradient, and jax may trace it.
    """
    if _is_of("torch", "Tensor", x):
        from . import _torch_norm

        return _torch_norm.rms_norm(x, weight, eps, threads)
    if _is_of("jax", "Array", x):
        from . import jax

        return jax.rms_norm(x, weight, eps, threads=threads)
    given = [numpy.ascontiguousarray(a) for a in (x, weight) if a is not None]
    norm = describe(numpy.asarray(x), given[1] if len(given) == 2 else None, eps, threads)
    return compile_forward(norm)(*given)


def rms_norm_backward(dy: Any, x: Any, weight: Any = None, eps: float = 1e-6, *,
                      threads: int = 1) -> Any:
    """The gradients (dx, dw) of rms_norm on numpy arrays, where dy is that of its result;
    without a weight dx alone."""
    given = [numpy.ascontiguousarray(a) for a in (dy, x, weight) if a is not None]
    norm = describe(numpy.asarray(x), given[2] if len(given) == 3 else None, eps, threads)
    if numpy.shape(dy) != numpy.shape(x):
        raise NormError(f"dy has shape {[*numpy.shape(dy)]}, expected {[*numpy.shape(x)]}")
    return compile_backward(norm)(*given)
