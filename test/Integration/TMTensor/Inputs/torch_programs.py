"""torch_programs.py [--wrong] ARGUMENTS...: runs norm-run with ARGUMENTS on
programs of torch-mlir's end-to-end suite, as its FX importer prints them, and
compares with what PyTorch computed; torch/arrays.npz has PROGRAM.in0, .out0."""
import pathlib
import re
import sys
import tempfile

import numpy as np
from normtest import run

FOLDER = pathlib.Path(__file__).parent / "torch"
WRONG = sys.argv[1] == "--wrong"
COMMAND = sys.argv[1 + WRONG:]
arrays = np.load(FOLDER / "arrays.npz")


def take(program, kind):
    names = sorted(n for n in arrays if re.fullmatch(rf"{program}\.{kind}\d+", n))
    return [arrays[n] for n in names]


def check(path):
    function = re.search(r"func.func @(\w+)", path.read_text())[1]
    expected = take(path.stem, "out")
    with tempfile.TemporaryDirectory() as folder:
        results = run([*COMMAND, path, f"--function={function}"], f"{folder}/in", take(path.stem, "in"), len(expected))
    for i, (got, want) in enumerate(zip(results, expected)):
        want = want + 1 if WRONG else want
        # log and exp of another library differ by an ulp or two.
        bound = 4 * np.finfo(want.dtype).eps if want.dtype.kind == "f" else 0
        if got.dtype != want.dtype or got.shape != want.shape or \
                not (np.abs(got - want) <= bound * np.abs(want)).all():
            sys.exit(f"{path.stem}: result {i} is\n{got}\nand not\n{want}")


programs = sorted(FOLDER.glob("*.mlir"))
for program in programs:
    check(program)
print(f"{len(programs)} programs are right")
