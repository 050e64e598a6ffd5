// RUN: norm-opt %s --norm-distribute-rows-to-gpu | FileCheck %s

// The sum needs no statistic. It may lie in the buffer of %x, of which each
// thread has read what it overwrites; %w has another shape.
// CHECK-LABEL: func.func @residual
// CHECK: arith.addf
// CHECK: vector.transfer_write {{.*}} %arg3
// CHECK-NEXT: vector.reduction
// CHECK: vector.transfer_write {{.*}} %arg2
// CHECK-NOT: vector.transfer_write
func.func @residual(%x: memref<8x64xf32>, %w: memref<64xf32>, %y: memref<8x64xf32>, %h: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%row) in (8) {
    %a = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
    %b = arith.addf %a, %a : vector<64xf32>
    %s = vector.reduction <add>, %b : vector<64xf32> into f32
    %c = vector.transfer_read %w[%c0], %zero {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
    %d = vector.broadcast %s : f32 to vector<64xf32>
    %e = arith.mulf %c, %d : vector<64xf32>
    vector.transfer_write %e, %y[%row, %c0] {in_bounds = [true]} : vector<64xf32>, memref<8x64xf32>
    vector.transfer_write %b, %h[%row, %c0] {in_bounds = [true]} : vector<64xf32>, memref<8x64xf32>
  }
  return
}

// %h may be %z, which is read after the reduction.
// CHECK-LABEL: func.func @read_later
// CHECK: vector.reduction
// CHECK: vector.transfer_read %arg1
// CHECK: vector.transfer_write
func.func @read_later(%x: memref<8x64xf32>, %z: memref<8x64xf32>, %y: memref<8x64xf32>, %h: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%row) in (8) {
    %a = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
    %b = arith.addf %a, %a : vector<64xf32>
    %s = vector.reduction <add>, %b : vector<64xf32> into f32
    %c = vector.transfer_read %z[%row, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
    %d = vector.broadcast %s : f32 to vector<64xf32>
    %e = arith.mulf %c, %d : vector<64xf32>
    vector.transfer_write %e, %y[%row, %c0] {in_bounds = [true]} : vector<64xf32>, memref<8x64xf32>
    vector.transfer_write %b, %h[%row, %c0] {in_bounds = [true]} : vector<64xf32>, memref<8x64xf32>
  }
  return
}

// Half a row is read elsewhere: by another thread than the one that writes there.
// CHECK-LABEL: func.func @other_place
// CHECK: vector.reduction
// CHECK: vector.transfer_write
func.func @other_place(%x: memref<8x64xf32>, %h: memref<8x64xi32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%row) in (8) {
    %a = vector.transfer_read %x[%row, %c32], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<32xf32>
    %b = arith.fptosi %a : vector<32xf32> to vector<32xi32>
    %s = vector.reduction <add>, %b : vector<32xi32> into i32
    vector.transfer_write %b, %h[%row, %c0] {in_bounds = [true]} : vector<32xi32>, memref<8x64xi32>
  }
  return
}

// The write of a buffer that something else writes, and one that no computation
// of the loop precedes, stay.
// CHECK-LABEL: func.func @written_twice
// CHECK: vector.reduction
// CHECK: memref.store
// CHECK: vector.transfer_write
func.func @written_twice(%x: memref<8x64xf32>, %h: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%row) in (8) {
    %a = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
    %s = vector.reduction <add>, %a : vector<64xf32> into f32
    memref.store %s, %h[%row, %c0] : memref<8x64xf32>
    vector.transfer_write %a, %h[%row, %c0] {in_bounds = [true]} : vector<64xf32>, memref<8x64xf32>
  }
  return
}

// Before the squares too: they and the row need not be held together.
// CHECK-LABEL: func.func @squares
// CHECK: arith.addf
// CHECK-NEXT: vector.transfer_write {{.*}} %arg1
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: vector.reduction
func.func @squares(%x: memref<8x64xf32>, %h: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%row) in (8) {
    %a = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
    %b = arith.addf %a, %a : vector<64xf32>
    %q = arith.mulf %b, %b : vector<64xf32>
    %s = vector.reduction <add>, %q : vector<64xf32> into f32
    vector.transfer_write %b, %h[%row, %c0] {in_bounds = [true]} : vector<64xf32>, memref<8x64xf32>
  }
  return
}
