"""options={"rest": "inductor"}: norms of norm-mlir between kernels of inductor."""
import logging
import sys

import torch
import norm_mlir.torch

sys.path.insert(0, sys.argv[1])
from torch_backend import Model

logging.basicConfig(format="%(message)s", stream=sys.stdout)
torch.manual_seed(0)
model, x = Model(128), torch.randn(16, 128)
options = {"rest": "inductor"}


def largest(actual, expected):
    return max((a - e).abs().max().item() for a, e in zip(actual, expected, strict=True))


backend = norm_mlir.torch.NormBackend()
compiled = torch.compile(model, backend=backend, options=options)
with torch.no_grad():
    error = largest([compiled(x)], [model(x)])
print("inference:", "right" if error < 1e-5 else f"WRONG by {error}", f"{backend.forward} norms")

torch._dynamo.reset()
backend = norm_mlir.torch.NormBackend()
compiled = torch.compile(model, backend=backend, options=options)
gradients = [torch.autograd.grad(f(x).square().mean(), list(model.parameters())) for f in (compiled, model)]
error = largest(*gradients)
print("training:", "right" if error < 1e-6 else f"WRONG by {error}",
      f"{backend.forward} norms, {backend.backward} backward passes")

torch._dynamo.reset()
compiled = torch.compile(model, backend="norm_mlir", options=options, dynamic=True)
with torch.no_grad():
    error = max(largest([compiled(x[:n])], [model(x[:n])]) for n in (16, 9))
print("open extents:", "right" if error < 1e-5 else f"WRONG by {error}")

torch._dynamo.reset()
try:
    torch.compile(model, backend="norm_mlir", options={"rest": "tvm"})(x)
except Exception as error:
    print(str(error).splitlines()[1])
