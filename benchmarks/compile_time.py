#!/usr/bin/env python3
"""Seconds and memory of compiling long programs, beside upstream's own passes.

    compile_time.py --build build [--blocks 1 8 32 80] [--target nvvm] [--json FILE]

Programs: the decoder of decoder.py (attention, rotary embedding, gate, two norms a
block), and a chain and a fan of elementwise ops. Ours is `norm-compile --emit=obj`.
Upstream is stock mlir-opt (one-shot bufferization, loops, the LLVM dialect), then
opt -O3 and llc -O3: what one gets without norm-mlir. Each figure is one run of whole
processes, their user time and peak memory, one after the other on an idle machine.
--passes lists the passes of ours that take more than 5 % of the time of all passes.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
UPSTREAM = ("builtin.module(tosa-to-linalg-pipeline,eliminate-empty-tensors,"
            "empty-tensor-to-alloc-tensor,"
            "one-shot-bufferize{bufferize-function-boundaries},"
            "buffer-deallocation-pipeline,convert-bufferization-to-memref,"
            "convert-linalg-to-loops,lower-affine,convert-scf-to-cf,"
            "expand-strided-metadata,lower-affine,convert-math-to-llvm,"
            "convert-math-to-libm,finalize-memref-to-llvm,convert-arith-to-llvm,"
            "convert-index-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,"
            "canonicalize,cse,reconcile-unrealized-casts)")


def elementwise(count, connect):
    """`count` elementwise ops; `connect(i)` says what op i reads besides %v0."""
    lines = ["#id = affine_map<(d0, d1) -> (d0, d1)>",
             "func.func @main(%v0: tensor<16x64xf32>) -> tensor<16x64xf32> {",
             "%e = tensor.empty() : tensor<16x64xf32>"]
    for i in range(count):
        read = connect(i)
        operands = ", ".join(f"%v{v}" for v in read)
        types = ", ".join(["tensor<16x64xf32>"] * len(read))
        blocks = ", ".join([f"%a{k}: f32" for k in range(len(read))] + ["%o: f32"])
        maps = ", ".join(["#id"] * (len(read) + 1))
        body = (f"%c = arith.constant {i}.5 : f32\n%r = arith.mulf %a0, %c : f32"
                if len(read) == 1 else "%r = arith.addf %a0, %a1 : f32")
        lines += [f"%v{i + 1} = linalg.generic {{indexing_maps = [{maps}], iterator_types = "
                  f'["parallel", "parallel"]}} ins({operands} : {types}) outs(%e : '
                  f"tensor<16x64xf32>) {{", f"^bb0({blocks}):", body,
                  "linalg.yield %r : f32", "} -> tensor<16x64xf32>"]
    lines += [f"return %v{count} : tensor<16x64xf32>", "}"]
    return "\n".join(lines) + "\n"


def chain(count):
    return elementwise(count, lambda i: [i, i])


def fan(count):
    """Half of the ops read %v0, the others add up what they give."""
    half = count // 2
    return elementwise(count, lambda i: [0] if i < half else
                       [i if i > half else 1, i - half + 2])


def decoder(blocks):
    return subprocess.run([sys.executable, os.path.join(HERE, "decoder.py"),
                           f"--blocks={blocks}"], check=True, capture_output=True,
                          text=True).stdout


def slow_passes(command):
    """Passes above 5 % of what all of them take, as (name, percent)."""
    timing = subprocess.run(
        [*command, "--mlir-timing", "--mlir-timing-display=list"],
        capture_output=True, text=True, check=True).stderr
    found = re.findall(r"^ +([0-9.]+) \( *[0-9.]+%\)(?: +[0-9.]+ \( *[0-9.]+%\))?  (\S.*)$",
                       timing, re.M)
    passes = [(name, float(seconds)) for seconds, name in found
              if "ipeline" not in name and name not in ("root", "Total", "Rest")
              and not name.startswith("(A)")]
    total = sum(seconds for _, seconds in passes)
    return [(name, 100 * seconds / total) for name, seconds in passes
            if seconds > 0.05 * total]


def measure(commands, limit):
    """User seconds and the largest peak of MB of commands that follow each other."""
    seconds, peak = 0.0, 0.0
    for command in commands:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            _, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)}: {errors[:2000]}")
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds, peak = usage.ru_utime, max(peak, usage.ru_maxrss / 1024)
    return seconds, peak


def in_child(commands, limit):
    """As `measure`, in a process of its own: RUSAGE_CHILDREN only grows."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        with os.fdopen(write, "w") as f:
            json.dump(measure(commands, limit), f)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as f:
        text = f.read()
    os.waitpid(child, 0)
    if not text:
        sys.exit(1)
    return json.loads(text)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--blocks", type=int, nargs="*", default=[1, 8, 32, 80])
    parser.add_argument("--ops", type=int, default=5000, help="of the chain and the fan; 0: none")
    parser.add_argument("--no-upstream", action="store_true")
    parser.add_argument("--target", choices=["cpu", "nvvm"], default="cpu")
    parser.add_argument("--passes", action="store_true")
    parser.add_argument("--limit", type=float, default=600, help="seconds of one process")
    parser.add_argument("--json")
    options = parser.parse_args()
    programs = [(f"decoder, {n} blocks", decoder(n), n) for n in options.blocks]
    if options.ops:
        programs += [(f"chain of {options.ops}", chain(options.ops), 0),
                     (f"fan of {options.ops}", fan(options.ops), 0)]
    tool = lambda name: os.path.join(options.llvm, name)
    rows = []
    print(f"{'program':20} {'norm-compile':>28} {'upstream':>28}")
    for name, text, blocks in programs:
        with tempfile.TemporaryDirectory() as folder:
            at = lambda file: os.path.join(folder, file)
            with open(at("in.mlir"), "w") as f:
                f.write(text)
            compiler = [os.path.join(options.build, "bin", "norm-compile"), at("in.mlir"),
                        f"--target={options.target}", "-o", at("ours.o"),
                        "--emit=" + ("obj" if options.target == "cpu" else "ptx")]
            ours = in_child([compiler], options.limit)
            passes = slow_passes(compiler) if options.passes else []
            upstream = None if options.no_upstream else in_child(
                [[tool("mlir-opt"), at("in.mlir"), f"--pass-pipeline={UPSTREAM}", "-o",
                  at("llvm.mlir")],
                 [tool("mlir-translate"), "--mlir-to-llvmir", at("llvm.mlir"), "-o",
                  at("in.ll")],
                 [tool("opt"), "-O3", at("in.ll"), "-o", at("out.bc")],
                 [tool("llc"), "-O3", "-mcpu=x86-64-v3", "-filetype=obj",
                  "-relocation-model=pic", at("out.bc"), "-o", at("out.o")]],
                options.limit)
            size = os.path.getsize(at("ours.o")) if ours else 0

        def show(figures):
            if figures is None:
                return "-" if options.no_upstream else f"> {options.limit:g} s"
            seconds, peak = figures
            each = f" {seconds / blocks:.3f}/block" if blocks else ""
            return f"{seconds:.2f} s{each} {peak:.0f} MB"

        print(f"{name:20} {show(ours):>28} {show(upstream):>28}", flush=True)
        for each, percent in passes:
            print(f"    {percent:4.1f} % {each}", flush=True)
        rows.append({"program": name, "passes": passes, "blocks": blocks, "ours": ours,
                     "upstream": upstream, "object_bytes": size})
    if options.json:
        with open(options.json, "w") as f:
            json.dump(rows, f, indent=1)


if __name__ == "__main__":
    main()
