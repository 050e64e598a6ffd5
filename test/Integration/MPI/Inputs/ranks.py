"""Runs norm ops on several ranks under mpiexec, and compares with one rank.

    ranks.py DIRECTORY CASE RANKS [CALLS]     starts the ranks and prints the difference
    ranks.py rank DIRECTORY CASE RANKS CALLS  one of them

CASE is rows, hidden or both, with -backward or -pair, -bf16 or both behind it. A pair is two
norms of the same rows, the second of x + x.
"""
import ctypes
import ctypes.util
import os
import subprocess
import sys
import time

import normtest
import numpy as np
from normtest import store, widen

ROWS, COLUMNS = (int(n) for n in os.environ.get("SHAPE", "16x512").split("x"))


def grid(case, ranks):
    """Ranks along rows and along columns."""
    return {"rows": (ranks, 1), "hidden": (1, ranks), "both": (ranks // 2, 2)}[case.split("-")[0]]


def program(case, ranks, is_sharded):
    element, (r, c) = "bf16" if "bf16" in case else "f32", grid(case, ranks)
    x, w = f"tensor<{ROWS}x{COLUMNS}x{element}>", f"tensor<{COLUMNS}x{element}>"
    annotate = f"""  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  %a = shard.shard %x to %s : {x}
  %v = shard.shard %a to %s annotate_for_users : {x}
""" if is_sharded else ""
    v = "%v" if is_sharded else "%x"
    if "backward" in case:
        body = f"""  %i = tensor.empty() : {x}
  %j = tensor.empty() : {w}
  %d:2 = norm.rmsnorm_backward ins(%dy, {v} : {x}, {x}) weight(%w : {w}) dx(%i : {x}) dw(%j : {w}) dims = [1] epsilon = 1.0e-6 : f32 -> {x}, {w}
  return %d#0, %d#1 : {x}, {w}"""
        signature = f"%dy: {x}, %x: {x}, %w: {w}) -> ({x}, {w})"
    elif "pair" in case:
        body = f"""  %i = tensor.empty() : {x}
  %y = norm.rmsnorm ins({v}, %w : {x}, {w}) outs(%i : {x}) dims = [1] epsilon = 1.0e-6 : f32 -> {x}
  %t = arith.addf {v}, {v} : {x}
  %z = norm.rmsnorm ins(%t, %w : {x}, {w}) outs(%i : {x}) dims = [1] epsilon = 1.0 : f32 -> {x}
  return %y, %z : {x}, {x}"""
        signature = f"%x: {x}, %w: {w}) -> ({x}, {x})"
    else:
        body = f"""  %i = tensor.empty() : {x}
  %y = norm.rmsnorm ins({v}, %w : {x}, {w}) outs(%i : {x}) dims = [1] epsilon = 1.0e-6 : f32 -> {x}
  return %y : {x}"""
        signature = f"%x: {x}, %w: {w}) -> {x}"
    head = f"shard.grid @g(shape = {r}x{c})\n" if is_sharded else ""
    return f"{head}func.func @f({signature} {{\n{annotate}{body}\n}}\n"


def inputs(case):
    rng = np.random.default_rng(5)
    draw = lambda *shape: store(rng.standard_normal(shape), "bf16" if "bf16" in case else "f32")
    dy, x, w = draw(ROWS, COLUMNS), draw(ROWS, COLUMNS), draw(COLUMNS)
    return [dy, x, w] if "backward" in case else [x, w]


def results(case, arrays):
    x, w = arrays[-2:]
    if "backward" in case:
        return [np.zeros_like(x), np.zeros_like(w)]
    return [np.zeros_like(x) for _ in range(2 if "pair" in case else 1)]


def part(array, case, ranks, rank):
    """The rank's block of an array of rows or of columns alone."""
    (r, c), columns = grid(case, ranks), array.shape[-1]
    column = columns // c * (rank % c)
    array = array[..., column:column + columns // c]
    if array.ndim == 2:
        rows = len(array) // r
        array = array[rows * (rank // c):rows * (rank // c + 1)]
    return np.ascontiguousarray(array)


def call(library, arrays, outs, calls=1):
    function = ctypes.CDLL(library)._mlir_ciface_f
    start = time.perf_counter()
    for _ in range(calls):
        normtest.call(function, *arrays, *outs)
    return (time.perf_counter() - start) / calls


def run_rank(directory, case, ranks, calls):
    # The host program initializes MPI; the library finds its functions there.
    mpi = ctypes.CDLL(ctypes.util.find_library("mpich") or ctypes.util.find_library("mpi"), ctypes.RTLD_GLOBAL)
    mpi.MPI_Init(None, None)
    rank = int(os.environ["PMI_RANK"])
    arrays = [part(a, case, ranks, rank) for a in inputs(case)]
    outs = [part(o, case, ranks, rank) for o in results(case, inputs(case))]
    seconds = call(f"{directory}/sharded.so", arrays, outs, calls)
    for i, out in enumerate(outs):
        np.save(f"{directory}/rank{rank}-{i}.npy", out)
    if rank == 0:
        print(f"{case}, {ranks} ranks: {calls} calls", flush=True)
        print(f"{1e6 * seconds:.1f} us a call", file=sys.stderr)
    mpi.MPI_Finalize()


def compile_shared(text, path, *passes, cpu=""):
    if passes:
        text = subprocess.run(["norm-opt", "-", *passes], input=text, text=True, check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["norm-compile", "-", "--emit=shared", f"--mcpu={cpu}", "-o", path], input=text, text=True, check=True)


def main(directory, case, ranks, calls=1):
    ranks = int(ranks)
    os.makedirs(directory, exist_ok=True)
    compile_shared(program(case, ranks, True), f"{directory}/sharded.so", "--norm-to-mpi")
    compile_shared(program(case, ranks, False), f"{directory}/whole.so")
    arrays = inputs(case)
    whole = results(case, arrays)
    call(f"{directory}/whole.so", arrays, whole)
    subprocess.run(["timeout", "60", "mpiexec", "-n", str(ranks), sys.executable, __file__, "rank", directory, case,
                    str(ranks), str(calls)], check=True)
    for i, expected in enumerate(whole):
        worst = 0.0
        for rank in range(ranks):
            got, wanted = np.load(f"{directory}/rank{rank}-{i}.npy"), part(expected, case, ranks, rank)
            # Relative to the tensor's size, because a gradient may vanish.
            scale = float(np.abs(widen(expected)).max())
            worst = max(worst, float(np.abs(widen(got) - widen(wanted)).max()) / scale)
        limit = 2.0 ** -8 if "bf16" in case else 2.0 ** -20
        print(f"result {i}: {'within' if worst <= limit else 'WRONG, not within'} {limit:.1e} of one rank's ({worst:.1e})")


if __name__ == "__main__":
    if sys.argv[1] == "rank":
        run_rank(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        main(*sys.argv[1:])
