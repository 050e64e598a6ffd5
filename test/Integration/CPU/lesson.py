"""Inputs of the integration tests and their f64 references, as numpy files.

    lesson.py OUT           writes NAME.x.npy and NAME.y.npy for each program below
    lesson.py --check FILE  compares FILE with the lesson's printed results
"""
import sys

import numpy as np

LESSON = """1.3819 -0.8070 -1.9535 1.4018 0.0659 1.1150 0.1526 0.0918
0.0055 -0.4674 0.0471 -0.1710 1.6314 0.0165 0.1086 1.0166
0.3424 -0.0889 0.4060 -0.8189 -0.6987 -0.4687 -0.7417 -0.2912
0.3796 -0.9872 -1.0510 1.3867 -1.4448 -1.2028 0.6512 -0.4053"""

PRINTED = """0.9569 -0.5588 -1.3527 0.9707 0.1165 1.9716 0.2698 0.1624
0.0221 -1.8698 0.1885 -0.6839 1.6946 0.0172 0.1128 1.0560
0.6986 -0.1813 0.8285 -1.6711 -1.2059 -0.8090 -1.2801 -0.5026
0.3728 -0.9696 -1.0323 1.3620 -1.4232 -1.1848 0.6415 -0.3993"""


def table(text):
    return np.array(text.split(), np.float32).reshape(8, 4)


def lesson_input():
    """The lesson's x has 2x5 rows, of which 8 were printed; two are filled in."""
    rows = np.concatenate([table(LESSON), [[1, 2, 3, 4], [-1, 0.5, 0, 2]]])
    return rows.astype(np.float32).reshape(2, 5, 4)


def check(file):
    """Both sides are printed to 4 decimals: half a unit of each may differ."""
    x = table(LESSON).astype(np.float64)
    rms = np.sqrt((x * x).mean(-1, keepdims=True))
    limit = 0.5e-4 + 2 * 0.5e-4 / rms
    actual = np.load(file).reshape(10, 4)[:8]
    error = np.abs(actual - table(PRINTED).astype(np.float64))
    print(f"{(error <= limit).sum()} of {error.size} within the printed digits")
    sys.exit(0 if (error <= limit).all() else 1)


if sys.argv[1] == "--check":
    check(sys.argv[2])

random = np.random.default_rng(0)
CASES = {
    "small": (np.array([[0.1, 0.1, 0.2, 0.3]], np.float32), 0.0),
    # The squares overflow f16; statistics in f32 do not.
    "f16": (np.linspace(-60000, 60000, 4 * 64).reshape(4, 64).astype(np.float16), 1e-6),
    "a": (random.standard_normal((4, 128, 4096)).astype(np.float32), 1e-6),
    "b": (random.standard_normal((2, 3, 4096)).astype(np.float32), 1e-6),
    "c": (random.standard_normal((32, 100, 512)).astype(np.float32), 1e-6),
    "d": (random.standard_normal((1, 2, 3, 4)).astype(np.float32), 1e-6),
}
for name, (x, epsilon) in CASES.items():
    wide = x.astype(np.float64)
    y = wide / np.sqrt((wide * wide).mean(-1, keepdims=True) + np.float64(np.float32(epsilon)))
    np.save(f"{sys.argv[1]}.{name}.x.npy", x)
    np.save(f"{sys.argv[1]}.{name}.y.npy", y)
np.save(f"{sys.argv[1]}.lesson.x.npy", lesson_input())
