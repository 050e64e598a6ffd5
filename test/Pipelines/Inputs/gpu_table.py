"""Keeps the table of schedules in benchmarks/results/sm_90.md.

    gpu_table.py WORK DOCUMENT --ptxas=PTXAS [--nvdisasm=NVDISASM] [--update]

Compares the table between the marks with what is compiled now, or replaces it with
--update. Without nvdisasm the instructions per element are not compared.
"""
import argparse
import difflib
import re
import sys

import gpu_gates
import gpu_instructions

BEGIN, END = "<!-- begin schedules -->\n", "<!-- end schedules -->"
HEADER = """| N | 16-bit: T x elements | rows per block | registers (bound) | resident | instructions | f32: T x elements | rows per block | registers (bound) | resident | instructions |
|---|---|---|---|---|---|---|---|---|---|---|
"""


def get_cells(n, kind, compiled):
    printed, _, log, sass, _ = compiled
    schedule = gpu_gates.get_schedule(printed, n, kind)
    name = "n%d_%s_kernel0" % (n, kind)
    registers, _ = gpu_gates.get_registers(log, name)
    share = "%.1f" % (gpu_instructions.count_sass(sass, name) / schedule.elements) if sass else "?"
    return ["%d x %d" % (schedule.threads, schedule.elements), str(schedule.rows),
            "%d (%d)" % (registers, schedule.registers), str(schedule.occupancy(registers)), share]


def get_table(compiled):
    rows = []
    for n in gpu_gates.SIZES:
        is_shifted = gpu_gates.get_schedule(compiled[0], n, "bf16").shifted
        cells = ["%d%s" % (n, " (shifted)" if is_shifted else "")]
        rows.append(cells + get_cells(n, "bf16", compiled) + get_cells(n, "f32", compiled))
    return HEADER + "".join("| %s |\n" % " | ".join(cells) for cells in rows)


def hide_instructions(table):
    return re.sub(r"\d+\.\d", "?", table)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("document")
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--nvdisasm")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    with open(options.document) as file:
        text = file.read()
    if BEGIN not in text or END not in text:
        sys.exit("error: %s has no %s with its end" % (options.document, BEGIN.strip()))
    if options.update and not options.nvdisasm:
        sys.exit("error: --update needs --nvdisasm")
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    classes = [(n, kind) for kind in ("bf16", "f32") for n in gpu_gates.SIZES]
    table = get_table(gpu_gates.compile_classes("normalized", classes, options.work, options.ptxas, options.nvdisasm))
    if options.update:
        with open(options.document, "w") as file:
            file.write(before + BEGIN + table + END + after)
        return
    if not options.nvdisasm:
        old = hide_instructions(old)
    if old != table:
        sys.stdout.writelines(difflib.unified_diff(
            old.splitlines(True), table.splitlines(True), options.document, "compiled"))
        sys.exit(1)
    print("the table is that of the kernels")


main()
