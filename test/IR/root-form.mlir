// RUN: norm-opt %s --split-input-file --verify-diagnostics | norm-opt --split-input-file | FileCheck %s
// RUN: norm-opt %s --split-input-file --verify-diagnostics --norm-to-linalg | FileCheck %s --check-prefix=LINALG

// S3: in a 16-bit C the three differ by where they round.

// CHECK-LABEL: func @reciprocal
// CHECK: norm.rmsnorm
// CHECK-NOT: root_form
// LINALG-LABEL: func @reciprocal
// LINALG: math.sqrt {{.*}} : bf16
// LINALG: arith.divf {{.*}} : bf16
// LINALG: arith.mulf %{{.*}} : bf16
func.func @reciprocal(%x: tensor<4x8xbf16>, %i: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %y = norm.rmsnorm ins(%x : tensor<4x8xbf16>) outs(%i : tensor<4x8xbf16>) dims = [1] epsilon = 1.0e-5 : bf16
       root_form = reciprocal compute_type = bf16 -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// -----

// CHECK-LABEL: func @rsqrt
// CHECK: root_form = rsqrt
// LINALG-LABEL: func @rsqrt
// LINALG: %[[V:.*]] = arith.addf {{.*}} : bf16
// LINALG: %[[W:.*]] = arith.extf %[[V]] : bf16 to f32
// LINALG: %[[S:.*]] = math.sqrt %[[W]] : f32
// LINALG: %[[R:.*]] = arith.divf %{{.*}}, %[[S]] : f32
// LINALG: arith.truncf %[[R]] : f32 to bf16
// LINALG: arith.mulf %{{.*}} : bf16
func.func @rsqrt(%x: tensor<4x8xbf16>, %i: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %y = norm.rmsnorm ins(%x : tensor<4x8xbf16>) outs(%i : tensor<4x8xbf16>) dims = [1] epsilon = 1.0e-5 : bf16
       root_form = rsqrt compute_type = bf16 -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// -----

// inv_rms is the reciprocal also where x is divided by the root (S8).

// CHECK-LABEL: func @quotient
// CHECK: root_form = quotient
// LINALG-LABEL: func @quotient
// LINALG: %[[I:.*]] = linalg.generic {{.*}} outs(%arg2 : tensor<4xbf16>)
// LINALG: math.sqrt {{.*}} : bf16
// LINALG: arith.divf {{.*}} : bf16
// LINALG: %[[ROOT:.*]] = linalg.generic
// LINALG: %[[R:.*]] = math.sqrt {{.*}} : bf16
// LINALG-NEXT: linalg.yield %[[R]]
// LINALG: %[[Y:.*]] = linalg.generic {{.*}} ins(%arg0, %[[ROOT]]
// LINALG-NEXT: ^bb0(%[[X:.*]]: bf16, %[[D:.*]]: bf16, %{{.*}}: bf16)
// LINALG-NEXT: arith.divf %[[X]], %[[D]] : bf16
// LINALG: return %[[Y]], %[[I]]
func.func @quotient(%x: tensor<4x8xbf16>, %i: tensor<4x8xbf16>, %r: tensor<4xbf16>) -> (tensor<4x8xbf16>, tensor<4xbf16>) {
  %y:2 = norm.rmsnorm ins(%x : tensor<4x8xbf16>) outs(%i, %r : tensor<4x8xbf16>, tensor<4xbf16>) dims = [1] epsilon = 1.0e-5 : bf16
       root_form = quotient compute_type = bf16 -> tensor<4x8xbf16>, tensor<4xbf16>
  return %y#0, %y#1 : tensor<4x8xbf16>, tensor<4xbf16>
}

// -----

func.func @quotient_of_rounded_scale(%x: tensor<4x8xf32>, %i: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{S3: scale_type rounds a reciprocal root, which root_form = quotient does not form}}
  %y = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 1.0e-5 : f32
       root_form = quotient scale_type = bf16 -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
