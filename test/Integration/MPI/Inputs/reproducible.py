"""Compares the bits of a program with `sum-parts` on 1, 2, 4 and 8 ranks.

    reproducible.py DIRECTORY SEED/N PROGRAM [PARTS]

Every Nth way to split is taken. PROGRAM is forward or backward, or either with -bf16 or -pair behind it.
"""
import os
import subprocess
import sys

import numpy as np

import ranks
from normtest import pick

GRIDS = [("rows", 2), ("rows", 4), ("rows", 8), ("hidden", 2), ("hidden", 4), ("hidden", 8), ("both", 4), ("both", 8)]


def gather(directory, case, count, number, like):
    """Puts the ranks' parts of a result together."""
    whole = np.full_like(like, 0)
    for rank in range(count):
        place = ranks.part(np.arange(like.size).reshape(like.shape), case, count, rank)
        whole.flat[place] = np.load(f"{directory}/rank{rank}-{number}.npy")
    return whole


def main(directory, part, program, parts="16"):
    os.makedirs(directory, exist_ok=True)
    option = f"--norm-to-mpi=sum-parts={parts}"
    arrays, expected = ranks.inputs(program), ranks.results(program, ranks.inputs(program))
    ranks.compile_shared(ranks.program("rows-" + program, 1, False), f"{directory}/whole.so", option)
    ranks.call(f"{directory}/whole.so", arrays, expected)
    for split, count in pick(GRIDS, part):
        case = f"{split}-{program}"
        ranks.compile_shared(ranks.program(case, count, True), f"{directory}/sharded.so", option)
        subprocess.run(["timeout", "100", "mpiexec", "-n", str(count), sys.executable, ranks.__file__, "rank", directory,
                        case, str(count), "1"], check=True, stdout=subprocess.DEVNULL)
        different = sum(int((gather(directory, case, count, i, e) != e).sum()) for i, e in enumerate(expected))
        print(f"{program}, {split} on {count} ranks: {different} elements differ")


if __name__ == "__main__":
    main(*sys.argv[1:])
