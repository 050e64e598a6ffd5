// Loops that insert into the tensor that they carry, in place, and read it before,
// after, and as it was.
// RUN: norm-run %s --function=cache --input=3x5xf32=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 --input=4x5xf32=7 --expected-output=4x5xf32=7,7,7,7,7,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
// RUN: norm-run %s --function=cache --pipeline=upstream --input=3x5xf32=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 --input=4x5xf32=7 --expected-output=4x5xf32=7,7,7,7,7,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
// RUN: norm-run %s --function=reads --input=4xf32=1,2,3,4 --expected-output=4xf32=2,4,6,8 --expected-output=f32=21
// RUN: norm-run %s --function=reads --pipeline=upstream --input=4xf32=1,2,3,4 --expected-output=4xf32=2,4,6,8 --expected-output=f32=21
// RUN: norm-run %s --function=exchange --input=2xf32=1,2 --input=2xf32=5,6 --expected-output=2xf32=6,2 --expected-output=2xf32=30,6
// RUN: norm-run %s --function=exchange --pipeline=upstream --input=2xf32=1,2 --input=2xf32=5,6 --expected-output=2xf32=6,2 --expected-output=2xf32=30,6

func.func @cache(%x: tensor<3x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%h = %c) -> tensor<4x5xf32> {
    %s = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<3x5xf32> to tensor<1x5xf32>
    %k = arith.addi %i, %c1 : index
    %w = tensor.insert_slice %s into %h[%k, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
    scf.yield %w : tensor<4x5xf32>
  }
  return %r : tensor<4x5xf32>
}

// The sum of old elements, 1 2 3 4, and of the next ones in the new tensor, 2 3 4 and
// the first, which is doubled by then: 2.
func.func @reads(%x: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%h = %x, %acc = %zero) -> (tensor<4xf32>, f32) {
    %v = tensor.extract %h[%i] : tensor<4xf32>
    %d = arith.addf %v, %v : f32
    %w = tensor.insert %d into %h[%i] : tensor<4xf32>
    %old = tensor.extract %h[%i] : tensor<4xf32>
    %j = arith.addi %i, %c1 : index
    %k = arith.remui %j, %c4 : index
    %next = tensor.extract %w[%k] : tensor<4xf32>
    %both = arith.addf %old, %next : f32
    %a = arith.addf %acc, %both : f32
    scf.yield %w, %a : tensor<4xf32>, f32
  }
  return %r#0, %r#1 : tensor<4xf32>, f32
}

// Each of two turns inserts into the other one's tensor.
func.func @exchange(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2xf32>, tensor<2xf32>) {
    %v = tensor.extract %b[%c0] : tensor<2xf32>
    %w = arith.mulf %v, %two : f32
    %na = tensor.insert %w into %b[%c0] : tensor<2xf32>
    %u = tensor.extract %a[%c0] : tensor<2xf32>
    %t = arith.mulf %u, %three : f32
    %nb = tensor.insert %t into %a[%c0] : tensor<2xf32>
    scf.yield %na, %nb : tensor<2xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
}
