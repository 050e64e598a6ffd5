"""PyTorch modules -> torch-mlir -> norm-compile -> called on torch tensors.

    $ python examples/frontends/torch_module.py
"""
import copy

import torch

import norm_mlir
import norm_mlir.torch


class LlamaRMSNorm(torch.nn.Module):
    """As transformers writes it: rounded to bf16 before the weight."""

    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(size))
        self.variance_epsilon = eps

    def forward(self, x):
        hidden = x.to(torch.float32)
        variance = hidden.pow(2).mean(-1, keepdim=True)
        hidden = hidden * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden.to(x.dtype)


class Block(torch.nn.Module):
    """Residual add, norm and a gated MLP; returns the new residual too."""

    def __init__(self, size, hidden):
        super().__init__()
        self.norm = torch.nn.RMSNorm(size, eps=1e-5)
        self.gate = torch.nn.Linear(size, hidden, bias=False)
        self.up = torch.nn.Linear(size, hidden, bias=False)
        self.down = torch.nn.Linear(hidden, size, bias=False)

    def forward(self, x, residual):
        residual = x + residual
        y = self.norm(residual)
        return self.down(torch.nn.functional.silu(self.gate(y)) * self.up(y)), residual


def compile_module(module, *example):
    """Weights become constants of the program; shapes are those of `example`."""
    ir = norm_mlir.torch.lower(module, *example)
    print(f"{type(module).__name__}: {len(norm_mlir.recognize(ir).recognized)} norm found")
    return norm_mlir.compile(ir)


def ulps(actual, expected):
    """Largest distance in representable bf16 values."""
    def order(t):
        bits = t.view(torch.int16).to(torch.int32)
        return torch.where(bits < 0, -32768 - bits, bits)
    return (order(actual) - order(expected)).abs().max().item()


def error(actual, exact):
    return ((actual.double() - exact).abs().max() / exact.abs().max()).item()


@torch.no_grad()
def run_llama():
    norm = LlamaRMSNorm(256).bfloat16()
    norm.weight.uniform_(0.5, 1.5)
    x = torch.randn(4, 32, 256).bfloat16()
    y = torch.empty_like(x)
    compile_module(norm, x)(x, out=y)
    print(f"max ulp against eager: {ulps(y, norm(x))}")
    assert ulps(y, norm(x)) <= 1


@torch.no_grad()
def run_block():
    block = Block(64, 176)
    block.norm.weight.uniform_(0.5, 1.5)
    x, residual = torch.randn(2, 2, 8, 64)
    compiled = compile_module(block, x, residual)(x, residual)
    exact = copy.deepcopy(block).double()(x.double(), residual.double())
    for ours, eager, truth in zip(compiled, block(x, residual), exact):
        print(f"error against f64: {error(ours, truth):.1e}, of eager {error(eager, truth):.1e}")
        assert error(ours, truth) <= 4 * error(eager, truth) + 1e-7


if __name__ == "__main__":
    torch.manual_seed(0)
    run_llama()
    run_block()
