// An op of 16 bits that becomes several is rounded once: not sqrt, then one over it.
// RUN: norm-run %s --input='6xbf16=1.5 3 7 0.3 11.25 123' --input='6xf16=1.5 3 7 0.3 11.25 123' --precision=9 | FileCheck %s
// RUN: norm-run %s --pipeline=simt --input='6xbf16=1.5 3 7 0.3 11.25 123' --input='6xf16=1.5 3 7 0.3 11.25 123' --precision=9 | FileCheck %s
// The nearest numbers to 1 / sqrt(x) and x^3 in f64.
// CHECK: result[0]: 6xbf16=0.81640625 0.578125 0.37890625 1.8203125 0.298828125 0.0903320312
// CHECK: result[1]: 6xf16=0.81640625 0.577148438 0.377929688 1.82519531 0.298095703 0.0901489258
// CHECK: result[2]: 6xbf16=3.375 27 344 0.0272216797 1424 1859584

func.func @main(%x: tensor<6xbf16>, %h: tensor<6xf16>) -> (tensor<6xbf16>, tensor<6xf16>, tensor<6xbf16>) {
  %c3 = arith.constant 3 : i32
  %e = tensor.empty() : tensor<6xbf16>
  %r = linalg.rsqrt ins(%x : tensor<6xbf16>) outs(%e : tensor<6xbf16>) -> tensor<6xbf16>
  %eh = tensor.empty() : tensor<6xf16>
  %rh = linalg.rsqrt ins(%h : tensor<6xf16>) outs(%eh : tensor<6xf16>) -> tensor<6xf16>
  %p = linalg.map ins(%x : tensor<6xbf16>) outs(%e : tensor<6xbf16>) (%in: bf16, %out: bf16) {
    %cube = math.fpowi %in, %c3 : bf16, i32
    linalg.yield %cube : bf16
  }
  return %r, %rh, %p : tensor<6xbf16>, tensor<6xf16>, tensor<6xbf16>
}
