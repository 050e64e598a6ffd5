// A program's own vectors of even and odd elements: what is added is itself a vector of one
// element, or the vectors have two dimensions.
// RUN: norm-run %s --function=of_one --input=8xf32=1,2,3,4,5,6,7,8 --input=1xf32=10 --expected-output=4xi8=11,13,15,17 --expected-output=4xi8=12,14,16,18
// RUN: norm-run %s --function=two_dims --input=2x4xf32=1,2,3,4,5,6,7,8 --expected-output=2x2xi8=1,3,5,7 --expected-output=2x2xi8=2,4,6,8

func.func @of_one(%x: tensor<8xf32>, %s: tensor<1xf32>) -> (tensor<4xi8>, tensor<4xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : tensor<8xf32>, vector<8xf32>
  %even, %odd = vector.deinterleave %v : vector<8xf32> -> vector<4xf32>
  %one = vector.transfer_read %s[%c0], %zero {in_bounds = [true]} : tensor<1xf32>, vector<1xf32>
  %all = vector.broadcast %one : vector<1xf32> to vector<4xf32>
  %a = arith.addf %even, %all : vector<4xf32>
  %b = arith.addf %odd, %all : vector<4xf32>
  %p = arith.fptosi %a : vector<4xf32> to vector<4xi8>
  %q = arith.fptosi %b : vector<4xf32> to vector<4xi8>
  %i = tensor.empty() : tensor<4xi8>
  %r = vector.transfer_write %p, %i[%c0] {in_bounds = [true]} : vector<4xi8>, tensor<4xi8>
  %t = vector.transfer_write %q, %i[%c0] {in_bounds = [true]} : vector<4xi8>, tensor<4xi8>
  return %r, %t : tensor<4xi8>, tensor<4xi8>
}

func.func @two_dims(%x: tensor<2x4xf32>) -> (tensor<2x2xi8>, tensor<2x2xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : tensor<2x4xf32>, vector<2x4xf32>
  %even, %odd = vector.deinterleave %v : vector<2x4xf32> -> vector<2x2xf32>
  %p = arith.fptosi %even : vector<2x2xf32> to vector<2x2xi8>
  %q = arith.fptosi %odd : vector<2x2xf32> to vector<2x2xi8>
  %i = tensor.empty() : tensor<2x2xi8>
  %r = vector.transfer_write %p, %i[%c0, %c0] {in_bounds = [true, true]} : vector<2x2xi8>, tensor<2x2xi8>
  %t = vector.transfer_write %q, %i[%c0, %c0] {in_bounds = [true, true]} : vector<2x2xi8>, tensor<2x2xi8>
  return %r, %t : tensor<2x2xi8>, tensor<2x2xi8>
}
