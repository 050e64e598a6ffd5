"""Compiles a program to everything that norm-compile writes, again and again.

usage: reproducible.py OUTDIR IN.mlir...
The repetitions change what must not matter: the address layout (random, or not
by setarch -R), the processors that MLIR's thread pool finds (taskset) and the
folder that is worked in. The bytes have to be equal.
"""
import os
import pathlib
import shutil
import subprocess
import sys

OUTPUTS = [
    *(["--target=cpu", f"--emit={stage}"]
      for stage in ["norm", "vector", "llvm-ir", "obj", "shared", "header"]),
    ["--target=cpu", "--emit=obj", "--threads=2"],
    *(["--target=nvvm", f"--emit={stage}"]
      for stage in ["vector", "llvm-mlir", "shared", "header", "ptx"]),
]


def find_fixed_layout():
    """Prefixes that this machine allows: containers may forbid either."""
    processor = str(min(os.sched_getaffinity(0)))
    prefix = []
    for tool in [["setarch", "-R"], ["taskset", "-c", processor]]:
        if (shutil.which(tool[0]) and
                subprocess.run([*tool, "true"], capture_output=True).returncode == 0):
            prefix += tool
    return prefix


def compile_with(prefix, arguments, output):
    """The bytes written; every repetition's file has the same name."""
    output.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([*prefix, "norm-compile", *arguments, "-o", str(output)],
                   check=True, cwd=output.parent)
    return output.read_bytes()


def main():
    out = pathlib.Path(sys.argv[1]).absolute()
    shutil.rmtree(out, ignore_errors=True)
    ways = {"again": [], "fixed": find_fixed_layout()}
    compared = 0
    for program in sys.argv[2:]:
        for options in OUTPUTS:
            arguments = [str(pathlib.Path(program).absolute()), *options]
            first = compile_with([], arguments, out / "first/out")
            for way, prefix in ways.items():
                if compile_with(prefix, arguments, out / way / "out") != first:
                    sys.exit(f"{' '.join(arguments)}: other bytes ({way})")
                compared += 1
    print(f"{compared} outputs, equal to the first")


main()
