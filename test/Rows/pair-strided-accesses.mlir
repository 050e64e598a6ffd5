// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-pair-strided-accesses),cse)' | FileCheck %s

#even = strided<[64, 2]>
#odd = strided<[64, 2], offset: 1>

// Both reads are of the same pairs, and both writes are one.
// CHECK-LABEL: func.func @pairs
// CHECK-SAME: (%[[X:.*]]: memref<?x64xf32>, %[[Y:.*]]: memref<?x64xf32>, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK: %[[C:.*]] = affine.apply #{{.*}}()[%[[J]]]
// CHECK: %[[P:.*]] = vector.transfer_read %[[X]][%[[I]], %[[C]]], %{{.*}} {in_bounds = [true]} : memref<?x64xf32>, vector<32xf32>
// CHECK: %[[A:.*]], %[[B:.*]] = vector.deinterleave %[[P]]
// CHECK-NOT: transfer_read
// CHECK: %[[S:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: %[[T:.*]] = arith.subf %[[A]], %[[B]]
// CHECK: %[[Q:.*]] = vector.interleave %[[T]], %[[S]]
// CHECK: vector.transfer_write %[[Q]], %[[Y]][%[[I]], %[[C]]] {in_bounds = [true]} : vector<32xf32>, memref<?x64xf32>
// CHECK-NOT: transfer_write
// CHECK: return
func.func @pairs(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %i: index, %j: index) {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %m = memref.dim %x, %c0 : memref<?x64xf32>
  %x0 = memref.subview %x[0, 0] [%m, 32] [1, 2] : memref<?x64xf32> to memref<?x32xf32, #even>
  %x1 = memref.subview %x[0, 1] [%m, 32] [1, 2] : memref<?x64xf32> to memref<?x32xf32, #odd>
  %y0 = memref.subview %y[0, 0] [%m, 32] [1, 2] : memref<?x64xf32> to memref<?x32xf32, #even>
  %y1 = memref.subview %y[0, 1] [%m, 32] [1, 2] : memref<?x64xf32> to memref<?x32xf32, #odd>
  %a = vector.transfer_read %x0[%i, %j], %f0 {in_bounds = [true]} : memref<?x32xf32, #even>, vector<16xf32>
  %b = vector.transfer_read %x1[%i, %j], %f0 {in_bounds = [true]} : memref<?x32xf32, #odd>, vector<16xf32>
  %s = arith.addf %a, %b : vector<16xf32>
  vector.transfer_write %s, %y1[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<?x32xf32, #odd>
  %t = arith.subf %a, %b : vector<16xf32>
  vector.transfer_write %t, %y0[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<?x32xf32, #even>
  return
}

// The mask of the end of a row, and a row whose dimension was dropped.
// CHECK-LABEL: func.func @masked
// CHECK: %[[M:.*]] = vector.constant_mask [6] : vector<8xi1>
// CHECK: vector.transfer_read %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}, %[[M]] {in_bounds = [true]} : memref<4x6xf32>, vector<8xf32>
// CHECK: %[[EVEN:.*]], %[[ODD:.*]] = vector.deinterleave
// CHECK: return %[[ODD]]
func.func @masked(%x: memref<4x6xf32>, %i: index) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %m = vector.constant_mask [3] : vector<4xi1>
  %x1 = memref.subview %x[%i, 1] [1, 3] [1, 2] : memref<4x6xf32> to memref<3xf32, strided<[2], offset: ?>>
  %a = vector.transfer_read %x1[%c0], %f0, %m {in_bounds = [true]} : memref<3xf32, strided<[2], offset: ?>>, vector<4xf32>
  return %a : vector<4xf32>
}

// The last even element has no neighbor; a stride of three; a write without its
// other half, and one whose halves have a read between them.
// CHECK-LABEL: func.func @not_pairs
// CHECK-NOT: vector.deinterleave
// CHECK-NOT: vector.interleave
// CHECK: return
func.func @not_pairs(%x: memref<7xf32>, %y: memref<12xf32>, %z: memref<8xf32>, %o: memref<8xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %f0 = arith.constant 0.0 : f32
  %x0 = memref.subview %x[0] [4] [2] : memref<7xf32> to memref<4xf32, strided<[2]>>
  %y0 = memref.subview %y[0] [4] [3] : memref<12xf32> to memref<4xf32, strided<[3]>>
  %z0 = memref.subview %z[0] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2]>>
  %o0 = memref.subview %o[0] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2]>>
  %o1 = memref.subview %o[1] [4] [2] : memref<8xf32> to memref<4xf32, strided<[2], offset: 1>>
  %a = vector.transfer_read %x0[%c0], %f0 {in_bounds = [true]} : memref<4xf32, strided<[2]>>, vector<4xf32>
  %b = vector.transfer_read %y0[%c0], %f0 {in_bounds = [true]} : memref<4xf32, strided<[3]>>, vector<4xf32>
  vector.transfer_write %a, %z0[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32, strided<[2]>>
  vector.transfer_write %a, %o0[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32, strided<[2]>>
  %c = vector.transfer_read %y0[%c0], %f0 {in_bounds = [true]} : memref<4xf32, strided<[3]>>, vector<4xf32>
  vector.transfer_write %b, %o1[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32, strided<[2], offset: 1>>
  return %c : vector<4xf32>
}
