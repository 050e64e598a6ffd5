// Quotients of more than 64 bits are rounded down: their upper bits are those of the sign.
// RUN: norm-run %s --input='6xi64=-1 7 -7 8 -8 0' --input='6xi64=2 2 -2 -3 2 -5' | FileCheck %s
// CHECK: result[0]: 6xi64=-1 3 3 -3 -4 0
// CHECK: result[1]: 6xi64=-1 0 0 -1 -1 0
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<6xi64>, %y: tensor<6xi64>) -> (tensor<6xi64>, tensor<6xi64>) {
  %e = tensor.empty() : tensor<6xi64>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<6xi64>, tensor<6xi64>) outs(%e, %e : tensor<6xi64>, tensor<6xi64>) {
  ^bb0(%a: i64, %b: i64, %o: i64, %p: i64):
    %c64 = arith.constant 64 : i128
    %wa = arith.extsi %a : i64 to i128
    %wb = arith.extsi %b : i64 to i128
    %q = arith.floordivsi %wa, %wb : i128
    %low = arith.trunci %q : i128 to i64
    %upper = arith.shrsi %q, %c64 : i128
    %high = arith.trunci %upper : i128 to i64
    linalg.yield %low, %high : i64, i64
  } -> (tensor<6xi64>, tensor<6xi64>)
  return %r#0, %r#1 : tensor<6xi64>, tensor<6xi64>
}
