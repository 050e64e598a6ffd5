"""A norm of 16-bit arithmetic step by step, as the IR states it.

Where front ends keep the storage type for every step, the IR differs from the
framework, which accumulates wider. What is compared then is what the IR says,
each op rounded once, but for the sum: its precision and order are not the IR's
meaning (S2), so it is exact here and rounded once.
"""
import json
import re

import numpy as np
from normtest import round_to, widen


def applies(case, norms):
    """One norm whose IR differs from the framework."""
    return len(norms) == 1 and (bool(case.get("ir_differs_from_framework"))
                                or norms != case["norms"])


def find_constant_weight(text, shape):
    """The one constant in the program that has the weight's shape."""
    extents = "x".join(map(str, shape))
    found = re.search(rf'dense<(\[[^>]*\]|"0x\w+")> : tensor<{extents}x(\w+)>', text)
    if not found:
        raise ValueError(f"no constant weight of shape {shape}")
    literal, kind = found.groups()
    if literal[0] == "[":
        return np.array(json.loads(literal), np.float64).reshape(shape)
    data = np.frombuffer(bytes.fromhex(literal[3:-1]),
                         {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<u2"}[kind])
    return (widen(data).astype(np.float64)).reshape(shape)


def evaluate(norm, kind, inputs, text):
    """The results that the program states, in its order, with `kind` for every step."""
    q = lambda values: round_to(values, kind)
    x, others = inputs[0], inputs[1:]
    results = []
    if norm["second_result"]:
        x = q(x + others.pop(0))
        results.append(x)
    axes = tuple(a if a < 0 else a - x.ndim for a in norm["axes"])
    eps = q(np.float64(norm["eps"] or 0))
    total = q(q(x * x).sum(axis=axes, keepdims=True))
    if norm["scale"] == "mean":
        total = q(total / norm["n"])
    if norm["eps_placement"] == "inside_root":
        root = q(np.sqrt(q(total + eps)))
    elif norm["eps_placement"] == "outside_root":
        root = q(q(np.sqrt(total)) + eps)
    else:  # max(||x||, eps), or no epsilon
        root = np.maximum(q(np.sqrt(total)), eps)
    if norm["root"] == "rsqrt":
        z = q(x * q(1 / np.sqrt(q(total + eps))))
    else:
        z = q(x / root) if norm["root"] == "sqrt+div" else q(x * q(1 / root))
    if norm["scale"] == "l2norm*sqrt(d)":
        z = q(z * q(np.sqrt(np.float64(norm["n"]))))
    if norm["has_weight"]:
        shape = [x.shape[a] for a in axes]
        z = q(z * (others.pop(0) if others else find_constant_weight(text, shape)))
    return [z] + results
