// Rows of an iteration are loaded in the one before it.
// RUN: norm-opt %s --norm-hoist-gpu-loads | FileCheck %s

// The first row is loaded before the loop, if there is one. The last iteration loads its own
// row once more. The weight is the same in each.
// CHECK-LABEL: func.func @rows
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %c0{{.*}}, %[[N:arg[0-9]+]] : index
// CHECK-NEXT: %[[FIRST:.*]] = scf.if %[[ANY]] -> (vector<4xf32>) {
// CHECK: vector.load %arg0[%c0
// CHECK: } else {
// CHECK: arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %[[N]] step %[[ONE:.*]] iter_args(%[[SUM:.*]] = %{{.*}}, %[[ROW:.*]] = %[[FIRST]])
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[I]], %[[ONE]]
// CHECK-NEXT: %[[LAST:.*]] = arith.subi %[[N]], %[[ONE]]
// CHECK-NEXT: %[[AT:.*]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK: %[[LOADED:.*]] = vector.load %arg0[%[[AT]], %{{.*}}]
// CHECK-NOT: vector.load %arg0
// CHECK: vector.extract %[[ROW]][0]
// CHECK: vector.load %arg1
// CHECK: gpu.shuffle
// CHECK: scf.yield %{{.*}}, %[[LOADED]]
func.func @rows(%x: memref<?x128xf32>, %w: memref<128xf32>, %y: memref<?x128xf32>, %s: memref<128xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %i16 = arith.constant 16 : i32
  %i32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %i = arith.muli %tx, %c4 : index
    %sum = scf.for %r = %c0 to %n step %c1 iter_args(%sums = %zero) -> (vector<4xf32>) {
      %v = vector.load %x[%r, %i] : memref<?x128xf32>, vector<4xf32>
      %a = vector.extract %v[0] : f32 from vector<4xf32>
      %e, %valid = gpu.shuffle xor %a, %i16, %i32 : f32
      %l = vector.load %w[%i] : memref<128xf32>, vector<4xf32>
      %b = vector.broadcast %e : f32 to vector<4xf32>
      %m = arith.mulf %v, %b : vector<4xf32>
      %p = arith.mulf %m, %l : vector<4xf32>
      vector.store %p, %y[%r, %i] : memref<?x128xf32>, vector<4xf32>
      %next = arith.addf %sums, %m : vector<4xf32>
      scf.yield %next : vector<4xf32>
    }
    vector.store %sum, %s[%i] : memref<128xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}

// What the loop writes to another row than it reads may be the next row.
// CHECK-LABEL: func.func @written
// CHECK: scf.for
// CHECK-NEXT: vector.load %arg0
func.func @written(%x: memref<?x128xf32>, %y: memref<?x128xf32>, %s: memref<128xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %i16 = arith.constant 16 : i32
  %i32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %i = arith.muli %tx, %c4 : index
    %sum = scf.for %r = %c0 to %n step %c1 iter_args(%sums = %zero) -> (vector<4xf32>) {
      %v = vector.load %x[%r, %i] : memref<?x128xf32>, vector<4xf32>
      %a = vector.extract %v[0] : f32 from vector<4xf32>
      %e, %valid = gpu.shuffle xor %a, %i16, %i32 : f32
      %b = vector.broadcast %e : f32 to vector<4xf32>
      %next = arith.addf %sums, %b : vector<4xf32>
      %after = arith.addi %r, %c1 : index
      vector.store %b, %y[%after, %i] : memref<?x128xf32>, vector<4xf32>
      scf.yield %next : vector<4xf32>
    }
    vector.store %sum, %s[%i] : memref<128xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}

// Nor where an iteration reads what the one before it has computed.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for
// CHECK-NEXT: vector.load %arg0
func.func @carried(%x: memref<?x128xf32>, %s: memref<128xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %i16 = arith.constant 16 : i32
  %i32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %i = arith.muli %tx, %c4 : index
    %sum:2 = scf.for %r = %c0 to %n step %c1 iter_args(%sums = %zero, %at = %c0) -> (vector<4xf32>, index) {
      %v = vector.load %x[%at, %i] : memref<?x128xf32>, vector<4xf32>
      %a = vector.extract %v[0] : f32 from vector<4xf32>
      %e, %valid = gpu.shuffle xor %a, %i16, %i32 : f32
      %b = vector.broadcast %e : f32 to vector<4xf32>
      %next = arith.addf %sums, %b : vector<4xf32>
      %after = arith.addi %r, %at : index
      scf.yield %next, %after : vector<4xf32>, index
    }
    vector.store %sum#0, %s[%i] : memref<128xf32>, vector<4xf32>
    gpu.terminator
  }
  return
}

// A block of 1024 threads has no registers for rows of 32 elements, their sums and the next row.
// RUN: sed 's/%%c32 = arith.constant 32/%%c32 = arith.constant 1024/; s/vector<4x/vector<32x/g' %s | norm-opt --norm-hoist-gpu-loads | FileCheck %s --check-prefix=FULL
// FULL-LABEL: func.func @rows
// FULL: scf.for
// FULL-NEXT: vector.load %arg0
