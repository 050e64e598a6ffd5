"""The same on torch tensors: one file on disk is compiled once for both libraries.

    $ python examples/python/torch_norm.py
"""
from pathlib import Path

import torch

import norm_mlir

norm = norm_mlir.compile(Path("examples/llama_rmsnorm_f32.mlir"))
x, weight = torch.randn(2, 5, 64), torch.rand(64) + 0.5
y = norm(x, weight)
expected = torch.nn.functional.rms_norm(x, (64,), weight, 1e-5)
print(f"{type(y).__name__}: largest difference {(y - expected).abs().max():.1e}")
assert norm(x, weight, out=y).data_ptr() == y.data_ptr()
assert torch.allclose(y, expected, atol=1e-5)
try:
    norm(x.double(), weight)
except norm_mlir.NormError as error:
    print(error)
