// RUN: norm-opt %s --norm-tile-products | FileCheck %s

// Columns that a stride keeps apart are copied before the product, and its sums are no part of such a tensor.
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
// CHECK-LABEL: func @strided
// CHECK: %[[B:.*]] = tensor.extract_slice %arg1[0, 0, 1] [64, 64, 1] [1, 1, 1]
// CHECK: %[[C:.*]] = tensor.extract_slice %arg2[0, 0] [24, 64] [1, 2]
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[B]]) : tensor<64x64xf32>
// CHECK: scf.for
// CHECK: tensor.extract_slice %[[COPY]]
// CHECK: %[[OWN:.*]] = tensor.empty() : tensor<24x64xf32>
// CHECK: outs(%[[OWN]]
// CHECK-NOT: tensor.extract_slice %[[B]]
func.func @strided(%a: tensor<24x64xf32>, %w: tensor<64x64x2xf32>, %out: tensor<24x128xf32>) -> tensor<24x128xf32> {
  %zero = arith.constant 0.0 : f32
  %b = tensor.extract_slice %w[0, 0, 1] [64, 64, 1] [1, 1, 1] : tensor<64x64x2xf32> to tensor<64x64xf32>
  %c = tensor.extract_slice %out[0, 0] [24, 64] [1, 2] : tensor<24x128xf32> to tensor<24x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<24x64xf32>) -> tensor<24x64xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<24x64xf32>, tensor<64x64xf32>) outs(%f : tensor<24x64xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<24x64xf32>
  %all = tensor.insert_slice %r into %out[0, 0] [24, 64] [1, 2] : tensor<24x64xf32> into tensor<24x128xf32>
  return %all : tensor<24x128xf32>
}

// Of what a switch yields, the buffer is not known before run time, if one has a stride.
// CHECK-LABEL: func @switched
// CHECK: %[[R:.*]] = scf.index_switch
// CHECK: bufferization.alloc_tensor() copy(%[[R]]) : tensor<?x64xf32>
func.func @switched(%a: tensor<24x64xf32>, %b: tensor<?x64x2xf32>, %c: tensor<?x64xf32>, %i: index, %n: index, %out: tensor<24x?xf32>) -> tensor<24x?xf32> {
  %r = scf.index_switch %i -> tensor<?x64xf32>
  case 0 {
    %part = tensor.extract_slice %b[0, 0, 1] [%n, 64, 1] [1, 1, 1] : tensor<?x64x2xf32> to tensor<?x64xf32>
    scf.yield %part : tensor<?x64xf32>
  }
  default {
    scf.yield %c : tensor<?x64xf32>
  }
  %p = linalg.generic {indexing_maps = [#a, affine_map<(i, j, k) -> (j, k)>, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %r : tensor<24x64xf32>, tensor<?x64xf32>) outs(%out : tensor<24x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<24x?xf32>
  return %p : tensor<24x?xf32>
}

// Where all have rows, it has them, too.
// CHECK-LABEL: func @chosen
// CHECK-NOT: bufferization.alloc_tensor
func.func @chosen(%a: tensor<24x64xf32>, %b: tensor<?x64xf32>, %c: tensor<?x64xf32>, %i: i1, %out: tensor<24x?xf32>) -> tensor<24x?xf32> {
  %r = scf.if %i -> tensor<?x64xf32> {
    scf.yield %b : tensor<?x64xf32>
  } else {
    scf.yield %c : tensor<?x64xf32>
  }
  %p = linalg.generic {indexing_maps = [#a, affine_map<(i, j, k) -> (j, k)>, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %r : tensor<24x64xf32>, tensor<?x64xf32>) outs(%out : tensor<24x?xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<24x?xf32>
  return %p : tensor<24x?xf32>
}
