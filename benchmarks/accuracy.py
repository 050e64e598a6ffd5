"""The tables of benchmarks/results/accuracy.md.

    accuracy.py records FILE... [--update FILE]
    accuracy.py lengths [--lengths 1,2,3] [--types f32,bf16] [--peers PYTHON] [--update FILE]
    accuracy.py gradients [--sizes 7x111,64x1024] [--types f32,bf16] [--peers PYTHON] [--update FILE]

`records` reads what `norm-test-combinations differential --json=FILE` has written and
exits 1 where a norm failed. `lengths` runs RMSNorm with a weight over rows of each
length, of several kinds, beside other orders of summation and, with a Python that
imports torch or jax, beside those. `gradients` runs the backward pass with a weight.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

from peer_numerics import decode, encode
from report import markdown, update

LENGTHS = [1, 2, 3, 7, 8, 16, 64, 100, 128, 512, 1000, 1024, 4095, 4096, 16384, 65536, 262144, 1048576]
# An emulated thread is a fiber: longer rows take minutes.
LONGEST_EMULATED = 65536
EPSILON = np.float32(1.0e-6)
PRECISION = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
LEAST_EXPONENT = {"f16": -14, "bf16": -126, "f32": -126, "f64": -1022}
PROGRAM = """
func.func @main(%x: tensor<?x?x{type}>, %w: tensor<?x{type}>) -> tensor<?x?x{type}> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?x{type}>
  %n = tensor.dim %x, %c1 : tensor<?x?x{type}>
  %i = tensor.empty(%m, %n) : tensor<?x?x{type}>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?x{type}>, tensor<?x{type}>) outs(%i : tensor<?x?x{type}>)
       dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?x{type}>
  return %y : tensor<?x?x{type}>
}}
"""

SIZES = [(1, 64), (7, 111), (64, 64), (64, 1024), (2048, 64), (256, 4096), (16, 16384), (16384, 128)]
GRADIENTS = """
func.func @main(%dy: tensor<?x?x{type}>, %x: tensor<?x?x{type}>, %w: tensor<?x{type}>) -> (tensor<?x?x{type}>, tensor<?x{type}>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?x{type}>
  %n = tensor.dim %x, %c1 : tensor<?x?x{type}>
  %i = tensor.empty(%m, %n) : tensor<?x?x{type}>
  %j = tensor.empty(%n) : tensor<?x{type}>
  %d:2 = norm.rmsnorm_backward ins(%dy, %x : tensor<?x?x{type}>, tensor<?x?x{type}>) weight(%w : tensor<?x{type}>)
       dx(%i : tensor<?x?x{type}>) dw(%j : tensor<?x{type}>) dims = [1] epsilon = 1.0e-6 : f32
       -> tensor<?x?x{type}>, tensor<?x{type}>
  return %d#0, %d#1 : tensor<?x?x{type}>, tensor<?x{type}>
}}
"""


# The differential run


def read_records(paths):
    records = {}
    for path in paths:
        with open(path) as stream:
            for line in stream:
                record = json.loads(line)
                records[record["seed"]] = record
    return [records[seed] for seed in sorted(records)]


def length_class(n):
    for limit in (1, 16, 64, 256, 1024):
        if n <= limit:
            return f"at most {limit}" if limit > 1 else "1"
    return "at most 12000"


def total(records, names, key):
    return sum(record["targets"][name][key] for record in records for name in names
               if name in record["targets"])


def error_cell(records, name):
    """The largest error, and where roundings to fewer bits flipped."""
    ran = [record["targets"][name] for record in records if record["targets"].get(name, {}).get("ran")]
    if not ran:
        return "not run"
    worst = max(outcome["max_ulp"] for outcome in ran)
    return f"{worst:.2f}" if worst else "0"


def flips_cell(records, names):
    elements, flips = total(records, names, "elements"), total(records, names, "neighbors")
    return f"{flips} of {elements}"


def table_by(records, names, header, key):
    """A row for each value of `key`, a column a target."""
    groups = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    lines = [header + ["norms"] + names + ["flips"]]
    for group in sorted(groups):
        mine = groups[group]
        lines.append(list(group[1:]) + [str(len(mine))] + [error_cell(mine, name) for name in names]
                     + [flips_cell(mine, names)])
    return markdown(lines)


def report_records(paths):
    records = read_records(paths)
    if not records:
        sys.exit("error: no records")
    names = list(dict.fromkeys(name for record in records for name in record["targets"]))
    order = list(PRECISION) + ["f8E4M3FN", "f8E5M2"]
    outcomes = [outcome for record in records for outcome in record["targets"].values()]
    failed = sum(not outcome["passed"] for outcome in outcomes)
    pairs = [outcome["same_bits"] for outcome in outcomes if "same_bits" in outcome]
    programs = [outcome["same_program"] for outcome in outcomes if "same_program" in outcome]
    seeds = [record["seed"] for record in records]
    lines = [f"Seeds {seeds[0]} to {seeds[-1]}: {len(records)} norms, "
             f"{sum(outcome['ran'] for outcome in outcomes)} runs, {failed} failed, "
             f"{total(records, names, 'elements')} elements compared. "
             f"Two threads gave the bits of one in {sum(pairs)} of {len(pairs)} pairs. "
             f"With the same row target the passes gave LLVM the same program for x86-64-v4 as for x86-64-v3 in "
             f"{sum(programs)} of {len(programs)} norms.", "",
             "By the type of the last rounding:", ""]
    lines += table_by(records, names, ["type"], lambda r: (order.index(r["ulp_of"]), r["ulp_of"]))
    limits = ["1", "at most 16", "at most 64", "at most 256", "at most 1024", "at most 12000"]
    for one_by_one, title in ((False, "over the last dimension"), (True, "over other dimensions")):
        single = [r for r in records if r["ulp_of"] == "f32" and r["n"] > 0 and r["one_by_one"] == one_by_one]
        if single:
            lines += ["", f"Norms {title} whose last rounding is to f32, by the number n of elements that "
                      "are summed:", ""]
            lines += table_by(single, names, ["n"],
                              lambda r: (limits.index(length_class(r["n"])), length_class(r["n"])))
    flips = max(outcome["furthest"] for outcome in outcomes)
    lines += ["", f"A flip is at most {flips:.3g} ulp of the narrowest type that the norm rounds to. "
              f"{total(records, names, 'underflowed')} elements are in rows whose squares underflow."]
    return lines, failed == 0


# Rows of one length


def make_rows(n):
    """Rows that are good and bad for a sum of squares, and their kinds."""
    random = np.random.default_rng(n)
    count = max(1, min(64, 65536 // n))
    index = np.arange(count)[:, None]
    kinds = {
        "normal": random.standard_normal((count, n)),
        "uniform": random.uniform(-2, 2, (count, n)),
        "positive": random.uniform(1, 2, (count, n)),
        "equal": np.ones((count, n)) * (0.7310586 + 0.013 * index),
        "growing": np.geomspace(1e-3, 1e3, n) * (1 + 0.01 * index),
        "huge one": np.where(np.arange(n) == index * n // (2 * count), 4000 + index, 0.5),
        "lognormal": np.exp(2 * random.standard_normal((count, n))),
    }
    names = [name for name in kinds for _ in range(count)]
    return names, np.concatenate(list(kinds.values())), random.uniform(0.5, 1.5, n)


def ulp(y, type):
    exponent = np.maximum(np.frexp(np.abs(y))[1] - 1, LEAST_EXPONENT[type])
    return np.ldexp(1.0, exponent - (PRECISION[type] - 1))


def exact(x, w):
    # Extended precision keeps the reference's own rounding below 1/1000 ulp.
    mean = (x * x).sum(axis=1, dtype=np.longdouble, keepdims=True) / x.shape[1]
    return (x / np.sqrt(mean + EPSILON) * w).astype(np.float64)


def finish(x, w, mean):
    """What is not the sum, each operation in f32."""
    one = np.float32(1)
    return x * (one / np.sqrt(mean + EPSILON)) * w


def one_after_another(x, w):
    n = np.float32(x.shape[1])
    return finish(x, w, np.add.accumulate(x * x, axis=1, dtype=np.float32)[:, -1:] / n)


def numpy_pairwise(x, w):
    return finish(x, w, np.mean(x * x, axis=1, keepdims=True, dtype=np.float32))


def in_f32(function, type):
    """A function of f32 arrays, rounded to the type at the end."""
    def run(x, w):
        y = function(decode(x, type).astype(np.float32), decode(w, type).astype(np.float32))
        return encode(y.astype(np.float64), type)
    return run


def path(directory, n, name):
    return os.path.join(directory, f"{n}.{name}.npy")


def norm_run(arguments, type, flags, directory):
    """A function of n, whose inputs are in files."""
    program = os.path.join(directory, "norm.mlir")
    with open(program, "w") as stream:
        stream.write(PROGRAM.format(type=type))

    def run(n):
        y = path(directory, n, "y")
        subprocess.run([arguments.norm_run, program,
                        f"--input=@{path(directory, n, 'x')}", f"--input=@{path(directory, n, 'w')}",
                        f"--output=@{y}"] + flags, check=True, stdout=subprocess.DEVNULL)
        return np.load(y)
    return run


def peer(arguments, name, type, directory):
    """Imports take seconds: one process for all lengths."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "accuracy_peer.py")
    subprocess.run([arguments.peers, script, name, type, directory], check=True)
    return lambda n: np.load(path(directory, n, name))


def count_additions(n):
    """L of docs/Codegen.md: of strips of 64, of blocks of 16 strips and of blocks of
    blocks; 7 at the end."""
    strips, additions = -(-n // 64), 7
    for _ in range(3):
        additions += min(strips, 16)
        if strips <= 16:
            return additions
        strips = -(-strips // 16)
    return additions + strips


def bound(n, type):
    f32 = (count_additions(n) + 1) / 2 + 5
    return f32 if type == "f32" else 0.5 + f32 * 2.0 ** (PRECISION[type] - PRECISION["f32"])


def make_contestants(arguments, type, directory):
    """What computes the y of each length from the files of its x and w."""
    def in_numpy(function):
        run = in_f32(function, type)
        return lambda n: run(np.load(path(directory, n, "x")), np.load(path(directory, n, "w")))

    contestants = {
        "norm-mlir": norm_run(arguments, type, [], directory),
        "emulated GPU": norm_run(arguments, type, ["--pipeline=simt"], directory),
        "upstream's passes": norm_run(arguments, type, ["--pipeline=upstream"], directory),
        "one by one": in_numpy(one_after_another),
        "numpy": in_numpy(numpy_pairwise),
    }
    for name in arguments.peer_names:
        contestants[name] = peer(arguments, name, type, directory)
    return contestants


def report_lengths(arguments, type, directory):
    rows = {}
    for n in arguments.lengths:
        kinds, x, w = make_rows(n)
        x, w = encode(x, type), encode(w, type)
        np.save(path(directory, n, "x"), x)
        np.save(path(directory, n, "w"), w)
        rows[n] = kinds, exact(decode(x, type), decode(w, type))
    contestants = make_contestants(arguments, type, directory)
    digits = 2 if type == "f32" else 4
    lines, passed = [["n", "bound", *contestants, "worst row of norm-mlir"]], True
    for n, (kinds, y) in rows.items():
        line, worst_row = [], None
        for name, run in contestants.items():
            if name == "emulated GPU" and n > LONGEST_EMULATED:
                line.append("")
                continue
            error = (np.abs(decode(run(n), type) - y) / ulp(y, type)).max(axis=1)
            line.append(f"{error.max():.{digits}f}")
            if name == "norm-mlir":
                worst_row = kinds[int(error.argmax())]
                passed &= bool(error.max() <= min(bound(n, type), 4))
        lines.append([str(n), f"{bound(n, type):.{digits}f}", *line, worst_row])
    return markdown(lines), passed


# Backward passes


def make_gradient_inputs(rows, cols, type):
    """dy, x and w; every eighth row of dy is nearly x/w, so that dx nearly vanishes."""
    random = np.random.default_rng(rows * cols)
    x, dy = random.standard_normal((2, rows, cols))
    w = random.uniform(0.5, 1.5, cols)
    dy[::8] = x[::8] / w * (1 + 1e-3 * random.standard_normal((len(dy[::8]), cols)))
    return {name: encode(v, type) for name, v in (("dy", dy), ("x", x), ("w", w))}


def exact_gradients(dy, x, w):
    """dx and dw, and the sizes that bound their terms, in extended precision."""
    dy, x, w = (v.astype(np.longdouble) for v in (dy, x, w))
    r = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + EPSILON)
    z, g = x * r, dy * w
    dx = r * (g - z * (z * g).mean(axis=1, keepdims=True))
    size = r * (np.abs(g) + np.abs(z) * np.abs(z * g).mean(axis=1, keepdims=True))
    return {"dx": (dx, size), "dw": ((dy * z).sum(axis=0), np.abs(dy * z).sum(axis=0))}


def count_row_additions(rows):
    """Additions that a term of dw goes through: in its part of 64 rows, then over the parts,
    which are summed by blocks of 16."""
    parts, additions = -(-rows // 64), min(rows, 16) + 4 + 3
    for divisor in (1, 16, 256):
        if parts > divisor or divisor == 1:
            additions += min(-(-parts // divisor), 16)
    return additions + -(-parts // 4096) * (parts > 4096)


def gradient_bound(name, rows, cols, type):
    """In ulp at the size: see docs/Codegen.md."""
    additions = count_additions(cols)
    f32 = 2.5 * additions + 22 if name == "dx" else count_row_additions(rows) + additions / 2 + 8
    return f32 if type == "f32" else 0.5 + f32 * 2.0 ** (PRECISION[type] - PRECISION["f32"])


def run_gradients(arguments, type, flags, directory):
    program = os.path.join(directory, "gradients.mlir")
    with open(program, "w") as stream:
        stream.write(GRADIENTS.format(type=type))
    at = lambda name: os.path.join(directory, f"{name}.npy")
    subprocess.run([arguments.norm_run, program, *(f"--input=@{at(n)}" for n in ("dy", "x", "w")),
                    *(f"--output=@{at(n)}" for n in ("dx", "dw")), *flags], check=True, stdout=subprocess.DEVNULL)
    return {name: decode(np.load(at(name)), type) for name in ("dx", "dw")}


def run_peer_gradients(arguments, name, type, directory):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "accuracy_peer.py")
    subprocess.run([arguments.peers, script, name, type, directory, "gradients"], check=True)
    return {n: decode(np.load(os.path.join(directory, f"{n}.npy")), type) for n in ("dx", "dw")}


def report_gradients(arguments, type, directory):
    contestants = {"norm-mlir": [], "emulated GPU": ["--pipeline=simt"], "upstream's passes": ["--pipeline=upstream"]}
    names = [*contestants, *arguments.peer_names]
    lines, passed = [["rows x n", "", "bound", *names]], True
    digits = 2 if type == "f32" else 4
    for rows, cols in arguments.sizes:
        inputs = make_gradient_inputs(rows, cols, type)
        for name, value in inputs.items():
            np.save(os.path.join(directory, f"{name}.npy"), value)
        expected = exact_gradients(*(decode(inputs[n], type) for n in ("dy", "x", "w")))
        got = {name: run_gradients(arguments, type, flags, directory) for name, flags in contestants.items()}
        got.update({n: run_peer_gradients(arguments, n, type, directory) for n in arguments.peer_names})
        for which, (value, size) in expected.items():
            limit = gradient_bound(which, rows, cols, type)
            errors = [float((np.abs(got[n][which] - value) / ulp(size.astype(np.float64), type)).max()) for n in names]
            passed &= errors[0] <= limit
            lines.append([f"{rows}x{cols}", which, f"{limit:.{digits}f}", *(f"{e:.{digits}f}" for e in errors)])
    return markdown(lines), passed


def describe_peers(python):
    """Names and versions of what can be imported there, and their tolerances."""
    if not python:
        return []
    script = os.path.join(os.path.dirname(__file__), "accuracy_peer.py")
    done = subprocess.run([python, script, "list"], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def tolerance_lines(peers):
    lines = [["type", "framework", "rtol", "in ulp", "atol"]]
    for found in peers:
        for type, (rtol, atol) in found["tolerances"].items():
            lines.append([type, f"{found['name']} {found['version']}", f"{rtol:.3g}",
                          f"{rtol * 2 ** PRECISION[type]:.3g}", f"{atol:.3g}"])
    return markdown(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    records = commands.add_parser("records")
    records.add_argument("files", nargs="+")
    lengths = commands.add_parser("lengths")
    lengths.add_argument("--lengths", type=lambda text: [int(n) for n in text.split(",")], default=LENGTHS)
    gradients = commands.add_parser("gradients")
    gradients.add_argument("--sizes", default=SIZES,
                           type=lambda text: [tuple(map(int, s.split("x"))) for s in text.split(",")])
    for command in lengths, gradients:
        command.add_argument("--norm-run", default=shutil.which("norm-run") or "build/bin/norm-run")
        command.add_argument("--types", type=lambda text: text.split(","), default=["f32", "bf16"])
        command.add_argument("--peers", help="a Python that imports torch or jax")
    for command in records, lengths, gradients:
        command.add_argument("--update", help="the document whose tables are replaced")
    arguments = parser.parse_args()
    if arguments.command == "records":
        lines, passed = report_records(arguments.files)
        sections = {"records": lines}
    else:
        peers = describe_peers(arguments.peers)
        arguments.peer_names = [found["name"] for found in peers]
        sections, passed = {}, True
        report = report_lengths if arguments.command == "lengths" else report_gradients
        for type in arguments.types:
            with tempfile.TemporaryDirectory() as directory:
                sections[f"{arguments.command} {type}"], good = report(arguments, type, directory)
                passed &= good
        if peers and arguments.command == "lengths":
            sections["tolerances"] = tolerance_lines(peers)
    for name, lines in sections.items():
        if arguments.update:
            update(arguments.update, name, lines)
        else:
            print(f"{name}\n" + "\n".join(lines))
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
