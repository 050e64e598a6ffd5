"""Writes results as benchmarks/gpu.sh leaves them. Usage: gpu_results.py DIR [wrong]"""
import json
import sys


def result(cols, copy, kernel, target=None, neighbor=0, variant="llama", phase="table", rows=100, right=True):
    data = {"phase": phase, "variant": variant, "type": "bf16", "rows": rows, "cols": cols,
            "norm": {"seconds": 1e-5, "gigabytes_per_second": 1000.0},
            "ratio_to_copy": copy, "ratio_to_copy_kernel": kernel, "right": right}
    if target:
        data.update(target=target, target_cols=neighbor)
    return data


results = [result(512, 0.90, 0.86, 0.85), result(4096, 0.94, 0.97, 0.95), result(4095, 0.90, 0.86, 0.90, 4096),
           result(5000, 0.81, 0.90, 0.90, 4096), result(1152, 0.70, 0.70, 0.90, 1024), result(8192, 0.96, 0.99, 0.95),
           result(4096, 0.2, 0.2, phase="decode", rows=1),
           result(4096, 0.91, 0.95, 0.90, variant="residual", right=len(sys.argv) < 3),
           result(4096, 0.5, 0.5, phase="option")]
with open(sys.argv[1] + "/gpu.json", "w") as file:
    json.dump({"device": "made-up GPU", "results": results}, file)
