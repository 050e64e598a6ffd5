// RUN: norm-opt %s --split-input-file > %t.before
// RUN: norm-opt %s --split-input-file --norm-recognize '--remarks-filter=norm.*' > %t.after 2> %t.remarks
// RUN: diff %t.before %t.after
// RUN: FileCheck %s --input-file=%t.remarks --implicit-check-not=remark:

// With the call inlined it is no norm either: n - 1. Nothing changes, and one remark
// says why.

// CHECK: calls-rejected.mlir:{{.*}} remark: [Missed] {{.*}}(wrong-divisor): sum over dims [1] has 8 terms but is divided by 7

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module {
  func.func @wrong_divisor(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %n = arith.constant 7.0 : f32
    %sum = call @sum(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%x, %sum : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%in: f32, %s: f32, %out: f32):
      %m = arith.divf %s, %n : f32
      %r = math.rsqrt %m : f32
      %z = arith.mulf %in, %r : f32
      linalg.yield %z : f32
    } -> tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }
  func.func private @sum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %square = arith.mulf %in, %in : f32
      %next = arith.addf %square, %acc : f32
      linalg.yield %next : f32
    } -> tensor<4xf32>
    return %sum : tensor<4xf32>
  }
}

// -----

// Neither a recursive function nor one without a body is read; one that another module
// may replace (public) is not either.

// CHECK: remark: [Missed] {{.*}}(not-a-sum): the root of a value that no sum in the function computes

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module {
  func.func @scale(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %n = arith.constant 8.0 : f32
    %s0 = call @ping(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
    %s1 = call @external(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
    %s2 = call @public_sum(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %y = linalg.generic {indexing_maps = [#all, #row, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%x, %s0, %s1, %s2 : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%in: f32, %a: f32, %b: f32, %c: f32, %out: f32):
      %m = arith.divf %c, %n : f32
      %r = math.rsqrt %m : f32
      %z = arith.mulf %in, %r : f32
      linalg.yield %z : f32
    } -> tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }
  func.func private @ping(%x: tensor<4x8xf32>) -> tensor<4xf32> {
    %s = call @pong(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
    return %s : tensor<4xf32>
  }
  func.func private @pong(%x: tensor<4x8xf32>) -> tensor<4xf32> {
    %s = call @ping(%x) : (tensor<4x8xf32>) -> tensor<4xf32>
    return %s : tensor<4xf32>
  }
  func.func private @external(%x: tensor<4x8xf32>) -> tensor<4xf32>
  func.func @public_sum(%x: tensor<4x8xf32>) -> tensor<4xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %square = arith.mulf %in, %in : f32
      %next = arith.addf %square, %acc : f32
      linalg.yield %next : f32
    } -> tensor<4xf32>
    return %sum : tensor<4xf32>
  }
}
