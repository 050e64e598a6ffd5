"""attention.py [--wrong] ARGUMENTS...: tm_tensor.attention by norm-run with
ARGUMENTS, beside f64: batches, masks of both kinds, a row that is masked."""
import sys
import tempfile

import numpy as np
from normtest import run

WRONG = sys.argv[1] == "--wrong"
COMMAND = sys.argv[1 + WRONG:]
rng = np.random.default_rng(3)


def type_of(shape, element, is_open):
    return "tensor<" + "".join(("?" if is_open else str(e)) + "x" for e in shape) + element + ">"


def check(batch, element, mask, scale, is_open):
    m, n, d, p = 3, 5, 8, 6
    shapes = [batch + s for s in [(m, d), (n, d), (n, p)]]
    q, k, v = [np.round(rng.standard_normal(s) * 4) / 4 for s in shapes]
    arrays, types = [q, k, v], [type_of(s, element, is_open) for s in shapes]
    logits = q @ np.swapaxes(k, -1, -2) * (scale or d ** -.5)
    if mask:
        shape = batch + (m, n)
        if mask == "i1":
            chosen = rng.random(shape) < .6
            chosen[..., 1, :], chosen[..., 0, 0] = False, True
            logits += np.where(chosen, 0, -np.inf)
        else:
            chosen = np.round(rng.standard_normal(shape) * 4) / 4
            logits += chosen
        arrays.append(chosen)
        types.append(type_of(shape, "i1" if mask == "i1" else element, is_open))
    largest = logits.max(-1, keepdims=True)
    powers = np.exp(logits - np.where(np.isinf(largest), 0, largest))
    sums = powers.sum(-1, keepdims=True)
    want = np.where(sums == 0, 0, powers / np.where(sums == 0, 1, sums)) @ v
    if WRONG:
        want *= 1.001
    out = type_of(batch + (m, p), element, is_open)
    arrays.append(np.zeros(batch + (m, p)))
    types.append(out)
    names = ", ".join(f"%a{i}" for i in range(len(types) - 1))
    attribute = f"{{scale = {scale:e} : f64}} " if scale else ""
    # norm-run has no bf16 in files: elements are exact in f32 too.
    narrow = "".join(f"  %a{i} = arith.truncf %b{i} : {t.replace('bf16', 'f32')} to {t}\n"
                     if "bf16" in t else "" for i, t in enumerate(types))
    given = ", ".join(f"%{'b' if 'bf16' in t else 'a'}{i}: {t.replace('bf16', 'f32')}"
                      for i, t in enumerate(types))
    wide = out.replace("bf16", "f32")
    widen = f"  %w = arith.extf %r : {out} to {wide}\n" if "bf16" in out else ""
    text = f"""func.func @main({given}) -> {wide} {{
{narrow}  %r = tm_tensor.attention {attribute}ins({names} : {', '.join(types[:-1])}) outs(%a{len(types) - 1} : {out}) -> {out}
{widen}  return %{'w' if widen else 'r'} : {wide}
}}
"""
    with tempfile.TemporaryDirectory() as folder:
        open(f"{folder}/in.mlir", "w").write(text)
        inputs = [x if "i1" in t else x.astype("d" if "f64" in t else "f") for x, t in zip(arrays, types)]
        got = run([*COMMAND, f"{folder}/in.mlir"], f"{folder}/in", inputs)[0].astype("d")
    # Some ulp of the largest value: of the sums, and of what is rounded.
    bound = {"f64": 2e-15, "f32": 1e-6, "bf16": 2 ** -8}[element] * np.abs(v).max()
    error = np.abs(got - want).max()
    if not error <= bound:
        sys.exit(f"error {error} beyond {bound}\n{text}\n{got}\n{want}")


cases = [((2,), "f32", None, None, False), ((2, 3), "f32", "i1", None, False),
         ((), "f32", "float", .5, False), ((2,), "f64", "float", None, True),
         ((2, 3), "f64", "i1", .25, True), ((2,), "bf16", "float", None, False),
         ((), "bf16", "i1", None, True), ((2,), "f32", None, None, True)]
for case in cases:
    check(*case)
print(f"{len(cases)} attentions are right")
