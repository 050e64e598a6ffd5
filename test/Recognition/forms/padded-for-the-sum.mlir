// RUN: norm-opt %s --norm-recognize | FileCheck %s
// RUN: sed -e 's|constant 0\.0|constant 1.0|' -e 's|%%init = linalg.fill ins(%%zero|%%neg = arith.constant -0.0 : f32 %%init = linalg.fill ins(%%neg|' %s | norm-opt --norm-recognize '--remarks-filter=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONES
// RUN: sed -e 's|constant 6\.0|constant 8.0|' %s | norm-opt --norm-recognize '--remarks-filter=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=EIGHT

// Rows of 6, and of n, are padded with zeros to a multiple of 8 for the sum.

// CHECK-LABEL: func.func @f(
// CHECK-NOT: tensor.pad
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x6xf32>)
// CHECK-SAME: dims = [1] epsilon = 9.99999997E-7 : f32 -> tensor<4x6xf32>
// CHECK-NOT: linalg
// CHECK-LABEL: func.func @dynamic(
// CHECK-NOT: tensor.pad
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x?xf16>)
// CHECK-SAME: dims = [1] epsilon = 9.99999997E-7 : f32 -> tensor<4x?xf16>
// CHECK-NOT: linalg

// Ones are squares, too.
// ONES: remark: [Missed] RMSNorm
// ONES-SAME: (different-tensor)
// The mean is that of 6, not of 8.
// EIGHT: remark: [Missed] RMSNorm
// EIGHT-SAME: (wrong-divisor)
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @f(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 6.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %padded = tensor.pad %x low[0, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x6xf32> to tensor<4x8xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%padded : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.mulf %in, %in : f32
    %next = arith.addf %q, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x6xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<4x6xf32>, tensor<4xf32>) outs(%e2 : tensor<4x6xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

func.func @dynamic(%x: tensor<4x?xf16>) -> tensor<4x?xf16> {
  %zero = arith.constant 0.0 : f16
  %fzero = arith.constant -0.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c1 : tensor<4x?xf16>
  %more = affine.apply affine_map<(d0) -> (-d0 mod 8)>(%d)
  %padded = tensor.pad %x low[0, 0] high[0, %more] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f16
  } : tensor<4x?xf16> to tensor<4x?xf16>
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%fzero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%padded : tensor<4x?xf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f16, %acc: f32):
    %wide = arith.extf %in : f16 to f32
    %q = arith.mulf %wide, %wide : f32
    %next = arith.addf %q, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty(%d) : tensor<4x?xf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<4x?xf16>, tensor<4xf32>) outs(%e2 : tensor<4x?xf16>) {
  ^bb0(%in: f16, %s: f32, %out: f16):
    %wide = arith.extf %in : f16 to f32
    %di = arith.index_cast %d : index to i64
    %n = arith.sitofp %di : i64 to f32
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %wide, %r : f32
    %t = arith.truncf %z : f32 to f16
    linalg.yield %t : f16
  } -> tensor<4x?xf16>
  return %y : tensor<4x?xf16>
}
