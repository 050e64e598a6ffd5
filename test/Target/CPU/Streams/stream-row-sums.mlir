// Strips that add to a row of sums beside what they write.
// RUN: norm-opt %s --norm-stream-rows=cache-bytes=4096 --canonicalize --cse | FileCheck %s
// RUN: norm-opt %s --norm-stream-rows=cache-bytes=4096 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

#sum = affine_map<()[s0, s1] -> (s0 + s1)>
// No strip may be done twice. Strips begin at the first line of the row, and what is left of a
// line on both sides is written once: quarters of a line, then elements. Whole lines are streamed
// too. The next row of all parts is fetched in the second loop that reads it.
// CHECK-LABEL: func @rows
// CHECK: %[[ELEMENT:.*]] = arith.andi %{{.*}}, %c3 :
// CHECK-NEXT: arith.cmpi eq, %[[ELEMENT]], %c0
// CHECK: scf.if
// CHECK: scf.for %[[P:.*]] = %c0
// CHECK: scf.for %[[I:.*]] = %c0 to %c64
// CHECK: %[[ROW:.*]] = affine.apply {{.*}}[%[[P]], %[[I]]]
// CHECK: %[[NEXT:.*]] = arith.minsi
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: {norm.loop = #norm.loop<statistic>}
// CHECK-NEXT: vector.reduction
// CHECK-NEXT: vector.broadcast
// CHECK: %[[HEAD:.*]] = arith.divui %{{.*}}, %c4
// CHECK: %[[START:.*]] = arith.minsi %[[HEAD]], %c4096
// CHECK: %[[LENGTH:.*]] = arith.subi %c4096, %[[START]]
// CHECK: %[[STRIPS:.*]] = arith.andi %[[LENGTH]], %c-64
// CHECK: %[[END:.*]] = arith.addi %[[START]], %[[STRIPS]]
// CHECK: %[[LINES:.*]] = arith.andi %[[LENGTH]], %c-16
// CHECK: %[[LAST:.*]] = arith.addi %[[START]], %[[LINES]]
// CHECK: %[[MOVED:.*]] = arith.cmpi ne, %[[START]], %c0
// CHECK: scf.if %[[MOVED]]
// CHECK: %[[REST:.*]] = arith.andi %[[START]], %c-4
// CHECK: scf.for %{{.*}} = %c0 to %[[REST]] step %c4
// CHECK: vector.transfer_write {{.*}} : vector<4xf32>, memref<?x4096xf32>
// CHECK: {norm.loop = #norm.loop<edge>}
// CHECK: scf.for %{{.*}} = %[[REST]] to %[[START]] step %c1
// CHECK: vector.transfer_write {{.*}} : vector<1xf32>, memref<?x4096xf32>
// CHECK: memref.prefetch %arg1[%[[ROW]], %[[LAST]]], write, locality<3>, data
// CHECK: scf.for %[[K:.*]] = %[[START]] to %[[END]] step %c64
// CHECK: memref.prefetch %arg0[%[[NEXT]], %[[K]]], read, locality<2>, data
// CHECK-COUNT-3: memref.prefetch %arg0
// CHECK: vector.store %{{.*}}, %arg1[%[[ROW]], %[[K]]] {alignment = 64 : i64, nontemporal = true}
// CHECK: vector.transfer_write %{{.*}}, %arg2[%[[K]]]
// CHECK-NEXT: } {norm.loop = #norm.loop<strips>}
// CHECK: scf.if %[[MOVED]]
// CHECK: scf.for %[[K:.*]] = %[[END]] to %[[LAST]] step %c16
// CHECK-NOT: memref.prefetch
// CHECK: vector.store %{{.*}}, %arg1[%[[ROW]], %[[K]]] {alignment = 64 : i64, nontemporal = true} : {{.*}}, vector<16xf32>
// CHECK: scf.for %{{.*}} = %[[LAST]] to %{{.*}} step %c4
// CHECK: scf.for %{{.*}} to %c4096 step %c1
// CHECK: } else {
// CHECK-NOT: nontemporal
// CHECK: return
func.func @rows(%x: memref<?x4096xf32>, %y: memref<?x4096xf32>, %s: memref<4096xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %f = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<64xf32>
  scf.for %p = %c0 to %m step %c64 {
    scf.for %i = %c0 to %c64 step %c1 {
      %row = affine.apply #sum()[%p, %i]
      %t = scf.for %k = %c0 to %c4096 step %c64 iter_args(%acc = %zero) -> (vector<64xf32>) {
        %v = vector.transfer_read %x[%row, %k], %f {in_bounds = [true]} : memref<?x4096xf32>, vector<64xf32>
        %n = arith.addf %acc, %v : vector<64xf32>
        scf.yield %n : vector<64xf32>
      } {norm.loop = #norm.loop<statistic>}
      %r = vector.reduction <add>, %t : vector<64xf32> into f32
      %b = vector.broadcast %r : f32 to vector<64xf32>
      scf.for %k = %c0 to %c4096 step %c64 {
        %v = vector.transfer_read %x[%row, %k], %f {in_bounds = [true]} : memref<?x4096xf32>, vector<64xf32>
        %o = vector.transfer_read %s[%k], %f {in_bounds = [true]} : memref<4096xf32>, vector<64xf32>
        %w = arith.mulf %v, %b : vector<64xf32>
        %n = arith.addf %o, %v : vector<64xf32>
        vector.transfer_write %w, %y[%row, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x4096xf32>
        vector.transfer_write %n, %s[%k] {in_bounds = [true]} : vector<64xf32>, memref<4096xf32>
      } {norm.loop = #norm.loop<strips>}
    } {norm.loop = #norm.loop<rows>}
  } {norm.loop = #norm.loop<rows>}
  return
}

// Strips that go down (norm-vectorize-rows) still do, from the last one that begins at a line;
// the edges have columns of their own. Rows of 4100 elements start in the middle of a line.
// CHECK-LABEL: func @down
// CHECK: %[[START:.*]] = arith.minsi %{{.*}}, %c4096
// CHECK: %[[STRIPS:.*]] = arith.andi %{{.*}}, %c-64
// CHECK-NEXT: %[[END:.*]] = arith.addi %[[START]], %[[STRIPS]]
// CHECK: scf.for %[[K:.*]] = %c0 to %{{.*}} step %c4 {
// CHECK: vector.transfer_write %{{.*}}, %arg1[%{{.*}}, %[[K]]]
// CHECK: %[[END64:.*]] = arith.subi %[[END]], %c64
// CHECK-NEXT: %[[ENDS:.*]] = arith.addi %[[START]], %[[END64]]
// CHECK-NEXT: scf.for %[[K:.*]] = %[[START]] to %[[END]] step %c64
// CHECK-NEXT: %[[COLUMN:.*]] = arith.subi %[[ENDS]], %[[K]]
// CHECK-NEXT: memref.prefetch %arg0[%{{.*}}, %[[COLUMN]]]
// CHECK: vector.store %{{.*}}, %arg1[%{{.*}}, %[[COLUMN]]] {alignment = 64 : i64, nontemporal = true}
// CHECK: vector.transfer_write %{{.*}}, %arg2[%[[COLUMN]]]
// CHECK: scf.for %[[K:.*]] = %[[END]] to %{{.*}} step %c16
// CHECK: vector.store %{{.*}}, %arg1[%{{.*}}, %[[K]]] {{.*}} nontemporal = true
// CHECK-NOT: nontemporal
// CHECK: return
func.func @down(%x: memref<?x4100xf32>, %y: memref<?x4100xf32>, %s: memref<4100xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %c4032 = arith.constant 4032 : index
  %f = arith.constant 0.0 : f32
  scf.for %i = %c0 to %m step %c1 {
    scf.for %l = %c0 to %c4096 step %c64 {
      %k = arith.subi %c4032, %l : index
      %v = vector.transfer_read %x[%i, %k], %f {in_bounds = [true]} : memref<?x4100xf32>, vector<64xf32>
      %o = vector.transfer_read %s[%k], %f {in_bounds = [true]} : memref<4100xf32>, vector<64xf32>
      %n = arith.addf %o, %v : vector<64xf32>
      vector.transfer_write %v, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x4100xf32>
      vector.transfer_write %n, %s[%k] {in_bounds = [true]} : vector<64xf32>, memref<4100xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}

// Rows of less than 2048 elements are not moved: all must be aligned.
// CHECK-LABEL: func @short
// CHECK: arith.andi %{{.*}}, %c63
// CHECK: scf.if
// CHECK-COUNT-1: nontemporal
// CHECK-NOT: nontemporal
func.func @short(%x: memref<?x1024xf32>, %y: memref<?x1024xf32>, %s: memref<1024xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %f = arith.constant 0.0 : f32
  scf.for %i = %c0 to %m step %c1 {
    scf.for %k = %c0 to %c1024 step %c64 {
      %v = vector.transfer_read %x[%i, %k], %f {in_bounds = [true]} : memref<?x1024xf32>, vector<64xf32>
      %o = vector.transfer_read %s[%k], %f {in_bounds = [true]} : memref<1024xf32>, vector<64xf32>
      %n = arith.addf %o, %v : vector<64xf32>
      vector.transfer_write %v, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x1024xf32>
      vector.transfer_write %n, %s[%k] {in_bounds = [true]} : vector<64xf32>, memref<1024xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}

// CHECK-LABEL: func @short_and_unaligned
// CHECK-NOT: nontemporal
// WHY: remark: [Missed] ShortFixedRow | Category:norm-stream-rows | Remark="not streamed: it adds to short rows that do not start at cache lines"
func.func @short_and_unaligned(%x: memref<?x1028xf32>, %y: memref<?x1028xf32>, %s: memref<1028xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %f = arith.constant 0.0 : f32
  scf.for %i = %c0 to %m step %c1 {
    scf.for %k = %c0 to %c1024 step %c64 {
      %v = vector.transfer_read %x[%i, %k], %f {in_bounds = [true]} : memref<?x1028xf32>, vector<64xf32>
      %o = vector.transfer_read %s[%k], %f {in_bounds = [true]} : memref<1028xf32>, vector<64xf32>
      %n = arith.addf %o, %v : vector<64xf32>
      vector.transfer_write %v, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x1028xf32>
      vector.transfer_write %n, %s[%k] {in_bounds = [true]} : vector<64xf32>, memref<1028xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}
