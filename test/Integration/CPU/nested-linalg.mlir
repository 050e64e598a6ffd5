// A sum within the body of a linalg op, which starts from a fill outside of it:
// each element has its own sum, compiled, by upstream's passes, and as kernels.
// RUN: norm-run %s --input=4x8xf32=1 --expected-output=4xf32=8
// RUN: norm-run %s --pipeline=upstream --input=4x8xf32=1 --expected-output=4xf32=8
// RUN: norm-run %s --pipeline=simt --input=4x8xf32=1 --expected-output=4xf32=8
// RUN: not norm-run %s --input=4x8xf32=1 --expected-output=4xf32=16

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>
func.func @main(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e4 = tensor.empty() : tensor<4xf32>
  %e0 = tensor.empty() : tensor<f32>
  %e8 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e4 : tensor<4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %sum = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]} ins(%e8 : tensor<8xf32>) outs(%init : tensor<f32>) {
    ^bb1(%unused: f32, %acc: f32):
      %in = tensor.extract %x[%i, %i] : tensor<4x8xf32>
      %next = arith.addf %in, %acc : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %v = tensor.extract %sum[] : tensor<f32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
