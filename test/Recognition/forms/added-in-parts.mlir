// RUN: norm-opt %s --norm-recognize | FileCheck %s
// RUN: sed -e 's|%%x\[0, 6\]|%%x[0, 5]|' %s | norm-opt --norm-recognize '--remarks-filter=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: sed -e 's|ins(%%b :|ins(%%c :|' %s | norm-opt --norm-recognize '--remarks-filter=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: sed -e 's|constant 0\.0|constant 1.0|' %s | norm-opt --norm-recognize '--remarks-filter=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=OVERLAP

// A row of 8 is added up in three parts, each sum the init of the next one.

// CHECK-LABEL: func.func @f(
// CHECK-NOT: linalg
// CHECK: norm.rmsnorm ins(%{{.*}} : tensor<4x8xf32>)
// CHECK-SAME: dims = [1] epsilon = 9.99999997E-7 : f32 -> tensor<4x8xf32>
// CHECK-NOT: linalg

// Parts that overlap, come twice, or start from another number are no sum of
// the row.
// OVERLAP-NOT: Passed
// OVERLAP: remark: [Missed] RMSNorm
// OVERLAP-SAME: (not-a-sum): expected a sum of squares, found a sum that does not start at 0
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %a = tensor.extract_slice %x[0, 0] [4, 4] [1, 1] : tensor<4x8xf32> to tensor<4x4xf32>
  %b = tensor.extract_slice %x[0, 4] [4, 2] [1, 1] : tensor<4x8xf32> to tensor<4x2xf32>
  %c = tensor.extract_slice %x[0, 6] [4, 2] [1, 1] : tensor<4x8xf32> to tensor<4x2xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %s1 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x4xf32>) outs(%s0 : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.mulf %in, %in : f32
    %next = arith.addf %q, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %s2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%b : tensor<4x2xf32>) outs(%s1 : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.mulf %in, %in : f32
    %next = arith.addf %q, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %s3 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<4x2xf32>) outs(%s2 : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.mulf %in, %in : f32
    %next = arith.addf %q, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %s3 : tensor<4x8xf32>, tensor<4xf32>) outs(%e2 : tensor<4x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
