// Casts of signedness, as StableHLO's conversion leaves them; the header keeps the program's types.
// RUN: norm-opt %s --norm-lower-tensor-ops | FileCheck %s
// RUN: norm-run %s --input=4xui8=100,200,3,4 | FileCheck %s --check-prefix=VALUES
// RUN: norm-compile %s --emit=header -o - | FileCheck %s --check-prefix=HEADER

// CHECK: func.func @main(%[[X:.*]]: tensor<4xi8>) -> tensor<4xi8>
// CHECK-NOT: cast
// CHECK: linalg.add ins(%[[X]], %[[X]] : tensor<4xi8>, tensor<4xi8>)
// CHECK-NOT: cast
// CHECK: return
// VALUES: result[0]: 4xui8=200 144 6 8
// HEADER: main(tensor<4xui8>) -> (tensor<4xui8>)
func.func @main(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = builtin.unrealized_conversion_cast %x : tensor<4xui8> to tensor<4xi8>
  %e = tensor.empty() : tensor<4xi8>
  %1 = linalg.add ins(%0, %0 : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>) -> tensor<4xi8>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<4xi8> to tensor<4xui8>
  return %2 : tensor<4xui8>
}
