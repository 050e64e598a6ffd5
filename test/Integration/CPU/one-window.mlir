// One window of an operand that holds more: loops of one iteration are folded away.
// RUN: norm-run %s --pipeline=cpu --function=pool --input=1x1x5xf32=1,2,3,4,5 --expected-output=1x1x1xf32=6
// RUN: norm-run %s --pipeline=cpu --function=open --input=1x2x5xf32=1,2,3,4,5,10,20,30,40,50 --expected-output=1x2x1xf32=6,60
// RUN: norm-run %s --pipeline=cpu --function=strided --input=1x1x7xf32=1,2,3,4,5,6,7 --expected-output=1x1x3xf32=1,2,3
// RUN: norm-run %s --pipeline=cpu --function=one_element --input=1x1x7xf32=1,2,3,4,5,6,7 --expected-output=1x1x1xf32=1
// RUN: norm-run %s --pipeline=cpu --function=open_window --input=5xf32=1,2,3,4,5 --input=3xf32=1,10,100 --expected-output=1xf32=321
// RUN: norm-run %s --pipeline=simt --function=pool --input=1x1x5xf32=1,2,3,4,5 --expected-output=1x1x1xf32=6
// RUN: norm-run %s --pipeline=simt --function=open --input=1x2x5xf32=1,2,3,4,5,10,20,30,40,50 --expected-output=1x2x1xf32=6,60
// RUN: norm-run %s --pipeline=simt --function=strided --input=1x1x7xf32=1,2,3,4,5,6,7 --expected-output=1x1x3xf32=1,2,3
// RUN: norm-run %s --pipeline=simt --function=one_element --input=1x1x7xf32=1,2,3,4,5,6,7 --expected-output=1x1x1xf32=1
// RUN: norm-run %s --pipeline=simt --function=open_window --input=5xf32=1,2,3,4,5 --input=3xf32=1,10,100 --expected-output=1xf32=321
// RUN: norm-run %s --pipeline=upstream --function=pool --input=1x1x5xf32=1,2,3,4,5 --expected-output=1x1x1xf32=6
// RUN: norm-run %s --pipeline=upstream --function=open --input=1x2x5xf32=1,2,3,4,5,10,20,30,40,50 --expected-output=1x2x1xf32=6,60
// RUN: norm-run %s --pipeline=upstream --function=strided --input=1x1x7xf32=1,2,3,4,5,6,7 --expected-output=1x1x3xf32=1,2,3
// RUN: norm-run %s --pipeline=upstream --function=one_element --input=1x1x7xf32=1,2,3,4,5,6,7 --expected-output=1x1x1xf32=1
// RUN: norm-run %s --pipeline=upstream --function=open_window --input=5xf32=1,2,3,4,5 --input=3xf32=1,10,100 --expected-output=1xf32=321

func.func @pool(%x: tensor<1x1x5xf32>) -> tensor<1x1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  %window = tensor.empty() : tensor<3xf32>
  %y = linalg.pooling_ncw_sum {dilations = dense<1> : vector<1xi64>, strides = dense<2> : vector<1xi64>} ins(%x, %window : tensor<1x1x5xf32>, tensor<3xf32>) outs(%init : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  return %y : tensor<1x1x1xf32>
}
func.func @open(%x: tensor<1x2x?xf32>) -> tensor<1x2x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  %window = tensor.empty() : tensor<3xf32>
  %y = linalg.pooling_ncw_sum {dilations = dense<1> : vector<1xi64>, strides = dense<2> : vector<1xi64>} ins(%x, %window : tensor<1x2x?xf32>, tensor<3xf32>) outs(%init : tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  return %y : tensor<1x2x1xf32>
}
func.func @strided(%x: tensor<1x1x7xf32>) -> tensor<1x1x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  %window = tensor.empty() : tensor<1xf32>
  %y = linalg.pooling_ncw_max {dilations = dense<1> : vector<1xi64>, strides = dense<1> : vector<1xi64>} ins(%x, %window : tensor<1x1x7xf32>, tensor<1xf32>) outs(%init : tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  return %y : tensor<1x1x3xf32>
}
func.func @one_element(%x: tensor<1x1x7xf32>) -> tensor<1x1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1x1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  %window = tensor.empty() : tensor<1xf32>
  %y = linalg.pooling_ncw_sum {dilations = dense<1> : vector<1xi64>, strides = dense<2> : vector<1xi64>} ins(%x, %window : tensor<1x1x7xf32>, tensor<1xf32>) outs(%init : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
  return %y : tensor<1x1x1xf32>
}
func.func @open_window(%x: tensor<?xf32>, %w: tensor<?xf32>) -> tensor<1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x, %w : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<1xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}
