// A shared object for GPUs, called as a user would from Python: on a driver
// without a GPU (Inputs/fake_cuda.c) that runs PTX in the interpreter.
// RUN: rm -rf %t && mkdir -p %t/broken %t/old
// RUN: clang-22 -w -O1 -shared -fPIC -Wl,-soname,libcuda.so.1 %S/Inputs/fake_cuda.c -o %t/libcuda.so.1
// RUN: norm-compile %s --target=nvvm --emit=shared -o %t/lib.so

// It needs the C library, and that only; it exports what docs/GPU.md says.
// RUN: llvm-readelf --needed-libs %t/lib.so | FileCheck %s --check-prefix=NEEDED
// NEEDED: NeededLibraries [
// NEEDED-NOT: {{LLVM|MLIR|cuda|stdc}}
// NEEDED: ]
// RUN: llvm-nm -D --defined-only %t/lib.so | cut -c18- | sort > %t/names
// RUN: FileCheck %s --check-prefix=NAMES --implicit-check-not={{.}} < %t/names
// NAMES: R any_signature
// NAMES: R rms_signature
// NAMES: R scaled_signature
// NAMES: T _mlir_ciface_any
// NAMES: T _mlir_ciface_rms
// NAMES: T _mlir_ciface_scaled
// NAMES: T any_launch
// NAMES: T rms_launch
// NAMES: T scaled_launch
// NAMES: W norm_gpu_error
// NAMES: W norm_gpu_message
// NAMES: W norm_gpu_set_stream
// NAMES: W norm_gpu_state

// DEFINE: %{run} = env LD_LIBRARY_PATH=%t FAKE_CUDA_INTERPRETER=%S/Inputs/fake_cuda.py FAKE_CUDA_LOG=%t/log %python %S/Inputs/run_artifact.py %t/lib.so

// Values, on the caller's stream, with no synchronization; the kernel for
// buffers that are not aligned to 16 bytes; no rows.
// RUN: rm -f %t/log && %{run} values | FileCheck %s --check-prefix=VALUES
// RUN: FileCheck %s --check-prefix=VALUES-LOG --implicit-check-not=Synchronize < %t/log
// VALUES: launch: 0 {{$}}
// VALUES-NEXT: values: ok
// VALUES-NEXT: unaligned: 0 {{$}}
// VALUES-NEXT: unaligned values: ok
// VALUES-NEXT: no rows: 0 {{$}}
// VALUES-NEXT: no rows, null: 0 {{$}}
// VALUES-NEXT: signature: (tensor<?x256xf32>, tensor<256xf32>) -> tensor<?x256xf32>
// VALUES-LOG: cuModuleLoadDataEx PTX
// VALUES-LOG: cuLaunchKernel rms_kernel0 stream 0x101
// VALUES-LOG: cuLaunchKernel rms_kernel0_unaligned stream 0x101
// VALUES-LOG-NOT: cuLaunchKernel

// Memref descriptors, offset included, on the stream of the thread.
// RUN: rm -f %t/log && %{run} descriptors | FileCheck %s --check-prefix=DESCRIPTORS
// RUN: FileCheck %s --check-prefix=DESCRIPTORS-LOG < %t/log
// DESCRIPTORS: stream given: 0x101
// DESCRIPTORS: descriptors: 0
// DESCRIPTORS: descriptors values: ok
// DESCRIPTORS: descriptors failed: 6 cuLaunchKernel of rms_kernel0: CUDA_ERROR_LAUNCH_FAILED (719): as asked
// DESCRIPTORS-LOG: cuLaunchKernel rms_kernel0 stream 0x101

// A temporary on the device and a value that the host reads: that waits, and
// after an error in the middle everything is freed again.
// RUN: rm -f %t/log && %{run} sums | FileCheck %s --check-prefix=SUMS
// RUN: FileCheck %s --check-prefix=SUMS-LOG < %t/log
// SUMS: scaled: 0 {{$}}
// SUMS-NEXT: scaled values: ok
// SUMS-NEXT: cuMemAllocAsync=2: 7 cuMemAllocAsync: CUDA_ERROR_OUT_OF_MEMORY (2): as asked
// SUMS-NEXT: cuLaunchKernel=719: 6 cuLaunchKernel of scaled_kernel{{.*}}: CUDA_ERROR_LAUNCH_FAILED (719)
// SUMS-NEXT: cuMemcpyAsync=700: 6 cuMemcpyAsync: unknown error (700)
// SUMS-NEXT: cuStreamSynchronize=719: 6 cuStreamSynchronize: CUDA_ERROR_LAUNCH_FAILED (719)
// SUMS-NEXT: afterwards: 0 {{$}}
// SUMS-LOG: cuStreamSynchronize
// RUN: grep -c cuMemAllocAsync %t/log > %t/allocated
// RUN: grep -c cuMemFreeAsync %t/log > %t/freed
// RUN: cmp %t/allocated %t/freed

// RUN: %{run} faults | FileCheck %s --check-prefix=FAULTS
// FAULTS: cuInit=100: 2 cuInit: CUDA_ERROR_NO_DEVICE (100): as asked
// FAULTS-NEXT: cuCtxGetCurrent=201: 3 cuCtxGetCurrent: unknown error (201)
// FAULTS-NEXT: cuModuleLoadDataEx=200: 5 cuModuleLoadDataEx: unknown error (200): as asked; ptxas: the log says why
// FAULTS-NEXT: cuModuleLoadDataEx=2: 7 cuModuleLoadDataEx: CUDA_ERROR_OUT_OF_MEMORY (2)
// FAULTS-NEXT: cuModuleGetFunction=500: 5 cuModuleGetFunction of rms_kernel0: unknown error (500)
// FAULTS-NEXT: cuLaunchKernel=719: 6 cuLaunchKernel of rms_kernel0: CUDA_ERROR_LAUNCH_FAILED (719)
// FAULTS-NEXT: cuLaunchKernel=2: 7 cuLaunchKernel of rms_kernel0: CUDA_ERROR_OUT_OF_MEMORY (2)
// FAULTS-NEXT: cuLaunchKernel=701: 6 cuLaunchKernel of rms_kernel0: unknown error (701)
// FAULTS-NEXT: no context: 3 no CUDA context is current on this thread: call cudaSetDevice or cuCtxSetCurrent first
// FAULTS-NEXT: negative: 8 tensor 0 of the call has a negative extent
// FAULTS-NEXT: null: 8 tensor 0 of the call is a null pointer
// FAULTS-NEXT: odd address: 8 tensor 0 of the call is not aligned to its elements
// FAULTS-NEXT: too many rows: 8 a launch has more than 2147483647 blocks in a dimension
// FAULTS-NEXT: afterwards: 0 {{$}}

// RUN: %{run} architecture | FileCheck %s --check-prefix=ARCH
// ARCH: older GPU: 4 the kernels are compiled for sm_90, the GPU is sm_80

// RUN: rm -f %t/log && %{run} contexts | FileCheck %s --check-prefix=CONTEXTS
// RUN: FileCheck %s --check-prefix=CONTEXTS-LOG < %t/log
// CONTEXTS: first: 0
// CONTEXTS: again: 0
// CONTEXTS: second context: 0
// CONTEXTS: first context: 0
// CONTEXTS: same address: True
// CONTEXTS: third context: 0
// CONTEXTS: other thread: 3 no CUDA context
// CONTEXTS: this thread: 0 {{$}}
// CONTEXTS-LOG: cuModuleLoadDataEx PTX
// CONTEXTS-LOG-NEXT: cuLaunchKernel
// CONTEXTS-LOG-NEXT: cuLaunchKernel
// CONTEXTS-LOG: cuModuleLoadDataEx PTX
// CONTEXTS-LOG-NEXT: cuLaunchKernel
// CONTEXTS-LOG-NEXT: cuLaunchKernel
// CONTEXTS-LOG: cuModuleLoadDataEx PTX
// CONTEXTS-LOG-NEXT: cuLaunchKernel
// CONTEXTS-LOG-NOT: cu{{[ML]}}

// RUN: rm -f %t/log && %{run} threads | FileCheck %s --check-prefix=THREADS
// RUN: FileCheck %s --check-prefix=THREADS-LOG --implicit-check-not="cuModuleLoadDataEx PTX" < %t/log
// THREADS: codes: 0 0 0 0 0 0
// THREADS-LOG: cuModuleLoadDataEx PTX
// THREADS-LOG-COUNT-6: cuLaunchKernel rms_kernel0

// Extents of zero, odd ones, and one kernel for all.
// RUN: %{run} extents | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: 2x256: 0
// EXTENTS-NEXT: right
// EXTENTS-NEXT: 2x33: 0
// EXTENTS-NEXT: right
// EXTENTS-NEXT: 3x1: 0
// EXTENTS-NEXT: right
// EXTENTS-NEXT: 2x0: 0
// EXTENTS-NEXT: right
// EXTENTS-NEXT: 0x5: 0
// EXTENTS-NEXT: right
// EXTENTS-NEXT: 0x0: 0
// EXTENTS-NEXT: right
// EXTENTS-NEXT: null: 0 {{$}}

// Where there is no driver, none that can be loaded, or one that is too old, the
// object is loaded all the same.
// RUN: touch %t/broken/libcuda.so.1
// RUN: env LD_LIBRARY_PATH=%t/broken %python %S/Inputs/run_artifact.py %t/lib.so missing | FileCheck %s --check-prefix=BROKEN
// BROKEN: loaded
// BROKEN-NEXT: call: 1 no NVIDIA driver: {{.*}}libcuda.so.1: file too short
// RUN: echo "int cuInit(unsigned f) { return 0; }" | clang-22 -w -shared -x c - -Wl,-soname,libcuda.so.1 -o %t/old/libcuda.so.1
// RUN: env LD_LIBRARY_PATH=%t/old %python %S/Inputs/run_artifact.py %t/lib.so missing | FileCheck %s --check-prefix=OLD
// OLD: call: 1 the NVIDIA driver is too old, it lacks cuGetErrorName

#id = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> ()>
func.func @rms(%x: tensor<?x256xf32>, %w: tensor<256xf32>) -> tensor<?x256xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x256xf32>
  %i = tensor.empty(%d) : tensor<?x256xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x256xf32>, tensor<256xf32>) outs(%i : tensor<?x256xf32>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}
func.func @any(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %y = norm.rmsnorm ins(%x : tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
func.func @scaled(%x: tensor<3x256xf32>) -> tensor<3x256xf32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<3x256xf32>
  %s = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<3x256xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %v = tensor.extract %s[] : tensor<f32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<3x256xf32>) outs(%e : tensor<3x256xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %v : f32
    linalg.yield %r : f32
  } -> tensor<3x256xf32>
  return %y : tensor<3x256xf32>
}
