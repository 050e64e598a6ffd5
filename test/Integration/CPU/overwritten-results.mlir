// A fill whose outs is a result: it is computed behind the write of that result, and
// must not be computed in its buffer.
// RUN: norm-run %s --pipeline=upstream --input=4xf32=1,2,3,4 --expected-output=f32=11 --expected-output=4xf32=-2,-2,-2,-2 --expected-output=f32=2
// RUN: norm-run %s --input=4xf32=1,2,3,4 --expected-output=f32=11 --expected-output=4xf32=-2,-2,-2,-2 --expected-output=f32=2
// RUN: norm-run %s --pipeline=simt --input=4xf32=1,2,3,4 --expected-output=f32=11 --expected-output=4xf32=-2,-2,-2,-2 --expected-output=f32=2

func.func @main(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<f32>) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<f32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%ones : tensor<f32>) {
  ^bb0(%i: f32, %o: f32):
    %v = arith.addf %i, %o : f32
    linalg.yield %v : f32
  } -> tensor<f32>
  %twos = linalg.fill ins(%two : f32) outs(%sum : tensor<f32>) -> tensor<f32>
  %e2 = tensor.empty() : tensor<4xf32>
  %neg = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%twos : tensor<f32>) outs(%e2 : tensor<4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v = arith.negf %i : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %sum, %neg, %twos : tensor<f32>, tensor<4xf32>, tensor<f32>
}
