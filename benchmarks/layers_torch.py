"""The decoder layer of decoder.py as a torch module's code, for layers.py.

Arguments are in the order of decoder.py: in `apart`, each product's result follows the
weight that it is not multiplied by.
"""
import torch


def norm(h, weight):
    wide = h.float()
    scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
    return (wide * scale).to(h.dtype) * weight


def turn(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


def attention(heads, y, cos, sin, take, product):
    s, hidden = y.shape
    split = lambda x: x.view(s, heads, hidden // heads).transpose(0, 1)
    q, k = (turn(split(product(y, take())), cos, sin) for _ in range(2))
    v = split(product(y, take()))
    scores = product(q, k.transpose(1, 2), True).float() * (hidden // heads) ** -0.5
    mask = torch.ones(s, s, dtype=torch.bool).tril()
    p = torch.softmax(scores.masked_fill(~mask, float("-inf")), -1).to(y.dtype)
    mixed = product(p, v, True).transpose(0, 1).reshape(s, hidden)
    return product(mixed, take())


def mlp(y, take, product):
    gate = product(y, take())
    up = product(y, take())
    return product(torch.nn.functional.silu(gate) * up, take())


def block(heads, take, product):
    h, cos, sin = take(), take(), take()
    h = h + attention(heads, norm(h, take()), cos, sin, take, product)
    h = h + mlp(norm(h, take()), take, product)
    return norm(h, take())


def whole(heads, *arguments):
    values = iter(arguments)
    return (block(heads, lambda: next(values), lambda a, b, _=False: torch.matmul(a, b)),)


def apart(heads, *arguments):
    values, operands = iter(arguments), []

    def product(a, b, is_batch=False):
        for operand in (a, b) if is_batch else (a,):
            if not any(operand is kept for kept in operands):
                operands.append(operand)
        return next(values)

    y = block(heads, lambda: next(values), product)
    return (y, *[operand.contiguous() for operand in operands])
