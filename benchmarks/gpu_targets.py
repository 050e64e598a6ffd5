#!/usr/bin/env python3
"""The GPU targets beside what benchmarks/gpu.sh measured, met or missed.

    gpu_targets.py DIR [--update docs/Performance.md]

DIR holds the gpu.json of `gpu.sh run`, which says what each shape must reach. Ratios are of
times within one run: 1 is the speed of the copy of as many bytes (the faster of the
driver's and a kernel's).
"""
import argparse
import json
import os
import sys

import report

def read(directory):
    """The device, and the results that have no option."""
    path = os.path.join(directory, "gpu.json")
    if not os.path.exists(path):
        sys.exit(f"error: {directory} has no results of gpu.sh run")
    with open(path) as file:
        data = json.load(file)
    return data["device"], [r for r in data["results"] if r["phase"] != "option"]


def get_ratio(result):
    return min(result["ratio_to_copy"], result["ratio_to_copy_kernel"])


def get_verdict(result, ratios):
    """What the ratio is compared with, and the least that it must be."""
    if result["right"] is False:
        return "WRONG RESULT"
    if "target" not in result:
        return ""
    what, ratio, least = "of copy", get_ratio(result), result["target"]
    if result["target_cols"]:
        neighbor = ratios.get((result["variant"], result["type"], result["target_cols"]))
        if neighbor is None:
            return ""
        what, ratio = "of round N", ratio / neighbor
    return f"{ratio:.2f} {what} ({least:.2f}): {'met' if ratio >= least else 'missed'}"


def rows(results):
    ratios = {(r["variant"], r["type"], r["cols"]): get_ratio(r) for r in results if r["phase"] == "table"}
    for r in results:
        yield [r["variant"], r["type"], f"{r['rows']}x{r['cols']}", f"{r['norm']['seconds'] * 1e6:.2f}",
               f"{r['norm']['gigabytes_per_second']:.0f}", f"{r['ratio_to_copy']:.3f}",
               f"{r['ratio_to_copy_kernel']:.3f}", get_verdict(r, ratios)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory")
    parser.add_argument("--update", help="document whose table of GPU targets is replaced")
    arguments = parser.parse_args()
    device, results = read(arguments.directory)
    table = list(rows(results))
    verdicts = [line[-1] for line in table if line[-1]]
    header = ["variant", "type", "shape", "us", "GB/s", "of copy", "of copy kernel", "target"]
    lines = [f"{device}; {sum(v.endswith(' met') for v in verdicts)} of {len(verdicts)} targets met.", "",
             *report.markdown([header] + table)]
    print("\n".join(lines))
    if arguments.update:
        report.update(arguments.update, "gpu-targets", lines)
    return 1 if "WRONG RESULT" in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
