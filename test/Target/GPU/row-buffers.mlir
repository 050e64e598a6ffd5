// RUN: norm-opt %s --norm-distribute-rows-to-gpu --split-input-file | FileCheck %s

// A value that the row stores and reads back: each thread stores it, under no
// condition on its number. A loop of one turn and a copy are scalars as well.
// CHECK-LABEL: func.func @read_back
// CHECK: gpu.launch
// CHECK: memref.store %{{.*}}, %arg1
// CHECK-NOT: scf.if
// CHECK: memref.load %arg1
func.func @read_back(%x: memref<64x128xf32>, %s: memref<64xf32>, %y: memref<64x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (64) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<64x128xf32>, vector<128xf32>
    %sum = vector.reduction <add>, %v : vector<128xf32> into f32
    %t = memref.alloc() : memref<1xf32>
    memref.store %sum, %t[%c0] : memref<1xf32>
    %row = memref.subview %s[%i] [1] [1] : memref<64xf32> to memref<1xf32, strided<[1], offset: ?>>
    scf.parallel (%j) = (%c0) to (%c1) step (%c1) {
      %e = memref.load %t[%j] : memref<1xf32>
      memref.store %e, %s[%i] : memref<64xf32>
      scf.reduce
    }
    %r = memref.load %s[%i] : memref<64xf32>
    memref.dealloc %t : memref<1xf32>
    %b = vector.broadcast %r : f32 to vector<128xf32>
    vector.transfer_write %b, %y[%i, %c0] {in_bounds = [true]} : vector<128xf32>, memref<64x128xf32>
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 128, registers = 32>>}
  return
}

// -----

// A buffer whose length is known before the launch: one buffer for all rows.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[ALL:.*]] = memref.alloc(%{{.*}}) : memref<?xi8>
// CHECK: gpu.launch
// CHECK: memref.view %[[ALL]]
// CHECK: memref.dealloc %[[ALL]]
func.func @dynamic(%x: memref<100xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (100) {
    %t = memref.alloc(%n) : memref<?xf32>
    %v = memref.load %t[%c0] : memref<?xf32>
    memref.store %v, %x[%i] : memref<100xf32>
    memref.dealloc %t : memref<?xf32>
  }
  return
}

// -----

// What needs an order between threads is one thread's work.
// CHECK-LABEL: func.func @shifted_read
// CHECK: gpu.launch {{.*}} threads({{.*}}) in ({{.*}} = %[[C1:.*]], {{.*}}
// CHECK-NOT: gpu.shuffle
func.func @shifted_read(%x: memref<8x512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c1], %pad {in_bounds = [true]} : memref<8x512xf32>, vector<256xf32>
    vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<256xf32>, memref<8x512xf32>
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 256, registers = 32>>}
  return
}

// -----

// A buffer of the last, shorter block of columns takes as much as those of the others.
// CHECK-LABEL: func.func @shorter_block
// CHECK: arith.muli %c4{{.*}}, %c64{{.*}} : index
// CHECK: memref.alloc(%{{.*}}) : memref<?xi8>
// CHECK: gpu.launch
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK: memref.view %{{.*}}[%{{.*}}][%[[SIZE]]] : memref<?xi8> to memref<?xf32>
func.func @shorter_block(%x: memref<?xf32>, %n: index, %blocks: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (%blocks) {
    %size = affine.min affine_map<(d0)[s0] -> (d0 * -64 + s0, 64)>(%i)[%n]
    %t = memref.alloc(%size) : memref<?xf32>
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %t[%c0] : memref<?xf32>
    %w = memref.load %t[%c0] : memref<?xf32>
    memref.store %w, %x[%i] : memref<?xf32>
  }
  return
}
