"""Calls the artifact of artifact.mlir. Usage: run_artifact.py LIB.so WHAT"""
import ctypes
import os
import sys
import threading
import numpy as np
from artifact import Artifact, Device, P
from normtest import get_errors, norm

LIBRARY, WHAT = sys.argv[1:]
ROWS, COLS = 3, 256


def show(title, outcome):
    print("%s: %d %s" % ((title,) + outcome))


def inputs():
    rng = np.random.default_rng(1)
    return rng.standard_normal((ROWS, COLS)).astype(np.float32), rng.standard_normal(COLS).astype(np.float32)


def compare(title, device, y, x, w):
    ulp = get_errors(device.download(y, x), norm(x, w, 1e-5), "f32").max()
    print("%s: %s" % (title, "ok" if ulp <= 4 else "%.1f ulp" % ulp))


class Call:
    """Arguments of rms on the device."""

    def __init__(self, device, shift=0):
        self.x, self.w = inputs()
        self.dx, self.dw = device.upload(self.x, shift), device.upload(self.w)
        self.dy = device.upload(np.zeros_like(self.x), shift)

    def run(self, artifact, stream=None, rows=ROWS):
        return artifact.launch("rms", self.dx, rows, self.dw, self.dy, rows, stream)


def values():
    device, artifact = Device(), Artifact(LIBRARY)
    call, stream = Call(device), device.create_stream()
    show("launch", call.run(artifact, stream))
    compare("values", device, call.dy, call.x, call.w)
    shifted = Call(device, shift=4)
    show("unaligned", shifted.run(artifact, stream))
    compare("unaligned values", device, shifted.dy, shifted.x, shifted.w)
    show("no rows", call.run(artifact, stream, rows=0))
    show("no rows, null", artifact.launch("rms", None, 0, call.dw, None, 0, stream))
    print("signature:", ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(artifact.library, "rms_signature"))).decode())


def descriptors():
    """The house convention, on the thread's stream."""
    device, artifact = Device(), Artifact(LIBRARY)
    call, stream = Call(device), device.create_stream()
    fields = [[call.dx.value - 1024, call.dx.value - 1024, 256, ROWS, COLS, COLS, 1],
              [call.dw.value, call.dw.value, 0, COLS, 1], [call.dy.value, call.dy.value, 0, ROWS, COLS, COLS, 1]]
    memrefs = [(ctypes.c_int64 * len(f))(*f) for f in fields]
    artifact.library.norm_gpu_set_stream(stream)
    artifact.library._mlir_ciface_rms(*(ctypes.byref(m) for m in memrefs))
    print("stream given:", hex(stream.value))
    show("descriptors", (artifact.library.norm_gpu_error(), artifact.library.norm_gpu_message().decode()))
    compare("descriptors values", device, call.dy, call.x, call.w)
    os.environ["FAKE_CUDA_FAIL"] = "cuLaunchKernel=719"
    artifact.library._mlir_ciface_rms(*(ctypes.byref(m) for m in memrefs))
    show("descriptors failed", (artifact.library.norm_gpu_error(), artifact.library.norm_gpu_message().decode()))


def sums():
    """A temporary buffer, and a value that the host reads."""
    device, artifact = Device(), Artifact(LIBRARY)
    x, _ = inputs()
    dx, dy = device.upload(x), device.upload(np.zeros_like(x))
    show("scaled", artifact.launch("scaled", dx, dy, None))
    y, expected = device.download(dy, x), x.astype(np.float64) * x.sum(dtype=np.float64)
    print("scaled values:", "ok" if np.allclose(y, expected, rtol=1e-4) else "wrong")
    for fault in "cuMemAllocAsync=2", "cuLaunchKernel=719", "cuMemcpyAsync=700", "cuStreamSynchronize=719":
        os.environ["FAKE_CUDA_FAIL"] = fault
        show(fault, artifact.launch("scaled", dx, dy, None))
    del os.environ["FAKE_CUDA_FAIL"]
    show("afterwards", artifact.launch("scaled", dx, dy, None))


def faults():
    """What can go wrong before a kernel runs, and that it is not for ever."""
    device, artifact = Device(), Artifact(LIBRARY)
    call = Call(device)
    for fault in "cuInit=100", "cuCtxGetCurrent=201", "cuModuleLoadDataEx=200", "cuModuleLoadDataEx=2", \
            "cuModuleGetFunction=500", "cuLaunchKernel=719", "cuLaunchKernel=2", "cuLaunchKernel=701":
        os.environ["FAKE_CUDA_FAIL"] = fault
        show(fault, call.run(artifact))
    del os.environ["FAKE_CUDA_FAIL"]
    device.cuda.cuCtxSetCurrent(None)
    show("no context", call.run(artifact))
    device.cuda.cuCtxSetCurrent(device.context)
    show("negative", call.run(artifact, rows=-1))
    show("null", artifact.launch("rms", None, ROWS, call.dw, call.dy, ROWS, None))
    show("odd address", artifact.launch("rms", P(call.dx.value + 1), ROWS, call.dw, call.dy, ROWS, None))
    show("too many rows", call.run(artifact, rows=1 << 40))
    show("afterwards", call.run(artifact))


def architecture():
    os.environ["FAKE_CUDA_SM"] = "80"
    device, artifact = Device(), Artifact(LIBRARY)
    show("older GPU", Call(device).run(artifact))


def contexts():
    """One context loads once, two load twice, and so does one in the place of
    another; errors are those of their thread."""
    device, artifact = Device(), Artifact(LIBRARY)
    call = Call(device)
    show("first", call.run(artifact))
    show("again", call.run(artifact))
    second = device.create_context()
    show("second context", call.run(artifact))
    device.cuda.cuCtxSetCurrent(device.context)
    show("first context", call.run(artifact))
    device.cuda.cuCtxSetCurrent(second)
    device.cuda.cuCtxDestroy_v2(second)
    third = device.create_context()
    print("same address:", third.value == second.value)
    show("third context", call.run(artifact))

    def other_thread():
        show("other thread", call.run(artifact))  # no context is current there
    thread = threading.Thread(target=other_thread)
    thread.start()
    thread.join()
    show("this thread", (artifact.library.norm_gpu_error(), artifact.library.norm_gpu_message().decode()))


def threads():
    """Threads with one context that all are the first to call."""
    device, artifact = Device(), Artifact(LIBRARY)
    call, codes, ready = Call(device), [], threading.Barrier(6)

    def launch():
        device.cuda.cuCtxSetCurrent(device.context)
        ready.wait()
        codes.append(call.run(artifact)[0])
    started = [threading.Thread(target=launch) for _ in range(6)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    print("codes:", *codes)


def extents():
    """Row lengths that are known at the call."""
    device, artifact = Device(), Artifact(LIBRARY)
    for rows, cols in (2, 256), (2, 33), (3, 1), (2, 0), (0, 5), (0, 0):
        x = np.random.default_rng(2).standard_normal((rows, cols)).astype(np.float32)
        dx, dy = device.upload(x), device.upload(np.zeros_like(x))
        outcome = artifact.launch("any", dx, rows, cols, dy, rows, cols, None)
        y = device.download(dy, x)
        right = x.size == 0 or get_errors(y, norm(x, 1, 1e-5), "f32").max() <= 4
        show("%dx%d" % (rows, cols), outcome)
        print("right" if right else "wrong")
    show("null", artifact.launch("any", None, 4, 0, None, 4, 0, None))


def missing():
    """Loading needs nothing; a call tells what is missing."""
    artifact = Artifact(LIBRARY)
    print("loaded")
    show("call", artifact.launch("rms", P(256), ROWS, P(512), P(1024), ROWS, None))


{"values": values, "descriptors": descriptors, "sums": sums, "faults": faults, "architecture": architecture,
 "contexts": contexts, "threads": threads, "extents": extents, "missing": missing}[WHAT]()
