// A statistic may square |x| or -x in a tensor of its own, but that tensor is not x,
// also where no tensor holds x in the shape of the result.
// RUN: norm-opt %s --split-input-file --norm-recognize '--remarks-filter=norm.*' -verify-diagnostics | FileCheck %s
// RUN: norm-opt %s --split-input-file --norm-recognize=rounding=exact -o - | FileCheck %s
// RUN: norm-opt %s --split-input-file --norm-recognize=rounding=relaxed -o - | FileCheck %s

#a = affine_map<(d0, d1) -> (d0, d1)>
#u = affine_map<(d0, d1) -> (d0, d1 + 1)>
#r = affine_map<(d0, d1) -> (d0)>
#w = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func @abs_at_offset
// CHECK-NOT: norm.rmsnorm
// CHECK: return
func.func @abs_at_offset(%x: tensor<2x5xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 4.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<2x4xf32>
  %own = linalg.generic {indexing_maps = [#u, #a], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x5xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v = math.absf %i : f32
    linalg.yield %v : f32
  } -> tensor<2x4xf32>
  %re = tensor.empty() : tensor<2xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%re : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#a, #r], iterator_types = ["parallel", "reduction"]} ins(%own : tensor<2x4xf32>) outs(%rf : tensor<2xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.mulf %i, %i : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<2xf32>
  %te = tensor.empty() : tensor<2x4xf32>
  // expected-remark@+1 {{not an RMSNorm (input-not-representable): no tensor holds x in the shape of the result}}
  %y = linalg.generic {indexing_maps = [#u, #r, #w, #a], iterator_types = ["parallel", "parallel"]} ins(%x, %s, %w : tensor<2x5xf32>, tensor<2xf32>, tensor<4xf32>) outs(%te : tensor<2x4xf32>) {
  ^bb0(%i: f32, %t: f32, %g: f32, %o: f32):
    %m = arith.divf %t, %n : f32
    %me = arith.addf %m, %eps : f32
    %rr = math.rsqrt %me : f32
    %z = arith.mulf %i, %rr : f32
    %zw = arith.mulf %z, %g : f32
    linalg.yield %zw : f32
  } -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

#a = affine_map<(d0, d1) -> (d0, d1)>
#u = affine_map<(d0, d1) -> (d0 * 4 + d1)>
#r = affine_map<(d0, d1) -> (d0)>
#w = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func @abs_of_flat
// CHECK-NOT: norm.rmsnorm
// CHECK: return
func.func @abs_of_flat(%x: tensor<8xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 4.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<2x4xf32>
  %own = linalg.generic {indexing_maps = [#u, #a], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v = math.absf %i : f32
    linalg.yield %v : f32
  } -> tensor<2x4xf32>
  %re = tensor.empty() : tensor<2xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%re : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#a, #r], iterator_types = ["parallel", "reduction"]} ins(%own : tensor<2x4xf32>) outs(%rf : tensor<2xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.mulf %i, %i : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<2xf32>
  %te = tensor.empty() : tensor<2x4xf32>
  // expected-remark@+1 {{not an RMSNorm (input-not-representable): no tensor holds x in the shape of the result}}
  %y = linalg.generic {indexing_maps = [#u, #r, #w, #a], iterator_types = ["parallel", "parallel"]} ins(%x, %s, %w : tensor<8xf32>, tensor<2xf32>, tensor<4xf32>) outs(%te : tensor<2x4xf32>) {
  ^bb0(%i: f32, %t: f32, %g: f32, %o: f32):
    %m = arith.divf %t, %n : f32
    %me = arith.addf %m, %eps : f32
    %rr = math.rsqrt %me : f32
    %z = arith.mulf %i, %rr : f32
    %zw = arith.mulf %z, %g : f32
    linalg.yield %zw : f32
  } -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

#a = affine_map<(d0, d1) -> (d0, d1)>
#u = affine_map<(d0, d1) -> (d0, d1, 1)>
#r = affine_map<(d0, d1) -> (d0)>
#w = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func @abs_of_column
// CHECK-NOT: norm.rmsnorm
// CHECK: return
func.func @abs_of_column(%x: tensor<2x4x3xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 4.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<2x4xf32>
  %own = linalg.generic {indexing_maps = [#u, #a], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x4x3xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v = math.absf %i : f32
    linalg.yield %v : f32
  } -> tensor<2x4xf32>
  %re = tensor.empty() : tensor<2xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%re : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#a, #r], iterator_types = ["parallel", "reduction"]} ins(%own : tensor<2x4xf32>) outs(%rf : tensor<2xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.mulf %i, %i : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<2xf32>
  %te = tensor.empty() : tensor<2x4xf32>
  // expected-remark@+1 {{not an RMSNorm (input-not-representable): no tensor holds x in the shape of the result}}
  %y = linalg.generic {indexing_maps = [#u, #r, #w, #a], iterator_types = ["parallel", "parallel"]} ins(%x, %s, %w : tensor<2x4x3xf32>, tensor<2xf32>, tensor<4xf32>) outs(%te : tensor<2x4xf32>) {
  ^bb0(%i: f32, %t: f32, %g: f32, %o: f32):
    %m = arith.divf %t, %n : f32
    %me = arith.addf %m, %eps : f32
    %rr = math.rsqrt %me : f32
    %z = arith.mulf %i, %rr : f32
    %zw = arith.mulf %z, %g : f32
    linalg.yield %zw : f32
  } -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

#a = affine_map<(d0, d1) -> (d0, d1)>
#u = affine_map<(d0, d1) -> (d0, d1 + 1)>
#r = affine_map<(d0, d1) -> (d0)>
#w = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func @negated
// CHECK-NOT: norm.rmsnorm
// CHECK: return
func.func @negated(%x: tensor<2x5xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 4.0 : f32
  %one = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<2x4xf32>
  %own = linalg.generic {indexing_maps = [#u, #a], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x5xf32>) outs(%e : tensor<2x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v = arith.negf %i : f32
    linalg.yield %v : f32
  } -> tensor<2x4xf32>
  %re = tensor.empty() : tensor<2xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%re : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#a, #r], iterator_types = ["parallel", "reduction"]} ins(%own : tensor<2x4xf32>) outs(%rf : tensor<2xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.mulf %i, %i : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<2xf32>
  %te = tensor.empty() : tensor<2x4xf32>
  // expected-remark@+1 {{not an RMSNorm (input-not-representable): no tensor holds x in the shape of the result}}
  %y = linalg.generic {indexing_maps = [#u, #r, #w, #a], iterator_types = ["parallel", "parallel"]} ins(%x, %s, %w : tensor<2x5xf32>, tensor<2xf32>, tensor<4xf32>) outs(%te : tensor<2x4xf32>) {
  ^bb0(%i: f32, %t: f32, %g: f32, %o: f32):
    %m = arith.divf %t, %n : f32
    %me = arith.addf %m, %eps : f32
    %sq = math.sqrt %me : f32
    %rr = arith.divf %one, %sq : f32
    %z = arith.mulf %i, %rr : f32
    %zw = arith.mulf %z, %g : f32
    linalg.yield %zw : f32
  } -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
