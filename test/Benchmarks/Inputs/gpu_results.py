"""Writes results as benchmarks/gpu.sh leaves them. Usage: gpu_results.py DIR [wrong]"""
import json
import sys


def result(cols, copy, kernel, rows=100, right=True):
    return {"type": "bf16", "rows": rows, "cols": cols, "norm": {"seconds": 1e-5, "gigabytes_per_second": 1000.0},
            "ratio_to_copy": copy, "ratio_to_copy_kernel": kernel, "right": right}


def write(name, results):
    with open("%s/%s.json" % (sys.argv[1], name), "w") as file:
        json.dump({"device": "made-up GPU", "results": results}, file)


write("llama", [result(512, 0.90, 0.86), result(4096, 0.94, 0.97), result(4095, 0.90, 0.86), result(5000, 0.81, 0.90),
                result(1152, 0.70, 0.70), result(8192, 0.96, 0.99)])
write("llama-decode", [result(4096, 0.2, 0.2, rows=1)])
write("residual", [result(4096, 0.91, 0.95, right=len(sys.argv) < 3)])
