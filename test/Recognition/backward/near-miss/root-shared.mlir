// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t --implicit-check-not=norm.rmsnorm_backward
// RUN: sed -e 's|d0 floordiv 2|d0|; s|tensor<4xf32>|tensor<8xf32>|g' %s | norm-opt --norm-recognize | FileCheck %s --check-prefix=REPAIRED

// Two rows share a saved r, for which the op has no map.

// CHECK: remark: [Missed] RMSNorm
// CHECK-SAME: (input-not-representable): no tensor holds r for each row
// LEFT: func.func @f
// REPAIRED: norm.rmsnorm_backward {{.*}} inv_rms({{.*}} dx({{.*}} dw(
#diag = affine_map<(d0, d1) -> (d0 floordiv 2)>


#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#vec = affine_map<(d0) -> (d0)>
func.func @f(%dy: tensor<8x8xf32>, %x: tensor<8x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %divisor = arith.constant 8.0 : f32
  %factor = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %dot = linalg.generic {indexing_maps = [#all, #all, #col, #row], iterator_types = ["parallel", "reduction"]}
      ins(%dy, %x, %w : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%d: f32, %in: f32, %g: f32, %acc: f32):
    %gw = arith.mulf %d, %g : f32
    %term = arith.mulf %gw, %in : f32
    %next = arith.addf %term, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %dx = linalg.generic {indexing_maps = [#all, #all, #col, #diag, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %x, %w, %r, %dot : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%d: f32, %in: f32, %g: f32, %s: f32, %p: f32, %out: f32):
    %gw = arith.mulf %d, %g : f32
    %s2 = arith.mulf %s, %s : f32
    %s3 = arith.mulf %s2, %s : f32
    %once = arith.mulf %gw, %s : f32
    %direct = arith.mulf %once, %factor : f32
    %mean = arith.divf %p, %divisor : f32
    %scaled = arith.mulf %s3, %mean : f32
    %term = arith.mulf %in, %scaled : f32
    %v = arith.subf %direct, %term : f32
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  %dw = linalg.generic {indexing_maps = [#all, #all, #diag, #col], iterator_types = ["reduction", "parallel"]}
      ins(%dy, %x, %r : tensor<8x8xf32>, tensor<8x8xf32>, tensor<4xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%d: f32, %in: f32, %s: f32, %acc: f32):
    %z = arith.mulf %in, %s : f32
    %product = arith.mulf %d, %z : f32
    %next = arith.addf %product, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  return %dx, %dw : tensor<8x8xf32>, tensor<8xf32>
}
