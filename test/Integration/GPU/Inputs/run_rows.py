"""Compiles norm.rmsnorm for nvvm, runs host code and kernels in the PTX
interpreter, and compares with f64 in ulp. Usage: run_rows.py WORK"""
import sys
import numpy as np
import device
from normtest import align, get_errors, round_to, store, widen

WORK = sys.argv[1]


def program(shape, kind, attributes, dynamic, dims):
    extents = ["?" if i in dynamic else str(n) for i, n in enumerate(shape)]
    tensor = "tensor<%sx%s>" % ("x".join(extents), kind)
    weight = "tensor<%sx%s>" % ("x".join(extents[d] for d in dims), kind)
    sizes = "".join("  %%c%d = arith.constant %d : index\n  %%d%d = tensor.dim %%x, %%c%d : %s\n"
                    % (i, i, i, i, tensor) for i in dynamic)
    return """func.func @main(%%x: %s, %%w: %s) -> %s {
%s  %%i = tensor.empty(%s) : %s
  %%y = norm.rmsnorm ins(%%x, %%w : %s, %s) outs(%%i : %s) dims = [%s] epsilon = 1.0e-5 : f32 %s -> %s
  return %%y : %s
}
""" % (tensor, weight, tensor, sizes, ", ".join("%%d%d" % i for i in dynamic), tensor, tensor,
       weight, tensor, ", ".join(map(str, dims)), attributes, tensor, tensor)


def reference(x, w, kind, attributes, dims):
    count = int(attributes.split("count = ")[1].split()[0]) if "count" in attributes else None
    seen = x[..., :count] if count else x
    mean = np.mean(seen * seen, axis=dims, keepdims=True)
    epsilon = float(np.float32(1e-5))
    z = x / np.sqrt(mean + epsilon)
    if "normalized_type" in attributes:
        z = round_to(z, kind)
    extents = [n if i in dims else 1 for i, n in enumerate(x.shape)]
    return z * w.reshape(extents)


def run(name, shape, kind, attributes="", dynamic=(), dims=None, unaligned=False, bound=None,
        in_place=False, chip="sm_90"):
    dims = dims or (len(shape) - 1,)
    rng = np.random.default_rng(len(name) + sum(shape))
    x = store(rng.standard_normal(shape) * 3, kind)
    w = store(1 + rng.standard_normal([shape[d] for d in dims]) / 4, kind)
    y, _ = align(x if in_place else np.zeros_like(x), x.itemsize if unaligned else 0)
    expected = reference(widen(x).astype(np.float64), widen(w).astype(np.float64), kind, attributes, dims)
    x = y if in_place else x
    path = "%s/%s.mlir" % (WORK, name)
    with open(path, "w") as file:
        file.write(program(shape, kind, attributes, dynamic, dims))
    device_program = device.Program(device.build(path, path, chip))
    device_program.call("main", [x, w, y])
    ulp = get_errors(widen(y), expected if kind in ("f32", "f64") else round_to(expected, kind), kind).max(initial=0.0)
    for kernel, sizes, loads, stores, shuffles in device_program.launches:
        print("%s: %s grid %d block %dx%d loads %d stores %d shuffles %d"
              % (name, kernel, sizes[0], sizes[3], sizes[4], loads, stores, shuffles))
    # 16-bit results: the rounded reference, or its neighbor by one statistic bit.
    limit = bound or {"f32": 4, "f64": 4}.get(kind, 1)
    print("%s: max ulp %.2f %s" % (name, ulp, "ok" if ulp <= limit else "ABOVE %g" % limit))
    return ulp <= limit


def main():
    ok = True
    ok &= run("llama_bf16", (5, 4096), "bf16", "normalized_type = bf16")
    ok &= run("llama_f16", (3, 1152), "f16", "normalized_type = f16")
    ok &= run("gemma_bf16", (2, 2048), "bf16")
    ok &= run("wide_f32", (3, 4096), "f32")
    ok &= run("unaligned_f32", (2, 4096), "f32", unaligned=True)
    ok &= run("odd_f32", (5, 111), "f32")
    ok &= run("odd_bf16", (2, 4095), "bf16")
    ok &= run("small_f32", (7, 128), "f32")
    ok &= run("tail_f16", (2, 5000), "f16")
    # Rows that share a warp; of 21 and 35, not all of the last block's exist.
    ok &= run("rows_of_64_bf16", (21, 64), "bf16", dynamic=(0,))
    ok &= run("in_place_128_f16", (35, 128), "f16", in_place=True)
    ok &= run("half_warp_256_bf16", (9, 256), "bf16")
    # Vectors that no power of two of threads divides.
    ok &= run("exact_1152_bf16", (5, 1152), "bf16", "normalized_type = bf16", dynamic=(0,))
    ok &= run("exact_2880_f32", (2, 2880), "f32")
    ok &= run("exact_7168_bf16", (2, 7168), "bf16")
    # Rows that begin anywhere: every shift occurs in nine of them.
    ok &= run("shift_111_bf16", (19, 111), "bf16")
    ok &= run("shift_in_place_f16", (9, 4097), "f16", in_place=True)
    ok &= run("shift_4095_f32", (5, 4095), "f32", dynamic=(0,))
    ok &= run("shift_count_bf16", (9, 257), "bf16", "count = 64")
    ok &= run("shift_unaligned_f16", (3, 1001), "f16", unaligned=True)
    ok &= run("shift_batches_f32", (2, 3, 2, 67), "f32", dynamic=(0, 1))
    # Rows that the blocks of a cluster share.
    ok &= run("cluster_bf16", (3, 65536), "bf16", "normalized_type = bf16")
    ok &= run("cluster_f32", (2, 40000), "f32", dynamic=(0,))
    ok &= run("cluster_odd_f16", (2, 17001), "f16")
    ok &= run("cluster_unaligned_f32", (1, 32768), "f32", unaligned=True)
    ok &= run("largest_cluster_bf16", (1, 262144), "bf16")
    ok &= run("one_row_bf16", (1, 4096), "bf16", "normalized_type = bf16")
    ok &= run("strips_f32", (2, 50000), "f32", chip="sm_80")
    ok &= run("dynamic_f32", (3, 1000), "f32", dynamic=(0, 1))
    ok &= run("dynamic_odd_bf16", (3, 9001), "bf16", dynamic=(0, 1))
    ok &= run("no_rows_f32", (0, 128), "f32", dynamic=(0,))
    ok &= run("f64", (3, 300), "f64")
    ok &= run("count_f32", (4, 512), "f32", "count = 100")
    ok &= run("first_dim_f32", (40, 6), "f32", dims=(0,))
    ok &= run("two_dims_f32", (6, 4, 32), "f32", dims=(1, 2))
    return 0 if ok else 1


sys.exit(main())
