"""Runs decoders of benchmarks/decoder.py by each pipeline, beside numpy in f64.

    decoder.py GENERATOR [--type=bf16] [--dynamic] [--wrong]

Errors are counted in u, half the distance from 1 to the next number of the type,
of the largest result. In a block an element goes through sums of 32, 8, 16, 32, 32
and 48 products in the type and ten roundings more, so in two through R = 356. Each
is wrong by up to u, u / sqrt(3) in the mean square, of a partial sum, whose mean
square is half of that of the whole. Roundings are as good as independent: in the
mean square sqrt(R / 6) = 8 u of the results, and BOUND is three times that (largest
seen over seeds and types: 10).

Upstream's loops round just as is written. A pipeline that rounds in more places, or
less exactly, has a larger mean square: BESIDE_UPSTREAM allows half as much again
(seen: 0.87 to 1.08).

--wrong lets each row see the next one, which is far outside.
"""
import argparse
import subprocess
import sys
import tempfile

import numpy as np
from normtest import UNIT, run, store, widen

SEQ, HIDDEN, HEADS, FFN, BLOCKS = 16, 32, 4, 48, 2
BOUND, BESIDE_UPSTREAM = 24, 1.5


def make_arguments():
    """In the order of the function: x, the rotary tables, the weights."""
    rng = np.random.default_rng(15)
    half = HIDDEN // HEADS // 2
    angles = np.arange(SEQ)[:, None] * 100.0 ** -(np.arange(2 * half) % half / half)
    yield from (rng.standard_normal((SEQ, HIDDEN)), np.cos(angles), np.sin(angles))
    square, up, down = (HIDDEN, HIDDEN), (HIDDEN, FFN), (FFN, HIDDEN)
    block = [(HIDDEN,), *[square] * 4, (HIDDEN,), up, up, down]
    for shape in block * BLOCKS + [(HIDDEN,)]:
        scale = shape[0] ** -0.5 if len(shape) == 2 else 1.0
        yield rng.standard_normal(shape) * scale


def norm(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * weight


def attention(y, cos, sin, weights, sees):
    def split(x):
        return x.reshape(SEQ, HEADS, -1).transpose(1, 0, 2)

    def turn(x):
        low, high = np.split(x, 2, -1)
        return x * cos + np.concatenate([-high, low], -1) * sin

    wq, wk, wv, wo = weights
    q, k, v = turn(split(y @ wq)), turn(split(y @ wk)), split(y @ wv)
    scores = q @ k.transpose(0, 2, 1) * (HIDDEN // HEADS) ** -0.5
    scores = np.where(np.tri(SEQ, k=sees, dtype=bool), scores, -np.inf)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    return (p @ v).transpose(1, 0, 2).reshape(SEQ, HIDDEN) @ wo


def compute(arguments, sees):
    """The model in f64; row i attends to rows up to i + `sees`."""
    h, cos, sin, *weights = arguments
    for _ in range(BLOCKS):
        n, wq, wk, wv, wo, m, wg, wu, wd, *weights = weights
        h = h + attention(norm(h, n), cos, sin, (wq, wk, wv, wo), sees)
        y = norm(h, m)
        gate = y @ wg
        h = h + (gate / (1 + np.exp(-gate)) * (y @ wu)) @ wd
    return norm(h, *weights)


def compare(options, folder):
    model = subprocess.run(
        [sys.executable, options.generator, f"--blocks={BLOCKS}", f"--seq={SEQ}",
         f"--hidden={HIDDEN}", f"--heads={HEADS}", f"--ffn={FFN}",
         f"--type={options.type}", *["--dynamic"] * options.dynamic],
        check=True, capture_output=True, text=True).stdout
    with open(f"{folder}/model.mlir", "w") as file:
        file.write(model)
    stored = [store(x, options.type) for x in make_arguments()]
    expected = compute([widen(values).astype(np.float64) for values in stored], sees=int(options.wrong))
    upstream = None
    for pipeline in ("upstream", "cpu", "simt"):
        result = run(["norm-run", f"{folder}/model.mlir", f"--pipeline={pipeline}"], f"{folder}/x", stored)[0]
        error = abs(widen(result).astype(np.float64) - expected)
        worst = error.max() / abs(expected).max() / UNIT[options.type]
        size = np.sqrt((error**2).mean())
        upstream = upstream or size
        text = f"{worst:.1f} u, {size / upstream:.2f} of upstream's error"
        # A NaN is in neither bound.
        if not (worst <= BOUND and size <= BESIDE_UPSTREAM * upstream):
            raise SystemExit(f"{pipeline}: wrong, {text}")
        print(f"{pipeline}: right, {text}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("generator")
    parser.add_argument("--type", choices=("f32", "f16", "bf16"), default="f32")
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--wrong", action="store_true")
    with tempfile.TemporaryDirectory() as folder:
        compare(parser.parse_args(), folder)


main()
