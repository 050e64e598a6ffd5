// RUN: norm-opt %s --norm-separate-destinations | FileCheck %s

// Bufferization would let each element go on with the sum of the one before it.
// CHECK-LABEL: func.func @sums
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) : tensor<f32>
// CHECK: linalg.generic {{.*}} outs(%[[OWN]]
func.func @sums(%x: tensor<8xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e4 = tensor.empty() : tensor<4xf32>
  %e0 = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e4 : tensor<4xf32>) {
  ^bb0(%out: f32):
    %sum = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%init : tensor<f32>) {
    ^bb1(%in: f32, %acc: f32):
      %next = arith.addf %in, %acc : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %v = tensor.extract %sum[] : tensor<f32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The body of a tensor.generate runs once for each element, too.
// CHECK-LABEL: func.func @generated
// CHECK: tensor.generate
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) : tensor<f32>
// CHECK: linalg.generic {{.*}} outs(%[[OWN]]
func.func @generated(%x: tensor<8xf32>, %init: tensor<f32>) -> tensor<4xf32> {
  %y = tensor.generate {
  ^bb0(%i: index):
    %sum = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%init : tensor<f32>) {
    ^bb1(%in: f32, %acc: f32):
      %next = arith.addf %in, %acc : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %v = tensor.extract %sum[] : tensor<f32>
    tensor.yield %v : f32
  } : tensor<4xf32>
  return %y : tensor<4xf32>
}

// An empty tensor has nothing to copy.
// CHECK-LABEL: func.func @from_empty
// CHECK: linalg.generic
// CHECK-NOT: alloc_tensor
// CHECK: %[[OWN:.*]] = tensor.empty() : tensor<8xf32>
// CHECK: linalg.exp {{.*}} outs(%[[OWN]]
func.func @from_empty(%x: tensor<8xf32>) -> tensor<4xf32> {
  %e4 = tensor.empty() : tensor<4xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e4 : tensor<4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %all = linalg.exp ins(%x : tensor<8xf32>) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
    %v = tensor.extract %all[%i] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// What is only read stays; so does all outside of bodies.
// CHECK-LABEL: func.func @reads
// CHECK-NOT: alloc_tensor
func.func @reads(%x: tensor<4xf32>, %t: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
