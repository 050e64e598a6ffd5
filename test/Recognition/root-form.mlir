// RUN: norm-opt %s --norm-recognize | FileCheck %s
// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: norm-run %s --function=rsqrt --input=4x8xbf16=0.138671875 --expected-output=4x8xbf16=0.9765625 --max-ulp=0
// RUN: norm-run %s --function=divided --input=4x8xbf16=0.138671875 --expected-output=4x8xbf16=0.97265625 --max-ulp=0
// RUN: norm-run %s --function=inverted --input=4x8xbf16=0.138671875 --expected-output=4x8xbf16=0.96875 --max-ulp=0

// In 16-bit arithmetic the spellings of the root round at different places, up to 3 ulp
// apart: each keeps its own (S3).

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @rsqrt(
// CHECK: norm.rmsnorm {{.*}} root_form =  rsqrt compute_type = bf16
// REMARK: found RMSNorm over dims [1], {{.*}} root form rsqrt
func.func @rsqrt(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %zero = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : bf16
  %n = arith.constant 8.0 : bf16
  %eps = arith.constant 1.0e-3 : bf16
  %e1 = tensor.empty() : tensor<4xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%e1 : tensor<4xbf16>) -> tensor<4xbf16>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xbf16>) outs(%init : tensor<4xbf16>) {
  ^bb0(%in: bf16, %acc: bf16):
    %square = arith.mulf %in, %in : bf16
    %next = arith.addf %square, %acc : bf16
    linalg.yield %next : bf16
  } -> tensor<4xbf16>
  %e2 = tensor.empty() : tensor<4x8xbf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x8xbf16>, tensor<4xbf16>) outs(%e2 : tensor<4x8xbf16>) {
  ^bb0(%in: bf16, %s: bf16, %out: bf16):
    %mean = arith.divf %s, %n : bf16
    %m = arith.addf %mean, %eps : bf16
    %r = math.rsqrt %m : bf16
    %z = arith.mulf %in, %r : bf16
    linalg.yield %z : bf16
  } -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// CHECK-LABEL: func.func @divided(
// CHECK: norm.rmsnorm {{.*}} root_form =  quotient compute_type = bf16
// REMARK: found RMSNorm over dims [1], {{.*}} root form quotient
func.func @divided(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %zero = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : bf16
  %n = arith.constant 8.0 : bf16
  %eps = arith.constant 1.0e-3 : bf16
  %e1 = tensor.empty() : tensor<4xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%e1 : tensor<4xbf16>) -> tensor<4xbf16>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xbf16>) outs(%init : tensor<4xbf16>) {
  ^bb0(%in: bf16, %acc: bf16):
    %square = arith.mulf %in, %in : bf16
    %next = arith.addf %square, %acc : bf16
    linalg.yield %next : bf16
  } -> tensor<4xbf16>
  %e2 = tensor.empty() : tensor<4x8xbf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x8xbf16>, tensor<4xbf16>) outs(%e2 : tensor<4x8xbf16>) {
  ^bb0(%in: bf16, %s: bf16, %out: bf16):
    %mean = arith.divf %s, %n : bf16
    %m = arith.addf %mean, %eps : bf16
    %root = math.sqrt %m : bf16
    %z = arith.divf %in, %root : bf16
    linalg.yield %z : bf16
  } -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// CHECK-LABEL: func.func @inverted(
// CHECK-NOT: root_form
// CHECK: norm.rmsnorm {{.*}} epsilon = {{[^ ]*}} : bf16 compute_type = bf16
func.func @inverted(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %zero = arith.constant 0.0 : bf16
  %one = arith.constant 1.0 : bf16
  %n = arith.constant 8.0 : bf16
  %eps = arith.constant 1.0e-3 : bf16
  %e1 = tensor.empty() : tensor<4xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%e1 : tensor<4xbf16>) -> tensor<4xbf16>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xbf16>) outs(%init : tensor<4xbf16>) {
  ^bb0(%in: bf16, %acc: bf16):
    %square = arith.mulf %in, %in : bf16
    %next = arith.addf %square, %acc : bf16
    linalg.yield %next : bf16
  } -> tensor<4xbf16>
  %e2 = tensor.empty() : tensor<4x8xbf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x8xbf16>, tensor<4xbf16>) outs(%e2 : tensor<4x8xbf16>) {
  ^bb0(%in: bf16, %s: bf16, %out: bf16):
    %mean = arith.divf %s, %n : bf16
    %m = arith.addf %mean, %eps : bf16
    %root = math.sqrt %m : bf16
    %r = arith.divf %one, %root : bf16
    %z = arith.mulf %in, %r : bf16
    linalg.yield %z : bf16
  } -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// In f32 the difference is in the last bits, and the product is faster.

// CHECK-LABEL: func.func @divided_f32(
// CHECK-NOT: root_form
// CHECK: norm.rmsnorm {{.*}} : f32 -> tensor<4x8xf32>
func.func @divided_f32(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-3 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x8xf32>, tensor<4xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %root = math.sqrt %m : f32
    %z = arith.divf %in, %root : f32
    linalg.yield %z : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
