"""Rows with NaN, infinities, values whose squares overflow or underflow, subnormal
numbers and zeros, between ordinary rows.

    special.py WORK native CPU [LIBRARY-DIR]  objects, called in place and apart; with
                                              OpenMP's library threads and streams too
    special.py WORK simt|upstream             norm-run --pipeline

Each row is compared with f32 arithmetic in the program's order, and the ordinary ones
have the bits that they have without the others.
"""
import sys

import numpy as np

import caller
from caller import LIMIT, call, distance, norm_function, rmsnorm
from normtest import run, store, widen

WORK, HOW = sys.argv[1:3]
ROWS = 37
random = np.random.default_rng(3)


def cases():
    """Name, type, static row length or None, length, epsilon, mode."""
    lengths = (1, 3, 17, 64, 100, 256, 257, 1000) if len(sys.argv) > 4 else (1, 17, 100, 257, 1000)
    for kind in ("f32", "f16", "bf16"):
        for n in lengths:
            yield f"{kind}_{n}", kind, n, n, 1e-6, "inside"
        yield f"{kind}_any", kind, None, 111, 1e-6, "inside"
        for n in (17, 100):
            yield f"{kind}_{n}_zero", kind, n, n, 0, "inside"
            yield f"{kind}_{n}_tiny", kind, n, n, 1e-40, "inside"
    yield "f32_outside", "f32", 100, 100, 0, "outside"
    yield "f32_clamp", "f32", 100, 100, 1e-40, "clamp"


def spoil(x, kind):
    """Puts what is special into some rows, first and last of blocks among them."""
    n, top = x.shape[1], np.float32(6e4 if kind == "f16" else 3e38)
    least = np.float32({"f32": 1e-45, "f16": 6e-8, "bf16": 9.2e-41}[kind])
    signs = np.where(np.arange(n) % 2, -1, 1).astype(np.float32)
    rows = {0: np.nan, 3: np.inf, 4: -np.inf, 15: np.nan}
    for row, value in rows.items():
        x[row, (7 * row) % n] = value
    x[7] = np.nan
    x[8] = top * signs  # squares overflow f32, but not those of f16
    x[16] = least * signs  # squares underflow to zero
    x[17] = 3 * least * signs
    x[20] = 0
    x[21] = -0.0
    x[22] = np.float32(2e-23 if kind != "f16" else 1e-7) * signs  # squares are subnormal in f32
    x[23] = 0
    x[23, n - 1] = -top
    x[ROWS - 1, n - 1] = np.nan
    return sorted(set(range(17)) - set(rows) - {7, 8, 16}) + [18, 19] + list(range(24, ROWS - 1))


def check(name, kind, x, w, y, plain, ordinary, epsilon, mode, how):
    expected = rmsnorm(*(widen(v).astype(np.float32) for v in (x, w)), epsilon, mode)
    worst = distance(y, expected, kind).max(-1)
    # Upstream's passes add the squares one by one.
    limit = 40 if how == "upstream" and kind == "f32" else LIMIT[kind]
    isolated = (caller.bits(y[ordinary]) == caller.bits(plain[ordinary])).all()
    bad = [int(r) for r in np.flatnonzero(worst > limit)]
    if bad or not isolated:
        r = bad[0] if bad else 0
        print(f"{name}, {how}: rows {bad} differ, isolated: {isolated}; {widen(y[r])[:4]} expected {expected[r][:4]}")
    return not bad and isolated


def inputs(kind, n):
    x = random.standard_normal((ROWS, n)).astype(np.float32)
    w = (random.uniform(0.5, 1.5, n) * random.choice([-1, 1], n)).astype(np.float32)
    plain = store(x, kind)
    ordinary = spoil(x, kind)
    return plain, store(x, kind), store(w, kind), ordinary


def write(program, kinds):
    with open(program, "w") as file:
        file.write("".join(norm_function(name, kind, None, n, e, mode) for name, kind, n, _, e, mode in cases()
                           if kind in kinds))
    return program


def agree_when_many(library, name, x, w, y):
    """Threads share 1 MiB and more; a row is at other places of its block each time."""
    times = 1 + 2**20 // y.nbytes
    many = np.tile(x, (times, 1))
    out = np.empty_like(many)
    call(library, name, many, w, out)
    return (caller.bits(out) == caller.bits(np.tile(y, (times, 1)))).all()


def native(cpu, library_dir=None):
    program = write(WORK + "/special.mlir", {"f32", "f16", "bf16"})
    builds = {"one thread": caller.compile_shared(program, f"{WORK}/one.so", f"--mcpu={cpu}")}
    if library_dir:
        builds["two threads"] = caller.compile_shared(program, f"{WORK}/two.so", f"--mcpu={cpu}", "--threads=2")
        # Not bf16, for which clang calls a function that libgcc may lack.
        builds["streamed"] = caller.compile_forced(write(WORK + "/wide.mlir", {"f32", "f16"}), f"{WORK}/wide.so", cpu,
                                                   "cache-bytes=1 threads=2 grain=1", library_dir)
    good = total = 0
    for name, kind, _, n, epsilon, mode in cases():
        plain, x, w, ordinary = inputs(kind, n)
        for how, library in builds.items():
            if how == "streamed" and kind == "bf16":
                continue
            y0, y1, y2 = np.empty_like(x), np.empty_like(x), x.copy()
            call(library, name, plain, w, y0)
            call(library, name, x, w, y1)
            call(library, name, y2, w, y2)
            same = (caller.bits(y1) == caller.bits(y2)).all() and agree_when_many(library, name, x, w, y1)
            if not same:
                print(f"{name}, {how}: in place, or in many rows, differs")
            good += check(name, kind, x, w, y1, y0, ordinary, epsilon, mode, how) and same
            total += 1
    return good, total


def pipeline(option):
    """All functions of one program in one run, for each is compiled."""
    text, arguments, results, body, kept = "", [], [], "", []
    for i, (name, kind, n, length, epsilon, mode) in enumerate(cases()):
        text += norm_function(name, kind, None, n, epsilon, mode).replace("func.func", "func.func private")
        x, w = (f"tensor<?x{'?' if n is None else n}x{kind}>", f"tensor<{'?' if n is None else n}x{kind}>")
        for half in ("p", "x"):
            arguments.append(f"%{half}{i}: {x}")
            results.append((f"%{half}y{i}", x))
            body += f"  %{half}y{i} = call @{name}(%{half}{i}, %w{i}) : ({x}, {w}) -> {x}\n"
        arguments.append(f"%w{i}: {w}")
        kept.append(inputs(kind, length))
    with open(WORK + "/main.mlir", "w") as file:
        file.write(text + f"func.func @main({', '.join(arguments)}) -> ({', '.join(t for _, t in results)}) {{\n{body}"
                   f"  return {', '.join(v for v, _ in results)} : {', '.join(t for _, t in results)}\n}}\n")
    outputs = run(["norm-run", f"--pipeline={option}", WORK + "/main.mlir"], f"{WORK}/main",
                  [value for values in kept for value in values[:3]], 2 * len(kept))
    good = 0
    for i, (name, kind, _, _, epsilon, mode) in enumerate(cases()):
        _, x, w, ordinary = kept[i]
        y0, y1 = outputs[2 * i:2 * i + 2]
        good += check(name, kind, x, w, y1, y0, ordinary, epsilon, mode, option)
    return good, len(kept)


good, total = native(*sys.argv[3:]) if HOW == "native" else pipeline(HOW)
print(f"{good} of {total} as f32 arithmetic says, row by row")
sys.exit(int(good != total))
