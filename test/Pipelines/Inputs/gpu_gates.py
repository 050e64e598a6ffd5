"""Holds the PTX of row kernels to their schedule, without a GPU.

    gpu_gates.py WORK [--ptxas=PTXAS] [--break=FAULT] [--fewer-registers] [NxTYPE ...]

Compiles norm.rmsnorm over ?xN for each class, reads the schedule from the IR after
norm-plan-gpu-rows, and counts in each kernel what the schedule promises. One line a
kernel: ok, or what is wrong. --break=FAULT changes the PTX first and --fewer-registers
lowers the bound by 16, to show that the gate sees it. Exit status 1 where a gate fails.
"""
import argparse
import collections
import math
import re
import subprocess
import sys

SIZES = [64, 111, 128, 256, 257, 512, 1024, 1152, 2880, 4095, 4096, 4097, 5000, 7168, 8192, 16384]
BYTES = {"bf16": 2, "f16": 2, "f32": 4}
SM_REGISTERS, SM_THREADS, SM_BLOCKS = 65536, 2048, 32

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


def program(n, kind):
    x, w = "tensor<?x%dx%s>" % (n, kind), "tensor<%dx%s>" % (n, kind)
    rounded = "" if kind == "f32" else " normalized_type = " + kind
    return """func.func @n%d_%s(%%x: %s, %%w: %s, %%i: %s) -> %s {
  %%y = norm.rmsnorm ins(%%x, %%w : %s, %s) outs(%%i : %s) dims = [1] epsilon = 1.0e-5 : f32%s -> %s
  return %%y : %s
}
""" % (n, kind, x, w, x, x, x, w, x, rounded, x, x)


class Schedule:
    """What norm-plan-gpu-rows wrote on the loop of one function."""

    def __init__(self, ir, n, kind):
        integer = lambda name: int(re.search(r"#norm\.loop<rows, <.*\b%s = (\d+)" % name, ir)[1])
        self.threads, self.vector, self.registers = map(integer, ("threads", "vector", "registers"))
        self.shifted = "shifted = true" in ir
        self.chunks = integer("lanes") // (self.threads * self.vector)
        self.rows = max(1, 128 // self.threads) if self.threads <= 32 else 1
        self.wide = self.vector * BYTES[kind] // 16
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


def check(text, schedule, kind):
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
    weight = [p for p in accesses.loads if p != row]
    wide, lanes = s.chunks * s.wide, s.vector

    def widths(wide, elements):
        return count_widths([128] * wide + [8 * BYTES[kind]] * elements)

    expect("loads of x", count_widths(accesses.loads[row]), widths(wide, s.masked * lanes))
    expect("pointers loaded beside x", len(weight), 1)
    expect("loads of w", count_widths(sum((accesses.loads[p] for p in weight), [])),
           widths(2 * s.pairs * s.wide if s.shifted else wide, s.masked_weight * lanes))
    expect("stores", [count_widths(stored) for stored in accesses.stores.values()],
           [widths(wide, s.masked * lanes)])
    expect("shuffles", text.count("shfl.sync"), s.shuffles)
    expect("barriers", text.count("bar.sync"), s.barriers)
    first_shuffle = accesses.order.index("shuffle") if "shuffle" in accesses.order else 0
    expect("weight on its way before the reduction",
           any("load " + p in accesses.order[:first_shuffle] for p in weight), True)
    loops = [m[1] for m in re.finditer(r"\bbra(?:\.uni)?\s+(\$\w+);", text)
             if text.index(m[1] + ":") < m.start()]
    expect("loops", loops, [])
    for what in (r"\.local", r"__local_depot", r"\b(div|rem)\.[us]\d+", r"\bcall\b"):
        expect("matches of " + what, [m[0] for m in re.finditer(what, text)], [])
    expect("rows numbered in 32 bits", accesses.narrow_rows, [])
    return errors


def get_registers(log, name):
    entry = log.split("Compiling entry function '%s'" % name)[1].split("Compiling entry")[0]
    spills = [int(n) for n in re.findall(r"(\d+) bytes (?:stack frame|spill)", entry)]
    return int(re.search(r"Used (\d+) registers", entry)[1]), any(spills)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work")
    parser.add_argument("--ptxas")
    parser.add_argument("--break", dest="fault", choices=sorted(FAULTS))
    parser.add_argument("--fewer-registers", action="store_true")
    parser.add_argument("classes", nargs="*")
    options = parser.parse_intermixed_args()
    classes = [c.split("x") for c in options.classes] or \
        [(n, kind) for kind in BYTES for n in SIZES]
    classes = [(int(n), kind) for n, kind in classes]

    source, ptx_path = options.work + "/gates.mlir", options.work + "/gates.ptx"
    with open(source, "w") as file:
        file.write("".join(program(n, kind) for n, kind in classes))
    printed = subprocess.run(
        ["norm-opt", source, "--norm-to-nvvm", "--mlir-print-ir-after=norm-plan-gpu-rows", "-o", "/dev/null"],
        check=True, capture_output=True, text=True).stderr
    subprocess.run(["norm-compile", source, "--target=nvvm", "--emit=ptx", "-o", ptx_path], check=True)
    log = options.ptxas and subprocess.run(
        [options.ptxas, "-arch=sm_90", "-v", ptx_path, "-o", options.work + "/gates.cubin"],
        check=True, capture_output=True, text=True).stderr
    with open(ptx_path) as file:
        ptx = file.read()

    failed = False
    for n, kind in classes:
        name = "n%d_%s" % (n, kind)
        ir = re.search(r"func\.func @%s\(.*?\n\}\n" % name, printed, re.S)[0]
        schedule = Schedule(ir, n, kind)
        text = get_kernel(ptx, name + "_kernel0")
        if options.fault:
            pattern, replacement, count = FAULTS[options.fault]
            text = re.sub(pattern, replacement, text, count=count)
        errors = check(text, schedule, kind)
        facts = "threads %d rows %d elements %d%s" % (
            schedule.threads, schedule.rows, schedule.chunks * schedule.vector,
            " shifted" if schedule.shifted else "")
        if log:
            registers, spills = get_registers(log, name + "_kernel0")
            facts += " registers %d of %d resident %d" % (
                registers, schedule.registers, schedule.occupancy(registers))
            if spills:
                errors.append("spills")
            if registers > schedule.registers - 16 * options.fewer_registers:
                errors.append("more registers than the schedule says")
        failed |= bool(errors)
        print("%s: %s: %s" % (name, facts, "; ".join(errors) or "ok"))
    return 1 if failed else 0


sys.exit(main())
