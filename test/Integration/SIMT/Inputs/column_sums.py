"""The order in which norm-tile-rows adds rows."""
import numpy as np

LEAST_ROWS, WARPS_OF_PARTS, WARP = 64, 1024, 32


def sum_blocks(x, level):
    """Sums rows one after another, blocks of 16, blocks of those, and so on."""
    total = np.full(x.shape[1], -0.0, np.float32)
    step = 16**level
    for begin in range(0, len(x), step):
        block = x[begin:begin + step]
        total = total + (block[0] if level == 0 else sum_blocks(block, level - 1))
    return total


def sum_parts(x, most, access, hasColumns, stages=0):
    """Returns the sum of at most `most` rows (None: of any number) in the order of the
    kernels, and how many of these sum parts. `access`: columns that a thread accesses at
    once; hasColumns: their number is known."""
    warps = -(-x.shape[1] // (access * WARP)) if hasColumns else 16
    parts = 1 if most is not None and most < 2 * LEAST_ROWS else max(1, WARPS_OF_PARTS // warps)
    if parts == 1:
        return sum_blocks(x, 2), stages
    rows = max(LEAST_ROWS, -(-len(x) // parts))
    sums = [sum_blocks(x[i:i + rows], 2) for i in range(0, len(x), rows)]
    next = parts if most is None else min(parts, -(-most // LEAST_ROWS))
    # The parts are f32, so that a warp accesses fewer of their columns.
    return sum_parts(np.array(sums), next, 4, hasColumns, stages + 1)
