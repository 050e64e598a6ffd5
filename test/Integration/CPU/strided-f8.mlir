// Every second f8: upstream's lowering has no shuffle of such vectors.
// RUN: norm-run %s --input=80xf32=1 | FileCheck %s
// CHECK: result[0]: 40xf32=1 1 1
func.func @main(%x: tensor<80xf32>) -> tensor<40xf32> {
  %e = tensor.empty() : tensor<80xf8E5M2>
  %f8 = linalg.map ins(%x : tensor<80xf32>) outs(%e : tensor<80xf8E5M2>) (%in: f32, %out: f8E5M2) {
    %r = arith.truncf %in : f32 to f8E5M2
    linalg.yield %r : f8E5M2
  }
  %half = tensor.extract_slice %f8[0] [40] [2] : tensor<80xf8E5M2> to tensor<40xf8E5M2>
  %o = tensor.empty() : tensor<40xf32>
  %y = linalg.map ins(%half : tensor<40xf8E5M2>) outs(%o : tensor<40xf32>) (%in: f8E5M2, %out: f32) {
    %w = arith.extf %in : f8E5M2 to f32
    linalg.yield %w : f32
  }
  return %y : tensor<40xf32>
}
