#!/usr/bin/env python3
"""What recognition costs beside parsing: seconds and peak memory of norm-opt.

    recognition_cost.py [--build build] [--scale 1] [--only REGEX] [--json FILE]

Seconds are those that --mlir-timing gives for the parser and for norm-recognize, the
least of --repetitions runs; memory is the peak of the process without the pass and with
it. The target is recognition in less than twice the time of parsing. The programs below
the line are long in one respect that must not be gone through by recursion: they have to
end, and to end in a time that grows with their length.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, "..", "test", "Recognition", "Inputs")
TARGET = 2.0  # of the time of parsing
MAPS = "#all = affine_map<(d0, d1) -> (d0, d1)>\n#row = affine_map<(d0, d1) -> (d0)>\n"
CONSTANTS = """  %zero = arith.constant 0.0 : f32
  %n = arith.constant 64.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index"""
# {x} over tensor<{type}> with rows in {rows}, the result {y} in the tensor {out}.
NORM = """  %e{i} = tensor.empty({rows}) : tensor<?xf32>
  %i{i} = linalg.fill ins(%zero : f32) outs(%e{i} : tensor<?xf32>) -> tensor<?xf32>
  %s{i} = linalg.generic {{indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}}
      ins({x} : tensor<{type}>) outs(%i{i} : tensor<?xf32>) {{
  ^bb0(%in: f32, %acc: f32):
    %q = arith.mulf %in, %in : f32
    %next = arith.addf %q, %acc : f32
    linalg.yield %next : f32
  }} -> tensor<?xf32>
  {y} = linalg.generic {{indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}}
      ins({x}, %s{i} : tensor<{type}>, tensor<?xf32>) outs({out} : tensor<{type}>) {{
  ^bb0(%in: f32, %s: f32, %o: f32):
    %m0 = arith.divf %s, {n} : f32
    %m1 = arith.addf %m0, %eps : f32
    %r = math.rsqrt %m1 : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  }} -> tensor<{type}>"""


# Programs.

def script(path, *arguments):
    return subprocess.run([sys.executable, path, *map(str, arguments)], check=True,
                          capture_output=True, text=True).stdout


def chain(found, rejected):
    return script(os.path.join(INPUTS, "chain.py"), found, rejected)


def model(size):
    """Repeated layers of a language model, `size` bytes of text."""
    decoder = lambda blocks: script(os.path.join(HERE, "decoder.py"), f"--blocks={blocks}")
    one, more = len(decoder(1)), len(decoder(9))
    return decoder(max(1, round(1 + 8 * (size - one) / (more - one))))


def function(kind, lines, result):
    return "\n".join([MAPS + f"func.func @f(%x0: tensor<{kind}>) -> tensor<{kind}> {{", CONSTANTS,
                      *lines, f"  return {result} : tensor<{kind}>\n}}"]) + "\n"


def dynamic(count):
    """Norms in a chain of residual sums, each extent taken of the value before."""
    kind, lines = "?x64xf32", []
    for i in range(count):
        lines += [f"  %d{i} = tensor.dim %x{i}, %c0 : tensor<{kind}>",
                  f"  %g{i} = tensor.empty(%d{i}) : tensor<{kind}>",
                  NORM.format(i=i, x=f"%x{i}", y=f"%y{i}", out=f"%g{i}", rows=f"%d{i}", type=kind, n="%n"),
                  f"  %h{i} = tensor.empty(%d{i}) : tensor<{kind}>",
                  f"  %x{i + 1} = linalg.add ins(%x{i}, %y{i} : tensor<{kind}>, tensor<{kind}>) "
                  f"outs(%h{i} : tensor<{kind}>) -> tensor<{kind}>"]
    return function(kind, lines, f"%x{count}")


def extents(count):
    """One norm that divides by an extent of an extent of an extent."""
    kind = "?x?xf32"
    lines = [f"  %rows = tensor.dim %x0, %c0 : tensor<{kind}>", f"  %d0 = tensor.dim %x0, %c1 : tensor<{kind}>"]
    for i in range(count):
        lines += [f"  %t{i} = tensor.empty(%rows, %d{i}) : tensor<{kind}>",
                  f"  %d{i + 1} = tensor.dim %t{i}, %c1 : tensor<{kind}>"]
    lines += [f"  %i64 = arith.index_cast %d{count} : index to i64", "  %count = arith.sitofp %i64 : i64 to f32",
              f"  %out = tensor.empty(%rows, %d{count}) : tensor<{kind}>",
              NORM.format(i="_last", x="%x0", y="%y", out="%out", rows="%rows", type=kind, n="%count")]
    return function(kind, lines, "%y")


def scalars(count, kind):
    """One norm that divides by a number that so many scalar ops outside of bodies make."""
    start, op = (("arith.constant 64.0 : f32", "addf") if kind == "f32" else
                 ("arith.index_cast %cols : index to i64", "muli"))
    lines = ["  %rows = tensor.dim %x0, %c0 : tensor<?x?xf32>", "  %cols = tensor.dim %x0, %c1 : tensor<?x?xf32>",
             f"  %one = arith.constant {'1.0' if kind == 'f32' else '1'} : {kind}", f"  %u0 = {start}"]
    lines += [f"  %u{i + 1} = arith.{op} %u{i}, %one : {kind}" for i in range(count)]
    divisor = f"%u{count}"
    if kind != "f32":
        lines += [f"  %count = arith.sitofp {divisor} : {kind} to f32"]
        divisor = "%count"
    lines += [NORM.format(i="_last", x="%x0", y="%y", out="%x0", rows="%rows", type="?x?xf32", n=divisor)]
    return function("?x?xf32", lines, "%y")


def in_place(count):
    """One norm of what ops that write into their operands leave; its extents are x's."""
    kind, x = "?x?xf32", f"%x{count}"
    lines = [f"  %rows = tensor.dim %x0, %c0 : tensor<{kind}>", f"  %cols = tensor.dim %x0, %c1 : tensor<{kind}>",
             "  %i64 = arith.index_cast %cols : index to i64", "  %count = arith.sitofp %i64 : i64 to f32"]
    lines += [f"  %x{i + 1} = linalg.exp ins(%x{i} : tensor<{kind}>) outs(%x{i} : tensor<{kind}>) -> tensor<{kind}>"
              for i in range(count)]
    lines += [NORM.format(i="_last", x=x, y="%y", out=x, rows="%rows", type=kind, n="%count")]
    return function(kind, lines, "%y")


def programs(scale):
    """(name, what writes its text, whether the target holds for it)."""
    n = lambda count: max(1, round(count * scale))
    mb = 5 * scale
    yield f"{n(1000)} norms", lambda: chain(n(1000), 0), True
    yield f"{n(1000)} rejected", lambda: chain(0, n(1000)), True
    yield f"{n(800)} dynamic norms", lambda: dynamic(n(800)), True
    yield f"model of {mb:g} MB", lambda: model(mb * 1e6), True
    yield f"{n(60000)} extents", lambda: extents(n(60000)), False
    yield (f"{n(100000)} scalar ops in a body",
           lambda: script(os.path.join(INPUTS, "terms.py"), n(50000)), False)
    yield f"{n(100000)} scalar ops, f32", lambda: scalars(n(100000), "f32"), False
    yield f"{n(100000)} scalar ops, i64", lambda: scalars(n(100000), "i64"), False
    yield f"{n(100000)} ops in place", lambda: in_place(n(100000)), False


# Measurement.

def run(command, limit):
    """(status or None, peak in MB, stderr) of a process."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        timer = threading.Timer(limit, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        is_late = not timer.is_alive()
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return None if is_late else process.returncode, usage.ru_maxrss / 1024, errors.read()


def read_seconds(timing, name):
    """Wall time of one line of --mlir-timing."""
    found = re.search(rf"^.* ([0-9.]+) \( *[0-9.]+%\)  {name}$", timing, re.M)
    return float(found.group(1)) if found else None


def measure(opt, path, options):
    """Seconds and MB of one program, the least of all runs."""
    row = {"parse": None, "recognize": None, "memory": None, "memory_with": None, "end": ""}
    timing = ["--mlir-timing", "--mlir-timing-display=list", "-o", os.devnull]

    def keep_least(key, value):
        row[key] = value if row[key] is None else min(row[key], value)

    for _ in range(options.repetitions):
        status, memory, text = run([opt, path, *timing], options.limit)
        if status != 0:
            sys.exit(f"error: {path} is not valid: {text[:500]}")
        keep_least("parse", read_seconds(text, "Parser"))
        keep_least("memory", memory)
        status, memory, text = run([opt, path, "--norm-recognize", *timing], options.limit)
        if status != 0:
            row["end"] = f"> {options.limit:g} s" if status is None else f"exits {status}"
            return row
        keep_least("parse", read_seconds(text, "Parser"))
        keep_least("recognize", read_seconds(text, "NormRecognize"))
        keep_least("memory_with", memory)
        if row["recognize"] > options.limit / 20:
            break  # one run says enough
    return row


def count_norms(opt, path, limit):
    done = subprocess.run([opt, path, "--norm-recognize"], capture_output=True, text=True, timeout=limit)
    return done.stdout.count("norm.rmsnorm ")


def judge(row, has_target):
    if row["end"]:
        return "missed: " + row["end"]
    if not has_target:
        return "ends"
    return "met" if row["ratio"] < TARGET else "missed"


def show(row):
    cell = lambda key, form: "-" if row[key] is None else form.format(row[key])
    return (f"{row['program']:28} {row['megabytes']:6.2f} {cell('parse', '{:.3f}'):>8} {cell('recognize', '{:.3f}'):>9} "
            f"{cell('ratio', '{:.2f}'):>7} {cell('memory', '{:.0f}'):>7} {cell('memory_with', '{:.0f}'):>7} "
            f"{cell('norms', '{}'):>6}  {row['verdict']}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--opt", help="norm-opt of another build (default: BUILD/bin/norm-opt)")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="of all lengths, to see how the time grows")
    parser.add_argument("--only", default="", metavar="REGEX", help="of the names of programs")
    parser.add_argument("--limit", type=float, default=120, help="seconds of one process")
    parser.add_argument("--json")
    return parser.parse_args()


def main():
    options = parse_arguments()
    opt = options.opt or os.path.join(options.build, "bin", "norm-opt")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    rows, was_target = [], True
    print(f"{'program':28} {'MB':>6} {'parse s':>8} {'recogn. s':>9} {'times':>7} {'MB peak':>7} {'with':>7} "
          f"{'norms':>6}  target < {TARGET:g} times")
    for name, make, has_target in programs(options.scale):
        if not re.search(options.only, name):
            continue
        if was_target and not has_target:
            print("-" * 60)
        was_target = has_target
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.mlir")
            with open(path, "w") as f:
                f.write(make())
            row = {"program": name, "megabytes": os.path.getsize(path) / 1e6, **measure(opt, path, options)}
            row["norms"] = None if row["end"] else count_norms(opt, path, options.limit)
        row["ratio"] = row["recognize"] / row["parse"] if row["recognize"] is not None else None
        row["verdict"] = judge(row, has_target)
        rows.append(row)
        print(show(row), flush=True)
    if options.json:
        with open(options.json, "w") as f:
            json.dump(rows, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    main()
