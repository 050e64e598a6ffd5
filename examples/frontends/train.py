"""Trains a small language model with compiled norms, beside eager mode.

    $ python examples/frontends/train.py

Both start from the same weights and see the same tokens. norm-mlir compiles every norm, forward
and backward, and inductor the rest of the model.
"""
import copy

import torch

from norm_mlir.torch import NormBackend

VOCABULARY, SIZE, HEADS, LAYERS, STEPS = 64, 64, 4, 3, 50


class Block(torch.nn.Module):
    """A decoder block with norms before attention and MLP, as in Llama."""

    def __init__(self):
        super().__init__()
        self.before, self.between = (torch.nn.RMSNorm(SIZE, eps=1e-6) for _ in range(2))
        self.qkv = torch.nn.Linear(SIZE, 3 * SIZE, bias=False)
        self.out = torch.nn.Linear(SIZE, SIZE, bias=False)
        self.up = torch.nn.Linear(SIZE, 4 * SIZE, bias=False)
        self.down = torch.nn.Linear(4 * SIZE, SIZE, bias=False)

    def forward(self, x):
        batch, length, _ = x.shape
        heads = self.qkv(self.before(x)).view(batch, length, 3, HEADS, -1)
        q, k, v = heads.permute(2, 0, 3, 1, 4)
        attention = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attention.transpose(1, 2).reshape(batch, length, SIZE))
        return x + self.down(torch.nn.functional.silu(self.up(self.between(x))))


class LanguageModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = torch.nn.Embedding(VOCABULARY, SIZE)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = torch.nn.RMSNorm(SIZE, eps=1e-6)
        self.head = torch.nn.Linear(SIZE, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def make_batch(generator):
    """Sequences in which each token is twice the one before, plus a constant."""
    start, step = (torch.randint(VOCABULARY, (8, 1), generator=generator) for _ in range(2))
    rows = [start]
    for _ in range(16):
        rows.append((2 * rows[-1] + step) % VOCABULARY)
    return torch.cat(rows, dim=1)


def train(model, forward):
    """The loss of each step."""
    generator = torch.Generator().manual_seed(1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(STEPS):
        tokens = make_batch(generator)
        logits = forward(tokens[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(0)
    model = LanguageModel()
    eager = train(reference := copy.deepcopy(model), reference)
    backend = NormBackend()
    # Without the option, inductor compiles norms of so few rows itself.
    compiled = train(model, torch.compile(model, backend=backend, options={"min_bytes": 0}))
    worst = max(abs(a - b) / a for a, b in zip(eager, compiled))
    print(f"loss {eager[0]:.3f} to {eager[-1]:.3f} in {STEPS} steps, compiled {compiled[-1]:.3f}")
    print(f"largest relative difference of a loss {worst:.1e}")
    print(f"{backend.forward} norms and {backend.backward} backward passes in "
          f"{len(backend.programs)} programs")
    # Adam divides by the root of a gradient's square: differences of rounding grow slowly.
    assert worst < 1e-4
    assert compiled[-1] < 0.9 * compiled[0]


if __name__ == "__main__":
    main()
