"""Runs RMSNorm on long rows and compares with f64.

    error-bound.py PREFIX RUNNER PROGRAM

The bound of docs/Codegen.md, in ulp: the mean of n squares and epsilon is off by so many
roundings as an element goes through operations, the root halves that, and four more
operations round once each.
"""
import sys

import numpy as np

from accuracy import count_additions
from normtest import get_errors, norm, run

prefix, command = sys.argv[1], sys.argv[2:]
random = np.random.default_rng(11)


def rows(kind, n):
    if kind == "random":
        x = random.standard_normal((2, n))
    elif kind == "all equal":
        # Every addition to a sum loses the same bits.
        x = np.outer([1.1, 0.7310586], np.ones(n))
    elif kind == "one huge":
        # What is added to the square of the huge one is lost.
        x = np.full((2, n), 0.5)
        x[0, 0], x[1, n // 2] = 4096, 4000
    else:
        x = np.tile(np.geomspace(1e-3, 1e3, n), (2, 1)) * [[1], [-1]]
    return x.astype(np.float32)


passed = True
for n in (1048576, 4096):
    limit = (count_additions(n) + 3) / 2 + 4
    w = random.uniform(0.5, 1.5, n).astype(np.float32)
    for kind in ("random", "all equal", "one huge", "growing"):
        x = rows(kind, n)
        one, two = (run([*command, f"--threads={threads}"], prefix, (x, w))[0] for threads in (1, 2))
        worst = get_errors(one, norm(x, w), "f32").max()
        same = (one.view(np.uint32) == two.view(np.uint32)).all()
        print(f"n {n}, {kind}: max ulp {worst:.2f} of at most {limit:.0f}, "
              f"{'same bits' if same else 'OTHER BITS'} on 2 threads")
        # The bound is for the worst row; the project's limit is 4.
        passed &= bool(same and worst <= min(limit, 4))
sys.exit(0 if passed else 1)
