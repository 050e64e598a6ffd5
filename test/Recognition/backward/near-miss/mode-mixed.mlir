// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t --implicit-check-not='dx('
// RUN: sed -e 's|mulf .r2, .r |divf \x25r2, \x25v |' %s | norm-opt --norm-recognize | FileCheck %s --check-prefix=REPAIRED

// One half of the projection is that of an epsilon outside of the root v, r^2 / v, the other r^3.

// CHECK: remark: [Missed] RMSNorm
// CHECK-SAME: (wrong-exponent): the projection does not have the third power of r
// LEFT: func.func @f
// REPAIRED: norm.rmsnorm_backward {{.*}} rms({{.*}} dx({{.*}} epsilon_mode = outside
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @f(%dy: tensor<3x8xf32>, %x: tensor<3x8xf32>, %root: tensor<3xf32>) -> tensor<3x8xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 0.5 : f32
  %n = arith.constant 16.0 : f32
  %e1 = tensor.empty() : tensor<3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %dot = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%dy, %x : tensor<3x8xf32>, tensor<3x8xf32>) outs(%init : tensor<3xf32>) {
  ^bb0(%g: f32, %in: f32, %acc: f32):
    %p = arith.mulf %g, %in : f32
    %next = arith.addf %acc, %p : f32
    linalg.yield %next : f32
  } -> tensor<3xf32>
  %e2 = tensor.empty() : tensor<3x8xf32>
  %dx = linalg.generic {indexing_maps = [#all, #all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %x, %root, %dot : tensor<3x8xf32>, tensor<3x8xf32>, tensor<3xf32>, tensor<3xf32>) outs(%e2 : tensor<3x8xf32>) {
  ^bb0(%g: f32, %in: f32, %v: f32, %p: f32, %out: f32):
    %shifted = arith.addf %v, %eps : f32
    %r = arith.divf %one, %shifted : f32
    %direct = arith.mulf %g, %r : f32
    %r2 = arith.mulf %r, %r : f32
    %a = arith.mulf %r2, %r : f32
    %b = arith.divf %r2, %v : f32
    %mean = arith.divf %p, %n : f32
    %xp = arith.mulf %in, %mean : f32
    %half = arith.mulf %xp, %a : f32
    %rest = arith.mulf %xp, %b : f32
    %less = arith.subf %direct, %half : f32
    %value = arith.subf %less, %rest : f32
    linalg.yield %value : f32
  } -> tensor<3x8xf32>
  return %dx : tensor<3x8xf32>
}
