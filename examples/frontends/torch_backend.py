"""torch.compile with norm-mlir as its backend, beside eager mode.

    $ python examples/frontends/torch_backend.py
"""
import torch

from norm_mlir.torch import NormBackend


class Model(torch.nn.Module):
    """Two norms between linear layers, and a norm by the root of mean |x|^3, which is no RMSNorm."""

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
        return y * torch.rsqrt(y.abs().pow(3).mean(-1, keepdim=True))


@torch.no_grad()
def main():
    torch.manual_seed(0)
    model = Model(128)
    # Without the option, inductor compiles norms of so few rows itself.
    backend = NormBackend()
    compiled = torch.compile(model, backend=backend, options={"min_bytes": 0})
    for rows in (16, 16, 5):
        x = torch.randn(rows, 128)
        error = (compiled(x) - model(x)).abs().max().item()
        print(f"{rows} rows: largest difference from eager mode {error:.1e}")
        assert error < 1e-5
    print(f"{backend.forward} norms in {len(backend.programs)} programs")
    for reason, number in backend.fallbacks.items():
        print(f"left to inductor, {number} times: {reason}")


if __name__ == "__main__":
    main()
