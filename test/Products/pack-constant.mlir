// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products,canonicalize,cse))' | FileCheck %s

// A weight whose rows are columns is turned and widened when it is compiled; what the only block lacks
// of 32 columns is zero: bf16 1.0 is 0x3F80, and stands first in each of its 8 rows of 32 f32.
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {norm.row_target = {product_lanes = 64 : i64}} {
// CHECK-LABEL: func @weight
// CHECK: arith.constant dense<"0x0000803F00008040000000400000A040
// CHECK-SAME: tensor<1x8x32xf32>
// CHECK-NOT: norm.pack
// CHECK: {norm.product
func.func @weight(%a: tensor<32x8xbf16>) -> tensor<32x16xf32> {
  %w = arith.constant dense<"0x803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F004040408040A040803F00404040"> : tensor<16x8xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %w : tensor<32x8xbf16>, tensor<16x8xbf16>) outs(%f : tensor<32x16xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %v = arith.extf %x : bf16 to f32
    %u = arith.extf %y : bf16 to f32
    %m = arith.mulf %v, %u : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<32x16xf32>
  return %r : tensor<32x16xf32>
}
}
