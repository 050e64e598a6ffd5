"""Training steps of small models: losses and gradients agree with eager mode, and each norm is
compiled, forward and backward. With names: only these."""
import sys
import warnings

warnings.simplefilter("ignore")
import torch
from models import NAMES, make_inputs, make_model

from norm_mlir.torch import NormBackend

# Dropout has eager mode's random numbers.
OPTIONS = {"min_bytes": 0, "fallback_random": True}


def train(function, model, inputs):
    model.zero_grad()
    torch.manual_seed(2)
    loss = function(**inputs, use_cache=False).loss
    loss.backward()
    return [loss.detach(), *(p.grad.clone() for p in model.parameters() if p.grad is not None)]


def get_error(actual, expected):
    """The largest difference, relative to the largest value of each tensor."""
    return max(((a - e).abs().max() / e.abs().max().clamp(min=1e-3)).item()
               for a, e in zip(actual, expected, strict=True))


def compare(name):
    torch._dynamo.reset()
    layers = 2 if name in {"Gemma3", "DeepseekV3"} else 1  # of two kinds
    model, backend = make_model(name, 64, layers).train(), NormBackend()
    inputs = make_inputs(name, 2, 16)
    compiled = torch.compile(model, backend=backend, options=OPTIONS)
    error = get_error(train(compiled, model, inputs), train(model, model, inputs))
    norms = sum("norm" in type(module).__name__.lower() for module in model.modules())
    assert error < 1e-4, error
    print(f"{name}: norms: {norms}, forward {backend.forward}, backward {backend.backward}",
          flush=True)


for name in sys.argv[1:] or NAMES:
    compare(name)
