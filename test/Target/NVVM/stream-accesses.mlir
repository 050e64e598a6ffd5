// RUN: norm-opt %s --norm-stream-gpu-accesses | FileCheck %s

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
