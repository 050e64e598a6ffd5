// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-vectorize-rows,canonicalize,cse))' --split-input-file | FileCheck %s

// What one op writes in one piece and the next reads stays in registers: the
// temporary and the fill are gone, and a value per row is not loaded per strip.
#row = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
// CHECK-LABEL: func @statistic
// CHECK-NOT: memref.alloc
// CHECK: %[[SUM:.*]] = vector.extract %{{.*}}[0] : f32
// CHECK-NEXT: %[[ALL:.*]] = arith.addf %[[SUM]], %cst{{.*}} : f32
// CHECK-NEXT: scf.for %[[I:.*]] = %c0 to %c128 step %c64 {
// CHECK: %[[X:.*]] = vector.transfer_read %arg0[%[[I]]]
// CHECK: %[[B:.*]] = vector.broadcast %[[ALL]] : f32
// CHECK: arith.mulf %[[X]], %[[B]]
// CHECK-NOT: memref.load
// CHECK: return
func.func @statistic(%x: memref<128xf32>, %y: memref<128xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<f32>)
  linalg.reduce { arith.addf } ins(%x : memref<128xf32>) outs(%sum : memref<f32>) dimensions = [0]
  linalg.generic {indexing_maps = [#row, #one, #row], iterator_types = ["parallel"]} ins(%x, %sum : memref<128xf32>, memref<f32>) outs(%y : memref<128xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %m = arith.mulf %a, %s : f32
    linalg.yield %m : f32
  }
  return
}

// -----

// A row of one strip, and one under a mask, whose elements behind its end are
// zeros when it is read.
// CHECK-LABEL: func @one_strip
// CHECK-NOT: memref.alloc
// CHECK: %[[X:.*]] = vector.transfer_read %arg0
// CHECK: %[[E:.*]] = arith.addf %[[X]], %[[X]]
// CHECK: %[[F:.*]] = arith.mulf %[[E]], %[[E]]
// CHECK: vector.transfer_write %[[F]], %arg1
// CHECK: return
func.func @one_strip(%x: memref<64xf32>, %y: memref<64xf32>) {
  %t = memref.alloc() : memref<64xf32>
  linalg.add ins(%x, %x : memref<64xf32>, memref<64xf32>) outs(%t : memref<64xf32>)
  linalg.mul ins(%t, %t : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// CHECK-LABEL: func @masked
// CHECK-NOT: memref.alloc
// CHECK: %[[M:.*]] = vector.constant_mask [5]
// CHECK: %[[E:.*]] = arith.addf
// CHECK: %[[S:.*]] = arith.select %[[M]], %[[E]], %{{.*}}
// CHECK: arith.mulf %[[S]], %[[S]]
// CHECK: return
func.func @masked(%x: memref<5xf32>, %y: memref<5xf32>) {
  %t = memref.alloc() : memref<5xf32>
  linalg.add ins(%x, %x : memref<5xf32>, memref<5xf32>) outs(%t : memref<5xf32>)
  linalg.mul ins(%t, %t : memref<5xf32>, memref<5xf32>) outs(%y : memref<5xf32>)
  return
}

// -----

// An op that stays writes the row in between: the row is read again.
#window = affine_map<(d0, d1) -> (d0 + d1)>
#tap = affine_map<(d0, d1) -> (d1)>
#out = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func @written_between
// CHECK: vector.transfer_write %{{.*}}, %arg2
// CHECK: linalg.generic
// CHECK: %[[AGAIN:.*]] = vector.transfer_read %arg2
// CHECK: arith.mulf %[[AGAIN]], %[[AGAIN]]
func.func @written_between(%x: memref<67xf32>, %k: memref<4xf32>, %t: memref<64xf32>, %y: memref<64xf32>) {
  %c = arith.constant 1.0 : f32
  linalg.fill ins(%c : f32) outs(%t : memref<64xf32>)
  linalg.generic {indexing_maps = [#window, #tap, #out], iterator_types = ["parallel", "reduction"]} ins(%x, %k : memref<67xf32>, memref<4xf32>) outs(%t : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  }
  linalg.mul ins(%t, %t : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

// Another view of the buffer is written in between: neither what was written
// nor a fill of it is known any more.
// CHECK-LABEL: func @other_view
// CHECK: vector.transfer_write %{{.*}}, %arg1
// CHECK: %[[AGAIN:.*]] = vector.transfer_read %arg1
// CHECK: arith.mulf %[[AGAIN]], %[[AGAIN]]
func.func @other_view(%x: memref<32xf32>, %t: memref<64xf32>, %y: memref<64xf32>) {
  %c = arith.constant 1.0 : f32
  linalg.fill ins(%c : f32) outs(%t : memref<64xf32>)
  %half = memref.subview %t[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  linalg.exp ins(%x : memref<32xf32>) outs(%half : memref<32xf32, strided<[1]>>)
  linalg.mul ins(%t, %t : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// CHECK-LABEL: func @fill_of_view
// CHECK: memref.store %{{.*}}, %arg1[%c0]
// CHECK: %[[OLD:.*]] = memref.load %arg1[%c0]
// CHECK: arith.addf %[[OLD]], %{{.*}} : f32
func.func @fill_of_view(%x: memref<1x64xf32>, %s: memref<1xf32>, %b: memref<f32>) {
  %c = arith.constant 0.0 : f32
  linalg.fill ins(%c : f32) outs(%s : memref<1xf32>)
  %view = memref.collapse_shape %s [] : memref<1xf32> into memref<f32>
  linalg.exp ins(%b : memref<f32>) outs(%view : memref<f32>)
  linalg.reduce { arith.addf } ins(%x : memref<1x64xf32>) outs(%s : memref<1xf32>) dimensions = [1]
  return
}

// -----

// A weight is read before the loop over rows, unless the loop may write it.
#id = affine_map<(d0, d1) -> (d0, d1)>
#weight = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @weight
// CHECK: %[[W:.*]] = vector.transfer_read %arg1
// CHECK: scf.for
// CHECK: arith.mulf %{{.*}}, %[[W]]
// CHECK-LABEL: func @not_a_weight
// CHECK: scf.for
// CHECK: %[[W:.*]] = vector.transfer_read %subview
// CHECK: arith.mulf %{{.*}}, %[[W]]
func.func @weight(%x: memref<8x64xf32>, %w: memref<64xf32>, %y: memref<8x64xf32>) {
  linalg.generic {indexing_maps = [#id, #weight, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %w : memref<8x64xf32>, memref<64xf32>) outs(%y : memref<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  }
  return
}

func.func @not_a_weight(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  %w = memref.subview %y[3, 0] [1, 64] [1, 1] : memref<8x64xf32> to memref<64xf32, strided<[1], offset: 192>>
  linalg.generic {indexing_maps = [#id, #weight, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %w : memref<8x64xf32>, memref<64xf32, strided<[1], offset: 192>>) outs(%y : memref<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  }
  return
}

// -----

// A row of unknown length that threads share: what the second op reads under an equal mask
// stays in registers, and no pieces are written.
#least = affine_map<(d0) -> (d0, 128)>
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func @unknown_row
// CHECK-NOT: memref.alloc
// CHECK: %[[N:.*]] = affine.min
// CHECK: %[[MASK:.*]] = vector.create_mask %[[N]] : vector<128xi1>
// CHECK: %[[X:.*]] = vector.transfer_read %{{.*}}, %[[MASK]]
// CHECK: %[[E:.*]] = arith.addf %[[X]], %[[X]]
// CHECK: %[[S:.*]] = arith.select %[[MASK]], %[[E]]
// CHECK: %[[F:.*]] = arith.mulf %[[S]], %[[S]]
// CHECK: vector.transfer_write %[[F]], %{{.*}}, %[[MASK]]
// CHECK-NOT: vector.transfer
// CHECK: return
func.func @unknown_row(%x: memref<8x?xf32>, %y: memref<8x?xf32>) {
  %c1 = arith.constant 1 : index
  %d = memref.dim %x, %c1 : memref<8x?xf32>
  %n = affine.min #least(%d)
  scf.forall (%i) in (8) {
    %r = memref.subview %x[%i, 0] [1, %n] [1, 1] : memref<8x?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %o = memref.subview %y[%i, 0] [1, %n] [1, 1] : memref<8x?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %t = memref.alloc(%n) : memref<?xf32>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%r : memref<?xf32, strided<[1], offset: ?>>) outs(%t : memref<?xf32>) {
    ^bb0(%a: f32, %b: f32):
      %e = arith.addf %a, %a : f32
      linalg.yield %e : f32
    }
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%t : memref<?xf32>) outs(%o : memref<?xf32, strided<[1], offset: ?>>) {
    ^bb0(%a: f32, %b: f32):
      %e = arith.mulf %a, %a : f32
      linalg.yield %e : f32
    }
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 128, registers = 32>>}
  return
}

// -----

// The sum of a part's rows is carried, from what it starts with, and written once. One that
// something else in the loop reads stays in memory.
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func @carried
// CHECK: %[[START:.*]] = arith.constant dense<0.000000e+00> : vector<128xf32>
// CHECK: scf.forall
// CHECK-NOT: vector.transfer_write
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[CARRIED:.*]] = %[[START]]) -> (vector<128xf32>)
// CHECK: %[[ROW:.*]] = vector.transfer_read
// CHECK-NOT: vector.transfer_read
// CHECK: %[[NEXT:.*]] = arith.addf %[[CARRIED]], %[[ROW]]
// CHECK: scf.yield %[[NEXT]]
// CHECK: vector.transfer_write %[[SUM]]
// CHECK-LABEL: func @read_beside
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: vector.transfer_write
// CHECK: return
func.func @carried(%x: memref<8x16x128xf32>, %sums: memref<8x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %s = memref.subview %sums[%i, 0] [1, 128] [1, 1] : memref<8x128xf32> to memref<128xf32, strided<[1], offset: ?>>
    linalg.fill ins(%zero : f32) outs(%s : memref<128xf32, strided<[1], offset: ?>>)
    scf.for %j = %c0 to %c16 step %c1 {
      %r = memref.subview %x[%i, %j, 0] [1, 1, 128] [1, 1, 1] : memref<8x16x128xf32> to memref<1x128xf32, strided<[128, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%r : memref<1x128xf32, strided<[128, 1], offset: ?>>) outs(%s : memref<128xf32, strided<[1], offset: ?>>) {
      ^bb0(%a: f32, %b: f32):
        %e = arith.addf %b, %a : f32
        linalg.yield %e : f32
      }
    } {norm.loop = #norm.loop<rows>}
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 128, registers = 32>>}
  return
}

func.func @read_beside(%x: memref<8x16x128xf32>, %sums: memref<8x128xf32>, %y: memref<8x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.forall (%i) in (8) {
    %s = memref.subview %sums[%i, 0] [1, 128] [1, 1] : memref<8x128xf32> to memref<128xf32, strided<[1], offset: ?>>
    scf.for %j = %c0 to %c16 step %c1 {
      %first = memref.load %sums[%i, %j] : memref<8x128xf32>
      memref.store %first, %y[%i, %j] : memref<8x16xf32>
      %r = memref.subview %x[%i, %j, 0] [1, 1, 128] [1, 1, 1] : memref<8x16x128xf32> to memref<1x128xf32, strided<[128, 1], offset: ?>>
      linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]} ins(%r : memref<1x128xf32, strided<[128, 1], offset: ?>>) outs(%s : memref<128xf32, strided<[1], offset: ?>>) {
      ^bb0(%a: f32, %b: f32):
        %e = arith.addf %b, %a : f32
        linalg.yield %e : f32
      }
    } {norm.loop = #norm.loop<rows>}
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 128, registers = 32>>}
  return
}
