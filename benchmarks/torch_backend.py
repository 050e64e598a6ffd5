"""What torch.compile gains by norm-mlir: benchmarks/results/zen4.md.

A training step, forward and backward, of four norms with residuals, on one thread, in each
backend; and the time until the first step of a model of 8 layers with 17 norms.

python3 benchmarks/torch_backend.py, with norm_mlir on PYTHONPATH, in the environment of
make check-frontends
"""
import os
import sys
import time

os.environ["NORM_MLIR_CACHE"] = ""
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "examples", "frontends"))
import torch
import train
from norm_mlir.torch import NormBackend
from torch._inductor.utils import fresh_cache

BACKENDS = {
    "eager": lambda: {"backend": "eager"},
    "inductor": lambda: {"backend": "inductor"},
    "norm_mlir": lambda: {"backend": NormBackend()},
}
ROWS, SIZE, ROUNDS = 1024, 4096, 10


class Norms(torch.nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.norms = torch.nn.ModuleList(
            torch.nn.RMSNorm(SIZE, eps=1e-6, dtype=dtype) for _ in range(4))

    def forward(self, x):
        for norm in self.norms:
            x = x + torch.relu(norm(x))
        return x


def take_step(function, x):
    start = time.perf_counter()
    function(x).sum().backward()
    return time.perf_counter() - start


def measure_steps(dtype):
    """The best step of each backend; a round has one of each."""
    model = Norms(dtype)
    x = torch.randn(ROWS, SIZE).to(dtype).requires_grad_()
    functions = {}
    for name, make in BACKENDS.items():
        torch._dynamo.reset()
        functions[name] = torch.compile(model, **make())
        take_step(functions[name], x)
    return {name: min(times) for name, times in zip(functions, zip(*(
        [take_step(f, x) for f in functions.values()] for _ in range(ROUNDS))))}


def measure_first(make):
    torch._dynamo.reset()
    with fresh_cache():
        return take_step(torch.compile(train.LanguageModel(), **make()),
                         torch.randint(train.VOCABULARY, (8, 17)))


if __name__ == "__main__":
    torch.set_num_threads(1)
    train.LAYERS = 8
    f32, bf16 = map(measure_steps, (torch.float32, torch.bfloat16))
    print("| backend | step f32 | step bf16 | first step of 8 layers |\n|---|---|---|---|")
    for name, make in BACKENDS.items():
        print(f"| {name} | {1e3 * f32[name]:.0f} ms | {1e3 * bf16[name]:.0f} ms "
              f"| {measure_first(make):.1f} s |")
