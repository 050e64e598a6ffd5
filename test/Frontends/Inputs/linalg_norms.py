"""Norms as models write them, forward and backward, as linalg without torch-mlir and with it: what
is recognized is the same, and the numbers are those of eager mode."""
import torch
from linalg_ops import count_ulps
from torch._decomp import get_decompositions
from torch.fx.experimental.proxy_tensor import make_fx

import norm_mlir
import norm_mlir.torch
from norm_mlir._linalg import write_part

FUSED = get_decompositions([torch.ops.aten._fused_rms_norm,
                            torch.ops.aten._fused_rms_norm_backward])


def normalize(x):
    x = x.float()
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


def llama(x, weight):
    return weight * normalize(x).to(x.dtype)


def gemma(x, weight):
    return (normalize(x) * (1.0 + weight.float())).type_as(x)


def t5(x, weight):
    variance = x.to(torch.float32).pow(2).mean(-1, keepdim=True)
    x = x * torch.rsqrt(variance + 1e-6)
    return weight * (x.to(weight.dtype) if weight.dtype != torch.float32 else x)


def module(x, weight):
    return torch.nn.functional.rms_norm(x, (x.shape[-1],), weight, 1e-6)


def divided(x, weight):
    return x / torch.sqrt(torch.mean(x * x, -1, keepdim=True) + 1e-5) * weight


def get_gradients(function):
    return lambda x, weight, dy: torch.func.vjp(function, x, weight)[1](dy)


def describe(text):
    return [(f.kind, f.dims, f.epsilon, f.epsilon_mode, f.compute_dtype, f.weight and f.weight.shape)
            for f in norm_mlir.recognize(text).recognized]


def compare(title, function, *inputs):
    graph = make_fx(function, decomposition_table=FUSED)(*inputs)
    graph = make_fx(torch.func.functionalize(graph), tracing_mode="fake")(*inputs)
    graph.graph.eliminate_dead_code()
    values = [n.meta["val"] for n in graph.graph.find_nodes(op="placeholder")]
    text = write_part(graph, values)
    found, expected = describe(text), describe(norm_mlir.torch.lower(graph, *inputs))
    print(f"{title}: {' '.join(kind for kind, *_ in found)}"
          + ("" if found == expected else f", with torch-mlir {expected}"))
    return norm_mlir.compile(text, cache=False)(*inputs)


if __name__ == "__main__":
    torch.manual_seed(0)
    for dtype in (torch.float32, torch.bfloat16):
        x, dy = torch.randn(2, 2, 5, 96).to(dtype)
        weight = torch.rand(96).add(0.5).to(dtype)
        for form in (llama, gemma, t5, module, divided):
            actual = compare(f"{form.__name__} {dtype}", form, x, weight)
            ulps = count_ulps(actual, form(x, weight))
            if ulps > (8 if dtype == torch.float32 else 1):
                print(f"{ulps} ulp")
            backward = get_gradients(form)
            gradients = compare(f"{form.__name__} {dtype}", backward, x, weight, dy)
            for ours, eager in zip(gradients, backward(x, weight, dy)):
                bound = 16 * torch.finfo(dtype).eps * eager.abs().max()
                if (ours - eager).abs().max() > bound:
                    print(f"{(ours - eager).abs().max()}, at most {bound} expected")
