"""The torch.compile backend with inductor for what is no part of a norm."""
import torch
from backend import check, in_place, norm, run, train, x
from torch._inductor.utils import run_and_get_code

from norm_mlir.torch import NormBackend

INDUCTOR = {"options": {"rest": "inductor"}}


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.RMSNorm(96, eps=1e-6)
        self.up, self.down = torch.nn.Linear(96, 192), torch.nn.Linear(192, 96)

    def forward(self, x):
        hidden = x + self.down(torch.nn.functional.silu(self.up(self.norm(x))))
        return self.norm(hidden) * torch.sigmoid(hidden)


def count_kernels(**options):
    """The C++ kernels that inductor generates for a block."""
    torch._dynamo.reset()
    with torch.no_grad():
        compiled = torch.compile(block, backend=NormBackend(), **options)
        result, code = run_and_get_code(compiled, x)
        check(result, block(x), 8)
    return sum(text.count("async_compile.cpp_pybinding") for text in code)


def train_block():
    backend = NormBackend()
    gradients = []
    for f in (torch.compile(block, backend=backend, **INDUCTOR), block):
        block.zero_grad()
        f(x).pow(3).sum().backward()
        gradients.append([p.grad.clone() for p in block.parameters()])
    for ours, eager in zip(*gradients):
        check(ours, eager, 64)
    print(f"block, training: forward {backend.forward}, backward {backend.backward}")


def flatten(x):
    """The rest reads tensors whose only open extent is a product of two."""
    return torch.tanh(norm(x.reshape(-1, 96)))


def dropped(x):
    return norm(torch.dropout(torch.tanh(x), 0.5, True))


block = Block()
run("block", block, x, **INDUCTOR, ulps=8)
print(f"kernels of inductor: {count_kernels() == 0}, {count_kernels(**INDUCTOR) > 0}")
run("dynamic", block, x, torch.randn(3, 96), dynamic=True, **INDUCTOR, ulps=8)
run("in place", in_place, x, **INDUCTOR)
run("strided", lambda x: norm(x.t().sin().t()), torch.randn(96, 8).t().contiguous(), **INDUCTOR)
run("strided results", lambda x: norm(x) + 1, torch.randn(96, 8).t(), **INDUCTOR)
run("no norm", torch.tanh, x, **INDUCTOR)
run("symbols", flatten, torch.randn(2, 4, 96), torch.randn(3, 5, 96), dynamic=True, **INDUCTOR)
train("training", 8, **INDUCTOR)
train("training, dynamic", 8, 5, 3, **INDUCTOR)
train_block()
torch._dynamo.reset()
random = torch.compile(dropped, backend=NormBackend(), **INDUCTOR)
results = []
for f in (dropped, random):
    torch.manual_seed(1)
    results.append(f(x))
check(*results, 4)
print("random numbers: those of eager")
for options in ({"rest": "other"}, {"other": 1}, {"threads": 0}):
    torch._dynamo.reset()
    try:
        torch.compile(norm, backend=NormBackend(), options=options)(x)
    except Exception as error:
        print(next(line for line in str(error).splitlines() if "option" in line))

# Above 1 MiB the rows of a part run in threads.
backend = NormBackend()
model = torch.nn.RMSNorm(1024, eps=1e-6)
large = torch.randn(1024, 1024)
gradients = []
for threads in (1, 2):
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=backend, options={"threads": threads})
    argument = large.clone().requires_grad_()
    result = compiled(argument)
    gradients.append([result, *torch.autograd.grad(result.sum(), [argument, model.weight])])
assert all(torch.equal(*pair) for pair in zip(*gradients))
print(f"threads: equal bits, {backend.compiled} programs")
