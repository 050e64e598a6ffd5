"""norm_mlir.rms_norm on torch tensors: calls with their gradient, and an operator for graphs."""
from typing import Any

import torch
from torch.autograd import forward_ad

from ._core import NormError
from ._rms_norm import compile_backward, compile_forward, describe

Tensor = torch.Tensor


def _forward(x: Tensor, weight: Tensor | None, eps: float, threads: int) -> Tensor:
    function = compile_forward(describe(x, weight, eps, threads))
    result: Tensor = function(*(a.contiguous() for a in (x, weight) if a is not None))
    return result


def _backward(dy: Tensor, x: Tensor, weight: Tensor | None, eps: float,
              threads: int) -> list[Tensor]:
    function = compile_backward(describe(x, weight, eps, threads))
    results = function(*(a.contiguous() for a in (dy, x, weight) if a is not None))
    return [results] if weight is None else [*results]


def _save(ctx: Any, inputs: Any, output: Any) -> None:
    x, weight, *ctx.options = inputs
    ctx.save_for_backward(x, weight)


class _Call(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        _save(ctx, inputs, None)
        return _forward(*inputs)

    @staticmethod
    def backward(ctx: Any, dy: Tensor) -> Any:
        if torch.is_grad_enabled():  # create_graph=True: what is returned would be a constant
            raise NormError("rms_norm has a gradient, which has none of its own")
        dx, *dw = _backward(dy, *ctx.saved_tensors, *ctx.options)
        return dx, *(dw or [None]), None, None


# In graphs the same are operators, which cost ten times as much per call.
_forward_op = torch.library.custom_op("norm_mlir::rms_norm", _forward, mutates_args=(),
                                      device_types="cpu")
_backward_op = torch.library.custom_op("norm_mlir::rms_norm_backward", _backward, mutates_args=(),
                                       device_types="cpu")


@_forward_op.register_fake
def _(x: Tensor, weight: Tensor | None, eps: float, threads: int) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@_backward_op.register_fake
def _(dy: Tensor, x: Tensor, weight: Tensor | None, eps: float, threads: int) -> list[Tensor]:
    return [torch.empty_like(a, memory_format=torch.contiguous_format)
            for a in (x, weight) if a is not None]


def _differentiate(ctx: Any, dy: Tensor) -> Any:
    dx, *dw = _backward_op(dy, *ctx.saved_tensors, *ctx.options)
    return dx, *(dw or [None]), None, None


_forward_op.register_autograd(_differentiate, setup_context=_save)


def _has_tangent(x: Tensor) -> bool:
    """Whether x is differentiated forward, by which an operator's results would have none."""
    return (forward_ad._current_level >= 0
            and forward_ad.unpack_dual(x).tangent is not None)


def _is_traced(x: Tensor) -> bool:
    """Whether a graph is made of the call, which then is an operator in it."""
    return (torch.compiler.is_compiling() or torch.jit.is_tracing()
            or type(x) not in (Tensor, torch.nn.Parameter)
            or torch._C._functorch.is_functorch_wrapped_tensor(x)
            or torch.utils._python_dispatch.is_in_torch_dispatch_mode())


def rms_norm(x: Tensor, weight: Tensor | None, eps: float, threads: int) -> Tensor:
    if not isinstance(weight, Tensor | None):
        raise TypeError(f"weight must be a tensor, as x is, not {type(weight).__name__}")
    for name, tensor in (("x", x), ("weight", weight)):
        if tensor is not None and tensor.device.type != "cpu":
            raise NormError(f"{name} is on {tensor.device}, expected the CPU")
        if tensor is not None and tensor.layout != torch.strided:
            raise NormError(f"{name} has layout {tensor.layout}, expected {torch.strided}")
        if tensor is not None and _has_tangent(tensor):
            raise NormError(f"{name} has a tangent, which rms_norm does not compute")
    if _is_traced(x):
        describe(x, weight, eps, threads)
        return _forward_op(x, weight, eps, threads)
    if torch.is_grad_enabled() and (
            x.requires_grad or weight is not None and weight.requires_grad):
        return _Call.apply(x, weight, eps, threads)
    return _forward(x, weight, eps, threads)
