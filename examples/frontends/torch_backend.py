"""torch.compile with compiled norms: the graph's norm parts go through norm-mlir,
the rest stays as it is.

    $ python examples/frontends/torch_backend.py

Parts that norm-mlir does not recognise, cannot compile or cannot call run in
eager mode; the logger "norm_mlir" says why.
"""
import collections
import logging

import torch
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

import norm_mlir

log = logging.getLogger("norm_mlir")

# What a norm and its neighbours are made of, by the names that graphs use.
REDUCTIONS = {"mean", "sum", "rms_norm"}
ELEMENTWISE = {"abs", "add", "bfloat16", "div", "float", "half", "mul", "neg", "pow",
               "reciprocal", "rsqrt", "sqrt", "square", "sub", "to", "truediv", "type_as"}
SHORT = (torch.bfloat16, torch.float16)


def name_of(node):
    return node.target if isinstance(node.target, str) else node.target.__name__


def is_on_cpu(node):
    value = node.meta.get("example_value")
    return (isinstance(value, torch.Tensor) and value.device.type == "cpu"
            and value.is_floating_point())


class NormParts(OperatorSupportBase):
    """Which nodes of a graph may be part of a norm."""

    def is_node_supported(self, submodules, node):
        if node.op not in ("call_function", "call_method"):
            return False
        if not all(map(is_on_cpu, [node, *node.all_input_nodes])):
            return False
        if name_of(node) in ("mean", "sum"):
            # torch-mlir accumulates in the tensor's type, eager in f32.
            return node.all_input_nodes[0].meta["example_value"].dtype not in SHORT
        return name_of(node) in REDUCTIONS | ELEMENTWISE


class NormPart(torch.nn.Module):
    """A part of a graph, compiled once for each list of shapes and types."""

    def __init__(self, part, backend):
        super().__init__()
        self.part, self.backend, self.functions = part, backend, {}

    def forward(self, *arguments):
        function, reason = self.find(arguments)
        if function is None:
            self.backend.fallbacks[reason] += 1
            return self.part(*arguments)
        self.backend.calls += 1
        return function(*arguments)

    def find(self, arguments):
        if not all(isinstance(a, torch.Tensor) for a in arguments):
            return None, "an argument is not a tensor"
        if torch.is_grad_enabled() and any(a.requires_grad for a in arguments):
            return None, "gradients are needed"
        if not all(a.is_contiguous() for a in arguments):
            return None, "an argument is not contiguous"
        key = tuple((a.shape, a.dtype) for a in arguments)
        if key not in self.functions:
            if len(self.functions) == self.backend.most_shapes:
                return None, f"more than {self.backend.most_shapes} lists of shapes"
            self.functions[key] = self.compile(arguments)
        return self.functions[key]

    def compile(self, arguments):
        """A function, or None and the reason why there is none."""
        try:
            ir = norm_mlir.lower_torch(self.part, *arguments)
            count, refusals = norm_mlir.recognize(ir)
            if count:
                self.backend.compiled += 1
                return norm_mlir.compile(ir), None
            reason = refusals[0] if refusals else "no RMSNorm in it"
        except Exception as error:  # every importer has its own kinds
            reason = str(error).strip().splitlines()[0]
        log.warning("left to eager: %s", reason)
        return None, reason


class NormBackend:
    """For torch.compile(backend=...). `calls` of compiled norms, `compiled` programs
    and `fallbacks`, a count for each reason, say what happened."""

    def __init__(self, most_shapes=8):
        self.most_shapes = most_shapes
        self.calls, self.compiled, self.fallbacks = 0, 0, collections.Counter()

    def __call__(self, graph_module, example_inputs):
        partitioner = CapabilityBasedPartitioner(graph_module, NormParts(),
                                                 allows_single_node_partition=True)
        partitions = [p for p in partitioner.propose_partitions()
                      if any(name_of(node) in REDUCTIONS for node in p.nodes)]
        fused = partitioner.fuse_partitions(partitions)
        for name, part in list(fused.named_children()):
            if name.startswith("fused_"):
                setattr(fused, name, NormPart(part, self))
        return fused.forward


class Model(torch.nn.Module):
    """Two norms between linear layers, and a norm by mean |x|, which is no RMSNorm."""

    def __init__(self, size):
        super().__init__()
        self.first = torch.nn.RMSNorm(size, eps=1e-6)
        self.up = torch.nn.Linear(size, 2 * size)
        self.down = torch.nn.Linear(2 * size, size)
        self.weight = torch.nn.Parameter(torch.rand(size) + 0.5)

    def second(self, x):
        hidden = x.float()
        scale = torch.rsqrt(hidden.pow(2).mean(-1, keepdim=True) + 1e-5)
        return self.weight * (hidden * scale).to(x.dtype)

    def forward(self, x):
        hidden = x + self.down(torch.relu(self.up(self.first(x))))
        y = self.up(self.second(hidden))
        return y / y.abs().mean(-1, keepdim=True)


@torch.no_grad()
def main():
    torch.manual_seed(0)
    logging.basicConfig(format="%(message)s")
    model, backend = Model(128), NormBackend()
    compiled = torch.compile(model, backend=backend)
    for rows in (16, 16, 5):
        x = torch.randn(rows, 128)
        error = (compiled(x) - model(x)).abs().max().item()
        print(f"{rows} rows: largest difference from eager {error:.1e}")
        assert error < 1e-5
    print(f"{backend.compiled} programs compiled, called {backend.calls} times, "
          f"left to eager {backend.fallbacks.total()} times")


if __name__ == "__main__":
    main()
