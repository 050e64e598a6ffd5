"""Errors of norm-mlir and of the loops with intrinsics in a report of peers.py.

Limits: 4 ulp in f32; in 16 bits 2 ulp, where the statistic's last bit may flip the first
rounding, and at most 1 output in 100 that differs.
"""
import json
import sys

with open(sys.argv[1]) as stream:
    results = json.load(stream)["results"]
over = 0
for result in results:
    checked = {name: s for name, s in result["subjects"].items() if name not in ("memcpy", "non-temporal copy")}
    if "norm-mlir" not in checked:
        sys.exit(f"norm-mlir is missing in {result}")
    limit = 4 if result["type"] == "f32" else 2
    for name, subject in checked.items():
        if subject["max_ulp"] > limit or subject.get("differing", 0) > 0.01:
            over += 1
            print(f"{result['type']} {result['rows']}x{result['cols']}: {name}: {subject}")
print(f"{len(results)} rows, {over} over their limit")
