// What norm-compile writes for --target=nvvm beside PTX; the artifact is run in
// test/Integration/GPU/artifact.mlir.
// RUN: rm -rf %t && mkdir -p %t && split-file %s %t

// RUN: norm-compile %t/first.mlir --target=nvvm --emit=header -o %t/first.h
// RUN: norm-compile %t/second.mlir --target=nvvm --emit=header -o %t/second.h
// RUN: FileCheck %s --check-prefix=HEADER < %t/second.h
// HEADER: #ifndef NORM_{{[0-9A-F]+}}_H
// HEADER: NORM_GPU_WRONG_ARCHITECTURE = 4,
// HEADER: const char *norm_gpu_message(void);
// HEADER: /* second(tensor<?xf32>) -> (tensor<?xf32>) */
// HEADER-NEXT: void _mlir_ciface_second(const norm_memref_1d *arg0, norm_memref_1d *result0);
// HEADER: int32_t second_launch(const void *arg0, int64_t arg0_dim0, void *result0, int64_t result0_dim0, void *stream);
// HEADER-NEXT: extern const char second_signature[];
// RUN: clang-22 -std=c11 -fsyntax-only -Wall -Wextra -Werror -x c %t/second.h
// RUN: clang-22 -x c++ -fsyntax-only -Wall -Wextra -Werror %t/second.h

// Two objects, or two shared objects, in one program.
// RUN: norm-compile %t/first.mlir --target=nvvm --emit=obj -o %t/first.o
// RUN: norm-compile %t/second.mlir --target=nvvm --emit=obj -o %t/second.o
// RUN: mkdir %t/broken && touch %t/broken/libcuda.so.1
// RUN: clang-22 -std=c11 -Wall -Werror -include %t/first.h -include %t/second.h %S/Inputs/gpu_host.c %t/first.o %t/second.o -o %t/objects
// RUN: env LD_LIBRARY_PATH=%t/broken %t/objects | FileCheck %s --check-prefix=HOST
// RUN: norm-compile %t/first.mlir --target=nvvm --emit=shared -o %t/first.so
// RUN: norm-compile %t/second.mlir --target=nvvm --emit=shared -o %t/second.so
// RUN: clang-22 -std=c11 -Wall -Werror -include %t/first.h -include %t/second.h %S/Inputs/gpu_host.c %t/first.so %t/second.so -o %t/shared
// RUN: env LD_LIBRARY_PATH=%t/broken %t/shared | FileCheck %s --check-prefix=HOST
// HOST: first 1 no NVIDIA driver: {{.*}}libcuda.so.1
// HOST-NEXT: second 8 tensor 0 of the call has a negative extent
// HOST-NEXT: ciface 1 1
// HOST-NEXT: (tensor<64xf32>) -> tensor<64xf32>
// HOST-NEXT: (tensor<?xf32>) -> tensor<?xf32>

// For another host.
// RUN: norm-compile %t/first.mlir --target=nvvm --emit=obj --mtriple=aarch64-linux-gnu -o %t/arm.o
// RUN: llvm-readelf -h %t/arm.o | FileCheck %s --check-prefix=ARM
// ARM: Machine: AArch64
// RUN: %if qemu-aarch64 %{ mkdir %t/arm %}
// RUN: %if qemu-aarch64 %{ norm-compile %t/first.mlir --target=nvvm --emit=shared --mtriple=aarch64-linux-gnu -o %t/arm/first.so %}
// RUN: %if qemu-aarch64 %{ norm-compile %t/second.mlir --target=nvvm --emit=shared --mtriple=aarch64-linux-gnu -o %t/arm/second.so %}
// RUN: %if qemu-aarch64 %{ aarch64-linux-gnu-gcc -std=c11 -include %t/first.h -include %t/second.h %S/Inputs/gpu_host.c %t/arm/first.so %t/arm/second.so -o %t/arm/exe %}
// RUN: %if qemu-aarch64 %{ qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=%t/broken %t/arm/exe | FileCheck %s --check-prefix=HOST %}

// The cubin lies beside the PTX where there is a ptxas; where it fails, the PTX
// alone does, with a warning.
// RUN: %if ptxas %{ llvm-objcopy --dump-section=.rodata=%t/rodata %t/first.o && grep -c "ptxas\|.nv.info" %t/rodata %}
// RUN: mkdir -p %t/cuda/bin %t/cuda/nvvm/libdevice
// RUN: llvm-as /dev/null -o %t/cuda/nvvm/libdevice/libdevice.10.bc
// RUN: cp %S/Inputs/failing-ptxas.sh %t/cuda/bin/ptxas && chmod +x %t/cuda/bin/ptxas
// RUN: norm-compile %t/first.mlir --target=nvvm --emit=shared --cuda-path=%t/cuda -o %t/warned.so 2>&1 | FileCheck %s --check-prefix=WARNED
// WARNED: warning: no cubin beside the PTX: {{.*}}ptxas failed
// RUN: ls %t/warned.so

// RUN: norm-compile %t/first.mlir --target=nvvm --emit=ptx --ptx-version=8.0 -o - | FileCheck %s --check-prefix=PTX80
// RUN: norm-compile %t/first.mlir --target=nvvm --emit=ptx --ptx-version=80 -o - | FileCheck %s --check-prefix=PTX80
// PTX80: .version 8.0
// RUN: not norm-compile %t/first.mlir --target=nvvm --emit=ptx --ptx-version=7.0 -o %t/bad 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: sm_90 needs PTX 7.8 at least, got 7.0
// RUN: not norm-compile %t/first.mlir --target=nvvm --emit=shared --chip=sm_100 --ptx-version=8.0 -o %t/bad 2>&1 | FileCheck %s --check-prefix=BLACKWELL
// BLACKWELL: error: sm_100 needs PTX 8.6 at least, got 8.0
// RUN: not norm-compile %t/first.mlir --target=nvvm --emit=ptx --ptx-version=99.0 -o %t/bad 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown PTX version '99.0', expected one such as 8.0
// RUN: not norm-compile %t/first.mlir --target=nvvm --emit=ptx --ptx-version=new -o %t/bad 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: unknown PTX version 'new', expected one such as 8.0
// RUN: not norm-compile %t/first.mlir --ptx-version=8.0 -o %t/bad 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: --ptx-version needs --target=nvvm
// RUN: norm-compile %S/../../examples/llama_rmsnorm_bf16.mlir --target=nvvm --emit=ptx --dependent-launch -o - | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: ld.global.v4
// LAUNCH: griddepcontrol.launch_dependents
// LAUNCH: st.global.v4
// RUN: not norm-compile %t/first.mlir --dependent-launch -o %t/bad 2>&1 | FileCheck %s --check-prefix=CPULAUNCH
// CPULAUNCH: error: --dependent-launch needs --target=nvvm
// RUN: not norm-compile %t/first.mlir --target=nvvm --emit=ptx --chip=sm_80 --dependent-launch -o %t/bad 2>&1 | FileCheck %s --check-prefix=AMPERE
// AMPERE: error: dependent launches need sm_90 or later, got sm_80

// Functions that cannot be launched.
// RUN: not norm-compile %t/scalar.mlir --target=nvvm --emit=shared -o %t/bad 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: scalar.mlir:1:1: error: a launch does not wait for its kernels, so it cannot return a f32: return a tensor
// RUN: not norm-compile %t/unranked.mlir --target=nvvm --emit=header -o %t/bad 2>&1 | FileCheck %s --check-prefix=UNRANKED
// UNRANKED: unranked.mlir:1:1: error: type tensor<*xf32> has no C equivalent
// RUN: not norm-compile %t/narrow.mlir --target=nvvm --emit=obj -o %t/bad 2>&1 | FileCheck %s --check-prefix=NARROW
// NARROW: narrow.mlir:1:1: error: type bf16 has no C equivalent
// RUN: not norm-compile %t/memory.mlir --target=nvvm --emit=ptx -o %t/bad 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: memory.mlir:2:3: error: a block needs 65536 bytes of shared memory, the GPU has 49152
// RUN: not norm-compile %t/own.mlir --target=nvvm --emit=shared -o %t/bad 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: error: several GPU modules: norm-to-nvvm makes one, and functions may not bring their own
// RUN: not ls %t/bad

// No row and empty rows: an artifact that launches nothing.
// RUN: norm-compile %t/empty.mlir --target=nvvm --emit=shared -o %t/empty.so
// RUN: llvm-nm -D --defined-only %t/empty.so | FileCheck %s --check-prefix=EMPTY
// EMPTY: no_columns_launch
// EMPTY: no_rows_launch

//--- first.mlir
func.func @first(%x: tensor<64xf32>) -> tensor<64xf32> {
  %i = tensor.empty() : tensor<64xf32>
  %z = linalg.add ins(%x, %x : tensor<64xf32>, tensor<64xf32>) outs(%i : tensor<64xf32>) -> tensor<64xf32>
  return %z : tensor<64xf32>
}
//--- second.mlir
func.func @second(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %i = tensor.empty(%d) : tensor<?xf32>
  %z = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%i : tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}
//--- scalar.mlir
func.func @f(%x: f32) -> f32 {
  return %x : f32
}
//--- unranked.mlir
func.func @f(%x: tensor<*xf32>) -> tensor<*xf32> {
  return %x : tensor<*xf32>
}
//--- narrow.mlir
func.func @f(%x: tensor<4xbf16>, %s: bf16) -> tensor<4xbf16> {
  return %x : tensor<4xbf16>
}
//--- memory.mlir
gpu.module @own {
  gpu.func @k() workgroup(%m : memref<16384xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}
//--- own.mlir
gpu.module @own {
  gpu.func @k() kernel {
    gpu.return
  }
}
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %i = tensor.empty() : tensor<64xf32>
  %z = linalg.add ins(%x, %x : tensor<64xf32>, tensor<64xf32>) outs(%i : tensor<64xf32>) -> tensor<64xf32>
  return %z : tensor<64xf32>
}
//--- empty.mlir
func.func @no_rows(%x: tensor<0x64xf32>) -> tensor<0x64xf32> {
  %i = tensor.empty() : tensor<0x64xf32>
  %y = norm.rmsnorm ins(%x : tensor<0x64xf32>) outs(%i : tensor<0x64xf32>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<0x64xf32>
  return %y : tensor<0x64xf32>
}
func.func @no_columns(%x: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %i = tensor.empty() : tensor<4x0xf32>
  %y = norm.rmsnorm ins(%x : tensor<4x0xf32>) outs(%i : tensor<4x0xf32>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<4x0xf32>
  return %y : tensor<4x0xf32>
}
