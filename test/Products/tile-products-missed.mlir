// Why products have no blocks, each at the product.
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products))' '--remarks-filter-missed=norm.*' --verify-diagnostics -o /dev/null
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products))' | FileCheck %s
// CHECK-NOT: norm.product
// CHECK-NOT: norm.thin_product

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @few_columns(%a: tensor<32x128xf32>, %b: tensor<128x8xf32>, %c: tensor<32x8xf32>) -> tensor<32x8xf32> {
  // expected-remark@below {{its result has too few columns or rows}}
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x128xf32>, tensor<128x8xf32>) outs(%c : tensor<32x8xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x8xf32>
  return %r : tensor<32x8xf32>
}

func.func @short_sum(%a: tensor<32x4xf32>, %b: tensor<4x128xf32>, %c: tensor<32x128xf32>) -> tensor<32x128xf32> {
  // expected-remark@below {{its result has too few columns or rows}}
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x4xf32>, tensor<4x128xf32>) outs(%c : tensor<32x128xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x128xf32>
  return %r : tensor<32x128xf32>
}

// The largest product of each pair is no sum of products.
func.func @maximum(%a: tensor<32x128xf32>, %b: tensor<128x128xf32>, %c: tensor<32x128xf32>) -> tensor<32x128xf32> {
  // expected-remark@below {{it is no sum of products of two elements}}
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<32x128xf32>, tensor<128x128xf32>) outs(%c : tensor<32x128xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.maximumf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x128xf32>
  return %r : tensor<32x128xf32>
}

func.func @batches(%a: tensor<3x32x64xf32>, %b: tensor<3x64x32xf32>, %c: tensor<32x32x3xf32>) -> tensor<32x32x3xf32> {
  // expected-remark@below {{neighbors in its result are of other batches}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : tensor<3x32x64xf32>, tensor<3x64x32xf32>) outs(%c : tensor<32x32x3xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x32x3xf32>
  return %r : tensor<32x32x3xf32>
}
