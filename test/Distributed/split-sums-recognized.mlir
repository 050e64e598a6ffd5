// RUN: norm-opt %s --norm-to-mpi=sum-parts=16 | norm-opt --norm-recognize | FileCheck %s
// RUN: norm-opt %s --norm-to-mpi | norm-opt --norm-recognize | FileCheck %s --check-prefix=WITHOUT

// The order of the sums of norm-split-sums is kept: sums of sums are not joined again.
// CHECK-LABEL: func.func @f
// CHECK-SAME: norm.sum_parts = 16
// CHECK-NOT: norm.rmsnorm
// WITHOUT: norm.rmsnorm
func.func @f(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %y = norm.rmsnorm ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
