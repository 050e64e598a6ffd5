"""Rounds to 8 bits through the TVM FFI; without an argument prints the program."""
import sys

from programs import convert

if len(sys.argv) == 1:
    print(convert("f32", "f8E4M3FN"))
    sys.exit()

import torch
import tvm_ffi

module = tvm_ffi.load_module(sys.argv[1])
x = torch.randn(5, 64)
result = torch.empty(5, 64, dtype=torch.float8_e4m3fn)
module.main(x, result)
assert torch.equal(result.view(torch.uint8), x.to(result.dtype).view(torch.uint8))
print("float8_e4m3fn: the bits of torch")
try:
    module.main(x, result.view(torch.float8_e5m2))
except TypeError as error:
    print(error)
