"""Norms and their gradients with changed plans of their loops.

    plans.py PREFIX NORM-BENCH NORM-OPT MLIR-TRANSLATE CLANG SCRIPT

SCRIPT is examples/norm-to-cpu.transform.mlir, in which a plan is changed between two stages. What is added in
the same order gives the same bits as without a change, and the rest differs by the rounding of sums.
"""
import ctypes
import subprocess
import sys

import numpy as np

from normtest import call, store, widen

prefix, bench, opt, translate, clang, script = sys.argv[1:]
random = np.random.default_rng(35)
SAME_BITS = ("rows_per_block = 1", "stream = false", "pipeline = false", "parallel = false")
# Rows are added in blocks of 16, or of more where those do not divide 16.
OTHER_BLOCKS = ("rows_per_block = 3", "rows_per_block = 32")
OTHER_SUMS = ("lanes = 16", "lanes = 32, tail_lanes = 8, rows_per_block = 2", "tail_lanes = 128", "lanes = 1024",
              "lanes = 128, stream = false")
OTHER_PARTS = ("rows_per_part = 16", "rows_per_part = 100, rows_per_block = 32", "rows_per_part = 2, lanes = 32")


def write_script(plan):
    """The example; streamed rows, and the plan after it has been completed."""
    with open(script, encoding="utf-8") as file:
        text = file.read()
    marks = "    %tiled, %rows = ", '{"fma" = true}'
    assert all(mark in text for mark in marks)
    changed = (f"    %changed, %new = transform.norm.plan %ends {{with = #norm.row_plan<{plan}>}} : "
               "(!transform.any_op) -> (!transform.any_op, !transform.any_param)\n" if plan else "")
    text = text.replace(marks[0], changed + marks[0]).replace(marks[1], '{"fma" = true, "cache-bytes" = 1}')
    path = f"{prefix}.transform.mlir"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def build(source, plan, name):
    llvm_mlir, ir, shared = (f"{prefix}.{name}.{end}" for end in ("llvm.mlir", "ll", "so"))
    subprocess.run([opt, source, f"--transform-preload-library=transform-library-paths={write_script(plan)}",
                    "--transform-interpreter", "-o", llvm_mlir], check=True)
    subprocess.run([translate, "--mlir-to-llvmir", llvm_mlir, "-o", ir], check=True)
    subprocess.run([clang, "-O1", "-Wno-override-module", "-fPIC", "-shared", ir, "-o", shared, "-lm"], check=True)
    return ctypes.CDLL(shared)._mlir_ciface_main


def run(function, inputs):
    results = [np.full_like(inputs[0], 7)] + ([np.full_like(inputs[-1], 7)] if len(inputs) == 3 else [])
    call(function, *inputs, *results)
    return results


def are_near(x, y, element):
    """Within the rounding of sums, of the largest number."""
    x, y = (widen(v).astype(np.float64) for v in (x, y))
    unit = 2.0 ** (-20 if element == "f32" else -7)
    return (np.abs(x - y) <= unit * np.abs(x).max()).all()


def check(variant, element, m, n):
    source = f"{prefix}.mlir"
    subprocess.run([bench, "--print-program", f"--variant={variant}", f"--type={element}", f"--rows={m}",
                    f"--cols={n}", "-o", source], check=True)
    inputs = [store(random.standard_normal(s), element)
              for s in ((m, n),) * (2 if variant == "backward" else 1) + ((n,),)]
    expected = run(build(source, "", f"{variant}.{n}.expected"), inputs)
    same_bits = SAME_BITS + (OTHER_BLOCKS if variant == "llama" else ())
    other_bits = OTHER_SUMS + (OTHER_BLOCKS + OTHER_PARTS if variant == "backward" else ())
    plans = same_bits + other_bits
    wrong = []
    for number, plan in enumerate(plans):
        results = run(build(source, plan, f"{variant}.{n}.{number}"), inputs)
        same = all(x.tobytes() == y.tobytes() for x, y in zip(expected, results))
        near = all(are_near(x, y, element) for x, y in zip(expected, results))
        if not (same if plan in same_bits else near):
            wrong.append(plan)
    print(f"{variant} {element} {m}x{n}: {f'WRONG with {wrong}' if wrong else f'{len(plans)} plans'}")


for variant, element, m, n in (("llama", "bf16", 37, 100), ("llama", "f32", 9, 2100), ("backward", "f32", 130, 64),
                               ("backward", "bf16", 70, 200)):
    check(variant, element, m, n)
