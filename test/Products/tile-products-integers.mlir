// Weights that are integers are widened where they are multiplied, if the float type
// has all of them. Scaled ones are computed block by block, also for few rows.

// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products))' --split-input-file | FileCheck %s

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

module attributes {norm.row_target = {product_lanes = 64 : i64}} {
// CHECK-LABEL: func.func @converted
// CHECK-NOT: scf.for
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<2x64xbf16>, tensor<128x64xi8>) {{.*}} attrs = {norm.thin_product
// CHECK: arith.sitofp %{{.*}} : i8 to f32
func.func @converted(%x: tensor<2x64xbf16>, %w: tensor<128x64xi8>, %zeros: tensor<2x128xbf16>) -> tensor<2x128xbf16> {
  %y = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x64xbf16>, tensor<128x64xi8>) outs(%zeros : tensor<2x128xbf16>) {
  ^bb0(%a: bf16, %b: i8, %o: bf16):
    %f = arith.sitofp %b : i8 to bf16
    %p = arith.mulf %a, %f : bf16
    %v = arith.addf %o, %p : bf16
    linalg.yield %v : bf16
  } -> tensor<2x128xbf16>
  return %y : tensor<2x128xbf16>
}
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// bf16 has 8 bits of an integer.

module attributes {norm.row_target = {product_lanes = 64 : i64}} {
// CHECK-LABEL: func.func @rounded
// CHECK-NOT: norm.thin_product
// CHECK: return
func.func @rounded(%x: tensor<2x64xbf16>, %w: tensor<128x64xi16>, %zeros: tensor<2x128xbf16>) -> tensor<2x128xbf16> {
  %y = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x64xbf16>, tensor<128x64xi16>) outs(%zeros : tensor<2x128xbf16>) {
  ^bb0(%a: bf16, %b: i16, %o: bf16):
    %f = arith.sitofp %b : i16 to bf16
    %p = arith.mulf %a, %f : bf16
    %v = arith.addf %o, %p : bf16
    linalg.yield %v : bf16
  } -> tensor<2x128xbf16>
  return %y : tensor<2x128xbf16>
}
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0)>
#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

module attributes {norm.row_target = {product_lanes = 64 : i64}} {
// CHECK-LABEL: func.func @scaled
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c64
// CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<64x64xi8>, tensor<64xf32>)
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[B]] : tensor<2x64xf32>, tensor<64x64xf32>) {{.*}} attrs = {norm.thin_product
func.func @scaled(%x: tensor<2x64xf32>, %w: tensor<128x64xi8>, %s: tensor<128xf32>, %zeros: tensor<2x128xf32>) -> tensor<2x128xf32> {
  %e = tensor.empty() : tensor<128x64xf32>
  %t = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]} ins(%w, %s : tensor<128x64xi8>, tensor<128xf32>) outs(%e : tensor<128x64xf32>) {
  ^bb0(%a: i8, %b: f32, %o: f32):
    %f = arith.sitofp %a : i8 to f32
    %v = arith.mulf %f, %b : f32
    linalg.yield %v : f32
  } -> tensor<128x64xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %t : tensor<2x64xf32>, tensor<128x64xf32>) outs(%zeros : tensor<2x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %v = arith.addf %o, %p : f32
    linalg.yield %v : f32
  } -> tensor<2x128xf32>
  return %y : tensor<2x128xf32>
}
}
