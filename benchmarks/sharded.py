#!/usr/bin/env python3
"""Times norms whose rows or columns are split over MPI ranks of one machine.

    benchmarks/sharded.py [--ranks 2,4] [--rows 2048] [--columns 4096] [--json FILE]
    benchmarks/sharded.py --model 2,12.5

Every process works on 1/ranks of the tensor. Rows need no collective (backward: one of dw);
columns need one of a few bytes a row. The collective alone is timed in the same run, and
`model` is the time with rows split plus that of a collective after Hockney's model with
recursive doubling, whose two constants are fitted to collectives of 8 bytes and of 4 MiB:

    A(bytes) = rounds * (latency + bytes / bandwidth)        rounds = log2(ranks)

Times are the best of several repetitions, each the mean of some calls, of the slowest rank.
"""
import argparse
import ctypes
import ctypes.util
import json
import math
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(ROOT, "test", *folders, "Inputs") for folders in ((), ("Integration", "MPI"))]
REPETITIONS = 7
MPI_FLOAT, MPI_DOUBLE, MPI_SUM, MPI_MAX, COMM_WORLD = 0x4c00040a, 0x4c00080b, 0x58000003, 0x58000001, 0x44000000


def load_mpi():
    mpi = ctypes.CDLL(ctypes.util.find_library("mpich"), ctypes.RTLD_GLOBAL)
    mpi.MPI_Init(None, None)
    return mpi


def best(mpi, function):
    """Seconds of a call: the least, over repetitions, of the slowest rank."""
    function()
    start = time.perf_counter()
    function()
    calls = ctypes.c_double(max(1, min(2000, 0.05 / max(1e-7, time.perf_counter() - start))))
    mpi.MPI_Allreduce(ctypes.c_void_p(-1), ctypes.byref(calls), 1, MPI_DOUBLE, MPI_MAX, COMM_WORLD)
    least = math.inf
    for _ in range(REPETITIONS):
        mpi.MPI_Barrier(COMM_WORLD)
        start = time.perf_counter()
        for _ in range(int(calls.value)):
            function()
        seconds = ctypes.c_double((time.perf_counter() - start) / int(calls.value))
        mpi.MPI_Allreduce(ctypes.c_void_p(-1), ctypes.byref(seconds), 1, MPI_DOUBLE, MPI_MAX, COMM_WORLD)
        least = min(least, seconds.value)
    return least


def time_collective(mpi, size):
    buffer = (ctypes.c_float * (size // 4))()
    return best(mpi, lambda: mpi.MPI_Allreduce(ctypes.c_void_p(-1), buffer, size // 4, MPI_FLOAT, MPI_SUM, COMM_WORLD))


def time_program(mpi, library, case, count, rank):
    import ranks
    from normtest import align, describe
    inputs = ranks.inputs(case)
    arrays = [align(ranks.part(a, case, count, rank))[0] for a in inputs]
    outs = [align(ranks.part(o, case, count, rank))[0] for o in ranks.results(case, inputs)]
    function = ctypes.CDLL(library)._mlir_ciface_f
    descriptors = [describe(a) for a in (*arrays, *outs)]
    arguments = [ctypes.byref(d) for d in descriptors]
    return best(mpi, lambda: function(*arguments))


def run_rank(directory, count):
    mpi, rank = load_mpi(), int(os.environ["PMI_RANK"])
    with open(f"{directory}/jobs.json") as stream:
        jobs = json.load(stream)
    times = {"latency": time_collective(mpi, 8), "large": time_collective(mpi, 4 << 20)}
    for job in jobs:
        times[job["name"]] = time_program(mpi, job["library"], job["case"], count, rank)
        times[job["name"] + " collective"] = time_collective(mpi, job["bytes"])
    if rank == 0:
        with open(f"{directory}/times.json", "w") as stream:
            json.dump(times, stream)
    mpi.MPI_Finalize()


def get_bytes(split, program, rows, columns, parts):
    """What a rank sends to a collective of one call."""
    sums, total = max(1, parts), 0
    if split == "hidden":
        total += rows * 4 * sums * (2 if "backward" in program else 1)
    if split == "rows" and "backward" in program:
        total += columns * 4 * sums
    return max(total, 4)


def measure(count, arguments, directory):
    import ranks
    jobs = []
    for program in ("forward", "forward-bf16", "backward", "backward-bf16"):
        for split, parts in (("rows", 0), ("hidden", 0), ("hidden", 16)):
            case, name = f"{split}-{program}", f"{program} {split} {parts}"
            library = f"{directory}/{len(jobs)}-{count}.so"
            ranks.compile_shared(ranks.program(case, count, True), library, f"--norm-to-mpi=sum-parts={parts}", cpu="native")
            jobs.append({"name": name, "case": case, "library": library, "program": program, "split": split,
                         "parts": parts, "bytes": get_bytes(split, program, arguments.rows, arguments.columns, parts)})
    with open(f"{directory}/jobs.json", "w") as stream:
        json.dump(jobs, stream)
    subprocess.run(["timeout", "300", "mpiexec", "-n", str(count), sys.executable, os.path.abspath(__file__),
                    "--rank", directory, "--ranks", str(count)], check=True)
    with open(f"{directory}/times.json") as stream:
        return jobs, json.load(stream)


def print_table(count, jobs, times, rows):
    rounds = math.log2(count)
    latency = times["latency"] / rounds
    bandwidth = (4 << 20) / max(1e-9, times["large"] / rounds - latency)
    print(f"\n{count} ranks: latency {1e6 * latency:.1f} us, bandwidth {bandwidth / 1e9:.2f} GB/s a round\n")
    print("| program | split | bytes a row | us | collective alone, us | model, us |")
    print("|---|---|---|---|---|---|")
    for job in jobs:
        base = times[f"{job['program']} rows 0"]
        model = rounds * (latency + job["bytes"] / bandwidth)
        split = {"rows": "rows", "hidden": "columns"}[job["split"]] + (", sum-parts=16" if job["parts"] else "")
        sent = 0 if job["bytes"] == 4 else job["bytes"] / rows
        predicted = f"{1e6 * (base + model):.0f}" if job["split"] == "hidden" else "-"
        print(f"| {job['program']} | {split} | {sent:.0f} | {1e6 * times[job['name']]:.0f} | "
              f"{1e6 * times[job['name'] + ' collective']:.0f} | {predicted} |")


def print_model(arguments):
    """What collectives would cost on machines with a network of that latency and bandwidth."""
    latency, bandwidth = (float(n) for n in arguments.model.split(","))
    print(f"{latency:g} us and {bandwidth:g} GB/s a round, {arguments.rows}x{arguments.columns}: us a call\n")
    print("| collective | bytes | 2 machines | 8 | 64 |")
    print("|---|---|---|---|---|")
    for text, split, program, parts in (("columns, forward", "hidden", "forward", 0),
                                        ("the same, sum-parts=16", "hidden", "forward", 16),
                                        ("columns, backward", "hidden", "backward", 0),
                                        ("rows, backward: dw", "rows", "backward", 0),
                                        ("the same, sum-parts=16", "rows", "backward", 16)):
        size = get_bytes(split, program, arguments.rows, arguments.columns, parts)
        # The two sums of a backward pass are collectives of their own.
        starts = 2 if text == "columns, backward" else 1
        times = [math.log2(n) * (starts * latency + size / bandwidth / 1e3) for n in (2, 8, 64)]
        print(f"| {text} | {size} | " + " | ".join(f"{t:.0f}" for t in times) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--rows", type=int, default=2048)
    parser.add_argument("--columns", type=int, default=4096)
    parser.add_argument("--json", help="file for all times")
    parser.add_argument("--rank", metavar="DIRECTORY", help=argparse.SUPPRESS)
    parser.add_argument("--model", metavar="US,GB/S", help="print the cost on machines with such a network, measure nothing")
    arguments = parser.parse_args()
    if arguments.model:
        return print_model(arguments)
    if arguments.rank:
        return run_rank(arguments.rank, int(arguments.ranks))
    os.environ["SHAPE"] = f"{arguments.rows}x{arguments.columns}"
    os.environ["PATH"] = f"{ROOT}/build/bin:{os.environ['PATH']}"
    result = {}
    with tempfile.TemporaryDirectory() as directory:
        for count in map(int, arguments.ranks.split(",")):
            jobs, times = measure(count, arguments, directory)
            print_table(count, jobs, times, arguments.rows)
            result[count] = times
    if arguments.json:
        with open(arguments.json, "w") as stream:
            json.dump(result, stream, indent=2)


if __name__ == "__main__":
    main()
