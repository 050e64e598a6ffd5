"""Calls an artifact for NVIDIA GPUs from Python, with nothing but the driver:

    norm-compile examples/llama_rmsnorm_bf16.mlir --target=nvvm --emit=shared -o libnorm.so
    python3 examples/gpu_rmsnorm.py ./libnorm.so

With PyTorch the pointers are tensor.data_ptr(), the stream is
torch.cuda.current_stream().cuda_stream, and the context is there already."""
import array
import ctypes
import sys

ROWS, COLS = 4, 32
pointer, size = ctypes.c_void_p, ctypes.c_size_t

library = ctypes.CDLL(sys.argv[1])  # needs no GPU, no driver
library.norm_gpu_message.restype = ctypes.c_char_p
library.main_launch.argtypes = [pointer, pointer, pointer, pointer]  # x, w, y, stream

try:
    cuda = ctypes.CDLL("libcuda.so.1")
except OSError:
    code = library.main_launch(256, 256, 256, None)
    sys.exit("error %d: %s" % (code, library.norm_gpu_message().decode()))


def check(code):
    if code != 0:
        sys.exit("the driver returned %d" % code)


def upload(bits):
    """Device memory with bf16 numbers."""
    data, address = array.array("H", bits), pointer()
    check(cuda.cuMemAlloc_v2(ctypes.byref(address), size(2 * len(data))))
    check(cuda.cuMemcpyHtoD_v2(address, data.tobytes(), size(2 * len(data))))
    return address


context, stream = pointer(), pointer()
check(cuda.cuInit(0))
check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
check(cuda.cuStreamCreate(ctypes.byref(stream), 0))

x = upload([0x4040] * ROWS * COLS)  # 3.0
w = upload([0x3F00] * COLS)  # 0.5
y = upload([0] * ROWS * COLS)

code = library.main_launch(x, w, y, stream)  # returns before the kernel has run
if code != 0:
    sys.exit("error %d: %s" % (code, library.norm_gpu_message().decode()))
check(cuda.cuStreamSynchronize(stream))

result = ctypes.create_string_buffer(2 * ROWS * COLS)
check(cuda.cuMemcpyDtoH_v2(result, y, size(len(result))))
bits = array.array("H", result.raw)
print("y[0] = 0x%04x, y[%d] = 0x%04x" % (bits[0], len(bits) - 1, bits[-1]))
