// RUN: norm-opt %s --norm-recognize | FileCheck %s

// The norm's value feeds more arithmetic in its own body: the norm is taken out,
// and a linalg.generic for the rest reads it.

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// A bias after the weight.

// CHECK-LABEL: func.func @bias
// CHECK: %[[NORM:.*]] = norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[NORM]], %arg2 :
// CHECK-NOT: rsqrt
// CHECK: arith.addf
// CHECK: return
func.func @bias(%x: tensor<4x32xf32>, %w: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w, %b : tensor<4x32xf32>, tensor<4xf32>, tensor<32xf32>, tensor<32xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %bias: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %g : f32
    %o = arith.addf %v, %bias : f32
    linalg.yield %o : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// A gate with a SiLU: its reciprocal is not that of a statistic.

// CHECK-LABEL: func.func @gate
// CHECK: %[[NORM:.*]] = norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[NORM]], %arg2 :
// CHECK-NOT: rsqrt
// CHECK: math.exp
// CHECK: return
func.func @gate(%x: tensor<4x32xf32>, %w: tensor<32xf32>, %h: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w, %h : tensor<4x32xf32>, tensor<4xf32>, tensor<32xf32>, tensor<4x32xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %gate: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %g : f32
    %neg = arith.negf %gate : f32
    %exp = math.exp %neg : f32
    %one = arith.constant 1.0 : f32
    %den = arith.addf %exp, %one : f32
    %silu = arith.divf %gate, %den : f32
    %o = arith.mulf %v, %silu : f32
    linalg.yield %o : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// A gate alone: the norm has no weight, and the product stays.

// CHECK-LABEL: func.func @gate_is_no_weight
// CHECK: %[[NORM:.*]] = norm.rmsnorm ins(%arg0 : tensor<4x32xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[NORM]], %arg1 :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.mulf
// CHECK: return
func.func @gate_is_no_weight(%x: tensor<4x32xf32>, %h: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %h : tensor<4x32xf32>, tensor<4xf32>, tensor<4x32xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %g : f32
    linalg.yield %v : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// x times its norm: x is a gate like any other, never the weight.

// CHECK-LABEL: func.func @weight_of_x
// CHECK: %[[NORM:.*]] = norm.rmsnorm ins(%arg0 : tensor<4x32xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[NORM]], %arg0 :
// CHECK: return
func.func @weight_of_x(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %in : f32
    linalg.yield %v : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// The result is scaled, rounded and cast to i8.

// CHECK-LABEL: func.func @quantize
// CHECK: %[[NORM:.*]] = norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[NORM]] :
// CHECK-NOT: rsqrt
// CHECK: arith.fptosi
// CHECK: return
func.func @quantize(%x: tensor<4x32xf32>, %w: tensor<32xf32>) -> tensor<4x32xi8> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %e3 = tensor.empty() : tensor<4x32xi8>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<4x32xf32>, tensor<4xf32>, tensor<32xf32>) outs(%e3 : tensor<4x32xi8>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %out: i8):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %g : f32
    %c = arith.constant 16.0 : f32
    %scaled = arith.mulf %v, %c : f32
    %round = math.roundeven %scaled : f32
    %o = arith.fptosi %round : f32 to i8
    linalg.yield %o : i8
  } -> tensor<4x32xi8>
  return %y : tensor<4x32xi8>
}

// The result is written transposed: the norm keeps the order of x.

// CHECK-LABEL: func.func @transposed
// CHECK: %[[NORM:.*]] = norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[NORM]] : tensor<4x32xf32>) outs({{.*}} : tensor<32x4xf32>)
// CHECK-NOT: rsqrt
// CHECK: return
func.func @transposed(%x: tensor<4x32xf32>, %w: tensor<32xf32>) -> tensor<32x4xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %e3 = tensor.empty() : tensor<32x4xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<4x32xf32>, tensor<4xf32>, tensor<32xf32>) outs(%e3 : tensor<32x4xf32>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %g : f32
    linalg.yield %v : f32
  } -> tensor<32x4xf32>
  return %y : tensor<32x4xf32>
}

// The norm is fused into a dot product after it.

// CHECK-LABEL: func.func @into_a_reduction
// CHECK: %[[NORM:.*]] = norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]{{.*}} ins(%[[NORM]], %arg2 :
// CHECK-NOT: rsqrt
// CHECK: return
func.func @into_a_reduction(%x: tensor<4x32xf32>, %w: tensor<32xf32>, %v2: tensor<4x32xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum, %w, %v2 : tensor<4x32xf32>, tensor<4xf32>, tensor<32xf32>, tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %other: f32, %acc: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %g : f32
    %p = arith.mulf %v, %other : f32
    %o = arith.addf %p, %acc : f32
    linalg.yield %o : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The residual sum is computed twice, once for the statistic and once to be scaled;
// no tensor holds it until it is taken out.

// CHECK-LABEL: func.func @residual
// CHECK: %[[H:.*]] = linalg.generic {{.*}} ins(%arg0, %arg2 :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.addf
// CHECK: norm.rmsnorm ins(%[[H]], %arg1 :
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @residual(%x: tensor<4x32xf32>, %w: tensor<32xf32>, %h: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %h : tensor<4x32xf32>, tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %in = arith.addf %a, %b : f32
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %h, %sum, %w : tensor<4x32xf32>, tensor<4x32xf32>, tensor<4xf32>, tensor<32xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32, %g: f32, %out: f32):
    %in = arith.addf %a, %b : f32
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %g : f32
    linalg.yield %v : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}
