"""A shared object of norm-compile, called by the TVM FFI on torch tensors and numpy arrays.

    $ norm-compile examples/llama_rmsnorm_f32.mlir --entry=tvm-ffi --emit=shared -o norm.so
    $ python examples/python/tvm_ffi_norm.py norm.so
"""
import sys

import numpy as np
import torch
import tvm_ffi

module = tvm_ffi.load_module(sys.argv[1])
x, weight = torch.randn(2, 5, 64), torch.rand(64) + 0.5
y = torch.empty_like(x)
module.main(x, weight, y)  # the results are the last arguments
expected = torch.nn.functional.rms_norm(x, (64,), weight, 1e-5)
print(f"torch: largest difference {(y - expected).abs().max():.1e}")
assert torch.allclose(y, expected, atol=1e-5)

again = np.empty((2, 5, 64), np.float32)
module.main(x.numpy(), weight.numpy(), again)
assert again.tobytes() == y.numpy().tobytes()
print("numpy: the same bits")
try:
    module.main(x.double(), weight, y)
except TypeError as error:
    print(error)
