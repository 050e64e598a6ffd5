// RUN: norm-compile %s --emit=norm --mlir-timing -o %t.mlir 2>&1 | FileCheck %s
// RUN: norm-run %s --input=2x4xf32=1 --mlir-timing 2>&1 | FileCheck %s
// CHECK: Execution time report
// CHECK: NormRecognize
// CHECK: Total
// RUN: norm-compile %s --emit=norm -o - --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: IR Dump After NormRecognize
func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %i = tensor.empty() : tensor<2x4xf32>
  %y = norm.rmsnorm ins(%x : tensor<2x4xf32>) outs(%i : tensor<2x4xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
