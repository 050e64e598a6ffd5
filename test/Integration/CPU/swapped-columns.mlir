// Rows of two whose columns change places: vectors of rank 2 are put together from
// ub.poison, one row each.
// RUN: norm-run %s --input=3x2xf32=1,2,3,4,5,6 --expected-output=3x2xf32=3,3,7,7,11,11
// RUN: norm-run %s --pipeline=simt --input=3x2xf32=1,2,3,4,5,6 --expected-output=3x2xf32=3,3,7,7,11,11
// RUN: norm-run %s --pipeline=upstream --input=3x2xf32=1,2,3,4,5,6 --expected-output=3x2xf32=3,3,7,7,11,11

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %first = tensor.extract_slice %x[0, 0] [3, 1] [1, 1] : tensor<3x2xf32> to tensor<3x1xf32>
  %second = tensor.extract_slice %x[0, 1] [3, 1] [1, 1] : tensor<3x2xf32> to tensor<3x1xf32>
  %swapped = tensor.concat dim(1) %second, %first : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %e = tensor.empty() : tensor<3x2xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %swapped : tensor<3x2xf32>, tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<3x2xf32>
  return %sum : tensor<3x2xf32>
}
