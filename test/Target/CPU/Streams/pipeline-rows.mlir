// RUN: norm-opt %s --split-input-file --norm-stream-rows=cache-bytes=1 --canonicalize --cse | FileCheck %s
// Nor is there anything to overlap where no loop is known to be the statistic.
// RUN: sed 's/<statistic>/<block>/' %s | norm-opt --split-input-file --norm-stream-rows=cache-bytes=1 --canonicalize --cse | FileCheck %s --check-prefix=OFF

// The first row is summed before the loop, the last one scaled after it; in between
// each turn writes a strip of this row in pieces of a line and sums one of the next,
// which is fetched 1024 bytes ahead.
// CHECK-LABEL: func @rows
// CHECK: scf.if
// CHECK: %[[FIRST:.*]] = scf.for %{{.*}} = %c0 to %c4096 step %c64 {{.*}} -> (vector<64xf32>)
// CHECK: vector.transfer_read %arg0[%c0, %{{.*}}]
// CHECK: %[[LAST:.*]] = scf.for %[[ROW:.*]] = %c0 to %c7 step %c1 iter_args(%[[SUM:.*]] = %[[FIRST]])
// CHECK: vector.reduction <add>, %[[SUM]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[ROW]], %c1
// CHECK: %[[NEXTSUM:.*]] = scf.for %[[K:.*]] = %c0 to %c4096 step %c64
// CHECK: arith.addi %[[K]], %c256
// CHECK: memref.prefetch %arg0[%[[NEXT]], %{{.*}}], read
// CHECK-COUNT-3: memref.prefetch
// CHECK: scf.if
// CHECK-COUNT-4: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true} : memref<8x4096xf32>, vector<16xf32>
// CHECK: vector.transfer_read %arg0[%[[NEXT]], %[[K]]]
// CHECK: scf.yield %[[NEXTSUM]]
// CHECK: vector.reduction <add>, %[[LAST]]
// CHECK: vector.store {{.*}} vector<64xf32>
// CHECK: else

// OFF-LABEL: func @rows
// OFF: scf.for %{{.*}} = %c0 to %c8 step %c1 {
// OFF: scf.for {{.*}} -> (vector<64xf32>)
// OFF-NOT: vector.store {{.*}} vector<16xf32>
// OFF: vector.store {{.*}} vector<64xf32>
func.func @rows(%x: memref<8x4096xf32>, %y: memref<8x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<64xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %sum = scf.for %k = %c0 to %c4096 step %c64 iter_args(%s = %zero) -> (vector<64xf32>) {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<8x4096xf32>, vector<64xf32>
      %t = arith.addf %s, %v : vector<64xf32>
      scf.yield %t : vector<64xf32>
    } {norm.loop = #norm.loop<statistic>}
    %total = vector.reduction <add>, %sum : vector<64xf32> into f32
    %factor = vector.broadcast %total : f32 to vector<64xf32>
    scf.for %k = %c0 to %c4096 step %c64 {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<8x4096xf32>, vector<64xf32>
      %p = arith.mulf %v, %factor : vector<64xf32>
      vector.transfer_write %p, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<8x4096xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// Threads: turns of some rows, each of which starts with a row of its own.
// CHECK-LABEL: func @threads
// CHECK: arith.minui %{{.*}}, %c32
// CHECK: scf.forall
// CHECK: arith.minui
// CHECK: scf.for {{.*}} -> (vector<64xf32>)
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.store {{.*}} nontemporal
// CHECK: else
// CHECK: scf.forall
func.func @threads(%x: memref<?x4096xf32>, %y: memref<?x4096xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<64xf32>
  scf.forall (%i) in (%m) {
    %sum = scf.for %k = %c0 to %c4096 step %c64 iter_args(%s = %zero) -> (vector<64xf32>) {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<?x4096xf32>, vector<64xf32>
      %t = arith.addf %s, %v : vector<64xf32>
      scf.yield %t : vector<64xf32>
    } {norm.loop = #norm.loop<statistic>}
    %total = vector.reduction <add>, %sum : vector<64xf32> into f32
    %factor = vector.broadcast %total : f32 to vector<64xf32>
    scf.for %k = %c0 to %c4096 step %c64 {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<?x4096xf32>, vector<64xf32>
      %p = arith.mulf %v, %factor : vector<64xf32>
      vector.transfer_write %p, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x4096xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// What the sum reads is written in the loop: the next row may not be there yet.
// CHECK-LABEL: func @writes_what_it_reads
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1 {
// CHECK: memref.store
// CHECK: scf.for {{.*}} -> (vector<64xf32>)
// CHECK: vector.store {{.*}} vector<64xf32>
func.func @writes_what_it_reads(%x: memref<8x4096xf32>, %y: memref<8x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<64xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %pad, %x[%i, %c1] : memref<8x4096xf32>
    %sum = scf.for %k = %c0 to %c4096 step %c64 iter_args(%s = %zero) -> (vector<64xf32>) {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<8x4096xf32>, vector<64xf32>
      %t = arith.addf %s, %v : vector<64xf32>
      scf.yield %t : vector<64xf32>
    } {norm.loop = #norm.loop<statistic>}
    %total = vector.reduction <add>, %sum : vector<64xf32> into f32
    %factor = vector.broadcast %total : f32 to vector<64xf32>
    scf.for %k = %c0 to %c4096 step %c64 {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<8x4096xf32>, vector<64xf32>
      %p = arith.mulf %v, %factor : vector<64xf32>
      vector.transfer_write %p, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<8x4096xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}
