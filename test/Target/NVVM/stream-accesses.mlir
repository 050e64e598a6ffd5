// RUN: norm-opt %s --norm-stream-gpu-accesses | FileCheck %s
// RUN: norm-opt %s --norm-stream-gpu-accesses=loads-only=true | FileCheck %s --check-prefix=LOADS
// LOADS-LABEL: func.func @f
// LOADS: vector.load %arg0{{.*}}nontemporal = true
// LOADS: vector.store
// LOADS-NOT: nontemporal
// LOADS-SAME: memref

// What depends on the block and happens once; not the weight, not a strip.
// CHECK-LABEL: func.func @f
// CHECK: vector.load %arg0{{.*}} {alignment = 16 : i64, nontemporal = true}
// CHECK: vector.load %arg1{{.*}} : memref<128xf32>
// CHECK-NOT: nontemporal
// CHECK: scf.for
// CHECK-NOT: nontemporal
// CHECK: }
// CHECK: vector.store {{.*}} {alignment = 16 : i64, nontemporal = true}
func.func @f(%x: memref<8x128xf32>, %w: memref<128xf32>, %y: memref<8x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %i = arith.muli %tx, %c4 : index
    %v = vector.load %x[%bx, %i] {alignment = 16 : i64} : memref<8x128xf32>, vector<4xf32>
    %m = vector.load %w[%i] : memref<128xf32>, vector<4xf32>
    %s = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %m) -> (vector<4xf32>) {
      %l = vector.load %x[%bx, %k] : memref<8x128xf32>, vector<4xf32>
      %t = arith.addf %a, %l : vector<4xf32>
      scf.yield %t : vector<4xf32>
    }
    %r = arith.mulf %v, %s : vector<4xf32>
    vector.store %r, %y[%bx, %i] {alignment = 16 : i64} : memref<8x128xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}

// A row that begins anywhere is read from an aligned address on. Its weight lies
// elsewhere by as many elements as that moves it, but is that of all rows.
// CHECK-LABEL: func.func @shifted
// CHECK: vector.load %{{.*}} {alignment = 16 : i64, nontemporal = true} : memref<?xf32>
// CHECK: vector.load %arg1
// CHECK-NOT: nontemporal
// CHECK-SAME: memref<127xf32>
// CHECK: vector.load %arg2
// CHECK-NOT: nontemporal
// CHECK-SAME: memref<96xf32>
func.func @shifted(%x: memref<?xf32>, %w: memref<127xf32>, %t: memref<96xf32>, %y: memref<?x32xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c127 = arith.constant 127 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %row = arith.muli %bx, %c127 : index
    %shift = arith.andi %row, %c3 : index
    %i = arith.muli %tx, %c4 : index
    %first = arith.subi %row, %shift : index
    %at = arith.addi %first, %i : index
    %v = vector.load %x[%at] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
    %k = arith.subi %i, %shift : index
    %m = vector.load %w[%k] {alignment = 16 : i64} : memref<127xf32>, vector<4xf32>
    %turn = arith.remui %bx, %c3 : index
    %part = arith.muli %turn, %c32 : index
    %n = vector.load %t[%part] {alignment = 16 : i64} : memref<96xf32>, vector<4xf32>
    %p = arith.mulf %v, %m : vector<4xf32>
    %r = arith.mulf %p, %n : vector<4xf32>
    vector.store %r, %y[%bx, %k] {alignment = 16 : i64} : memref<?x32xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}
