"""Joins the JSON files of norm-bench into one and prints one table.

    table.py OUT.json IN.json...
"""
import json
import os
import sys

results = []
for file in sys.argv[2:]:
    with open(file) as stream:
        results += json.load(stream)

print(f"{'program':24} {'subject':18} {'MB':>8} {'us':>10} {'GB/s':>8} {'of memcpy':>10} {'of nt copy':>11}")
for result in results:
    result["program"] = os.path.splitext(os.path.basename(result["program"]))[0]
    speed = {m["name"]: m["gigabytes_per_second"] for m in result["measurements"]}
    streamed = speed.get("non-temporal copy")
    for m in result["measurements"]:
        # No non-temporal stores: the column stays empty.
        m["ratio_to_non_temporal_copy"] = m["gigabytes_per_second"] / streamed if streamed else None
        ratio = f"{m['ratio_to_non_temporal_copy']:11.2f}" if streamed else f"{'-':>11}"
        print(f"{result['program']:24} {m['name']:18} {result['useful_bytes'] * 1e-6:8.2f} {m['seconds'] * 1e6:10.1f} "
              f"{m['gigabytes_per_second']:8.2f} {m['ratio_to_memcpy']:10.2f} {ratio}")

with open(sys.argv[1], "w") as stream:
    json.dump(results, stream, indent=2)
    stream.write("\n")
print(f"written to {sys.argv[1]}")
