// RUN: norm-opt %s --norm-narrow-floats-to-integers --canonicalize --cse | FileCheck %s

// Widening is a shift and a mask, rounding two additions a word. The scalar may
// be any NaN, whose lower bits rounding could carry.
// CHECK-LABEL: func @scale
// CHECK-NOT: arith.extf
// CHECK-DAG: %[[BIAS:.*]] = arith.constant dense<32767> : vector<16xi32>
// CHECK-DAG: %[[QUIET:.*]] = arith.constant dense<4194304> : vector<16xi32>
// CHECK: vector.bitcast %{{.*}} : vector<32xi16> to vector<16xi32>
// CHECK-DAG: arith.andi %{{.*}} : vector<16xi32>
// CHECK-DAG: arith.shli %{{.*}} : vector<16xi32>
// CHECK-COUNT-2: arith.mulf %{{.*}} : vector<16xf32>
// CHECK: %[[BIASED:.*]] = arith.addi %[[WORDS:.*]], %[[BIAS]]
// CHECK: %[[ROUNDED:.*]] = arith.addi %[[BIASED]]
// CHECK: %[[KEPT:.*]] = arith.ori %[[WORDS]], %[[QUIET]]
// CHECK: %[[ISNAN:.*]] = arith.cmpf uno
// CHECK: arith.select %[[ISNAN]], %[[KEPT]], %[[ROUNDED]]
// CHECK: arith.cmpf uno
// CHECK: arith.select %{{.*}} : vector<32xi1>, vector<32xi16>
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @scale(%x: vector<32xbf16>, %r: f32) -> vector<32xbf16> {
  %v = vector.broadcast %r : f32 to vector<32xf32>
  %a = arith.extf %x : vector<32xbf16> to vector<32xf32>
  %b = arith.mulf %a, %v : vector<32xf32>
  %c = arith.truncf %b : vector<32xf32> to vector<32xbf16>
  return %c : vector<32xbf16>
}

// The accumulator is carried as halves and put in order behind the loop.
// CHECK-LABEL: func @sum
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK-NOT: arith.extf
// CHECK: scf.yield %{{.*}}, %{{.*}} : vector<16xf32>, vector<16xf32>
// CHECK: vector.interleave %{{.*}} : vector<16xf32> -> vector<32xf32>
func.func @sum(%x: memref<4096xbf16>) -> vector<32xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %s = scf.for %k = %c0 to %c4096 step %c32 iter_args(%acc = %zero) -> vector<32xf32> {
    %v = vector.load %x[%k] : memref<4096xbf16>, vector<32xbf16>
    %a = arith.extf %v : vector<32xbf16> to vector<32xf32>
    %q = arith.mulf %a, %a : vector<32xf32>
    %n = arith.addf %acc, %q : vector<32xf32>
    scf.yield %n : vector<32xf32>
  }
  return %s : vector<32xf32>
}

// The body reads it whole, too.
// CHECK-LABEL: func @running_sum
// CHECK: scf.for {{.*}} iter_args(%[[EVEN:.*]] = %{{.*}}, %[[ODD:.*]] = %{{.*}})
// CHECK: %[[WHOLE:.*]] = vector.interleave %[[EVEN]], %[[ODD]]
// CHECK: %[[NEXT:.*]] = arith.addf %[[WHOLE]],
// CHECK: vector.store %[[NEXT]]
func.func @running_sum(%x: memref<64xbf16>, %y: memref<64xf32>) -> vector<32xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %s = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> vector<32xf32> {
    %v = vector.load %x[%k] : memref<64xbf16>, vector<32xbf16>
    %a = arith.extf %v : vector<32xbf16> to vector<32xf32>
    %n = arith.addf %acc, %a : vector<32xf32>
    vector.store %n, %y[%k] : memref<64xf32>, vector<32xf32>
    scf.yield %n : vector<32xf32>
  }
  return %s : vector<32xf32>
}

// Values in another order than pairs, and short vectors, keep their order.
// CHECK-LABEL: func @not_pairs
// CHECK: arith.extui %{{.*}} : vector<32xi16> to vector<32xi32>
// CHECK: arith.mulf %{{.*}} : vector<32xf32>
// CHECK: arith.trunci %{{.*}} : vector<32xi32> to vector<32xi16>
// CHECK: arith.extui %{{.*}} : vector<8xi16> to vector<8xi32>
// CHECK: arith.mulf %{{.*}} : vector<8xf32>
// CHECK: arith.trunci %{{.*}} : vector<8xi32> to vector<8xi16>
// CHECK: return
func.func @not_pairs(%x: vector<32xbf16>, %v: vector<32xf32>, %y: vector<8xbf16>) -> (vector<32xbf16>, vector<8xbf16>) {
  %a = arith.extf %x : vector<32xbf16> to vector<32xf32>
  %b = arith.mulf %a, %v : vector<32xf32>
  %c = arith.truncf %b : vector<32xf32> to vector<32xbf16>
  %d = arith.extf %y : vector<8xbf16> to vector<8xf32>
  %e = arith.mulf %d, %d : vector<8xf32>
  %f = arith.truncf %e : vector<8xf32> to vector<8xbf16>
  return %c, %f : vector<32xbf16>, vector<8xbf16>
}

// A loop that carries a value of f32 from elsewhere keeps it whole.
// CHECK-LABEL: func @other_accumulator
// CHECK: scf.for {{.*}} -> (vector<32xf32>)
func.func @other_accumulator(%x: memref<64xbf16>, %w: memref<64xf32>) -> vector<32xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %s = scf.for %k = %c0 to %c64 step %c32 iter_args(%acc = %zero) -> vector<32xf32> {
    %v = vector.load %x[%k] : memref<64xbf16>, vector<32xbf16>
    %u = vector.load %w[%k] : memref<64xf32>, vector<32xf32>
    %a = arith.extf %v : vector<32xbf16> to vector<32xf32>
    %q = arith.mulf %a, %u : vector<32xf32>
    %n = arith.addf %acc, %q : vector<32xf32>
    scf.yield %n : vector<32xf32>
  }
  return %s : vector<32xf32>
}

// NaNs that come from bf16, a constant or an operation keep their lower half
// clear, and nothing is done for them. A rounding that is only widened again
// stays in words: no vector of 16-bit integers before the last one.
// CHECK-LABEL: func @llama
// CHECK: vector.bitcast
// CHECK-NOT: arith.cmpf
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
// CHECK-NOT: vector<32xi1>, vector<32xi16>
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
// CHECK-NOT: vector<32xi1>, vector<32xi16>
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
// CHECK-NOT: vector<32xi1>, vector<32xi16>
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
// CHECK-NOT: arith.cmpf
// CHECK: arith.select %{{.*}} : vector<32xi1>, vector<32xi16>
// CHECK-NEXT: arith.bitcast
// CHECK-NEXT: return
func.func @llama(%x: vector<32xbf16>, %w: vector<32xbf16>) -> vector<32xbf16> {
  %eps = arith.constant 1.0e-6 : f32
  %one = arith.constant 1.0 : f32
  %a = arith.extf %x : vector<32xbf16> to vector<32xf32>
  %s = vector.reduction <add>, %a, %eps : vector<32xf32> into f32
  %q = math.sqrt %s : f32
  %r = arith.divf %one, %q : f32
  %v = vector.broadcast %r : f32 to vector<32xf32>
  %b = arith.mulf %a, %v : vector<32xf32>
  %t = arith.truncf %b : vector<32xf32> to vector<32xbf16>
  %c = arith.extf %t : vector<32xbf16> to vector<32xf32>
  %g = arith.extf %w : vector<32xbf16> to vector<32xf32>
  %p = arith.mulf %c, %g : vector<32xf32>
  %y = arith.truncf %p : vector<32xf32> to vector<32xbf16>
  return %y : vector<32xbf16>
}

// Carried from one row to the next, a value is as its first and its next one.
// CHECK-LABEL: func @carried
// CHECK: scf.for
// CHECK-NOT: arith.cmpf
// CHECK: scf.yield
func.func @carried(%x: memref<4096xbf16>, %y: memref<4096xbf16>) -> f32 {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c4096 = arith.constant 4096 : index
  %one = arith.constant 1.0 : f32
  %s = scf.for %k = %c0 to %c4096 step %c32 iter_args(%last = %one) -> f32 {
    %v = vector.load %x[%k] : memref<4096xbf16>, vector<32xbf16>
    %a = arith.extf %v : vector<32xbf16> to vector<32xf32>
    %r = vector.broadcast %last : f32 to vector<32xf32>
    %b = arith.mulf %a, %r : vector<32xf32>
    %t = arith.truncf %b : vector<32xf32> to vector<32xbf16>
    vector.store %t, %y[%k] : memref<4096xbf16>, vector<32xbf16>
    %n = vector.reduction <add>, %a : vector<32xf32> into f32
    scf.yield %n : f32
  }
  return %s : f32
}

// An f32 from memory may be any NaN, and so may what a loop starts with.
// CHECK-LABEL: func @unknown
// CHECK: scf.for
// CHECK-COUNT-2: arith.cmpf uno
// CHECK: scf.yield
func.func @unknown(%x: memref<4096xbf16>, %y: memref<4096xbf16>, %first: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c4096 = arith.constant 4096 : index
  %s = scf.for %k = %c0 to %c4096 step %c32 iter_args(%last = %first) -> f32 {
    %v = vector.load %x[%k] : memref<4096xbf16>, vector<32xbf16>
    %a = arith.extf %v : vector<32xbf16> to vector<32xf32>
    %r = vector.broadcast %last : f32 to vector<32xf32>
    %b = arith.mulf %a, %r : vector<32xf32>
    %t = arith.truncf %b : vector<32xf32> to vector<32xbf16>
    vector.store %t, %y[%k] : memref<4096xbf16>, vector<32xbf16>
    %n = vector.reduction <add>, %a : vector<32xf32> into f32
    scf.yield %n : f32
  }
  return %s : f32
}

// A NaN of exp is one of its operand, which rounding keeps.
// CHECK-LABEL: func @exponential
// CHECK-COUNT-2: math.exp %{{.*}} : vector<16xf32>
// CHECK-NOT: arith.cmpf uno
// CHECK: return
func.func @exponential(%x: vector<32xbf16>) -> vector<32xbf16> {
  %a = arith.extf %x : vector<32xbf16> to vector<32xf32>
  %b = math.exp %a : vector<32xf32>
  %c = arith.truncf %b : vector<32xf32> to vector<32xbf16>
  return %c : vector<32xbf16>
}

// What can only be values of bf16 is not rounded.
// CHECK-LABEL: func @exact
// CHECK-COUNT-2: arith.negf %{{.*}} : vector<16xf32>
// CHECK-COUNT-2: arith.mulf %{{.*}} : vector<16xf32>
// CHECK-COUNT-4: arith.addi
// CHECK-NOT: arith.addi
// CHECK: return
func.func @exact(%x: vector<32xbf16>) -> (vector<32xbf16>, vector<32xbf16>) {
  %a = arith.extf %x : vector<32xbf16> to vector<32xf32>
  %b = arith.negf %a : vector<32xf32>
  %c = arith.truncf %b : vector<32xf32> to vector<32xbf16>
  %d = arith.extf %c : vector<32xbf16> to vector<32xf32>
  %e = arith.mulf %d, %a : vector<32xf32>
  %f = arith.truncf %e : vector<32xf32> to vector<32xbf16>
  return %c, %f : vector<32xbf16>, vector<32xbf16>
}

// A product that is stored whole beside a rounding of its factors is computed in
// halves, which are put in order, and not a second time from widened lanes.
// CHECK-LABEL: func @rounded_and_whole
// CHECK-NOT: arith.extui
// CHECK-COUNT-2: arith.mulf %{{.*}} : vector<16xf32>
// CHECK-DAG: vector.interleave %{{.*}}, %{{.*}} : vector<16xf32> -> vector<32xf32>
// CHECK-DAG: arith.addf %{{.*}} : vector<32xf32>
// CHECK-NOT: arith.mulf %{{.*}} : vector<32xf32>
// CHECK: return
func.func @rounded_and_whole(%x: vector<32xbf16>, %y: vector<32xbf16>, %s: vector<32xf32>) -> (vector<32xbf16>, vector<32xf32>) {
  %a = arith.extf %x : vector<32xbf16> to vector<32xf32>
  %b = arith.extf %y : vector<32xbf16> to vector<32xf32>
  %d = arith.subf %a, %b : vector<32xf32>
  %r = arith.truncf %d : vector<32xf32> to vector<32xbf16>
  %p = arith.mulf %a, %b : vector<32xf32>
  %t = arith.addf %s, %p : vector<32xf32>
  return %r, %t : vector<32xbf16>, vector<32xf32>
}
