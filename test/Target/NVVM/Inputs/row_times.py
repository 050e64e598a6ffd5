"""The tables of docs/GPU.md that `norm-compile --explain` predicts.

    row_times.py DOCS [--update]

Compiles norms with a weight, reads the predictions, and compares the lines between
`row_times.py begin` and `end` in DOCS with them, or writes them there. Exit status 1
where they differ.
"""
import re
import subprocess
import sys

BEGIN, END = "<!-- row_times.py begin -->", "<!-- row_times.py end -->"
SIZES = [64, 256, 1024, 4096, 8192, 16384, 65536, 262144]
BYTES = {"bf16": 2, "f16": 2, "f32": 4}
GIGABYTE = 10**9
LINE = re.compile(r"predicted for (.+): (\d+) threads in \d+ blocks? an SM, ([0-9.]+) KiB in flight; "
                  r"its rows are ([0-9.]+) waves, ([0-9.]+) of a copy's speed, limit: (\w+)")
# N, type, residual, and the cycles of the norm over those of a copy that GPGPU-Sim 4.2
# gives for a quarter of a V100 and four waves.
SIMULATED = [(1024, "f32", False, 1.016), (4096, "f32", False, 1.089), (4096, "f16", False, 1.065),
             (16384, "f32", False, 1.282), (4096, "f32", True, 1.002)]


def program(rows, n, kind, residual=False):
    x, w = f"tensor<{rows}x{n}x{kind}>", f"tensor<{n}x{kind}>"
    rounded = "" if kind == "f32" else f" normalized_type = {kind}"
    norm = (f"%o = tensor.empty() : {x}\n  %y = norm.rmsnorm ins(%s, %w : {x}, {w}) outs(%o : {x}) "
            f"dims = [1] epsilon = 1.0e-5 : f32{rounded} -> {x}\n")
    if not residual:
        return f"func.func @n(%s: {x}, %w: {w}) -> {x} {{\n  {norm}  return %y : {x}\n}}\n"
    return (f"func.func @n(%x: {x}, %r: {x}, %w: {w}) -> ({x}, {x}) {{\n  %e = tensor.empty() : {x}\n"
            f"  %s = linalg.add ins(%x, %r : {x}, {x}) outs(%e : {x}) -> {x}\n"
            f"  {norm}  return %y, %s : {x}, {x}\n}}\n")


def predict(text, chip):
    """(product, threads, KiB in flight, waves, share, limit) of each product."""
    out = subprocess.run(["norm-compile", "-", "--target=nvvm", "--chip=" + chip, "--explain"], input=text,
                         stdout=subprocess.PIPE, check=True, text=True).stdout
    found = LINE.findall(out)
    if not found or "in 1 kernel\n" not in out:
        sys.exit("error: no prediction in\n" + out)
    return [(name, int(threads), float(kib), float(waves), float(share), limit)
            for name, threads, kib, waves, share, limit in found]


def products():
    yield "| N | type | threads an SM | in flight, KiB | H100: waves | share | H200: waves | share |"
    yield "|---|---|---|---|---|---|---|---|"
    for n in SIZES:
        for kind in "f32", "bf16":
            rows = GIGABYTE // (2 * n * BYTES[kind])
            h100, h200 = predict(program(rows, n, kind), "sm_90")
            yield (f"| {n} | {kind} | {h100[1]} | {h100[2]:.0f} | {h100[3]:.1f} | {h100[4]:.3f} "
                   f"| {h200[3]:.1f} | {h200[4]:.3f} |")


def simulated():
    yield "| | simulated | predicted | off by |"
    yield "|---|---|---|---|"
    for n, kind, residual, ratio in SIMULATED:
        # The waves of any number of rows say how many rows four of them are.
        waves = predict(program(100000, n, kind, residual), "sm_70")[0][3]
        four = predict(program(round(400000 / waves), n, kind, residual), "sm_70")[0]
        name = f"{'residual ' if residual else ''}{kind} {n}"
        yield f"| {name} | {ratio:.3f} | {1 / four[4]:.3f} | {1 / four[4] - ratio:+.3f} |"


def main():
    path = sys.argv[1]
    with open(path) as file:
        before, rest = file.read().split(BEGIN)
    old, after = rest.split(END)
    new = "\n" + "\n".join(products()) + "\n\n" + "\n".join(simulated()) + "\n"
    if old == new:
        print("the tables are what is predicted")
    elif "--update" in sys.argv:
        with open(path, "w") as file:
            file.write(before + BEGIN + new + END + after)
    else:
        sys.exit(f"error: {path} differs from what is predicted (row_times.py {path} --update):{new}")


main()
