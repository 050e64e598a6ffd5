// Non-temporal stores keep their alignment where the result is a reshape of the caller's buffer,
// through which upstream folds them.
// RUN: norm-opt %s --norm-to-cpu=cache-bytes=1 | grep nontemporal | FileCheck %s --implicit-check-not='alignment = 4 '
// CHECK-COUNT-4: llvm.store {{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>
func.func @main(%x: tensor<?x64x64xf32>, %w: tensor<4096xf32>) -> tensor<?x64x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64x64xf32>
  %c = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x64x64xf32> into tensor<?x4096xf32>
  %o = tensor.empty(%n) : tensor<?x4096xf32>
  %y = norm.rmsnorm ins(%c, %w : tensor<?x4096xf32>, tensor<4096xf32>) outs(%o : tensor<?x4096xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x4096xf32>
  %e = tensor.expand_shape %y [[0], [1, 2]] output_shape [%n, 64, 64] : tensor<?x4096xf32> into tensor<?x64x64xf32>
  return %e : tensor<?x64x64xf32>
}
