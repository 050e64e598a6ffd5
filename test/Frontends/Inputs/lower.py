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
sys.modules["torch_mlir"] = None
try:
    norm_mlir.torch.lower(Buffer(), x)
except norm_mlir.NormError as error:
    print(error)
