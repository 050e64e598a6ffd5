#!/usr/bin/env python3
"""The GPU targets beside what benchmarks/gpu.sh measured, met or missed.

    gpu_targets.py DIR [--update FILE]

DIR holds the gpu.jsonl of `gpu.sh run`. Ratios are of times within one run: 1 is the speed of
the copy of as many bytes (the faster of the driver's and a kernel's).
"""
import argparse
import json
import math
import os
import re
import sys

import report


def read(directory):
    """The lines, with what the names of artifacts say: VARIANT-TYPE-N[+OPTION].so."""
    path = os.path.join(directory, "gpu.jsonl")
    if not os.path.exists(path):
        sys.exit(f"error: {directory} has no results of gpu.sh run")
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        name = os.path.basename(line["artifact"])
        parts = re.fullmatch(r"(.+)-(\w+)-(\d+)(?:\+(.*))?\.so", name)
        if not parts:
            sys.exit(f"error: '{name}' is not named VARIANT-TYPE-N[+OPTION].so")
        line.update(name=name, variant=parts[1], type=parts[2], cols=int(parts[3]), option=parts[4] or "")
    return lines


def get_ratio(result):
    return min(result["ratio_to_copy"], result["ratio_to_copy_kernel"])


def get_target(result):
    """The least ratio that a shape must reach, to the faster copy or, if N is no power of two, to
    that of the nearest one."""
    if result["label"] != "table" or result["variant"] not in ("llama", "residual"):
        return None, None
    neighbor = 2 ** round(math.log2(result["cols"]))
    if neighbor != result["cols"]:
        return 0.90, neighbor
    if result["variant"] == "residual":
        return 0.90, None
    return 0.85 if result["cols"] < 1024 else 0.95, None


def get_verdict(result, ratios):
    """What the ratio is compared with, and the least that it must be."""
    least, cols = get_target(result)
    if least is None:
        return ""
    what, ratio = "of copy", get_ratio(result)
    if cols:
        neighbor = ratios.get((result["variant"], result["type"], cols))
        if neighbor is None:
            return ""
        what, ratio = "of round N", ratio / neighbor
    return f"{ratio:.2f} {what} ({least:.2f}): {'met' if ratio >= least else 'missed'}"


def rows(results, errors):
    ratios = {(r["variant"], r["type"], r["cols"]): get_ratio(r) for r in results if r["label"] == "table"}
    for r in results:
        yield [r["variant"] + (f" +{r['option']}" if r["option"] else ""), r["type"], f"{r['rows']}x{r['cols']}",
               f"{r['norm']['seconds'] * 1e6:.2f}", f"{r['norm']['gigabytes_per_second']:.0f}",
               f"{r['ratio_to_copy']:.3f}", f"{r['ratio_to_copy_kernel']:.3f}",
               f"{errors[r['name']]:.2f}" if r["name"] in errors else "", get_verdict(r, ratios)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory")
    parser.add_argument("--update", help="document whose table of GPU targets is replaced")
    arguments = parser.parse_args()
    found = read(arguments.directory)
    results = [line for line in found if "norm" in line]
    errors, wrong = {}, []
    for line in found:
        if line.get("max_ulp") is not None:
            errors[line["name"]] = max(line["max_ulp"], errors.get(line["name"], 0))
        if "error" in line:
            wrong.append(f"- WRONG or failed: {line['name']} ({line['error']})")
    table = list(rows(results, errors))
    verdicts = [line[-1] for line in table if line[-1]]
    header = ["variant", "type", "shape", "us", "GB/s", "of copy", "of copy kernel", "max ulp", "target"]
    device = next((line["device"] for line in found if "device" in line), "no GPU")
    left_out = sum("left_out" in line for line in found)
    lines = [f"{device}; {sum(v.endswith(' met') for v in verdicts)} of {len(verdicts)} targets met; "
             f"{left_out} left out.", "", *wrong, *([""] if wrong else []), *report.markdown([header] + table)]
    print("\n".join(lines))
    if arguments.update:
        report.update(arguments.update, "gpu-targets", lines)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
