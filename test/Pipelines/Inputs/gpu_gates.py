"""Holds the PTX of row kernels to their schedule, without a GPU.

    gpu_gates.py WORK [--form=FORM] [--ptxas=PTXAS [--nvdisasm=NVDISASM]] [--instructions]
                 [--break=FAULT] [--fewer-registers] [--count-unaligned] [NxTYPE ...]

Compiles a form of norm.rmsnorm (gpu_forms.py) over ?xN for each class, reads the schedule
from the IR after norm-tile-rows, and counts in each kernel what the schedule promises.
With --instructions also what a thread executes per element (gpu_instructions.py): from
machine code with --nvdisasm, else from PTX. One line a kernel: ok, or what is wrong.
--break=FAULT changes the PTX first, --fewer-registers lowers the bound by 16 and
--count-unaligned counts the kernel of one element an access, to show that the gate sees it.
Exit status 1 where a gate fails.
"""
import argparse
import collections
import math
import re
import subprocess
import sys

import gpu_forms
import gpu_instructions

SIZES = [64, 111, 128, 256, 257, 512, 1024, 1152, 2880, 4095, 4096, 4097, 5000, 7168, 8192, 16384]
KINDS = ["bf16", "f16", "f32"]
SM_REGISTERS, SM_THREADS, SM_BLOCKS = 65536, 2048, 32

# Instructions an element, of rows of 4096 in the form `normalized`.
MOST_INSTRUCTIONS = {"sass": {"bf16": 11.0, "f16": 10.5, "f32": 8.5},
                     "ptx": {"bf16": 9.5, "f16": 9.5, "f32": 8.25}}

FAULTS = {
    "load-twice": (r"(\tld\.global\.v4\.b32 [^\n]*\n)", r"\1\1", 1),
    "narrow-load": (r"ld\.global\.v4\.b32 (\s*)\{(%r\d+), [^}]*\}", r"ld.global.b32 \1\2", 1),
    "narrow-store": (r"st\.global\.v4\.b32 (\s*\[[^\]]*\], )\{(%r\d+), [^}]*\}", r"st.global.b32 \1\2", 1),
    "shuffle": (r"\tshfl\.sync[^\n]*\n", "", 1),
    "barrier": (r"\tbar\.sync[^\n]*\n", "", 1),
    "local": (r"(\tld\.global\.v4\.b32)", r"\tst.local.b32 [%rd1], %r1;\n\1", 1),
    "division": (r"(\tld\.global\.v4\.b32)", r"\tdiv.u64 %rd1, %rd1, %rd2;\n\1", 1),
    "narrow-row": (r"mul\.wide\.u32 (\s*)%rd(\d+), (%r\d+), (4096);",
                   r"mul.lo.s32 \1%r9999, \3, \4;\n\tcvt.u64.u32 %rd\2, %r9999;", 1),
}


class Schedule:
    """What norm-tile-rows wrote on the loop of one function."""

    def __init__(self, ir, n):
        integer = lambda name: int(re.search(r"#norm\.loop<rows, <.*\b%s = (\d+)" % name, ir)[1])
        self.threads, self.vector, self.registers = map(integer, ("threads", "vector", "registers"))
        self.shifted = "shifted = true" in ir
        self.chunks = integer("lanes") // (self.threads * self.vector)
        self.rows = max(1, 128 // self.threads) if self.threads <= 32 else 1
        self.elements = self.chunks * self.vector
        self.is_masked = self.elements * self.threads != n
        self.pitch = math.gcd(n, self.vector)  # what the shift is a multiple of
        # Vectors that may lie across an end of a shifted row; those of the weight
        # are cut out of two, of which the second may.
        end = lambda c: (c + 1) * self.threads * self.vector
        ends = lambda reach: sum(c == 0 or end(c) + reach > n for c in range(self.chunks))
        self.masked = ends(0) if self.shifted else 0
        self.masked_weight = ends(self.vector) if self.shifted else 0
        # Of the last vectors none may have both inside the row.
        self.pairs = sum(c * self.threads * self.vector + self.vector <= n for c in range(self.chunks))
        warps = -(-self.threads // 32)
        self.shuffles = int(math.log2(min(self.threads, 32))) + math.ceil(math.log2(warps))
        self.barriers = int(warps > 1)

    def occupancy(self, registers):
        """Threads that an SM holds."""
        block = self.threads * self.rows
        blocks = min(SM_REGISTERS // (-(-registers // 8) * 8 * block), SM_THREADS // block, SM_BLOCKS)
        return blocks * block


def get_kernel(ptx, name):
    return re.search(r"\.entry %s\(.*?\n\}\n" % name, ptx, re.S)[0]


class Accesses:
    """Follows pointers and the row's number through the registers of a kernel."""

    def __init__(self, text):
        self.loads, self.stores, self.order = {}, {}, []  # pointer -> widths in bits
        self.narrow_rows = []
        params, pointers, rows = {}, {}, set()
        for line in text.split("\n"):
            parsed = re.match(r"\s*(?:@!?%p\d+ )?([a-z][\w.]*)\s+(.*);", line)
            if not parsed:
                continue
            opcode, rest = parsed[1], parsed[2]
            if opcode.startswith("shfl"):
                self.order.append("shuffle")
            if re.match(r"(ld|st)\.global", opcode):
                self.access(opcode, rest, pointers)
                continue
            operands = re.findall(r"%\w+(?:\.\w)?|\w+_param_\d+", rest)
            if not operands:
                continue
            target, sources = operands[0], operands[1:]
            # Sizes are parameters too; only pointers become addresses.
            if opcode.startswith("ld.param"):
                params[target] = sources[0]
            elif opcode.startswith("cvta"):
                pointers[target] = {params[sources[0]]}
            elif target.startswith("%rd"):
                for source in sources:
                    pointers.setdefault(target, set()).update(pointers.get(source, ()))
            if "%ctaid.x" in sources or (opcode == "mov.u32" and rows & set(sources)):
                rows.add(target)
            elif rows & set(sources) and not re.match(r"mul\.wide|cvt\.[us]64", opcode):
                self.narrow_rows.append(line.strip())

    def access(self, opcode, rest, pointers):
        is_load = opcode.startswith("ld")
        base = re.search(r"\[(%rd\d+)", rest)[1]
        vector = re.search(r"\.v(\d)", opcode)
        width = int(re.search(r"\d+$", opcode)[0]) * (int(vector[1]) if vector else 1)
        for pointer in pointers[base]:
            (self.loads if is_load else self.stores).setdefault(pointer, []).append(width)
            self.order.append(("load " if is_load else "store ") + pointer)


def count_widths(widths):
    return dict(sorted(collections.Counter(widths).items()))


def check(text, schedule, form):
    """What is wrong with one kernel."""
    s, errors = schedule, []

    def expect(what, found, wanted):
        if found != wanted:
            errors.append("%s: %s instead of %s" % (what, found, wanted))

    if ".maxntid %d, %d, 1" % (s.threads, s.rows) not in text:
        errors.append("block is not %dx%d" % (s.threads, s.rows))
    accesses = Accesses(text)
    # The row comes first: its statistic needs it.
    row = accesses.order[0][len("load "):]
    others = [count_widths(loads) for p, loads in accesses.loads.items() if p != row]

    def widths(kind, elements, masked):
        bytes_ = gpu_forms.BYTES[kind]
        access = min(16, s.vector * bytes_)
        return count_widths([8 * access] * (elements * bytes_ // access) + [8 * bytes_] * (masked * s.vector))

    def row_widths(kinds):
        return [widths(kind, s.elements, s.masked) for kind in kinds]

    def weight_widths(kind):
        if not s.shifted:
            return widths(kind, s.elements, 0)
        # Accesses that both vectors share are one.
        shared = s.pitch if s.pitch * gpu_forms.BYTES[kind] % 16 == 0 else 0
        return widths(kind, s.pairs * (2 * s.vector - shared), s.masked_weight)

    weights = [weight_widths(kind) for kind in form.weights]
    expect("loads of x", count_widths(accesses.loads[row]), row_widths(form.reads)[0])
    wanted = row_widths(form.reads[1:]) + weights
    if s.shifted and s.vector == 2:
        # Of the second vector only the first element is needed, and mostly loaded.
        others, wanted = ([sum(each.values()) for each in found] for found in (others, wanted))
    expect("loads beside x", sorted(others, key=str), sorted(wanted, key=str))
    expect("stores", sorted(map(count_widths, accesses.stores.values()), key=str),
           sorted(row_widths(form.writes) + [{32: 1}] * form.scalars, key=str))
    expect("shuffles", text.count("shfl.sync"), s.shuffles * form.reductions)
    expect("barriers", text.count("bar.sync"), s.barriers * form.reductions)
    first_shuffle = accesses.order.index("shuffle") if "shuffle" in accesses.order else 0
    expect("rows and weights on their way before the reduction",
           len(set(accesses.order[:first_shuffle])) >= form.early, True)
    loops = [m[1] for m in re.finditer(r"\bbra(?:\.uni)?\s+(\$\w+);", text)
             if text.index(m[1] + ":") < m.start()]
    expect("loops", loops, [])
    for what in (r"\.local", r"__local_depot", r"\b(div|rem)\.[us]\d+", r"\bcall\b"):
        expect("matches of " + what, [m[0] for m in re.finditer(what, text)], [])
    expect("rows numbered in 32 bits", accesses.narrow_rows, [])
    return errors


def get_registers(log, name):
    """The registers of a kernel, and the bytes that it spills."""
    entry = log.split("Compiling entry function '%s'" % name)[1].split("Compiling entry")[0]
    spills = [int(n) for n in re.findall(r"(\d+) bytes spill", entry)]
    return int(re.search(r"Used (\d+) registers", entry)[1]), max(spills)


def compile_classes(form, classes, work, ptxas=None, nvdisasm=None):
    """The IR with its schedules, PTX, ptxas's log, machine code, and the forms."""
    forms = {(n, kind): gpu_forms.FORMS[form]("n%d_%s" % (n, kind), n, kind) for n, kind in classes}
    source, ptx_path, cubin = (work + "/gates." + end for end in ("mlir", "ptx", "cubin"))
    with open(source, "w") as file:
        file.write(gpu_forms.PREFIX + "".join(f.text for f in forms.values()))
    printed = subprocess.run(
        ["norm-opt", source, "--norm-to-nvvm", "--mlir-print-ir-after=norm-tile-rows", "-o", "/dev/null"],
        check=True, capture_output=True, text=True).stderr
    subprocess.run(["norm-compile", source, "--target=nvvm", "--emit=ptx", "-o", ptx_path], check=True)
    log = ptxas and subprocess.run([ptxas, "-arch=sm_90", "-v", ptx_path, "-o", cubin],
                                   check=True, capture_output=True, text=True).stderr
    sass = nvdisasm and gpu_instructions.disassemble(nvdisasm, cubin)
    with open(ptx_path) as file:
        return printed, file.read(), log, sass, forms


def get_schedule(printed, n, kind):
    return Schedule(re.search(r"func\.func @n%d_%s\(.*?\n\}\n" % (n, kind), printed, re.S)[0], n)


def check_instructions(options, n, kind, ptx, sass, schedule):
    """What a thread executes per element, and whether that is too much."""
    name = "n%d_%s_kernel0%s" % (n, kind, "_unaligned" * options.count_unaligned)
    count = gpu_instructions.count_sass(sass, name) if sass else gpu_instructions.count_ptx(get_kernel(ptx, name))
    share = count / schedule.elements
    is_bound = n == 4096 and options.form == "normalized"
    most = MOST_INSTRUCTIONS["sass" if sass else "ptx"][kind] if is_bound else math.inf
    fact = " instructions %.1f" % share + (" of %.2f" % most if is_bound else "")
    return fact, ["too many instructions per element"] * (share > most)


def check_registers(options, log, n, kind, schedule):
    registers, spilled = get_registers(log, "n%d_%s_kernel0" % (n, kind))
    bound = schedule.registers + gpu_forms.get_spare(options.form, kind, schedule.elements, schedule.is_masked)
    fact = " registers %d of %d resident %d" % (registers, bound, schedule.occupancy(registers))
    is_over = registers > bound - 16 * options.fewer_registers
    spills = spilled > gpu_forms.SPILLED.get((options.form, n, kind), 0)
    return fact, ["spills"] * spills + ["more registers than the schedule says"] * is_over


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("--form", choices=list(gpu_forms.FORMS), default="normalized")
    parser.add_argument("--ptxas")
    parser.add_argument("--nvdisasm")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--break", dest="fault", choices=sorted(FAULTS))
    parser.add_argument("--fewer-registers", action="store_true")
    parser.add_argument("--count-unaligned", action="store_true")
    parser.add_argument("classes", nargs="*")
    options = parser.parse_intermixed_args()
    kinds = [kind for kind in KINDS if kind != "f32" or options.form not in gpu_forms.ROUNDED_ONLY]
    classes = [c.split("x") for c in options.classes] or [(n, kind) for kind in kinds for n in SIZES]
    classes = [(int(n), kind) for n, kind in classes]
    printed, ptx, log, sass, forms = compile_classes(
        options.form, classes, options.work, options.ptxas, options.nvdisasm)

    failed = False
    for n, kind in classes:
        name = "n%d_%s" % (n, kind)
        schedule = get_schedule(printed, n, kind)
        text = get_kernel(ptx, name + "_kernel0")
        if options.fault:
            pattern, replacement, count = FAULTS[options.fault]
            text = re.sub(pattern, replacement, text, count=count)
        errors = check(text, schedule, forms[n, kind])
        facts = "threads %d rows %d elements %d%s" % (
            schedule.threads, schedule.rows, schedule.elements,
            " shifted" if schedule.shifted else "")
        if log:
            fact, wrong = check_registers(options, log, n, kind, schedule)
            facts, errors = facts + fact, errors + wrong
        if options.instructions:
            fact, wrong = check_instructions(options, n, kind, ptx, sass, schedule)
            facts, errors = facts + fact, errors + wrong
        failed |= bool(errors)
        print("%s: %s: %s" % (name, facts, "; ".join(errors) or "ok"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
