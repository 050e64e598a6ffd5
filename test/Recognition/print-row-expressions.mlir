// RUN: norm-opt %s --norm-print-row-expressions -o /dev/null | FileCheck %s

// Llama's norm in three ops: what each computes of its operands.
// CHECK: %{{[0-9]+}}[d0, 0] = 0
// CHECK-NEXT: %[[SUM:.*]][d0, 0] = sum{d1}((extend<f32>(%arg0[d0, d1]) * extend<f32>(%arg0[d0, d1])))
// CHECK-NEXT:   normal form: sum{d1}(extend<f32>(%arg0[d0, d1])^2)
// CHECK-NEXT: %[[ROOT:.*]][d0, 0] = rsqrt(((%[[SUM]][d0, 0] / 32) + 9.99999997E-7))
// CHECK-NEXT:   normal form: ((4 * 2^1/2) * (1/31250 + %[[SUM]][d0, 0])^-1/2)
// CHECK-NEXT: %{{[0-9]+}}[d0, d1] = (%arg1[d1] * round<bf16>((extend<f32>(%arg0[d0, d1]) * %[[ROOT]][d0, 0])))
// CHECK-NEXT:   normal form: (%arg1[d1] * round<bf16>((%[[ROOT]][d0, 0] * extend<f32>(%arg0[d0, d1]))))
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @llama(%x: tensor<4x32xbf16>, %w: tensor<32xbf16>) -> tensor<4x32xbf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<4x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4x1xf32>) -> tensor<4x1xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x32xbf16>) outs(%init : tensor<4x1xf32>) {
  ^bb0(%in: bf16, %acc: f32):
    %f = arith.extf %in : bf16 to f32
    %q = arith.mulf %f, %f : f32
    %next = arith.addf %acc, %q : f32
    linalg.yield %next : f32
  } -> tensor<4x1xf32>
  %root = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%sum : tensor<4x1xf32>) outs(%e : tensor<4x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.divf %in, %n : f32
    %v = arith.addf %m, %eps : f32
    %r = math.rsqrt %v : f32
    linalg.yield %r : f32
  } -> tensor<4x1xf32>
  %d = tensor.empty() : tensor<4x32xbf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %root, %w : tensor<4x32xbf16>, tensor<4x1xf32>, tensor<32xbf16>) outs(%d : tensor<4x32xbf16>) {
  ^bb0(%in: bf16, %r: f32, %g: bf16, %out: bf16):
    %f = arith.extf %in : bf16 to f32
    %z = arith.mulf %f, %r : f32
    %t = arith.truncf %z : f32 to bf16
    %p = arith.mulf %g, %t : bf16
    linalg.yield %p : bf16
  } -> tensor<4x32xbf16>
  return %y : tensor<4x32xbf16>
}

// A reshape is the tensor at other indices; where a sum stands, and how long a
// row is, is read through it. The variables of each op begin at d0.
// CHECK: = sum{d1}(abs(%arg0[d0, d1 floordiv 8, d1 mod 8]))
// CHECK: = (%{{.*}}[d0] / count(1 * %arg1#0))
// CHECK-NEXT:   normal form: (%{{.*}}[d0] * count(1 * %arg1#0)^-1)
func.func @reshape(%x: tensor<4x2x8xf32>, %y: tensor<?xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %flat = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x2x8xf32> into tensor<4x16xf32>
  %sum = linalg.reduce ins(%flat : tensor<4x16xf32>) outs(%zero : tensor<4xf32>) dimensions = [1] (%in: f32, %acc: f32) {
    %a = math.absf %in : f32
    %next = arith.addf %a, %acc : f32
    linalg.yield %next : f32
  }
  %d = tensor.dim %y, %c0 : tensor<?xf32>
  %i = arith.index_cast %d : index to i64
  %n = arith.sitofp %i : i64 to f32
  %e = tensor.empty() : tensor<4xf32>
  %mean = linalg.map ins(%sum : tensor<4xf32>) outs(%e : tensor<4xf32>) (%in: f32, %out: f32) {
    %m = arith.divf %in, %n : f32
    linalg.yield %m : f32
  }
  return %mean : tensor<4xf32>
}
