// RUN: norm-opt %s --split-input-file --norm-stream-rows=cache-bytes=4096 --canonicalize --cse | FileCheck %s
// RUN: norm-opt %s --split-input-file --norm-stream-rows=cache-bytes=4096 '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY --implicit-check-not=[Missed]
// RUN: norm-opt %s --split-input-file --norm-stream-rows --canonicalize --cse | FileCheck %s --check-prefix=ASK
// RUN: not norm-opt %s --norm-stream-rows=cache-bytes=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: norm-stream-rows: cache-bytes must not be negative, got -1

// Two versions. The first prefetches the next row, four lines a vector, and streams
// from the first aligned address of the row on; what is left of a line before and behind it
// is stored once, and the line behind it is fetched first. The other version is unchanged.
// CHECK-LABEL: func @rows
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: scf.if
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: %[[NEXT:.*]] = arith.minsi
// CHECK: scf.if
// CHECK: vector.transfer_write {{.*}} : vector<4xf32>
// CHECK: vector.transfer_write {{.*}} : vector<1xf32>
// CHECK: memref.prefetch %arg1[%[[I]], %{{.*}}], write, locality<3>, data
// CHECK: scf.for %[[K:.*]] = %
// CHECK: memref.prefetch %{{.*}}[%[[NEXT]], %[[K]]], read, locality<2>, data
// CHECK-COUNT-3: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: vector.store %{{.*}}, %{{.*}}[%[[I]], %[[K]]] {alignment = 64 : i64, nontemporal = true}
// CHECK: scf.if
// CHECK: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true} : {{.*}}, vector<16xf32>
// CHECK: vector.transfer_write {{.*}} : vector<4xf32>
// CHECK: vector.transfer_write {{.*}} : vector<1xf32>
// CHECK: else
// CHECK-NOT: vector.store
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c64
// CHECK: vector.transfer_write
// CHECK-NOT: vector.store
// CHECK: return

// Below the least size nothing is asked.
// ASK-LABEL: func @rows
// ASK: arith.cmpi uge, %{{.*}}, %c1048576
// ASK: scf.if %{{.*}} -> (i1)
// ASK: call @sysconf
// ASK: vector.store
// ASK: func.func private @sysconf(i32) -> i64

func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %rows: index, %cols: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %k = %c0 to %cols step %c64 {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<?x?xf32>, vector<64xf32>
      %s = arith.addf %v, %v : vector<64xf32>
      vector.transfer_write %s, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x?xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// A row of one vector is streamed where all rows are aligned: start and pitch.
// CHECK-LABEL: func @one_vector
// CHECK: arith.andi %{{.*}}, %c63
// CHECK: scf.if
// CHECK: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK: else
// CHECK: vector.transfer_write
func.func @one_vector(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (%rows) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<?x64xf32>, vector<64xf32>
    vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<?x64xf32>
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// What is read again belongs into the cache.
// CHECK-LABEL: func @read_again
// CHECK-NOT: vector.store
// WHY: [[@LINE+9]]:7: remark: [Missed] ReadAgain | Category:norm-stream-rows | Remark="not streamed: the loop uses the buffer otherwise too"
func.func @read_again(%y: memref<?x?xf32>, %rows: index, %cols: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %k = %c0 to %cols step %c64 {
      %v = vector.transfer_read %y[%i, %k], %pad {in_bounds = [true]} : memref<?x?xf32>, vector<64xf32>
      vector.transfer_write %v, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x?xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// Strides that are not known could run backwards.
// CHECK-LABEL: func @strided
// CHECK-NOT: vector.store
// Known ones may leave gaps between rows.
// CHECK-LABEL: func @gaps
// CHECK: vector.store
// WHY: [[@LINE+6]]:3: remark: [Missed] UnknownSpan | Category:norm-stream-rows | Remark="not streamed: the extents of a buffer do not tell its span in memory"
func.func @strided(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?x?xf32>, %rows: index, %cols: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %k = %c0 to %cols step %c64 {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<?x?xf32, strided<[?, 1], offset: ?>>, vector<64xf32>
      vector.transfer_write %v, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x?xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}
func.func @gaps(%x: memref<8x256xf32>, %y: memref<8x256xf32, strided<[301, 1], offset: 5>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %k = %c0 to %c256 step %c64 {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<8x256xf32>, vector<64xf32>
      vector.transfer_write %v, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<8x256xf32, strided<[301, 1], offset: 5>>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// Lanes that are not alike cannot move; a strip that is done twice must not add
// twice; loops that carry values keep their order.
// CHECK-LABEL: func @lanes_differ
// CHECK-NOT: vector.store
// CHECK-LABEL: func @index_used
// CHECK-NOT: vector.store
// CHECK-LABEL: func @carried
// CHECK-NOT: vector.store
// WHY-COUNT-3: remark: [Missed] NotLaneWise | Category:norm-stream-rows | Remark="not streamed: its strips cannot start at another column"
func.func @lanes_differ(%y: memref<?x?xf32>, %ramp: vector<64xf32>, %rows: index, %cols: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %k = %c0 to %cols step %c64 {
      %s = arith.addf %ramp, %ramp : vector<64xf32>
      vector.transfer_write %s, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x?xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}
func.func @index_used(%y: memref<?x?xindex>, %z: memref<?x?xf32>, %rows: index, %cols: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %k = %c0 to %cols step %c64 {
      %n = arith.index_cast %k : index to i32
      %f = arith.sitofp %n : i32 to f32
      %v = vector.broadcast %f : f32 to vector<64xf32>
      vector.transfer_write %v, %z[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x?xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}
func.func @carried(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %s: memref<?xf32>, %rows: index, %cols: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    %sum = scf.for %k = %c0 to %cols step %c64 iter_args(%a = %zero) -> vector<64xf32> {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<?x?xf32>, vector<64xf32>
      %n = arith.addf %a, %v : vector<64xf32>
      vector.transfer_write %n, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x?xf32>
      scf.yield %n : vector<64xf32>
    } {norm.loop = #norm.loop<strips>}
    %t = vector.reduction <add>, %sum : vector<64xf32> into f32
    memref.store %t, %s[%i] : memref<?xf32>
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// The last strip reaches behind the loop's bound; its end counts.
// CHECK-LABEL: func @padded
// CHECK: arith.subi %c128, %
// CHECK: vector.store
// CHECK: scf.if
// CHECK: scf.for %{{.*}} to %c128 step %c1
// A view may be the same memory under another name.
// CHECK-LABEL: func @view_inside
// CHECK-NOT: vector.store
func.func @padded(%x: memref<8x128xf32>, %y: memref<8x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %k = %c0 to %c100 step %c64 {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<8x128xf32>, vector<64xf32>
      vector.transfer_write %v, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<8x128xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}
// WHY: remark: [Missed] NotLaneWise
func.func @view_inside(%y: memref<8x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %t = memref.alloc() : memref<1x128xf32>
    %u = memref.cast %t : memref<1x128xf32> to memref<?x128xf32>
    scf.for %k = %c0 to %c128 step %c64 {
      %v = vector.transfer_read %u[%c0, %k], %pad {in_bounds = [true]} : memref<?x128xf32>, vector<64xf32>
      %w = arith.addf %v, %v : vector<64xf32>
      vector.transfer_write %w, %t[%c0, %k] {in_bounds = [true]} : vector<64xf32>, memref<1x128xf32>
      vector.transfer_write %w, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<8x128xf32>
    } {norm.loop = #norm.loop<strips>}
    memref.dealloc %t : memref<1x128xf32>
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// The next row is prefetched in the loop over the same strips that computes the most,
// where the streamed one only copies; arithmetic of that length has the level 1 cache
// for itself.
// CHECK-LABEL: func @busiest
// CHECK: scf.if
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: %[[NEXT:.*]] = arith.minsi
// CHECK: scf.for %[[K:.*]] = %c0 to %c4096 step %c64
// CHECK: memref.prefetch %{{.*}}[%[[NEXT]], %[[K]]], read, locality<3>
// CHECK-COUNT-3: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: math.exp
// CHECK-NOT: memref.prefetch {{.*}} read
// CHECK: nontemporal = true
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @busiest(%x: memref<?x4096xf32>, %y: memref<?x4096xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %pad = arith.constant 0.0 : f32
  %row = memref.alloc() {alignment = 64 : i64} : memref<1x4096xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %k = %c0 to %c4096 step %c64 {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<?x4096xf32>, vector<64xf32>
      %s = math.exp %v : vector<64xf32>
      vector.transfer_write %s, %row[%c0, %k] {in_bounds = [true]} : vector<64xf32>, memref<1x4096xf32>
    } {norm.loop = #norm.loop<strips>}
    scf.for %k = %c0 to %c4096 step %c64 {
      %v = vector.transfer_read %row[%c0, %k], %pad {in_bounds = [true]} : memref<1x4096xf32>, vector<64xf32>
      %s = arith.addf %v, %v : vector<64xf32>
      vector.transfer_write %s, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x4096xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  memref.dealloc %row : memref<1x4096xf32>
  return
}

// -----

// Two results of one loop are streamed together, if their rows lie at the same
// distance from a line.
// CHECK-LABEL: func @two_results
// CHECK: %[[APART:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK: %[[REST:.*]] = arith.andi %[[APART]], %c63
// CHECK: arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if
// CHECK-COUNT-2: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK: else
// CHECK-NOT: vector.store
// CHECK: return
func.func @two_results(%x: memref<8x1024xf32>, %y: memref<8x1024xf32>, %z: memref<8x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %k = %c0 to %c1024 step %c64 {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<8x1024xf32>, vector<64xf32>
      %s = arith.addf %v, %v : vector<64xf32>
      vector.transfer_write %s, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<8x1024xf32>
      %p = arith.mulf %v, %v : vector<64xf32>
      vector.transfer_write %p, %z[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<8x1024xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}

// -----

// Loops without a role stay: the pass that builds loops over rows says so. A loop
// around them is a program's own: it is versioned whole, unless it has threads.
// CHECK-LABEL: func @no_rows
// CHECK-NOT: vector.store
// CHECK-LABEL: func @no_strips
// CHECK-NOT: vector.store
// CHECK-LABEL: func @own_threads
// CHECK-NOT: vector.store
// CHECK-LABEL: func @own_loop
// CHECK: vector.store
func.func @no_rows(%y: memref<?x64xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %w = vector.broadcast %pad : f32 to vector<64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    vector.transfer_write %w, %y[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<?x64xf32>
  }
  return
}
func.func @no_strips(%y: memref<?x?xf32>, %rows: index, %cols: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %w = vector.broadcast %pad : f32 to vector<64xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %k = %c0 to %cols step %c64 {
      vector.transfer_write %w, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x?xf32>
    }
  } {norm.loop = #norm.loop<rows>}
  return
}
func.func @own_threads(%y: memref<?x?xf32>, %rows: index, %cols: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %w = vector.broadcast %pad : f32 to vector<64xf32>
  scf.forall (%t) in (4) {
    scf.for %i = %t to %rows step %c1 {
      scf.for %k = %c0 to %cols step %c64 {
        vector.transfer_write %w, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x?xf32>
      } {norm.loop = #norm.loop<strips>}
    } {norm.loop = #norm.loop<rows>}
  }
  return
}
func.func @own_loop(%y: memref<?x?xf32>, %rows: index, %cols: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %w = vector.broadcast %pad : f32 to vector<64xf32>
  scf.for %layer = %c0 to %c64 step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %k = %c0 to %cols step %c64 {
        vector.transfer_write %w, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x?xf32>
      } {norm.loop = #norm.loop<strips>}
    } {norm.loop = #norm.loop<rows>}
  }
  return
}

// -----

// Strips that go down (norm-vectorize-rows) go up where they are streamed, and only there; the
// loop that fetches the next row goes down.
// CHECK-LABEL: func @down
// CHECK: scf.for %[[L:.*]] = %c0 to %c4096 step %c64
// CHECK-NEXT: %[[K:.*]] = arith.subi %c4032, %[[L]]
// CHECK-NEXT: memref.prefetch %arg0[%{{.*}}, %[[K]]]
// CHECK: math.exp
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %c64 {
// CHECK-NEXT: vector.transfer_read %{{.*}}[%c0, %[[K]]]
// CHECK: vector.store %{{.*}}, %arg1[%{{.*}}, %[[K]]] {{.*}}nontemporal = true
// CHECK: } else {
// CHECK: math.exp
// CHECK: scf.for
// CHECK-NEXT: arith.subi
// CHECK: vector.transfer_write
func.func @down(%x: memref<?x4096xf32>, %y: memref<?x4096xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c4032 = arith.constant 4032 : index
  %c4096 = arith.constant 4096 : index
  %pad = arith.constant 0.0 : f32
  %row = memref.alloc() {alignment = 64 : i64} : memref<1x4096xf32>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %l = %c0 to %c4096 step %c64 {
      %k = arith.subi %c4032, %l : index
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<?x4096xf32>, vector<64xf32>
      %s = math.exp %v : vector<64xf32>
      vector.transfer_write %s, %row[%c0, %k] {in_bounds = [true]} : vector<64xf32>, memref<1x4096xf32>
    } {norm.loop = #norm.loop<strips>}
    scf.for %l = %c0 to %c4096 step %c64 {
      %k = arith.subi %c4032, %l : index
      %v = vector.transfer_read %row[%c0, %k], %pad {in_bounds = [true]} : memref<1x4096xf32>, vector<64xf32>
      %s = arith.addf %v, %v : vector<64xf32>
      vector.transfer_write %s, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x4096xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  memref.dealloc %row : memref<1x4096xf32>
  return
}

// -----

// A scalar beside the rows.
// CHECK-LABEL: func @scalar
// CHECK: vector.store
func.func @scalar(%s: memref<f32>, %y: memref<?x1024xf32>, %rows: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %rows step %c1 {
    %v = memref.load %s[] : memref<f32>
    %w = vector.broadcast %v : f32 to vector<64xf32>
    scf.for %k = %c0 to %c1024 step %c64 {
      vector.transfer_write %w, %y[%i, %k] {in_bounds = [true]} : vector<64xf32>, memref<?x1024xf32>
    } {norm.loop = #norm.loop<strips>}
  } {norm.loop = #norm.loop<rows>}
  return
}
