// Parts without elements are left out; upstream bufferizes them to views behind the end.
// RUN: norm-opt %s --norm-lower-tensor-ops --canonicalize | FileCheck %s
// RUN: norm-run %s --input=2xf32=3 --input=0xf32=0 --input=2x0xf32=0 | FileCheck %s --check-prefix=VALUES
// RUN: not norm-opt %s --one-shot-bufferize 2>&1 | FileCheck %s --check-prefix=UPSTREAM
// UPSTREAM: error: offset 0 is out-of-bounds

// CHECK-LABEL: func @main
// CHECK: %[[GENERATED:.*]] = tensor.generate
// CHECK-NEXT: ^bb0
// CHECK-NEXT: tensor.yield
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<2x0xf32>
// CHECK: return %arg0, %[[GENERATED]], %[[EMPTY]]
// VALUES: result[0]: 2xf32=3 3
// VALUES-NEXT: result[1]: 3xf32=1 1 1
// VALUES-NEXT: result[2]: 2x0xf32=
func.func @main(%a: tensor<2xf32>, %b: tensor<0xf32>, %c: tensor<2x0xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<2x0xf32>) {
  %one = arith.constant 1.0 : f32
  %joined = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<0xf32>) -> tensor<2xf32>
  %padded = tensor.pad %b low[3] high[0] {
  ^bb0(%i: index):
    tensor.yield %one : f32
  } : tensor<0xf32> to tensor<3xf32>
  %nothing = tensor.concat dim(1) %c, %c : (tensor<2x0xf32>, tensor<2x0xf32>) -> tensor<2x0xf32>
  return %joined, %padded, %nothing : tensor<2xf32>, tensor<3xf32>, tensor<2x0xf32>
}
