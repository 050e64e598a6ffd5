"""Rows of 1048576 elements against f64: long_rows.py WORK OPTIONS-OF-NORM-RUN"""
import subprocess
import sys

import numpy as np

import caller
from caller import exact, narrow, norm_function, widen

WORK, OPTIONS = sys.argv[1], sys.argv[2:]
ROWS, N = 2, 1048576
random = np.random.default_rng(8)
good = True
for kind in ("f32", "bf16", "f16"):
    for rows, n in ((ROWS, N), (None, None)):
        with open(f"{WORK}/rows.mlir", "w") as file:
            file.write(norm_function("main", kind, rows, n))
        x = narrow(3 * random.standard_normal((ROWS, N)).astype(np.float32), kind)
        w = narrow(random.uniform(0.5, 1.5, N).astype(np.float32), kind)
        np.save(f"{WORK}/x.npy", x)
        np.save(f"{WORK}/w.npy", w)
        subprocess.run(["norm-run", f"{WORK}/rows.mlir", *OPTIONS, f"--input=@{WORK}/x.npy", f"--input=@{WORK}/w.npy",
                        f"--output=@{WORK}/y.npy"], check=True, stdout=subprocess.DEVNULL)
        ulp = caller.distance(np.load(f"{WORK}/y.npy"), exact(widen(x, kind), widen(w, kind), 1e-6), kind).max()
        print(f"{kind} {'static' if n else 'dynamic'}: max ulp {ulp:.2f}")
        good &= bool(ulp <= caller.LIMIT[kind])
print("within 4 ulp of f64, 1 in 16 bits" if good else "TOO FAR")
sys.exit(int(not good))
