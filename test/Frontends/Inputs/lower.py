"""norm_mlir.torch.lower of what torch-mlir alone gets wrong or rejects, beside eager mode."""
import sys

import torch
from linalg_ops import count_ulps

import norm_mlir
import norm_mlir.torch


class Buffer(torch.nn.Module):
    """Rotary embeddings have a buffer that is not saved."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.RMSNorm(32, eps=1e-6)
        self.register_buffer("inverse", torch.arange(32.0), persistent=False)

    def forward(self, x):
        return self.norm(x) * self.inverse


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def compare(name, model, x, ulps):
    compiled = norm_mlir.compile(norm_mlir.torch.lower(model, x))
    found = count_ulps(compiled(x), model(x))
    print(f"{name}: {'agrees' if found <= ulps else f'{found} ulp'}")


torch.manual_seed(0)
torch.set_grad_enabled(False)
x = torch.randn(4, 32)
compare("a buffer that is not saved", Buffer(), x, 2)
compare("cumsum", Function(lambda x: x.cumsum(0)), x, 4)
compare("gelu, tanh", torch.nn.GELU(approximate="tanh"), torch.rand(999) * 4, 4)
compare("gelu, tanh, bf16", torch.nn.GELU(approximate="tanh"), torch.rand(999).bfloat16() * 4, 1)
compare("topk without an order", Function(lambda x: x.topk(3, sorted=False)[0].sum(-1)), x, 2)
def turn(x):
    return torch.cat((x[4:], x[:4]))


special = torch.tensor([float("nan"), 3, -3, 0.5, float("inf"), -float("inf"), 0, -0.0])
for name, function in {
        "clamp": lambda x: x.clamp(-1, 1), "clamp from below": lambda x: x.clamp(min=0.2),
        "clamp by tensors": lambda x: x.clamp(turn(x), turn(x) + 1),
        "maximum": lambda x: torch.maximum(x, turn(x)),
        "minimum": lambda x: torch.minimum(x, turn(x)), "relu6": torch.nn.functional.relu6,
        "hardsigmoid": torch.nn.functional.hardsigmoid}.items():
    compare(f"{name} of NaN", Function(function), special, 1)
for name, function in {"argmax": torch.argmax, "argmin": lambda x: x.argmin(0),
                       "index of max": lambda x: x.view(2, 4).max(1, True)[1],
                       "index of min": lambda x: x.view(2, 4).min(0)[1]}.items():
    for x in (special, special[1:].repeat(2)[:8]):
        compiled = norm_mlir.compile(norm_mlir.torch.lower(Function(function), x))
        print(f"{name}: {'agrees' if torch.equal(compiled(x), function(x)) else 'differs'}")
def shift(x):
    return torch.nn.functional.pad(x.view(2, 4), (0, 0, 1, -1))


compare("a shift", Function(shift), special, 0)
compare("elu", torch.nn.ELU(), torch.tensor([-1e-4, -1e-8, 1]), 1)
overflows = torch.full((1, 1, 8, 8), 2000, dtype=torch.float16)
compare("average in f16", torch.nn.AvgPool2d(8), overflows, 0)
compare("sigmoid in f16", torch.nn.Sigmoid(), torch.tensor([-12.0, -11.5]).half(), 0)


class Uniform(torch.nn.Module):
    """What torch-mlir computes of constants that have one value in all elements."""

    def __init__(self, value):
        super().__init__()
        self.a = torch.nn.Parameter(torch.tensor([value]))

    def forward(self, x):
        n = torch.full((3,), -5)
        return (x + torch.nn.functional.softplus(self.a), x + torch.trunc(self.a),
                x + torch.where(self.a < -1, 1.0, 0.0), x + torch.nn.functional.hardswish(self.a),
                x + n // 2, x + n % 3, x * (torch.tensor(2.0) > 1),
                torch.where(torch.full((3,), -float("inf")) < 0, x, 0))


for value in -0.89, 25.0:
    compiled = norm_mlir.compile(norm_mlir.torch.lower(Uniform(value), torch.ones(3)))
    pairs = zip(compiled(torch.ones(3)), Uniform(value)(torch.ones(3)))
    print("constants:", "agree" if all(torch.allclose(*pair) for pair in pairs) else "differ")
bytes = torch.tensor([0, 7, 128, 255], dtype=torch.uint8)
function = lambda x: (x, x >> 4, x.float())
compiled = norm_mlir.compile(norm_mlir.torch.lower(Function(function), bytes))
print("unsigned:", all(map(torch.equal, compiled(bytes), function(bytes))), *compiled.results)
large = torch.full((2, 64), 200, dtype=torch.float16)
compare("mean in f16", Function(lambda x: x * torch.rsqrt(x.pow(2).mean(-1, True))), large, 1)
compare("sum in f16", Function(lambda x: (x - 199).repeat(1, 64).sum(-1)), large, 0)
compare("norm in bf16", Function(lambda x: torch.linalg.vector_norm(x, dim=-1)),
        torch.ones(2, 4096, dtype=torch.bfloat16), 0)
open_ends = torch.export.Dim.AUTO
linear = torch.nn.Linear(32, 32)
for name, function in {"linear": linear,
                       "view": lambda x: linear(x.view(-1, 32)).view(x.shape)}.items():
    program = norm_mlir.torch.lower(Function(function), torch.randn(2, 9, 32),
                                    dynamic_shapes=({0: open_ends, 1: open_ends},))
    compiled = norm_mlir.compile(program)
    near = all(torch.allclose(compiled(x), linear(x), atol=1e-5)
               for x in (torch.randn(3, 5, 32), torch.randn(1, 1, 32)))
    print(f"{name} of two open extents:", "agrees" if near else "differs")
# What is open, or not known, is no constant.
x = torch.arange(5.0)
for name, function in {
        "random numbers": lambda x: x + torch.rand(5) * 0,
        "a constant of an open extent": lambda x: torch.where(
            torch.full((x.shape[0],), -1.0) < 0, x, 0),
        "an open extent as a constant": lambda x: x * torch.scalar_tensor(x.shape[0]) + torch.full(
            (5,), x.shape[0])}.items():
    compiled = norm_mlir.compile(norm_mlir.torch.lower(Function(function), x,
                                                       dynamic_shapes=({0: open_ends},)))
    print(f"{name}:", "agrees" if torch.equal(compiled(x), function(x)) else "differs")


def write(x):
    x.view(-1)[torch.tensor([-1, 0])] = torch.tensor([7.0, 8.0])
    return x + 1, None


# What is written in place is a result, the first one; None is none.
compiled = norm_mlir.compile(norm_mlir.torch.lower(Function(write), x.clone()))
pairs = zip(compiled(x), (written := x.clone(), write(written)[0]))
print("written in place:", "agrees" if all(torch.equal(*pair) for pair in pairs) else "differs")


def reject(module):
    try:
        norm_mlir.torch.lower(module, x)
    except norm_mlir.NormError as error:
        print(error)


counter = torch.nn.Module()
counter.register_buffer("count", torch.zeros(5))
counter.forward = lambda x: counter.count.add_(x) * 2
reject(counter)
sys.modules["torch_mlir"] = None
reject(Buffer())
