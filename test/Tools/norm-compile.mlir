// Every stage of the CPU target.
// RUN: norm-compile %s --emit=norm -o - | FileCheck %s --check-prefix=NORM
// NORM: norm.rmsnorm
// RUN: norm-compile %s --emit=linalg -o - | FileCheck %s --check-prefix=LINALG
// LINALG: iterator_types = ["parallel", "reduction"]
// RUN: norm-compile %s --emit=vector -o - | FileCheck %s --check-prefix=VECTOR
// One pass over the rows, nothing allocated, the result written in place; before it, the version
// that passes the caches.
// VECTOR: func.func @main(%arg0: memref<64x4096xf32>, %arg1: memref<64x4096xf32>)
// VECTOR: nontemporal
// VECTOR: {{^}}    } else {
// VECTOR-NOT: memref.alloc
// VECTOR: scf.for
// VECTOR: vector.transfer_read
// VECTOR-NOT: memref.load
// VECTOR-NOT: memref.copy
// VECTOR: return
// RUN: norm-compile %s --emit=llvm-mlir -o - | FileCheck %s --check-prefix=LLVM
// LLVM: llvm.func @_mlir_ciface_main
// RUN: norm-compile %s --emit=llvm-ir -o - | FileCheck %s --check-prefix=IR
// IR: define {{.*}} @_mlir_ciface_main
// IR-NOT: define {{.*}} @main(
// RUN: norm-compile %s --emit=asm --mcpu=x86-64-v3 -o - | FileCheck %s --check-prefix=ASM
// ASM-LABEL: _mlir_ciface_main:
// ASM: vmulps {{.*}}%ymm
// RUN: norm-compile %s --emit=asm --mcpu=x86-64-v4 -o - | FileCheck %s --check-prefix=ASM512
// ASM512: vmulps {{.*}}%zmm
// RUN: norm-compile %s --emit=asm --threads=2 -o - | FileCheck %s --check-prefix=OMP
// OMP: __kmpc_fork_call

// A program with its own main links the shared object and calls the one in it.
// RUN: norm-compile %s --emit=header -o %t.h
// RUN: norm-compile %s --emit=shared -o %t.so
// RUN: norm-compile %s --emit=obj -o %t.o
// RUN: clang-22 -std=c11 -Wall -Werror -include %t.h %S/Inputs/host.c %t.so -o %t.exe
// RUN: %t.exe | FileCheck %s --check-prefix=HOST
// RUN: clang-22 -std=c11 -include %t.h %S/Inputs/host.c %t.o -lm -o %t.static
// RUN: %t.static | FileCheck %s --check-prefix=HOST
// HOST: 1.000000 -1.000000
// RUN: clang-22 -x c++ -fsyntax-only -Wall -Werror %t.h

// Bad input: a diagnostic, exit 1, no file.
// RUN: rm -f %t.bad
// RUN: not norm-compile %S/Inputs/unparsable.txt -o %t.bad 2>&1 | FileCheck %s --check-prefix=PARSE
// PARSE: unparsable.txt:1:1: error:
// RUN: not norm-compile %t.missing -o %t.bad 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: {{.*}}missing
// RUN: not norm-compile %s --emit=nonsense -o %t.bad 2>&1 | FileCheck %s --check-prefix=EMIT
// EMIT: Cannot find option named 'nonsense'
// RUN: not norm-compile %s --mcpu=nonsense -o %t.bad 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: unknown --mcpu 'nonsense'
// RUN: not norm-compile %s --mtriple=nonsense -o %t.bad 2>&1 | FileCheck %s --check-prefix=TRIPLE
// TRIPLE: error: --mtriple 'nonsense{{.*}}': {{.*}}
// RUN: not norm-compile %s --mtriple=aarch64-linux-gnu --mcpu=x86-64-v3 -o %t.bad 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: error: unknown --mcpu 'x86-64-v3' for aarch64
// RUN: not norm-compile %s --mtriple=aarch64_be-linux-gnu -o %t.bad 2>&1 | FileCheck %s --check-prefix=ENDIAN
// ENDIAN: error: --mtriple 'aarch64_be-unknown-linux-gnu': the machine must be little-endian
// RUN: not norm-compile %s --mtriple=i686-linux-gnu -o %t.bad 2>&1 | FileCheck %s --check-prefix=POINTERS
// RUN: not norm-compile %s --mtriple=x86_64-linux-gnux32 -o %t.bad 2>&1 | FileCheck %s --check-prefix=POINTERS
// RUN: not norm-compile %s --mtriple=aarch64_32-apple-watchos -o %t.bad 2>&1 | FileCheck %s --check-prefix=POINTERS
// POINTERS: error: --mtriple '{{.*}}': pointers must have 64 bits
// RUN: not norm-compile %s --mtriple=aarch64-linux-gnu --mattr=+nonsense -o %t.bad 2>&1 | FileCheck %s --check-prefix=ATTR
// ATTR: error: unknown --mattr '+nonsense' for aarch64{{.*}}, expected one such as +bf16
// RUN: %if x86_64 %{ not norm-compile %s --mtriple=aarch64-linux-gnu --mcpu=native -o %t.bad 2>&1 | FileCheck %s --check-prefix=NATIVE %}
// NATIVE: error: --mcpu=native is this machine, which is not aarch64
// RUN: not norm-compile %s --rounding=nonsense -o %t.bad 2>&1 | FileCheck %s --check-prefix=ROUNDING
// ROUNDING: for the --rounding option: Cannot find option named 'nonsense'
// RUN: not norm-compile %s --emit=shared -o - 2>&1 | FileCheck %s --check-prefix=STDOUT
// STDOUT: error: --emit=shared needs an output file (-o)
// RUN: echo "func.func private @f() { return }" > %t.private.mlir
// RUN: not norm-compile %t.private.mlir --emit=obj -o %t.bad 2>&1 | FileCheck %s --check-prefix=PRIVATE
// RUN: norm-compile %t.private.mlir --emit=linalg -o %t.linalg
// PRIVATE: private.mlir:{{.*}} error: has no public function to export
// RUN: not norm-compile %s --emit=ptx -o %t.bad 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: error: --emit=ptx needs --target=nvvm
// RUN: not norm-compile %s --target=nvvm --emit=asm -o %t.bad 2>&1 | FileCheck %s --check-prefix=NVVM
// NVVM: error: --emit=asm needs --target=cpu
// RUN: not norm-compile %s --target=nonsense -o %t.bad 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: unknown target 'nonsense', expected one of cpu, nvvm
// RUN: not norm-compile %s --chip=sm_80 -o %t.bad 2>&1 | FileCheck %s --check-prefix=CPUCHIP
// CPUCHIP: error: --chip needs --target=nvvm
// RUN: not norm-compile %s --target=nvvm --threads=2 -o %t.bad 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: --threads needs --target=cpu
// RUN: not norm-compile %s --target=nvvm --emit=ptx --chip=sm_1 -o %t.bad 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not norm-compile %s --target=nvvm --emit=shared --chip=x86-64 -o %t.bad 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: unknown chip '{{sm_1|x86-64}}', expected one such as sm_90
// RUN: not norm-compile %S/Inputs/no-kernel.mlir --target=nvvm --emit=ptx -o %t.bad 2>&1 | FileCheck %s --check-prefix=NOKERNEL
// NOKERNEL: no-kernel.mlir:0:0: error: nothing here runs on the GPU: no kernel to write
// RUN: not norm-compile %s --target=nvvm --cuda-path=%t.none --emit=cubin -o %t.bad 2>&1 | FileCheck %s --check-prefix=PTXAS
// PTXAS: error: --emit=cubin needs ptxas: give --cuda-path, put it in PATH or set CUDA_PATH
// RUN: not norm-compile %s --target=nvvm --cuda-path=%t.none --emit=ptx -o %t.bad 2>&1 | FileCheck %s --check-prefix=TOOLKIT
// TOOLKIT: error: CUDA path: {{.*}}none does not exist or is not a directory
// A libdevice without the function that a kernel calls.
// RUN: mkdir -p %t.cuda/nvvm/libdevice && llvm-as /dev/null -o %t.cuda/nvvm/libdevice/libdevice.10.bc
// RUN: not norm-compile %S/Inputs/exp.mlir --target=nvvm --cuda-path=%t.cuda --emit=ptx -o %t.bad 2>&1 | FileCheck %s --check-prefix=LIBDEVICE
// LIBDEVICE: error: a kernel calls 'expf' of libdevice, which was not found
// RUN: not norm-compile %S/Inputs/host-read.mlir --target=nvvm --emit=ptx -o %t.bad 2>&1 | FileCheck %s --check-prefix=HOSTREAD
// HOSTREAD: host-read.mlir:4:{{[0-9]+}}: error: '{{.*}}' would access device memory from the host
// RUN: not norm-compile %S/Inputs/unsupported-op.mlir -o %t.bad 2>&1 | FileCheck %s --check-prefix=NOLOWERING
// NOLOWERING: unsupported-op.mlir:[[#]]:[[#]]: error:
// RUN: not norm-compile %s --threads=0 -o %t.bad 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not norm-compile %s --threads=1025 -o %t.bad 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not norm-compile %s --ranks=4294967295 -o %t.bad 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: --threads must be from 1 to 1024, --ranks from 0 to 1024
// RUN: not norm-compile /dev/zero -o %t.bad 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not norm-opt /dev/zero -o %t.bad 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: {{^}}{{(error: )?}}/dev/zero: is a device, not a file
// RUN: not norm-compile - -o %t.bad < /dev/zero 2>&1 | FileCheck %s --check-prefix=STDIN
// STDIN: error: -: is a device, not a file
// RUN: not norm-compile %S -o %t.bad 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: {{.*}}Tools: is a directory
// RUN: not ls %t.bad

func.func @main(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %i = tensor.empty() : tensor<64x4096xf32>
  %y = norm.rmsnorm ins(%x : tensor<64x4096xf32>) outs(%i : tensor<64x4096xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
}
