"""The torch.compile backend: each case prints what was found and left to inductor, after its
results agreed with eager mode."""
import copy
import logging
import re
import sys

import torch
from torch._inductor.utils import run_and_get_code

from norm_mlir.torch import NormBackend, explain

NORM = torch.nn.RMSNorm(96, eps=1e-6)
WEIGHT = torch.rand(96) + 0.5
# The cases are small.
OPTIONS = {"min_bytes": 0}


def norm(x):
    return torch.nn.functional.rms_norm(x, (96,), WEIGHT.to(x.dtype), 1e-5)


def check(actual, expected, ulps):
    """Agreement within ulps of the result's type, of the largest value."""
    bound = ulps * torch.finfo(expected.dtype).eps * expected.abs().max()
    assert actual.dtype == expected.dtype and actual.stride() == expected.stride()
    assert (actual - expected).abs().max() <= bound


def report(title, backend):
    print(f"{title}: forward {backend.forward}, backward {backend.backward}, "
          f"programs {len(backend.programs)}, left out {dict(backend.fallbacks)}")


def run(title, function, *inputs, ulps=4, options=OPTIONS, **others):
    torch._dynamo.reset()
    backend = NormBackend()
    compiled = torch.compile(function, backend=backend, options=options, **others)
    with torch.no_grad():
        for x in inputs:
            check(compiled(x), function(x), ulps)
    report(title, backend)


def join_heads(x):
    """A residual of heads that are split and joined, by extents that are one symbol at first."""
    heads = torch.tanh(x.view(*x.shape[:-1], -1, 16).transpose(1, 2).contiguous())
    return norm(x + heads.transpose(1, 2).reshape(*x.shape[:-1], -1))


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


def by_cubes(x):
    return x * torch.rsqrt(x.abs().pow(3).mean(-1, keepdim=True) + 1e-5)


def by_numel(x):
    return x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) / x.numel() + 1e-5)


def flatten(x):
    """The only open extent is a product of two."""
    return torch.tanh(norm(x.reshape(-1, 96)))


def dropped(x):
    return norm(torch.dropout(torch.tanh(x), 0.5, True))


class Llama(torch.nn.Module):
    """Rounds before the weight; the gradient of that is a sum of 16-bit products."""

    def __init__(self, size=96, dtype=torch.bfloat16):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(size, dtype=dtype) + 0.5)

    def forward(self, x):
        wide = x.float()
        z = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return self.weight * z.to(x.dtype)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.RMSNorm(96, eps=1e-6)
        self.up, self.down = torch.nn.Linear(96, 192), torch.nn.Linear(192, 96)

    def forward(self, x):
        hidden = x + self.down(torch.nn.functional.silu(self.up(self.norm(x))))
        return self.norm(hidden) * torch.sigmoid(hidden)


class Chain(torch.nn.Module):
    """Norms with residuals, whose activations are in between."""

    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.norms = torch.nn.ModuleList(
            torch.nn.RMSNorm(96, eps=1e-6, dtype=dtype) for _ in range(3))

    def forward(self, x):
        for norm in self.norms:
            x = x + torch.relu(norm(x))
        return x


class Gated(torch.nn.Module):
    """A norm with a gate that has its own weight."""

    def __init__(self, gate, dtype=torch.float32):
        super().__init__()
        self.gate, self.norm = gate, torch.nn.RMSNorm(96, eps=1e-6, dtype=dtype)
        self.project = torch.nn.Linear(96, 96, dtype=dtype)

    def forward(self, x):
        return self.norm(x) * self.gate(self.project(x))


class Heads(torch.nn.Module):
    """A norm of heads that are transposed before it, and transposed back behind it."""

    def __init__(self):
        super().__init__()
        self.norm = Llama(16, torch.float32)

    def forward(self, x):
        heads = self.norm(x.view(2, 10, 6, 16).transpose(1, 2))
        return heads.transpose(1, 2).view(2, 10, 96)


def norm_heads(x):
    return torch.nn.functional.rms_norm(x.view(1024, 64, 16), (16,), WEIGHT[:16], 1e-5)


def rotate(x):
    heads = norm_heads(x)
    left, right = heads.chunk(2, -1)
    return heads * 0.8 + torch.cat((-right, left), -1) * 0.6


def project(x):
    return norm_heads(x).view(1024, 1024) @ x


def train(title, *inputs, model=NORM, ulps=16, options=OPTIONS, **others):
    torch._dynamo.reset()
    backend = NormBackend()
    compiled = torch.compile(model, backend=backend, options=options, **others)
    for x in inputs:
        results = []
        for f in (compiled, model):
            model.zero_grad()
            argument = x.clone().requires_grad_()
            y = f(argument)
            y.pow(3).sum().backward()
            results.append((y.detach(), argument.grad, *(p.grad for p in model.parameters())))
        for ours, eager in zip(*results):
            check(ours, eager, ulps)
    report(title, backend)


def compare_with_f64(model, x):
    """The error of gradients is at most twice that of eager mode, which is in f32 too."""
    torch._dynamo.reset()
    compiled, gradients = torch.compile(model, backend="norm_mlir", options=OPTIONS), []
    exact = copy.deepcopy(model).double()
    for f, parameters, dtype in ((compiled, model.parameters(), x.dtype),
                                 (model, model.parameters(), x.dtype),
                                 (exact, exact.parameters(), torch.float64)):
        argument = x.to(dtype).requires_grad_()
        gradients.append(torch.autograd.grad(f(argument).pow(3).sum(), [argument, *parameters]))
    for ours, eager, truth in zip(*gradients):
        errors = [(g - truth).abs().max() for g in (ours, eager)]
        assert errors[0] <= 2 * errors[1] + 1e-7 * truth.abs().max(), errors
    print("gate: as exact as eager mode")


def rows(*numbers, dtype=torch.float32):
    return [torch.randn(n, 96, dtype=dtype) for n in numbers]


def check_random_numbers():
    torch._dynamo.reset()
    compiled = torch.compile(dropped, backend="norm_mlir",
                             options={**OPTIONS, "fallback_random": True})
    results = []
    for f in (dropped, compiled):
        torch.manual_seed(1)
        results.append(f(x))
    check(*results, 4)
    print("random numbers: those of eager mode")


def check_errors():
    for options in ({"rest": "eager"}, {"threads": 0}, {"threads": "2"}, {"min_bytes": -1},
                    {"min_bytes": True}):
        torch._dynamo.reset()
        try:
            torch.compile(norm, backend="norm_mlir", options=options)(x)
        except Exception as error:
            print(next(line for line in str(error).splitlines() if "option" in line)
                  .removeprefix("ValueError: "))


def check_threads():
    """Above 1 MiB the rows of a part run in threads."""
    model, large, results = torch.nn.RMSNorm(1024, eps=1e-6), torch.randn(1024, 1024), []
    for threads in (1, 2):
        torch._dynamo.reset()
        compiled = torch.compile(model, backend="norm_mlir", options={"threads": threads})
        argument = large.clone().requires_grad_()
        y = compiled(argument)
        results.append([y, *torch.autograd.grad(y.sum(), [argument, model.weight])])
    assert all(torch.equal(*pair) for pair in zip(*results))
    print("threads: equal bits")
    with open("/proc/self/maps") as maps:
        assert "libomp" not in maps.read()
    torch.set_num_threads(3)
    torch._dynamo.reset()
    with torch.no_grad():
        _, (code,) = run_and_get_code(torch.compile(model, backend="norm_mlir"), large)
    print("by default:", re.search(r"= load_norm\(.*, (\d)\)", code)[1], "threads, as torch has")
    torch.set_num_threads(1)


def check_code():
    """Code of inductor's calls what parts were compiled to."""
    torch._dynamo.reset()
    compiled = torch.compile(Block(), backend="norm_mlir", options=OPTIONS)
    with torch.no_grad():
        _, (code,) = run_and_get_code(compiled, x)
    print(f"code: {code.count('out=(buf')} calls, "
          f"{code.count('async_compile.cpp_pybinding')} kernels of inductor")


def check_small():
    """A model whose norms are all small has the code that inductor gives it alone."""
    codes = []
    for backend in ("inductor", "norm_mlir"):
        torch._dynamo.reset()
        model = torch.nn.Sequential(torch.nn.Linear(96, 96), Chain(), Block())
        compiled = torch.compile(model, backend=backend)
        _, found = run_and_get_code(lambda: compiled(x.clone().requires_grad_()).sum().backward())
        codes.append([re.sub("AOT ID.*", "", code) for code in found])
    assert codes[0] == codes[1] and len(codes[0]) == 2
    print("small norms: inductor's code")


class Named(torch.nn.Module):
    """Two norms, of which one is too small, and one of no module's."""

    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(torch.nn.Sequential(
            torch.nn.RMSNorm(size), torch.nn.Linear(size, 96)) for size in (1024, 96))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return norm(x)


def check_explain():
    torch._dynamo.reset()
    log = logging.getLogger("norm_mlir")
    handler = logging.StreamHandler(sys.stdout)
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    model, wide = Named(), torch.randn(1024, 1024)
    print(explain(model, wide))
    assert all(p.grad is None for p in model.parameters())
    with torch.no_grad():
        print(explain(torch.compile(torch.nn.RMSNorm(1024)), wide))
        print(explain(by_cubes, x))
    log.removeHandler(handler)


torch.manual_seed(0)
x = torch.randn(8, 96)
if __name__ == "__main__":
    run("f32", norm, x)
    run("bf16", norm, x.bfloat16(), ulps=1)
    run("f16", norm, x.half(), ulps=1)
    run("two calls", norm, x, x)
    run("dynamic", norm, *rows(8, 3, 5), dynamic=True)
    run("dynamic rows", lambda x: torch.nn.functional.rms_norm(x, x.shape[-1:]), x,
        torch.randn(8, 8), torch.randn(3, 100), dynamic=True)
    run("flattened", flatten, torch.randn(2, 4, 96), torch.randn(3, 5, 96), dynamic=True)
    run("heads", join_heads, torch.randn(3, 3, 96), torch.randn(2, 5, 96), dynamic=True)
    run("graph break", with_break, x)
    run("in place", in_place, x)
    run("transposed", norm, torch.randn(96, 8).t())
    run("16-bit statistics", short_statistics, x.bfloat16(), ulps=1)
    run("block", Block(), x, ulps=8)
    run("mode", Block(), x, ulps=8, options=None, mode="max-autotune-no-cudagraphs")
    run("small", norm, x, options=None)
    run("in registers", rotate, torch.randn(1024, 1024), options=None)
    run("in memory", project, torch.randn(1024, 1024), options=None, ulps=16)
    run("no norm", torch.tanh, x)
    run("no square", by_cubes, x)
    run("divided by numel", by_numel, x, dynamic=True)
    train("training", *rows(8))
    train("training, dynamic", *rows(8, 5, 3, 9))
    train("training in bf16", *rows(64, dtype=torch.bfloat16), model=Llama(), ulps=1)
    train("training of a block", x, model=Block(), ulps=64)
    silu, sigmoid = torch.nn.functional.silu, torch.sigmoid
    run("chain", Chain(), x)
    run("chain in bf16", Chain(torch.bfloat16), x.bfloat16(), ulps=1)
    train("training of a chain", x, model=Chain(), ulps=64)
    train("training of a chain in bf16", x.bfloat16(), model=Chain(torch.bfloat16), ulps=8)
    train("training of a gate", x, model=Gated(sigmoid), ulps=64)
    train("training of a gate with silu", x, model=Gated(silu), ulps=64)
    train("training of a gate in bf16", x.bfloat16(), model=Gated(silu, torch.bfloat16), ulps=4)
    compare_with_f64(Gated(silu), x)
    train("training of heads", torch.randn(2, 10, 96), model=Heads())
    check_random_numbers()
    check_threads()
    check_code()
    check_small()
    check_explain()
    check_errors()
