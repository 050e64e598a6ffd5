// RUN: norm-opt %s --norm-recognize | FileCheck %s
// RUN: sed -e 's|4095|3|' %s | norm-opt --norm-recognize | FileCheck %s --check-prefix=REPAIRED

// An element that the weight does not have, which linalg does not notice where an
// extent is dynamic: no op of ours may read it. The norm without it is found.
// Found by norm-fuzz: recognition left a program that does not verify.

// CHECK: norm.rmsnorm ins(%{{[^,]*}} :
// CHECK: linalg.generic
// CHECK-SAME: %{{.*}}, %arg1 :
// REPAIRED: norm.rmsnorm ins(%{{[^ ]*}}, %{{[^ ]*}} :
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
#head = affine_map<(d0, d1, d2) -> (4095, d2)>
func.func @f(%x: tensor<?x4x16xf32>, %w: tensor<4x16xf32>) -> tensor<?x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = arith.constant 16.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %d0 = tensor.dim %x, %c0 : tensor<?x4x16xf32>
  %e1 = tensor.empty(%d0) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<?x4x16xf32>) outs(%init : tensor<?x4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<?x4xf32>
  %e2 = tensor.empty(%d0) : tensor<?x4x16xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #head, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<?x4x16xf32>, tensor<?x4xf32>, tensor<4x16xf32>) outs(%e2 : tensor<?x4x16xf32>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %g : f32
    linalg.yield %v : f32
  } -> tensor<?x4x16xf32>
  return %y : tensor<?x4x16xf32>
}
