"""Threads of the GNU OpenMP runtime, as torch brings it: numbers of rows, teams, callers, forks."""
import ctypes
import os
import re
import threading

ctypes.CDLL("libgomp.so.1")
import numpy as np

import norm_mlir
from programs import DYNAMIC

COUNTS = (1, 2, 3, 5)
random = np.random.default_rng(3)
x = random.standard_normal((1031, 1024), dtype=np.float32)
w = random.standard_normal(1024, dtype=np.float32)


def count_threads():
    return len(os.listdir("/proc/self/task"))


alone = count_threads()
forward = {n: norm_mlir.compile(DYNAMIC, threads=n) for n in COUNTS}
with open("/proc/self/maps") as maps:
    loaded = {*re.findall(r"lib[g]?omp\.so\.\d", maps.read())}
assert loaded == {"libgomp.so.1"}, loaded
print("libgomp.so.1, without libomp.so.5")

# A team may have more threads than there are rows, or none to share.
for rows in (0, 1, 2, 4, 1031):
    results = [function(x[:rows], w).tobytes() for function in forward.values()]
    assert results == results[:1] * len(COUNTS), rows
print("forward: the same bits with 1, 2, 3 and 5 threads")

dy = random.standard_normal(x.shape, dtype=np.float32)
gradients = [norm_mlir.rms_norm_backward(dy, x, w, threads=n) for n in COUNTS]
assert all(a.tobytes() == b.tobytes() for pair in zip(*gradients) for a in pair for b in pair)
print("backward: the same bits with 1, 2, 3 and 5 threads")
print(count_threads() - alone + 1, "threads of the process")

expected, actual = forward[1](x, w).tobytes(), {}
callers = [threading.Thread(target=lambda n: actual.update({n: forward[n](x, w).tobytes()}),
                            args=(n,)) for n in COUNTS]
for caller in callers:
    caller.start()
for caller in callers:
    caller.join()
assert actual == dict.fromkeys(COUNTS, expected)
print("several callers: the same bits")

child = os.fork()
if child == 0:
    os._exit(forward[5](x, w).tobytes() != expected or count_threads() != 1)
assert os.waitpid(child, 0)[1] == 0
print("fork: the child runs in one thread")
