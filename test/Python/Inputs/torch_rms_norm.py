"""norm_mlir.rms_norm on torch tensors, beside eager mode."""
import itertools

import torch
import programs  # without a cache on disk

import norm_mlir

torch.manual_seed(5)


def differ(actual, expected):
    """The largest difference, relative to the largest value, in units of the type."""
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    difference = (actual.double() - expected.double()).abs().max()
    return difference / expected.double().abs().max() / torch.finfo(actual.dtype).eps


worst = 0
for shape, dtype, has_weight in itertools.product(
        ((64,), (5, 64), (2, 3, 100)),
        (torch.float64, torch.float32, torch.bfloat16, torch.float16), (True, False)):
    x = torch.randn(shape, dtype=dtype, requires_grad=True)
    w = torch.rand(shape[-1], dtype=dtype, requires_grad=True) if has_weight else None
    dy = torch.randn(shape, dtype=dtype)
    results = []
    for norm in (lambda x, w: norm_mlir.rms_norm(x, w, 1e-5),
                 lambda x, w: torch.nn.functional.rms_norm(x, shape[-1:], w, 1e-5)):
        y = norm(x, w)
        results.append([y, *torch.autograd.grad(y, [x, w] if has_weight else [x], dy)])
    worst = max([worst, *(differ(*pair) for pair in zip(*results))])
assert worst < 8, worst
print("forward and backward: as eager mode")

x, w = (torch.randn(shape, dtype=torch.double, requires_grad=True) for shape in ((4, 8), (8,)))
assert torch.autograd.gradcheck(norm_mlir.rms_norm, (x, w))
only = torch.autograd.grad(norm_mlir.rms_norm(x, w.detach()).sum(), [x])  # one of the two
assert only[0].shape == x.shape
torch.library.opcheck(torch.ops.norm_mlir.rms_norm, (x, w, 1e-6, 1))
torch.library.opcheck(torch.ops.norm_mlir.rms_norm, (x, None, 1e-6, 1))
y = norm_mlir.rms_norm(x.T, None)
assert y.is_contiguous() and y.equal(norm_mlir.rms_norm(x.T.contiguous(), None))
print("gradcheck, opcheck, strides")

step = lambda x, w: (norm_mlir.rms_norm(x * 2, w) + 1).square().sum()
compiled = torch.compile(step, backend="aot_eager", fullgraph=True)
for rows in (4, 6):
    x = torch.randn(rows, 8, requires_grad=True)
    w = torch.randn(8, requires_grad=True)
    ours, eager = (torch.autograd.grad(f(x, w), [x, w]) for f in (compiled, step))
    assert all(a.equal(b) for a, b in zip(ours, eager))
print("torch.compile: one graph, forward and backward")


from torch.fx.experimental.proxy_tensor import make_fx

forward = lambda x: norm_mlir.rms_norm(x * 2)
given, other = torch.randn(4, 8), torch.randn(4, 8)
traced = [*(make_fx(forward, tracing_mode=mode)(given) for mode in ("real", "fake")),
          torch.jit.trace(forward, (given,), check_trace=False)]
assert all(f(other).equal(forward(other)) for f in traced)
print("traced by make_fx and torch.jit: an operator in the graph")
both = torch.stack([given, other])
assert torch.func.vmap(forward)(both).equal(forward(both))
assert torch.func.functionalize(forward)(given).equal(forward(given))
print("vmap and functionalize of torch.func: the same operator")


def reject(call):
    try:
        print("not rejected", call())
    except (TypeError, ValueError, RuntimeError) as error:
        print(f"{type(error).__name__}: {error}")


reject(lambda: torch.func.jvp(norm_mlir.rms_norm, (given,), (other,)))
with torch.autograd.forward_ad.dual_level():
    dual = torch.autograd.forward_ad.make_dual(other[0], other[0])
    reject(lambda: norm_mlir.rms_norm(given, dual))
reject(lambda: norm_mlir.rms_norm(x, w[:7]))
reject(lambda: norm_mlir.rms_norm(x.to("meta"), w))
reject(lambda: norm_mlir.rms_norm(x, w.to("meta")))
reject(lambda: norm_mlir.rms_norm(x.to_sparse()))
reject(lambda: norm_mlir.rms_norm(x.int()))
reject(lambda: norm_mlir.rms_norm(x, w.detach().numpy()))
y = norm_mlir.rms_norm(x, w).sum()
reject(lambda: torch.autograd.grad(y, [x], create_graph=True))
