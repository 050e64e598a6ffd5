// RUN: norm-opt %s --split-input-file --verify-diagnostics | norm-opt | FileCheck %s
// RUN: norm-opt %s --split-input-file --norm-to-linalg --verify-diagnostics | FileCheck %s --check-prefix=LINALG

// S2: the sum is divided in f32, where it does not overflow, and the mean is
// rounded to f16 once.

// CHECK-LABEL: func @mean_rounded_once
// CHECK: compute_type = f16 sum_type = f32
// LINALG-LABEL: func @mean_rounded_once
// LINALG: ^bb0(%[[SUM:.*]]: f32, %{{.*}}: f16):
// LINALG-NEXT: %[[MEAN:.*]] = arith.divf %[[SUM]], %{{.*}} : f32
// LINALG-NEXT: %[[M:.*]] = arith.truncf %[[MEAN]] : f32 to f16
// LINALG-NEXT: arith.addf %[[M]], %{{.*}} : f16
func.func @mean_rounded_once(%x: tensor<4x6xf16>, %init: tensor<4x6xf16>) -> tensor<4x6xf16> {
  %y = norm.rmsnorm ins(%x : tensor<4x6xf16>) outs(%init : tensor<4x6xf16>)
       dims = [1] epsilon = 1.0e-3 : f16
       compute_type = f16 sum_type = f32 -> tensor<4x6xf16>
  return %y : tensor<4x6xf16>
}

// -----

func.func @not_wider(%x: tensor<4x6xf32>, %init: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{S2: sum_type 'f32' is no wider than the compute type 'f32'}}
  %y = norm.rmsnorm ins(%x : tensor<4x6xf32>) outs(%init : tensor<4x6xf32>)
       dims = [1] epsilon = 1.0e-3 : f32 sum_type = f32 -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
