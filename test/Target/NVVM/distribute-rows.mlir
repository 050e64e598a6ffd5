// RUN: norm-opt %s --norm-distribute-rows-to-gpu --canonicalize --cse --split-input-file | FileCheck %s

// One warp a row, four rows a block: chunk 0 of thread t is elements 4t to 4t+3.
// CHECK-LABEL: func.func @warp
// CHECK: %[[PTR:.*]] = memref.extract_aligned_pointer_as_index %arg0
// CHECK: %[[REST:.*]] = arith.remui %[[PTR]], %c16
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if %[[ALIGNED]]
// CHECK: gpu.launch blocks(%[[B:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c16, %{{.*}} = %c1, %{{.*}} = %c1) threads(%[[T:.*]], %[[W:.*]], %{{.*}}) in (%{{.*}} = %c32, %{{.*}} = %c4, %{{.*}} = %c1)
// CHECK-SAME: module(@norm_kernels) function(@warp_kernel0)
// CHECK: %[[FIRST:.*]] = arith.muli %[[B]], %c4
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[W]]
// CHECK: scf.if
// CHECK: %[[E:.*]] = arith.muli %[[T]], %c4
// CHECK: %[[V:.*]] = vector.load %arg0[%[[ROW]], %[[E]]] {alignment = 16 : i64} : memref<62x128xf32>, vector<4xf32>
// CHECK-COUNT-3: arith.addf
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK-NEXT: memref.store
// CHECK: } else {
// CHECK: gpu.launch
// CHECK-SAME: function(@warp_kernel0_unaligned)
// CHECK-COUNT-4: vector.load {{.*}} vector<1xf32>
func.func @warp(%x: memref<62x128xf32>, %y: memref<62xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (62) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<62x128xf32>, vector<128xf32>
    %s = vector.reduction <add>, %v fastmath<reassoc> : vector<128xf32> into f32
    memref.store %s, %y[%i] : memref<62xf32>
  } {norm.threads = 32 : i64, norm.vector = 4 : i64}
  return
}

// -----

// Two warps exchange through workgroup memory; each row of a block is inside.
// The mask ends in chunk 1: chunk 0 is read without a condition.
// CHECK-LABEL: func.func @masked_max
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[BUF:.*]] : memref<2xf16, #gpu.address_space<workgroup>>)
// CHECK: vector.load {{.*}} {alignment = 8 : i64} : memref<8x400xf16>, vector<4xf16>
// CHECK: scf.if %{{.*}} -> (vector<4xf16>)
// CHECK: vector.load
// CHECK: scf.yield
// CHECK: } else {
// CHECK-NEXT: scf.yield %{{.*}} : vector<4xf16>
// CHECK: arith.maximumf
// 16-bit values travel as f32.
// CHECK: arith.extf
// CHECK-NEXT: gpu.shuffle xor
// CHECK-COUNT-4: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[BUF]]
// CHECK: gpu.barrier
// CHECK-NEXT: %{{.*}} = arith.remui
// CHECK-NEXT: memref.load %[[BUF]]
// CHECK: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: scf.if
// CHECK: vector.store {{.*}} {alignment = 8 : i64}
func.func @masked_max(%x: memref<8x400xf16>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %low = arith.constant dense<0xFC00> : vector<512xf16>
  %mask = vector.constant_mask [400] : vector<512xi1>
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad, %mask {in_bounds = [true]} : memref<8x400xf16>, vector<512xf16>
    %w = arith.select %mask, %v, %low : vector<512xi1>, vector<512xf16>
    %s = vector.reduction <maximumf>, %w : vector<512xf16> into f16
    %b = vector.broadcast %s : f16 to vector<512xf16>
    %d = arith.subf %v, %b : vector<512xf16>
    vector.transfer_write %d, %x[%i, %c0], %mask {in_bounds = [true]} : vector<512xf16>, memref<8x400xf16>
  } {norm.threads = 64 : i64, norm.vector = 4 : i64}
  return
}

// -----

// A mask known at run time may end within a chunk: the last access is masked.
// CHECK-LABEL: func.func @strips
// CHECK: %[[INNER:.*]] = memref.dim %arg0
// CHECK: arith.remui %[[INNER]], %c4
// CHECK: gpu.launch
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<4xi32>, vector<4xi32>)
// CHECK: vector.load
// CHECK: vector.load
// CHECK: scf.for
// CHECK: scf.if
// CHECK: vector.load
// CHECK: else
// CHECK: vector.maskedload
func.func @strips(%x: memref<8x?xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %pad = arith.constant 0 : i32
  %zero = arith.constant dense<0> : vector<256xi32>
  scf.forall (%i) in (8) {
    %main = affine.apply affine_map<()[s0] -> (s0 floordiv 256 * 256)>()[%n]
    %a = scf.for %j = %c0 to %main step %c256 iter_args(%acc = %zero) -> (vector<256xi32>) {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]} : memref<8x?xi32>, vector<256xi32>
      %b = arith.addi %acc, %v : vector<256xi32>
      scf.yield %b : vector<256xi32>
    }
    %t = scf.for %j = %main to %n step %c256 iter_args(%acc = %a) -> (vector<256xi32>) {
      %rest = arith.subi %n, %main : index
      %mask = vector.create_mask %rest : vector<256xi1>
      %v = vector.transfer_read %x[%i, %j], %pad, %mask {in_bounds = [true]} : memref<8x?xi32>, vector<256xi32>
      %b = arith.addi %acc, %v : vector<256xi32>
      scf.yield %b : vector<256xi32>
    }
    %s = vector.reduction <add>, %t : vector<256xi32> into i32
    memref.store %s, %y[%i] : memref<8xi32>
  } {norm.threads = 32 : i64, norm.vector = 4 : i64}
  return
}

// -----

// f64 travels as two halves; two dimensions of rows are numbered by one index.
// CHECK-LABEL: func.func @two_row_dims
// CHECK: gpu.launch
// CHECK-DAG: arith.remui
// CHECK-DAG: arith.divui
// CHECK: arith.shrui
// CHECK-COUNT-10: gpu.shuffle
func.func @two_row_dims(%x: memref<3x5x64xf64>, %y: memref<3x5xf64>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f64
  scf.forall (%i, %j) in (3, 5) {
    %v = vector.transfer_read %x[%i, %j, %c0], %pad {in_bounds = [true]} : memref<3x5x64xf64>, vector<64xf64>
    %s = vector.reduction <add>, %v : vector<64xf64> into f64
    memref.store %s, %y[%i, %j] : memref<3x5xf64>
  } {norm.threads = 32 : i64, norm.vector = 2 : i64}
  return
}

// -----

// Without a plan a thread has an iteration; other accesses get one thread.
// CHECK-LABEL: func.func @scalar
// CHECK: gpu.launch {{.*}} threads(%{{.*}}) in (%{{.*}} = %c128
// CHECK: memref.alloca() : memref<4xf32>
// CHECK-NOT: memref.dealloc
// CHECK: gpu.launch {{.*}} threads(%{{.*}}) in (%{{.*}} = %c1,
// CHECK: memref.store
func.func @scalar(%x: memref<100xf32>, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
    %t = memref.alloc() : memref<4xf32>
    memref.store %a, %t[%c0] : memref<4xf32>
    %v = memref.load %t[%i] : memref<4xf32>
    memref.store %v, %x[%i] : memref<100xf32>
    memref.dealloc %t : memref<4xf32>
  }
  memref.store %a, %x[%c1] : memref<100xf32>
  return
}
