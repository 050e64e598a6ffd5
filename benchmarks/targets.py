#!/usr/bin/env python3
"""Measures the targets of docs/Performance.md with norm-bench: one table, met or missed.

    targets.py [--build BUILD] [--json FILE] [--quick] [--only REGIME] [--repetitions N]
               [--update FILE]

Ratios are taken within one run of norm-bench, in which the repetitions of all its
subjects are interleaved at random; the best repetition counts. Needs no package.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import report

NT = "of NT copy"
HAND = "of best intrinsics"
ROUND = "of round N"

BEYOND_CACHES = [(2048, 4096), (8192, 4096), (4096, 8192), (16384, 1024), (131072, 128)]
NEIGHBOURS = ["residual", "bias", "gate", "gate-before", "quantize"]


class Group:
    """One run of norm-bench; `targets` are (what the speed is divided by, least ratio)."""

    def __init__(self, regime, shapes, targets, type="f32", variant="llama", threads=1, cold=False, odd=None):
        self.regime, self.shapes, self.targets = regime, shapes, targets
        self.type, self.variant, self.threads, self.cold = type, variant, threads, cold
        self.odd = odd or {}  # row length -> the round one beside it

    def command(self, bench, arguments, output):
        rows, cols = zip(*self.shapes)
        command = [bench, f"--type={self.type}", f"--variant={self.variant}", f"--threads={self.threads}",
                   "--subjects=norm-to-cpu,intrinsics,intrinsics-nt,intrinsics-512,intrinsics-512-nt",
                   f"--repetitions={arguments.repetitions}", f"--seconds={arguments.seconds}", "--format=json",
                   "--cols=" + ",".join(str(c) for c in dict.fromkeys(cols)), f"--rows={rows[0]}", "-o", output]
        return command + ["--cold"] * self.cold + ["--together"] * bool(self.odd)


def groups():
    """The table of targets. Shapes of one group have the same number of rows."""
    for threads in 1, 2:
        for shape in BEYOND_CACHES:
            yield Group("beyond the caches", [shape], [(NT, 0.90), (HAND, 1.00)], threads=threads)
    for type in "bf16", "f16":
        for threads in 1, 2:
            for shape in BEYOND_CACHES:
                yield Group("16 bits", [shape], [(HAND, 1.00), (NT, 0.85)], type=type, threads=threads)
    for shape in (8, 4096), (128, 4096):
        yield Group("in the caches", [shape], [(HAND, 0.95)])
    for rows in 8, 2048:
        for type in "f32", "bf16":
            for lengths in ({4095: 4096, 4097: 4096, 5000: 4096}, {1152: 1024}, {111: 128}):
                count = rows if rows == 8 else rows * 4096 // min(4096, max(lengths.values()))
                cols = list(dict.fromkeys(list(lengths.values()) + list(lengths)))
                yield Group("odd row lengths", [(count, c) for c in cols], [(ROUND, 0.90)], type=type, odd=lengths)
    for n in 64, 128, 256:
        yield Group("short rows", [(65536, n)], [(NT, 0.85)])
        yield Group("short rows", [(65536, n)], [(NT, 0.85)], threads=2)
    for n in 4096, 16384, 65536, 262144:
        # The best of the peers is for peers.py to say.
        yield Group("one row", [(1, n)], [(HAND, 1.00)])
        yield Group("one row, cold", [(1, n)], [(HAND, 1.00)], cold=True)
    for variant in NEIGHBOURS:
        yield Group("neighbors", [(2048, 4096)], [(NT, 0.90)], variant=variant)
        yield Group("neighbors", [(2048, 4096)], [(NT, 0.90)], variant=variant, threads=2)
        yield Group("neighbors", [(2048, 4096)], [(NT, 0.90)], variant=variant, type="bf16")
    for type in "f32", "bf16":
        for variant in "columns", "columns-inside", "channels":
            yield Group("around the norm", [(2048, 4096)], [(NT, 0.80)], variant=variant, type=type)
        for variant in "rotary", "rotary-interleaved":
            yield Group("around the norm", [(2048, 4096)], [(NT, 0.60)], variant=variant, type=type)
        for variant in "fp8", "fp8-given", "mxfp8", "mxfp4", "nvfp4":
            yield Group("around the norm", [(2048, 4096)], [(NT, 0.50)], variant=variant, type=type)
        yield Group("around the norm", [(2048, 4096)], [(NT, 0.85 if type == "f32" else 0.60)],
                    variant="quantize", type=type)
        yield Group("around the norm", [(2048, 4096)], [(NT, 0.70)], variant="gate,gate-before", type=type)
        yield Group("around the norm", [(2048, 4096)], [(NT, 0.75)],
                    variant="group-gate,modulation,two-consumers,residuals,gemma", type=type)
    for shape in (8192, 1024), (131072, 128):
        yield Group("around the norm", [shape], [(NT, 0.80)], variant="columns,columns-inside")
    for shape in (2048, 4096), (128, 4096):
        yield Group("other norms", [shape], [], variant="llama,plain,layernorm,softmax")


def quick_groups():
    """Every kind of row at shapes that take no time, for the tests."""
    yield Group("beyond the caches", [(64, 64)], [(NT, 0.90), (HAND, 1.00)], threads=2)
    yield Group("16 bits", [(8, 64)], [(HAND, 1.00), (NT, 0.85)], type="bf16")
    yield Group("odd row lengths", [(8, 128), (8, 111)], [(ROUND, 0.90)], odd={111: 128})
    yield Group("one row, cold", [(1, 4096)], [(HAND, 1.00)], cold=True)
    yield Group("neighbors", [(8, 64)], [(NT, 0.90)], variant="quantize")
    yield Group("other norms", [(8, 64)], [], variant="llama,layernorm")


def best_intrinsics(speed):
    return max((s for name, s in speed.items() if name.startswith("intrinsics")), default=None)


def make_row(group, result, round_speed):
    seconds = {m["name"]: m["seconds"] for m in result["measurements"]}
    speed = {m["name"]: m["gigabytes_per_second"] for m in result["measurements"]}
    ours = speed["norm-to-cpu"]
    bases = {"of memcpy": speed["memcpy"], NT: speed.get("non-temporal copy"), HAND: best_intrinsics(speed),
             ROUND: round_speed}
    ratios = {name: ours / base for name, base in bases.items() if base}
    row = {"regime": group.regime, "program": result["program"], "threads": result["threads"],
           "cold": result["cold"], "microseconds": seconds["norm-to-cpu"] * 1e6, "gigabytes_per_second": ours,
           "ratios": ratios, "targets": []}
    if round_speed is not None or not group.odd:
        for base, least in group.targets:
            # No intrinsics or streaming stores on this machine: nothing to reach.
            if base in ratios:
                row["targets"].append({"of": base, "least": least, "met": ratios[base] >= least})
    return row


def measure(group, bench, arguments):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "out.json")
        done = subprocess.run(group.command(bench, arguments, output), stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"error: norm-bench failed:\n{done.stderr}")
        with open(output) as stream:
            results = json.load(stream)
    speed = {r["cols"]: m["gigabytes_per_second"] for r in results for m in r["measurements"]
             if m["name"] == "norm-to-cpu"}
    return [make_row(group, r, speed.get(group.odd.get(r["cols"]))) for r in results]


def verdict(row):
    texts = []
    for target in row["targets"]:
        short = target["least"] - row["ratios"][target["of"]]
        result = "met" if target["met"] else f"missed by {100 * short / target['least']:.1f} %"
        texts.append(f"{target['least']:.2f} {target['of']}: {result}")
    return "; ".join(texts)


def cell(row, base):
    return f"{row['ratios'][base]:.2f}" if base in row["ratios"] else ""


HEADER = ["regime", "program", "threads", "us", "GB/s", "of memcpy", NT, HAND, ROUND, "target"]


def cells(row):
    return [row["regime"], row["program"], str(row["threads"]), f"{row['microseconds']:.1f}",
            f"{row['gigabytes_per_second']:.1f}", cell(row, "of memcpy"), cell(row, NT), cell(row, HAND),
            cell(row, ROUND), verdict(row)]


def get_summary(rows):
    targets = [t for row in rows for t in row["targets"]]
    yield f"{sum(t['met'] for t in targets)} of {len(targets)} targets met:"
    yield ""
    for regime in dict.fromkeys(row["regime"] for row in rows):
        of = [t for row in rows if row["regime"] == regime for t in row["targets"]]
        if of:
            yield f"- {regime}: {sum(t['met'] for t in of)} of {len(of)}"
    times = {(row["program"], row["threads"]): row["microseconds"] for row in rows if row["regime"] == "other norms"}
    for (program, threads), time in times.items():
        llama = times.get((program.replace("layernorm", "llama"), threads))
        if program.startswith("layernorm") and llama:
            yield f"- {program} takes {time / llama:.2f} of the time of RMSNorm"


def get_report(about, rows, repetitions):
    yield f"{report.describe(about)}; best of {repetitions}."
    yield ""
    yield from report.markdown([HEADER] + [cells(row) for row in rows])
    yield ""
    yield from get_summary(rows)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build", help="build folder (default: build)")
    parser.add_argument("--json", help="output file (default: BUILD/bench.json)")
    parser.add_argument("--quick", action="store_true", help="tiny shapes, only to see that it runs")
    parser.add_argument("--only", help="only regimes with this text in their name")
    parser.add_argument("--repetitions", type=int, default=25, help="of each subject, the best counts (default 25)")
    parser.add_argument("--seconds", type=float, default=0.005, help="of one repetition (default 0.005)")
    parser.add_argument("--update", help="document whose table of targets is replaced")
    return parser, parser.parse_args()


def main():
    parser, arguments = parse_arguments()
    bench = os.path.join(arguments.build, "bin", "norm-bench")
    if not os.access(bench, os.X_OK):
        parser.error(f"{bench} is not built")
    chosen = [g for g in (quick_groups() if arguments.quick else groups())
              if not arguments.only or arguments.only in g.regime]
    if not chosen:
        parser.error(f"no regime has '{arguments.only}' in its name")
    about, rows = report.machine(), []
    for number, group in enumerate(chosen):
        if sys.stderr.isatty():
            print(f"\r{number + 1} of {len(chosen)}: {group.regime}".ljust(60), end="\r", file=sys.stderr)
        rows += measure(group, bench, arguments)
    lines = list(get_report(about, rows, arguments.repetitions))
    print("\n".join(lines))
    output = arguments.json or os.path.join(arguments.build, "bench.json")
    with open(output, "w") as stream:
        json.dump({"machine": about, "rows": rows}, stream, indent=2)
        stream.write("\n")
    print(f"\nwritten to {output}")
    if arguments.update:
        report.update(arguments.update, "targets", lines)


if __name__ == "__main__":
    main()
