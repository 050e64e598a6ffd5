// RUN: norm-opt %s --norm-verify-gpu-target | FileCheck %s --check-prefix=TARGET
// RUN: norm-opt %s --norm-verify-gpu-target='chip=sm_100a ptx-version=8.6' | FileCheck %s --check-prefix=TARGET
// TARGET: gpu.module @kernels
// RUN: not norm-opt %s --norm-verify-gpu-target='chip=sm_999' 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not norm-opt %s --norm-to-nvvm='chip=sm_999' 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: unknown chip 'sm_999', expected one such as sm_90
// RUN: not norm-opt %s --norm-verify-gpu-target='chip=sm_90 ptx-version=7.0' 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not norm-opt %s --norm-to-nvvm='chip=sm_90 ptx-version=7.0' 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: error: sm_90 needs PTX 7.8 at least, got 7.0
// RUN: not norm-opt %s --norm-verify-gpu-target='ptx-version=1.x' 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error: unknown PTX version '1.x', expected one such as 8.0
// RUN: not norm-opt %s --norm-verify-gpu-target='chip=sm_80 dependent-launch=true' 2>&1 | FileCheck %s --check-prefix=DEPENDENT
// DEPENDENT: error: dependent launches need sm_90 or later, got sm_80

// RUN: norm-opt %s --pass-pipeline='builtin.module(gpu.module(norm-verify-gpu-memory))' | FileCheck %s --check-prefix=TARGET
// RUN: sed 's/8192xbf16/8194xbf16/' %s | not norm-opt --pass-pipeline='builtin.module(gpu.module(norm-verify-gpu-memory))' 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: :[[#@LINE+6]]:3: error: a block needs 49156 bytes of shared memory, the GPU has 49152
// RUN: sed 's/^    gpu.return/    %%c = arith.constant 1.0 : f80\n    gpu.return/' %s | not norm-opt --pass-pipeline='builtin.module(gpu.module(norm-verify-gpu-memory))' 2>&1 | FileCheck %s --check-prefix=TYPES
// TYPES: error: GPUs have no 'arith.constant' on 'f80'
// RUN: sed 's/^    gpu.return/    %%c = arith.constant 1 : i65\n    %%f = arith.sitofp %%c : i65 to f32\n    gpu.return/' %s | not norm-opt --pass-pipeline='builtin.module(gpu.module(norm-verify-gpu-memory))' 2>&1 | FileCheck %s --check-prefix=CALLS
// CALLS: error: GPUs have no 'arith.sitofp' on 'i65'
gpu.module @kernels {
  gpu.func @k() workgroup(%a : memref<8192xf32, #gpu.address_space<workgroup>>, %b : memref<8192xbf16, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}
