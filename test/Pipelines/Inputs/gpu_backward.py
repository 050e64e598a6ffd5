"""Holds the kernel of backward passes that sums rows to its schedule, without a GPU.

    gpu_backward.py WORK [--ptxas=PTXAS] FORM-TYPE-COLUMNS...

Compiles backward_program.py's forms over 4096 rows. One line a case: what the schedule is,
whether rows are loaded one ahead, and ok or what is wrong: rows are read and written once and
16 bytes at a time, sums once a part, each reduction exchanges once, and no kernel has local
memory, a spill or more registers than its schedule says. Where the rows have no joined kernel, the line says so.
"""
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "../../Integration/SIMT/Inputs"))
from backward_program import Program
from gpu_gates import Accesses, Schedule, count_widths, get_kernel, get_registers

ROWS = 4096
BYTES = {"bf16": 2, "f32": 4}
# Masks, where the row does not fill its threads' vectors, in registers per element.
SPARE_MASKED = 0.75
# Of rows of 16 bits that are loaded one ahead: the addresses of the next.
SPARE_AHEAD = 8


def expect(errors, what, found, wanted):
    if found != wanted:
        errors.append(f"{what}: {found} instead of {wanted}")


def check_kernel(text, s, form, element, sums, columns):
    """What is wrong with the kernel, and whether it loads rows one ahead."""
    errors, found = [], Accesses(text)
    vectors = s.elements * BYTES[element] // 16
    row = count_widths([128] * vectors)
    scalars = {"saved": 1, "layer": 2}.get(form, 0)
    # Rows that are loaded one ahead have loads before the loop too, where nothing is masked.
    whole = sum((c + 1) * s.threads * s.vector <= columns for c in range(s.chunks)) * vectors // s.chunks
    ahead = count_widths([128] * (vectors + whole))
    is_ahead = ahead in map(count_widths, found.loads.values())
    loads = [{32: 1}] * scalars + [row] + [ahead if is_ahead else row] * 2
    expect(errors, "loads", sorted(map(count_widths, found.loads.values()), key=str), sorted(loads, key=str))
    stores = [row] + [count_widths([128] * (s.elements // 4))] * sums
    expect(errors, "stores", sorted(map(count_widths, found.stores.values()), key=str), sorted(stores, key=str))
    reductions = 1 if form == "saved" else 2
    expect(errors, "shuffles", text.count("shfl.sync"), s.shuffles * reductions)
    expect(errors, "barriers", text.count("bar.sync"), 2 * s.barriers * reductions)
    for what in (r"__local_depot", r"\.local", r"\batom", r"\bred\.global", r"\bcall\b"):
        expect(errors, "matches of " + what, re.findall(what, text), [])
    return errors, is_ahead


def run(case, work, ptxas):
    form, element, columns = case.split("-")
    columns = int(columns)
    source, ptx_path = f"{work}/{case}.mlir", f"{work}/{case}.ptx"
    with open(source, "w") as file:
        file.write(Program(form, element, ROWS, columns).write())
    printed = subprocess.run(
        ["norm-opt", source, "--norm-to-nvvm", "--mlir-print-ir-after=norm-tile-rows", "-o", "/dev/null"],
        check=True, capture_output=True, text=True).stderr
    subprocess.run(["norm-compile", source, "--target=nvvm", "--emit=ptx", "-o", ptx_path], check=True)
    with open(ptx_path) as file:
        ptx = file.read()
    log = ptxas and subprocess.run([ptxas, "-arch=sm_90", "-v", ptx_path, "-o", work + "/x.cubin"],
                                   check=True, capture_output=True, text=True).stderr
    kernels = re.findall(r"\.entry (\w+)\(", ptx)
    joined = re.search(r"(\{norm\.loop = #norm\.loop<rows>\}.*?)\n  %", printed, re.S)
    errors, line = [], f"{case}: {sum('_unaligned' not in k for k in kernels)} kernels"
    if joined:
        schedule = Schedule(joined[1], columns)
        sums = 2 if form == "layer" else 1
        errors, is_ahead = check_kernel(get_kernel(ptx, "main_kernel0"), schedule, form, element, sums, columns)
        line += f", rows of {schedule.threads} x {schedule.elements}" + ", loaded ahead" * is_ahead
    else:
        line += ", no joined rows"
    if log:
        registers, _ = get_registers(log, "main_kernel0")
        if joined:
            most = schedule.registers + int(schedule.is_masked * SPARE_MASKED * schedule.elements)
            most += SPARE_AHEAD * (is_ahead and element == "bf16")
            line += f", registers {registers} of {most}"
            if registers > most:
                errors.append("too many registers")
        errors += [f"{k} spills" for k in kernels if joined and get_registers(log, k)[1] > 0]
    print(f"{line}: {'; '.join(errors) or 'ok'}")
    return not errors


ptxas = [a.split("=", 1)[1] for a in sys.argv[2:] if a.startswith("--ptxas=")]
cases = [a for a in sys.argv[2:] if not a.startswith("--")]
sys.exit(not all([run(case, sys.argv[1], ptxas and ptxas[0]) for case in cases]))
