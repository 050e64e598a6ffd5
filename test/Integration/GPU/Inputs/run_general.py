"""Softmax, LayerNorm and others through norm-to-nvvm: nothing in the schedule is
about RMSNorm. Usage: run_general.py WORK PROGRAM.mlir ROWS COLS softmax|layernorm|scaled"""
import sys
import numpy as np
import device

work, source, rows, cols, what = sys.argv[1:]
shape = (int(rows), int(cols))
x = (np.random.default_rng(3).standard_normal(shape) * 2).astype(np.float32)
y = np.zeros_like(x)
program = device.Program(device.build(source, work + "/" + what + rows + "x" + cols))
program.call("main", [x, y])

wide = x.astype(np.float64)
if what == "softmax":
    e = np.exp(wide - wide.max(axis=1, keepdims=True))
    expected = e / e.sum(axis=1, keepdims=True)
elif what == "scaled":
    expected = wide * x.sum(dtype=np.float64)
else:
    centered = wide - wide.mean(axis=1, keepdims=True)
    expected = centered / np.sqrt((centered ** 2).mean(axis=1, keepdims=True) + 1e-5)
# Centering cancels, so LayerNorm's error is measured on the scale of the row.
scale = np.ones_like(expected) if what == "layernorm" else np.abs(expected)
if what == "scaled":  # 240 sums, one after the other
    scale = scale + 240 * np.abs(wide) * np.abs(wide).sum() / 8
ulp = np.max(np.abs(y - expected) / (scale * 2.0 ** -23))
for kernel, sizes, loads, stores, shuffles in program.launches:
    print("%s: grid %d block %dx%d loads %d stores %d shuffles %d"
          % (kernel, sizes[0], sizes[3], sizes[4], loads, stores, shuffles))
print("%s %s: %s" % (what, "x".join(map(str, shape)), "ok" if ulp <= 8 else "ABOVE 8: %g" % ulp))
sys.exit(0 if ulp <= 8 else 1)
