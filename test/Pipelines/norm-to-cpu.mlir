// The pipeline that norm-opt registers, and the structure that it gives.
// RUN: norm-opt %s --norm-to-cpu | FileCheck %s --check-prefix=LLVM
// LLVM: llvm.func @_mlir_ciface_rmsnorm
// LLVM-NOT: {{norm\.rmsnorm|linalg\.|tensor\.|memref\.|vector\.transfer|scf\.}}

// One loop over the rows, vector loops for the sum, by blocks, and the result:
// 4096 is a multiple of 64, so nothing is masked and no element is scalar. Before it, the
// version that passes the caches.
// RUN: norm-compile %s --emit=vector -o - | FileCheck %s --strict-whitespace
// CHECK-LABEL: func.func @rmsnorm(%arg0: memref<64x4096xf32>, %arg1: memref<64x4096xf32>)
// CHECK: {{^}}    scf.if
// CHECK: nontemporal
// CHECK: {{^}}    } else {
// CHECK-NOT: memref.alloc
// CHECK: {{^}}      scf.for %[[I:.*]] = %c0 to %c64 step %c1
// CHECK: {{^}}        %{{.*}} = scf.for %[[B:.*]] = %c0 to %c4096 step %c1024 iter_args
// CHECK: {{^}}          %{{.*}} = scf.for %[[J:.*]] = %[[B]] to %{{.*}} step %c64 iter_args
// CHECK: vector.transfer_read %arg0[%[[I]], %[[J]]]{{.*}}vector<64xf32>
// CHECK: {{^}}        scf.for %[[K:.*]] = %c0 to %c4096 step %c64
// CHECK: vector.transfer_read %arg0[%[[I]], %[[K]]]{{.*}}vector<64xf32>
// CHECK: vector.transfer_write %{{.*}}, %arg1[%[[I]], %[[K]]]{{.*}}vector<64xf32>
// CHECK-NOT: scf.for
// CHECK-NOT: memref.load
// CHECK-NOT: memref.copy
// CHECK: return

// 4095 = 63 * 64 + 3 * 16 + 15: the last 15 are one masked vector.
// CHECK-LABEL: func.func @odd
// CHECK: {{^}}    } else {
// CHECK: vector.constant_mask [15] : vector<16xi1>
// CHECK: {{^}}      scf.for
// CHECK-NOT: memref.load
// CHECK: return

// An extent of zero leaves nothing to run.
// CHECK-LABEL: func.func @no_rows
// CHECK-NOT: scf.for
// CHECK: return

// RUN: norm-opt %s --norm-to-cpu='threads=2' | FileCheck %s --check-prefix=OMP
// OMP: omp.parallel num_threads
// OMP: omp.wsloop
// RUN: not norm-opt %s --norm-to-cpu='threads=0' 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not norm-opt %s --norm-to-cpu='threads=99999999' 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: threads must be from 1 to 1024
// RUN: norm-opt %s --norm-to-cpu='threads=1' | FileCheck %s --check-prefix=SERIAL
// SERIAL-NOT: omp.

// rounding reaches the recognition pass.
// RUN: norm-opt %s --norm-to-cpu='rounding=exact' -o /dev/null
// RUN: norm-opt %s --norm-to-cpu='rounding=relaxed' -o /dev/null
// RUN: not norm-opt %s --norm-to-cpu='rounding=nonsense' 2>&1 | FileCheck %s --check-prefix=ROUNDING
// ROUNDING: for the --rounding option: Cannot find option named 'nonsense'
// RUN: not norm-opt %s --norm-to-cpu='nonsense=1' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option nonsense

func.func @rmsnorm(%x: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %i = tensor.empty() : tensor<64x4096xf32>
  %y = norm.rmsnorm ins(%x : tensor<64x4096xf32>) outs(%i : tensor<64x4096xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<64x4096xf32>
  return %y : tensor<64x4096xf32>
}

func.func @odd(%x: tensor<64x4095xf32>) -> tensor<64x4095xf32> {
  %i = tensor.empty() : tensor<64x4095xf32>
  %y = norm.rmsnorm ins(%x : tensor<64x4095xf32>) outs(%i : tensor<64x4095xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<64x4095xf32>
  return %y : tensor<64x4095xf32>
}

func.func @no_rows(%x: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %i = tensor.empty() : tensor<0x8xf32>
  %y = norm.rmsnorm ins(%x : tensor<0x8xf32>) outs(%i : tensor<0x8xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<0x8xf32>
  return %y : tensor<0x8xf32>
}
