"""Compares the size of .text of one program at a short and at a long row.

    code_size.py PREFIX
"""
import subprocess
import sys

LIMIT = 8192
PROGRAM = """func.func @main(%x: tensor<64xNxT>, %w: tensor<NxT>) -> tensor<64xNxT> {
  %i = tensor.empty() : tensor<64xNxT>
  %y = norm.rmsnorm ins(%x, %w : tensor<64xNxT>, tensor<NxT>) outs(%i : tensor<64xNxT>)
    dims = [1] epsilon = 1.0e-6 : f32 -> tensor<64xNxT>
  return %y : tensor<64xNxT>
}
"""


def text_size(prefix, n, element):
    program, file = f"{prefix}.{n}.{element}.mlir", f"{prefix}.{n}.{element}.o"
    with open(program, "w") as stream:
        stream.write(PROGRAM.replace("xN", f"x{n}").replace("<N", f"<{n}").replace("xT", f"x{element}"))
    subprocess.run(["norm-compile", program, "--mcpu=x86-64-v3", "--mtriple=x86_64-linux-gnu", "-o", file], check=True)
    sections = subprocess.run(["llvm-size", "-A", file], check=True, capture_output=True, text=True).stdout
    return sum(int(line.split()[1]) for line in sections.splitlines() if line.startswith(".text"))


for element, first, last in (("f32", 4096, 262144), ("f16", 4096, 262144), ("bf16", 4096, 262144), ("f32", 4097, 262145)):
    short, long = text_size(sys.argv[1], first, element), text_size(sys.argv[1], last, element)
    print(f"{element} of {first} to {last}: "
          f"{'within 10 %' if abs(long - short) <= 0.1 * short else 'GROWS'}, "
          f"{'under' if max(short, long) < LIMIT else 'OVER'} {LIMIT} bytes")
    print(f"  {short} and {long} bytes", file=sys.stderr)
