"""A parsed program, and what is known of it as data."""
import sys
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import norm_mlir
from norm_mlir import _core, _program

scale = norm_mlir.compile("""
func.func @scale(%x: tensor<?xf32>, %n: i64) -> (tensor<?xf32>, i64) {
  return %x, %n : tensor<?xf32>, i64
}""")
program, backward, rejected = (norm_mlir.parse(Path(path)) for path in sys.argv[1:])
_core.parse = None  # nothing is parsed again

# In any order, and from several threads at once.
found = program.recognize()
compile_code = lambda: program._parsed.compile(**_program._make_request())[0]
code = compile_code()
with ThreadPoolExecutor(4) as pool:
    jobs = [[pool.submit(call) for call in (program.recognize, program.explain, compile_code)]
            for _ in range(4)]
for recognition, page, again in jobs:
    assert recognition.result() == found and again.result() == code
    assert page.result() == program.explain()
print(program, page.result().splitlines()[2])

for norm in found.recognized + backward.recognize().recognized:
    print(norm.kind, norm.input, norm.weight, norm.dims, norm.epsilon, norm.epsilon_mode,
          norm.compute_dtype, norm.location.line, norm.location.column)
    print(norm.description)
    print(norm.op.partition(" ins")[0])
(left,) = rejected.recognize().rejected
print(f"{left.location.line}: {left.reason} - {left.explanation}")

# Types are data, of numbers and open extents too.
function = program.compile(cache=False)
assert function.arguments == (norm_mlir.TensorType("float32", (2, 5, 64)),
                              norm_mlir.TensorType("float32", (64,)))
print(scale.name, *map(str, scale.arguments), scale.results)

# norm_mlir.jax is imported when it is named; what does not exist is no attribute.
sys.modules["norm_mlir.jax"] = types.ModuleType("norm_mlir.jax")
assert norm_mlir.jax is sys.modules["norm_mlir.jax"] and not hasattr(norm_mlir, "other")
