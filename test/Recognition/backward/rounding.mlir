// RUN: norm-opt %s --norm-to-linalg -o %t.mlir
// RUN: norm-opt %t.mlir --norm-recognize=rounding=exact '--remarks-filter=norm.*' 2>&1 | FileCheck %s --check-prefix=OP
// RUN: norm-opt %t.mlir --norm-recognize | FileCheck %s --check-prefix=OP
// RUN: norm-opt %t.mlir --norm-recognize=rounding=relaxed | FileCheck %s --check-prefix=OP

// The op's own spelling is found in every mode, also in f16.
// OP-LABEL: func.func @f32
// OP: norm.rmsnorm_backward {{.*}} dx({{.*}} dw(
// OP-LABEL: func.func @f16
// OP: norm.rmsnorm_backward {{.*}} compute_type = f16
func.func @f32(%dy: tensor<4x32xf32>, %x: tensor<4x32xf32>, %w: tensor<32xf32>, %i: tensor<4x32xf32>, %j: tensor<32xf32>) -> (tensor<4x32xf32>, tensor<32xf32>) {
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<4x32xf32>, tensor<4x32xf32>) weight(%w : tensor<32xf32>) dx(%i : tensor<4x32xf32>) dw(%j : tensor<32xf32>)
      dims = [1] epsilon = 1.0e-6 : f32 -> tensor<4x32xf32>, tensor<32xf32>
  return %dx, %dw : tensor<4x32xf32>, tensor<32xf32>
}
func.func @f16(%dy: tensor<4x32xf16>, %x: tensor<4x32xf16>, %i: tensor<4x32xf16>) -> tensor<4x32xf16> {
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<4x32xf16>, tensor<4x32xf16>) dx(%i : tensor<4x32xf16>)
      dims = [1] epsilon = 1.0e-6 : f32 compute_type = f16 -> tensor<4x32xf16>
  return %dx : tensor<4x32xf16>
}

// r * g - x * r^3 * sum / n is another spelling: `exact` rejects it. A term that is rounded before
// the subtraction is for `relaxed` alone.
// RUN: sed -e 's|math.rsqrt %m : f32|math.sqrt %m : f32\n    %one = arith.constant 1.0 : f32\n    %inverse = arith.divf %one, %root : f32|; s|linalg.yield %root|linalg.yield %inverse|' %S/near-miss/Inputs/backward.mlir > %t.spelled.mlir
// RUN: norm-opt %t.spelled.mlir --norm-recognize=rounding=exact '--remarks-filter=norm.*' 2>&1 | FileCheck %s --check-prefix=SPELLING
// RUN: norm-opt %t.spelled.mlir --norm-recognize | FileCheck %s --check-prefix=BOTH
// RUN: sed -e 's|%v = arith.subf %direct|%narrow = arith.truncf %direct : f32 to bf16\n    %wide = arith.extf %narrow : bf16 to f32\n    %v = arith.subf %wide|' %S/near-miss/Inputs/backward.mlir > %t.narrow.mlir
// RUN: norm-opt %t.narrow.mlir --norm-recognize | FileCheck %s --check-prefix=DW
// RUN: norm-opt %t.narrow.mlir --norm-recognize=rounding=relaxed | FileCheck %s --check-prefix=BOTH
// SPELLING: (rounding-not-exact): rounding=exact: expected (((dy * w) + -(
// SPELLING-NOT: dx(
// BOTH: norm.rmsnorm_backward {{.*}} dx({{.*}} dw(
// DW-NOT: dx(
// DW: norm.rmsnorm_backward {{.*}} dw(
// DW-NOT: dx(
