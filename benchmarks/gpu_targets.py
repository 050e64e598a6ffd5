#!/usr/bin/env python3
"""The GPU targets beside what benchmarks/gpu.sh measured, met or missed.

    gpu_targets.py DIR [--update docs/Performance.md]

DIR holds the JSON files of `gpu.sh run`. Ratios are of times within one run: 1 is the
speed of the copy of as many bytes (the faster of the driver's and a kernel's).
"""
import argparse
import json
import os
import sys

import report

ROUND = {111: 128, 1152: 1024, 2880: 2048, 4095: 4096, 4097: 4096, 5000: 4096, 7168: 8192}


def read(directory):
    """The device, and (variant, decode) -> results."""
    device, groups = None, {}
    for variant in "llama", "residual":
        for decode in False, True:
            path = os.path.join(directory, variant + ("-decode" if decode else "") + ".json")
            if os.path.exists(path):
                with open(path) as file:
                    data = json.load(file)
                device = data["device"]
                groups[variant, decode] = data["results"]
    if not groups:
        sys.exit(f"error: {directory} has no results of gpu.sh run")
    return device, groups


def get_ratio(result):
    return min(result["ratio_to_copy"], result["ratio_to_copy_kernel"])


def get_target(variant, result, ratios):
    """What the ratio is compared with, and the least that it must be."""
    n = result["cols"]
    if n in ROUND:
        neighbor = ratios.get((result["type"], ROUND[n]))
        return neighbor and ("of round N", get_ratio(result) / neighbor, 0.90)
    if variant == "residual":
        return "of copy", get_ratio(result), 0.90
    return "of copy", get_ratio(result), 0.85 if n < 1024 else 0.95


def rows(groups):
    for (variant, decode), results in groups.items():
        ratios = {(r["type"], r["cols"]): get_ratio(r) for r in results}
        for r in results:
            verdict = ""
            target = None if decode else get_target(variant, r, ratios)
            if target:
                what, ratio, least = target
                verdict = f"{ratio:.2f} {what} ({least:.2f}): {'met' if ratio >= least else 'missed'}"
            if r["right"] is False:
                verdict = "WRONG RESULT"
            yield [variant, r["type"], f"{r['rows']}x{r['cols']}", f"{r['norm']['seconds'] * 1e6:.2f}",
                   f"{r['norm']['gigabytes_per_second']:.0f}", f"{r['ratio_to_copy']:.3f}",
                   f"{r['ratio_to_copy_kernel']:.3f}", verdict]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory")
    parser.add_argument("--update", help="document whose table of GPU targets is replaced")
    arguments = parser.parse_args()
    device, groups = read(arguments.directory)
    table = list(rows(groups))
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
