"""Rows of 1048576 elements against f64: long_rows.py WORK OPTIONS-OF-NORM-RUN"""
import sys

import numpy as np

import caller
from caller import norm_function
from normtest import norm, run, store, widen

WORK, OPTIONS = sys.argv[1], sys.argv[2:]
ROWS, N = 2, 1048576
random = np.random.default_rng(8)
good = True
# Static and dynamic in turn: what differs is not the type.
for kind in ("f32", "bf16", "f16"):
    for rows, n in (((ROWS, N),) if kind != "f16" else ((None, None),)):
        with open(f"{WORK}/rows.mlir", "w") as file:
            file.write(norm_function("main", kind, rows, n))
        x = store(3 * random.standard_normal((ROWS, N)).astype(np.float32), kind)
        w = store(random.uniform(0.5, 1.5, N).astype(np.float32), kind)
        y = run(["norm-run", f"{WORK}/rows.mlir", *OPTIONS], f"{WORK}/rows", (x, w))[0]
        ulp = caller.distance(y, norm(widen(x), widen(w)), kind).max()
        print(f"{kind} {'static' if n else 'dynamic'}: max ulp {ulp:.2f}")
        good &= bool(ulp <= caller.LIMIT[kind])
print("within 4 ulp of f64, 1 in 16 bits" if good else "TOO FAR")
sys.exit(int(not good))
