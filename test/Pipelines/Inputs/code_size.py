"""Compares the size of .text of one program at short and at long rows.

    code_size.py PREFIX
"""
import subprocess
import sys

LIMIT = 6656
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


# Rows of 4096 have one level of blocks of partial sums, rows of 1048576 three, as many
# as there are.
for element, odd in (("f32", 0), ("f16", 0), ("bf16", 0), ("f32", 1)):
    short, long, longest = (text_size(sys.argv[1], n + odd, element) for n in (4096, 1048576, 16777216))
    print(f"{element} of {1048576 + odd} to {16777216 + odd}: "
          f"{'within 1 %' if abs(longest - long) <= 0.01 * long else 'GROWS'}; "
          f"from {4096 + odd} on {'under' if max(short, long, longest) < LIMIT else 'OVER'} {LIMIT} bytes")
    print(f"  {short}, {long} and {longest} bytes", file=sys.stderr)
