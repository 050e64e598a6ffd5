"""Runs reductions of rows on the emulated GPU.

    columns.py DIRECTORY static|dynamic ROWSxCOLUMNS...
"""
import sys

import numpy as np
from normtest import run, store, widen

from column_sums import sum_parts

directory, shapes = sys.argv[1], sys.argv[3:]
isStatic = sys.argv[2] == "static"
UNIT = 2.0**-24
failed = False

REDUCTION = """
  %{name}_e = tensor.empty({size}) : tensor<{n}x{out}>
  %{name}_f = linalg.fill ins(%{start} : {out}) outs(%{name}_e : tensor<{n}x{out}>) -> tensor<{n}x{out}>
  %{name} = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]}} ins(%{x} : tensor<{m}x{n}x{type}>) outs(%{name}_f : tensor<{n}x{out}>) {{
  ^bb0(%a: {type}, %b: {out}):
    {convert}
    %s = {op} %b, %v : {out}
    linalg.yield %s : {out}
  }} -> tensor<{n}x{out}>"""


def reduction(name, x, m, n, type, out, op, start, convert):
    size = "" if isStatic else "%n"
    return REDUCTION.format(name=name, x=x, m=m, n=n, type=type, out=out, op=op, start=start,
                            convert=convert, size=size)


def program(rows, columns):
    m, n, wide = (rows, columns, columns + 1) if isStatic else ("?", "?", "?")
    same = "%v = arith.{0} %a, %zero{1} : {2}"
    f32, i32 = same.format("subf", "f", "f32"), same.format("addi", "i", "i32")
    size = f"{columns}" if isStatic else "%n"
    extent = "" if isStatic else "%n = tensor.dim %x, %c1 : tensor<?x?xf32>\n  %m = tensor.dim %x, %c0 : tensor<?x?xf32>"
    return f"""
func.func @main(%x: tensor<{m}x{n}xf32>, %h: tensor<{m}x{n}xbf16>, %i: tensor<{m}x{n}xi32>, %w: tensor<{m}x{wide}xf32>) -> (tensor<{n}xf32>, tensor<{n}xf32>, tensor<{n}xf32>, tensor<{n}xi32>, tensor<{n}xf32>) {{
  %zerof = arith.constant 0.0 : f32
  %zeroi = arith.constant 0 : i32
  %lowest = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  {extent}
  %shifted = tensor.extract_slice %w[0, 1] [{rows if isStatic else "%m"}, {size}] [1, 1] : tensor<{m}x{wide}xf32> to tensor<{m}x{n}xf32>
{reduction("sum", "x", m, n, "f32", "f32", "arith.addf", "zerof", f32)}
{reduction("max", "x", m, n, "f32", "f32", "arith.maximumf", "lowest", f32)}
{reduction("half", "h", m, n, "bf16", "f32", "arith.addf", "zerof", "%v = arith.extf %a : bf16 to f32")}
{reduction("count", "i", m, n, "i32", "i32", "arith.addi", "zeroi", i32)}
{reduction("again", "shifted", m, n, "f32", "f32", "arith.addf", "zerof", f32)}
  return %sum, %max, %half, %count, %again : tensor<{n}xf32>, tensor<{n}xf32>, tensor<{n}xf32>, tensor<{n}xi32>, tensor<{n}xf32>
}}
"""


def in_order(x, access):
    with np.errstate(invalid="ignore", over="ignore"):
        total, stages = sum_parts(x, len(x) if isStatic else None, access, isStatic)
        return np.float32(0) + total, stages


def check(text, good):
    global failed
    failed |= not good
    if not good:
        print(f"{text}: WRONG")


def same(a, b):
    nans = np.isnan(a) & np.isnan(b)
    return np.array_equal(np.where(nans, 0, a).view(np.uint32), np.where(nans, 0, b).view(np.uint32))


def is_near(y, x):
    m = len(x)
    additions = min(m, 16) + min(m / 16, 16) + min(m / 256, 16) + m / 4096 + 3
    wide = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        error, bound = np.abs(y - wide.sum(0)), additions * UNIT * np.abs(wide).sum(0)
    finite = np.isfinite(bound)
    return bool((error <= bound + 1e-45)[finite].all())


for shape in shapes:
    rows, columns = map(int, shape.split("x"))
    random = np.random.default_rng(rows * 7 + columns)
    x = random.standard_normal((rows, columns)).astype(np.float32)
    for i, value in enumerate((np.nan, np.inf, -0.0, 1e-45, 3.4e38)):
        if columns > 2 * i + 1:
            x[random.integers(rows), 2 * i] = value
    if columns > 12:
        x[:, 12] = -0.0
    half = store(random.standard_normal((rows, columns)), "bf16")
    numbers = random.integers(-2**31, 2**31, (rows, columns)).astype(np.int32)
    wide = np.concatenate([np.full((rows, 1), np.nan, np.float32), x], axis=1)
    name = f"{directory}/{shape}"
    with open(f"{name}.mlir", "w") as file:
        file.write(program(rows, columns))
    total, most, halves, count, again = run(["norm-run", "--pipeline=simt", f"{name}.mlir"], name, (x, half, numbers, wide), 5)
    values = widen(half)
    expected, stages = in_order(x, 4)
    check(f"{shape} sum", is_near(total, x))
    check(f"{shape} one column at a time", is_near(again, x))
    if columns > 1:  # else it is the sum of one row, which warps share
        check(f"{shape} order of the sum", same(total, expected))
        check(f"{shape} order of one column at a time", same(again, expected))
        check(f"{shape} order of the sum of bf16", same(halves, in_order(values, 8)[0]))
    check(f"{shape} maximum", same(most, x.max(0)))
    check(f"{shape} sum of bf16", is_near(halves, values))
    check(f"{shape} integers", np.array_equal(count, numbers.sum(0, dtype=np.int64).astype(np.int32)))
    print(f"{shape}: {stages + 1} stages")
print("failed" if failed else "all ok")
sys.exit(failed)
