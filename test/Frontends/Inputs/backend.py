"""The torch.compile backend where its example does not go: each case prints what
was compiled, called and left to eager, after its result agreed with eager."""
import logging
import sys

import torch

from norm_mlir.torch import NormBackend

NORM = torch.nn.RMSNorm(96, eps=1e-6)
WEIGHT = torch.rand(96) + 0.5


def norm(x):
    return torch.nn.functional.rms_norm(x, (96,), WEIGHT.to(x.dtype), 1e-5)


def check(actual, expected, ulps):
    """Agreement within ulps of the result's type, of the largest value."""
    bound = ulps * torch.finfo(expected.dtype).eps * expected.abs().max()
    assert actual.dtype == expected.dtype
    assert (actual - expected).abs().max() <= bound


def run(title, function, *inputs, backend=None, ulps=4, **options):
    torch._dynamo.reset()
    backend = backend or NormBackend()
    compiled = torch.compile(function, backend=backend, **options)
    with torch.no_grad():
        for x in inputs:
            check(compiled(x), function(x), ulps)
    print(f"{title}: compiled {backend.compiled}, called {backend.calls}, "
          f"left out {dict(backend.fallbacks)}")


def with_break(x):
    y = norm(x)
    torch._dynamo.graph_break()
    return norm(torch.tanh(y))


def in_place(x):
    hidden = x * 2
    x = hidden.clone()
    hidden.add_(1.0)
    return norm(x) + norm(hidden)


def short_statistics(x):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)


class Llama(torch.nn.Module):
    """Rounds before the weight; the gradient of that is a sum of 16-bit products."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(WEIGHT.bfloat16())

    def forward(self, x):
        wide = x.float()
        z = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return self.weight * z.to(x.dtype)


def by_numel(x):
    return x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) / x.numel() + 1e-5)


def train(title, *rows, model=NORM, ulps=16, **options):
    torch._dynamo.reset()
    backend = NormBackend()
    compiled = torch.compile(model, backend=backend, **options)
    for x in (torch.randn(n, 96, dtype=model.weight.dtype) for n in rows):
        gradients = []
        for f in (compiled, model):
            model.zero_grad()
            y = x.clone().requires_grad_()
            f(y).pow(3).sum().backward()
            gradients.append((y.grad, model.weight.grad.clone()))
        for ours, eager in zip(*gradients):
            check(ours, eager, ulps)
    print(f"{title}: forward {backend.forward}, backward {backend.backward}, "
          f"called {backend.calls}, left out {dict(backend.fallbacks)}")


logging.getLogger("norm_mlir").addHandler(logging.StreamHandler(sys.stdout))
torch.manual_seed(0)
x = torch.randn(8, 96)
if __name__ == "__main__":
    run("f32", norm, x)
    run("bf16", norm, x.bfloat16(), ulps=1)
    run("f16", norm, x.half(), ulps=1)
    run("two calls, one program", norm, x, x)
    run("dynamic", norm, x, torch.randn(3, 96), torch.randn(5, 96), dynamic=True)
    run("graph break", with_break, x)
    run("in place", in_place, x)
    run("strided", norm, torch.randn(96, 8).t())
    run("16-bit statistics", short_statistics, x.bfloat16(), ulps=1)
    run("a sum of integers", lambda x: x + x.long().sum(), x, ulps=0)
    run("layer norm", torch.nn.LayerNorm(96), x, ulps=0)
    run("divided by numel", by_numel, x, dynamic=True)
    train("training", 8)
    train("training, dynamic", 8, 5, 3, 9)
    train("training in bf16", 64, model=Llama(), ulps=1)
    run("dynamic rows", lambda x: torch.nn.functional.rms_norm(x, x.shape[-1:]), x,
        torch.randn(8, 8), torch.randn(3, 100), dynamic=True)
