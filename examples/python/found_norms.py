"""What a program holds, as data and as a page.

    $ python examples/python/found_norms.py
"""
from pathlib import Path

import norm_mlir

program = norm_mlir.parse(Path("examples/llama_rmsnorm_f32.mlir"))
for norm in program.recognize().recognized:
    print(f"{norm.location.line}:{norm.location.column}: {norm.kind} of {norm.input} "
          f"over dims {norm.dims}, epsilon {norm.epsilon:.1e}")
    print(norm.description)
print(program.explain())
