"""Runs chains of products, as attentions are, by blocks of rows; compares with f64, and bit for bit
with the same program without these blocks.

    attention.py PREFIX COUNT OPTIONS...

The cases are drawn: layouts, extents that blocks do not divide, types, extents that are not known,
causal masks, groups of heads that share a factor. OPTIONS are norm-compile's, each of
which draws other cases.
"""
import random
import sys
import zlib

import numpy as np
from normtest import UNIT, compile_shared, run_compiled, store, widen

prefix, COUNT, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
SEED = zlib.crc32(" ".join(options).encode())
draw, numbers = random.Random(SEED), np.random.default_rng(SEED)
BLOCKS, NONE = "{large_bytes = 1000, chain_rows = 32}", "{chain_rows = 0}"
EXTENTS = {"b": (1, 3), "g": (2,), "m": (33, 64, 96, 101, 160), "n": (16, 40, 129, 200), "k": (16, 24), "d": (16, 33)}


def tensor(loops, extents, element, dynamic):
    return "tensor<" + "".join(f"{'?' if i in dynamic else extents[i]}x" for i in loops) + f"{element}>"


def maps(loops, *operands):
    lists = ", ".join(f"affine_map<({','.join(loops)})->({','.join(i)})>" for i in operands)
    kinds = ", ".join('"parallel"' if i in operands[-1] else '"reduction"' for i in loops)
    return f"{{indexing_maps = [{lists}], iterator_types = [{kinds}]}}"


def write(name, q, k, v, result, extents, element, causal, dynamic):
    rows = "".join(i for i in q if i != "k")
    scores = rows + "n"
    types = {s: tensor(s, extents, element, dynamic) for s in (q, k, v, result, scores)}
    wide, row = (tensor(s, extents, "f32", dynamic) for s in (scores, rows))
    sizes = lambda loops: ", ".join(f"%d{i}" for i in loops if i in dynamic)
    lines = [f"func.func @{name}(%q: {types[q]}, %k: {types[k]}, %w: {types[v]}) -> {types[result]} {{",
             f"  %zero = arith.constant 0.0 : {element}", "  %zero32 = arith.constant 0.0 : f32", "  %least = arith.constant 0xFF800000 : f32"]
    for i in dynamic:
        value, loops = ("%q", q) if i in q else ("%w", v)
        lines += [f"  %c{i} = arith.constant {loops.index(i)} : index", f"  %d{i} = tensor.dim {value}, %c{i} : {types[loops]}"]

    def generic(name, loops, operands, inputs, init, type_, body):
        ins = f"ins({', '.join(v for v, _ in inputs)} : {', '.join(t for _, t in inputs)}) " if inputs else ""
        lines.extend([f"  %{name} = linalg.generic {maps(loops, *operands)} {ins}outs({init} : {type_}) {{", *body, f"  }} -> {type_}"])

    def product(name, loops, operands, inputs, type_):
        lines.append(f"  %{name}.e = tensor.empty({sizes(operands[-1])}) : {type_}")
        lines.append(f"  %{name}.f = linalg.fill ins(%zero : {element}) outs(%{name}.e : {type_}) -> {type_}")
        generic(name, loops, operands, inputs, f"%{name}.f", type_,
                [f"  ^bb0(%x: {element}, %y: {element}, %o: {element}):", f"    %z = arith.mulf %x, %y : {element}",
                 f"    %t = arith.addf %o, %z : {element}", f"    linalg.yield %t : {element}"])

    def reduce(name, op, start, value):
        lines.append(f"  %{name}.e = tensor.empty({sizes(rows)}) : {row}")
        lines.append(f"  %{name}.f = linalg.fill ins({start} : f32) outs(%{name}.e : {row}) -> {row}")
        generic(name, scores, (scores, rows), [(value, wide)], f"%{name}.f", row,
                ["  ^bb0(%x: f32, %o: f32):", f"    %t = arith.{op} %x, %o : f32", "    linalg.yield %t : f32"])

    product("s", scores + "k", (q, k, scores), [("%q", types[q]), ("%k", types[k])], types[scores])
    lines.append(f"  %wide = tensor.empty({sizes(scores)}) : {wide}")
    body = [f"  ^bb0(%x: {element}, %o: f32):", "    %scale = arith.constant 0.25 : f32"]
    body += ["    %y = arith.mulf %x, %scale : f32"] if element == "f32" else [f"    %z = arith.extf %x : {element} to f32", "    %y = arith.mulf %z, %scale : f32"]
    if causal:
        body += [f"    %i = linalg.index {scores.index('m')} : index", f"    %j = linalg.index {scores.index('n')} : index",
                 "    %keep = arith.cmpi sge, %i, %j : index", "    %t = arith.select %keep, %y, %least : f32"]
    generic("scaled", scores, (scores, scores), [("%s", types[scores])], "%wide", wide, body + [f"    linalg.yield {'%t' if causal else '%y'} : f32"])
    reduce("max", "maximumf", "%least", "%scaled")
    generic("exp", scores, (scores, rows, scores), [("%scaled", wide), ("%max", row)], "%wide", wide,
            ["  ^bb0(%x: f32, %y: f32, %o: f32):", "    %t = arith.subf %x, %y : f32", "    %u = math.exp %t : f32", "    linalg.yield %u : f32"])
    reduce("sum", "addf", "%zero32", "%exp")
    lines.append(f"  %pe = tensor.empty({sizes(scores)}) : {types[scores]}")
    body = ["  ^bb0(%x: f32, %y: f32, " + f"%o: {element}):", "    %t = arith.divf %x, %y : f32"]
    body += ["    linalg.yield %t : f32"] if element == "f32" else [f"    %n = arith.truncf %t : f32 to {element}", f"    linalg.yield %n : {element}"]
    generic("p", scores, (scores, rows, scores), [("%exp", wide), ("%sum", row)], "%pe", types[scores], body)
    product("r", result + "n", (scores, v, result), [("%p", types[scores]), ("%w", types[v])], types[result])
    return "\n".join(lines + [f"  return %r : {types[result]}", "}", ""])


def draw_case():
    q, k, v, result = draw.choice((("bmk", "bnk", "bnd", "bmd"), ("bmk", "bkn", "nbd", "bmd"), ("mbk", "bnk", "bnd", "bmd"),
                                   ("bgmk", "bnk", "bnd", "bgmd"), ("mk", "nk", "nd", "md")))
    extents = {i: draw.choice(EXTENTS[i]) for i in sorted(EXTENTS)}
    return q, k, v, result, extents, draw.choice(("f32", "f32", "bf16", "f16")), draw.random() < 0.5, draw.choice(("", "", "mn"))


def check(case, results, arguments):
    """The bound of both products, and of exp, whose argument has the first one's error."""
    q, k, v, result, _, element, causal, _ = case
    x, y, z = (widen(a).astype(np.float64) for a in arguments)
    rows = "".join(i for i in q if i != "k")
    u, narrow = UNIT["f32"], UNIT[element]
    scores = np.einsum(f"{q},{k}->{rows}n", x, y) * 0.25
    error = np.einsum(f"{q},{k}->{rows}n", abs(x), abs(y)) * 0.25 * (x.shape[-1] + 2) * u + 2 * narrow * abs(scores)
    if causal:
        m, n = rows.index("m"), len(rows)
        i, j = (np.arange(scores.shape[d]).reshape([-1 if e == d else 1 for e in range(scores.ndim)]) for d in (m, n))
        scores = np.where(i >= j, scores, -np.inf)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    expected, total = (np.einsum(f"{rows}n,{v}->{result}", p, w) for w in (z, abs(z)))
    length = p.shape[-1]
    worst = 2 * error.max() + (2 * length + 16) * u + 2 * narrow
    bound = worst * total + narrow * abs(expected) * 2 + (length * 2.0**-24 * abs(z).max() if element == "f16" else 1e-37)
    return bool((abs(widen(results).astype(np.float64) - expected) <= bound).all())


def main():
    cases = [draw_case() for _ in range(COUNT)]
    path = f"{prefix}.mlir"
    with open(path, "w") as file:
        file.writelines(write(f"f{i}", *case) for i, case in enumerate(cases))
    blocks, whole = (compile_shared(path, f"{prefix}.{i}.so", f"--row-target={target}", *options) for i, target in enumerate((BLOCKS, NONE)))
    wrong = 0
    for i, case in enumerate(cases):
        *loops, result, extents, element, _, _ = case
        shapes = [[extents[j] for j in s] for s in loops]
        arguments = [store(numbers.standard_normal(s), element) for s in shapes]
        outputs = [run_compiled(library, f"f{i}", arguments, [np.empty([extents[j] for j in result], arguments[0].dtype)])[0].copy()
                   for library in (blocks, whole)]
        good = check(case, outputs[0], arguments) and outputs[0].tobytes() == outputs[1].tobytes()
        # A row that is not finite changes no other one.
        for special in (np.nan, np.inf, 1e30 if element != "f16" else 6e4):
            arguments[0][(0,) * arguments[0].ndim] = store(np.array([special]), element)[0]
            outputs = [run_compiled(library, f"f{i}", arguments, [np.empty([extents[j] for j in result], arguments[0].dtype)])[0].copy()
                       for library in (blocks, whole)]
            good &= np.array_equal(widen(outputs[0]), widen(outputs[1]), equal_nan=True)
        if not good:
            wrong += 1
            print("WRONG:", *case)
    print(f"{len(cases)} chains, {wrong} wrong")


main()
