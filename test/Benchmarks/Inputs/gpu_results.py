"""Writes results as benchmarks/gpu.sh leaves them. Usage: gpu_results.py DIR [wrong]"""
import json
import sys


def result(cols, copy, kernel, variant="llama", label="table", rows=100, option=""):
    return {"device": "made-up GPU", "label": label, "artifact": f"x/{variant}-bf16-{cols}{option}.so", "rows": rows,
            "norm": {"seconds": 1e-5, "gigabytes_per_second": 1000.0},
            "ratio_to_copy": copy, "ratio_to_copy_kernel": kernel, "max_ulp": None, "right": None}


lines = [{"device": "made-up GPU", "label": "check", "artifact": "x/llama-bf16-4096.so", "max_ulp": ulp}
         for ulp in (0.75, 0.5)]
lines += [result(512, 0.90, 0.86), result(4096, 0.94, 0.97), result(4095, 0.90, 0.86), result(5000, 0.81, 0.90),
          result(1152, 0.70, 0.70), result(8192, 0.96, 0.99), result(4096, 0.2, 0.2, label="decode", rows=1),
          result(4096, 0.91, 0.95, variant="residual"), result(4096, 0.5, 0.5, label="option", option="+late"),
          {"label": "option", "artifact": "llama-bf16-512.so", "left_out": True}]
if len(sys.argv) > 2:
    lines.append({"label": "check", "artifact": "residual-bf16-512.so", "error": "wrong or failed"})
with open(sys.argv[1] + "/gpu.jsonl", "w") as file:
    for line in lines:
        print(json.dumps(line), file=file)
