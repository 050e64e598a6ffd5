// RUN: norm-opt %s --norm-split-wide-vectors | FileCheck %s
// RUN: norm-opt %s --norm-split-wide-vectors '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY --implicit-check-not=[Missed]
// RUN: sed 's/live_lanes = 100/live_lanes = 192/' %s | norm-opt --norm-split-wide-vectors | FileCheck %s --check-prefix=WHOLE

module attributes {norm.row_target = {live_lanes = 100}} {
// The body is done for 16 lanes from the read to the write, then for the next 16.
// A streamed store keeps its hint, with the alignment that a part has.
// CHECK-LABEL: func @rows
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>, %[[S:.*]]: f32
// CHECK: scf.for %[[I:.*]] = %c0 to %{{.*}} step %c64 {
// CHECK-NEXT: memref.prefetch %[[X]][%[[I]]]
// CHECK-NEXT: %[[V:.*]] = vector.transfer_read %[[X]][%[[I]]], %{{.*}} {in_bounds = [true]} : memref<?xf32>, vector<16xf32>
// CHECK: vector.broadcast %[[S]] : f32 to vector<16xf32>
// CHECK: %[[D:.*]] = arith.mulf %[[V]]
// CHECK: %[[A:.*]] = arith.addf %[[D]], %[[V]] : vector<16xf32>
// CHECK: vector.store %[[A]], %[[Y]][%[[I]]] {alignment = 64 : i64, nontemporal = true} : memref<?xf32>, vector<16xf32>
// CHECK: %[[I1:.*]] = arith.addi %[[I]], %c16
// CHECK: vector.transfer_read %[[X]][%[[I1]]]
// CHECK-COUNT-3: nontemporal
// CHECK-NOT: vector<64xf32>
// CHECK: return
// WHOLE-LABEL: func @rows
// WHOLE: vector.store {{.*}} vector<64xf32>
func.func @rows(%x: memref<?xf32>, %y: memref<?xf32>, %s: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %b = vector.broadcast %s : f32 to vector<64xf32>
  scf.for %i = %c0 to %n step %c64 {
    memref.prefetch %x[%i], read, locality<3>, data : memref<?xf32>
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
    %d = arith.mulf %v, %b : vector<64xf32>
    %a = arith.addf %d, %v : vector<64xf32>
    vector.store %a, %y[%i] {alignment = 64 : i64, nontemporal = true} : memref<?xf32>, vector<64xf32>
  }
  return
}

// A carried vector is four, put together behind the loop in order; the scalar stays.
// CHECK-LABEL: func @carried
// CHECK: %[[R:.*]]:5 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, index)
// CHECK-COUNT-4: arith.addf {{.*}} : vector<16xf32>
// CHECK: scf.yield
// CHECK: vector.insert_strided_slice %[[R]]#0, %{{.*}} {offsets = [0], strides = [1]} : vector<16xf32> into vector<64xf32>
// CHECK: vector.insert_strided_slice %[[R]]#1, %{{.*}} {offsets = [16]
// CHECK: vector.insert_strided_slice %[[R]]#2, %{{.*}} {offsets = [32]
// CHECK: %[[J:.*]] = vector.insert_strided_slice %[[R]]#3, %{{.*}} {offsets = [48]
// CHECK: return %[[J]], %[[R]]#4
func.func @carried(%x: memref<?xf32>, %n: index) -> (vector<64xf32>, index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<64xf32>
  %r:2 = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero, %k = %c0) -> (vector<64xf32>, index) {
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
    %d = arith.mulf %v, %v : vector<64xf32>
    %e = arith.subf %d, %v : vector<64xf32>
    %a = arith.addf %acc, %e : vector<64xf32>
    %l = arith.addi %k, %i : index
    scf.yield %a, %l : vector<64xf32>, index
  }
  return %r#0, %r#1 : vector<64xf32>, index
}

// 64 bf16 are 32 words: each part has 16 of one and 8 of the other.
// CHECK-LABEL: func @words
// CHECK: %[[V:.*]] = vector.transfer_read {{.*}} vector<16xbf16>
// CHECK: %[[W:.*]] = vector.bitcast %[[V]] : vector<16xbf16> to vector<8xi32>
// CHECK: arith.shli %[[W]], %{{.*}} : vector<8xi32>
// CHECK: vector.interleave %{{.*}} : vector<8xf32> -> vector<16xf32>
// CHECK: vector.transfer_write {{.*}} : vector<16xf32>
func.func @words(%x: memref<?xbf16>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : bf16
  %high = arith.constant dense<16> : vector<32xi32>
  scf.for %i = %c0 to %n step %c64 {
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<?xbf16>, vector<64xbf16>
    %w = vector.bitcast %v : vector<64xbf16> to vector<32xi32>
    %e = arith.shli %w, %high : vector<32xi32>
    %f = arith.bitcast %e : vector<32xi32> to vector<32xf32>
    %o = arith.bitcast %w : vector<32xi32> to vector<32xf32>
    %r = vector.interleave %f, %o : vector<32xf32> -> vector<64xf32>
    %z = arith.addf %r, %r : vector<64xf32>
    %q = arith.mulf %z, %r : vector<64xf32>
    vector.transfer_write %q, %y[%i] {in_bounds = [true]} : vector<64xf32>, memref<?xf32>
  }
  return
}

// Even and odd elements of 64 bf16 are vectors of 32 words: two parts.
// CHECK-LABEL: func @pairs
// CHECK: %[[V:.*]] = vector.transfer_read {{.*}} vector<32xbf16>
// CHECK: vector.bitcast %[[V]] : vector<32xbf16> to vector<16xi32>
// CHECK: vector.transfer_write {{.*}} : vector<32xbf16>
// CHECK: vector.transfer_read {{.*}} vector<32xbf16>
// CHECK: vector.transfer_write {{.*}} : vector<32xbf16>
// CHECK-NOT: vector.transfer
// CHECK: return
func.func @pairs(%x: memref<?xbf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : bf16
  %half = arith.constant dense<16> : vector<32xi32>
  scf.for %i = %c0 to %n step %c64 {
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<?xbf16>, vector<64xbf16>
    %w = vector.bitcast %v : vector<64xbf16> to vector<32xi32>
    %e = arith.shli %w, %half : vector<32xi32>
    %s = arith.addi %e, %w : vector<32xi32>
    %k = arith.andi %s, %e : vector<32xi32>
    %t = arith.muli %s, %e : vector<32xi32>
    %l = arith.addi %t, %w : vector<32xi32>
    %u = arith.xori %l, %k : vector<32xi32>
    %y = vector.bitcast %u : vector<32xi32> to vector<64xbf16>
    vector.transfer_write %y, %x[%i] {in_bounds = [true]} : vector<64xbf16>, memref<?xbf16>
  }
  return
}

// The halves of a row share no element: each part reads and writes both.
// CHECK-LABEL: func @halves
// CHECK: vector.transfer_read %{{.*}}[%[[I:.*]]], {{.*}} vector<16xf32>
// CHECK: vector.transfer_read %{{.*}}[%[[J:.*]]], {{.*}} vector<16xf32>
// CHECK: vector.transfer_write %{{.*}}[%[[I]]] {{.*}} vector<16xf32>
// CHECK: vector.transfer_write %{{.*}}[%[[J]]] {{.*}} vector<16xf32>
// CHECK-NOT: vector<64xf32>
// CHECK: return
func.func @halves(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c128 {
    %j = arith.addi %i, %c64 : index
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
    %w = vector.transfer_read %x[%j], %pad {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
    %s = arith.addf %v, %w : vector<64xf32>
    %d = arith.subf %v, %w : vector<64xf32>
    vector.transfer_write %s, %x[%i] {in_bounds = [true]} : vector<64xf32>, memref<?xf32>
    vector.transfer_write %d, %x[%j] {in_bounds = [true]} : vector<64xf32>, memref<?xf32>
  }
  return
}

// What a later part reads must not be what an earlier one wrote: two columns. And
// lanes that meet, masks and scalar stores stay.
// CHECK-LABEL: func @not_split
// CHECK: vector.transfer_read {{.*}} vector<64xf32>
// CHECK: vector.transfer_read {{.*}} vector<64xf32>
// CHECK: vector.transfer_write {{.*}} : vector<64xf32>
// CHECK: vector.reduction {{.*}} vector<64xf32>
// CHECK: vector.transfer_write {{.*}} %{{.*}} {in_bounds = [true]} : vector<64xf32>
// CHECK: memref.store
// CHECK: vector.transfer_write {{.*}} : vector<64xf32>
// CHECK-NOT: vector<16xf32>
// CHECK: return
// WHY: remark: [Missed] MayOverlap | Category:norm-split-wide-vectors | Remark="body not split: a part may read what another part has written"
// WHY: remark: [Missed] NotPartWise | Category:norm-split-wide-vectors | Remark="body not split: a part of it needs other parts of its operands"
// WHY: remark: [Missed] NotPartWise
// WHY: remark: [Missed] OtherEffects | Category:norm-split-wide-vectors | Remark="body not split: it has regions or side effects"
func.func @not_split(%x: memref<?xf32>, %m: vector<64xi1>, %f: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c64 {
    %j = arith.addi %i, %c1 : index
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
    %w = vector.transfer_read %x[%j], %pad {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
    %s = arith.addf %v, %w : vector<64xf32>
    vector.transfer_write %s, %x[%i] {in_bounds = [true]} : vector<64xf32>, memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c64 {
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
    %t = arith.addf %v, %v : vector<64xf32>
    %u = arith.mulf %t, %v : vector<64xf32>
    %s = vector.reduction <add>, %u : vector<64xf32> into f32
    memref.store %s, %x[%i] : memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c64 {
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
    %t = arith.addf %v, %v : vector<64xf32>
    %u = arith.mulf %t, %v : vector<64xf32>
    vector.transfer_write %u, %x[%i], %m {in_bounds = [true]} : vector<64xf32>, memref<?xf32>
  }
  scf.for %i = %c0 to %n step %c64 {
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
    memref.store %f, %x[%i] : memref<?xf32>
    %t = arith.addf %v, %v : vector<64xf32>
    %u = arith.mulf %t, %v : vector<64xf32>
    vector.transfer_write %u, %x[%i] {in_bounds = [true]} : vector<64xf32>, memref<?xf32>
  }
  return
}

// Where 16-bit elements are written, their words count, not the f32 beside them:
// parts of 32 elements, of which most arithmetic has 16 words.
// CHECK-LABEL: func @words_and_floats
// CHECK-COUNT-2: vector.transfer_write %{{.*}} : vector<32xi16>, memref<?xi16>
// CHECK-NOT: vector<64x
// CHECK-NOT: vector<16xi16>
// CHECK: return
func.func @words_and_floats(%x: memref<?xi16>, %y: memref<?xi16>, %s: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %i = arith.constant 0 : i16
  %f = arith.constant 0.0 : f32
  scf.for %k = %c0 to %n step %c64 {
    %v = vector.transfer_read %x[%k], %i {in_bounds = [true]} : memref<?xi16>, vector<64xi16>
    %t = vector.transfer_read %s[%k], %f {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
    %w = vector.bitcast %v : vector<64xi16> to vector<32xi32>
    %a = arith.bitcast %w : vector<32xi32> to vector<32xf32>
    %b = arith.mulf %a, %a : vector<32xf32>
    %c = arith.addf %a, %b : vector<32xf32>
    %p = vector.interleave %b, %c : vector<32xf32> -> vector<64xf32>
    %u = arith.addf %t, %p : vector<64xf32>
    %d = arith.bitcast %c : vector<32xf32> to vector<32xi32>
    %r = vector.bitcast %d : vector<32xi32> to vector<64xi16>
    vector.transfer_write %r, %y[%k] {in_bounds = [true]} : vector<64xi16>, memref<?xi16>
    vector.transfer_write %u, %s[%k] {in_bounds = [true]} : vector<64xf32>, memref<?xf32>
  }
  return
}

// A pair of lanes has no four parts.
// WHY: :[[@LINE+11]]:10: remark: [Missed] NotDivisible | Category:norm-split-wide-vectors | Remark="body not split: its vectors do not divide by the number of parts"
// CHECK-LABEL: func @pair_beside
// CHECK: arith.mulf {{.*}} : vector<64xf32>
func.func @pair_beside(%x: memref<?xf32>, %p: vector<2xf32>, %q: memref<2xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c64 {
    %v = vector.transfer_read %x[%i], %pad {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
    %t = arith.addf %v, %v : vector<64xf32>
    %u = arith.mulf %t, %v : vector<64xf32>
    %s = arith.addf %p, %p : vector<2xf32>
    vector.transfer_write %u, %x[%i] {in_bounds = [true]} : vector<64xf32>, memref<?xf32>
  }
  return
}
}
