// RUN: norm-opt %s --norm-narrow-floats-to-integers --canonicalize --split-input-file --verify-diagnostics | FileCheck %s
// RUN: norm-opt %s --norm-narrow-floats-to-integers=hardware-rounding=1 --canonicalize --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=HARDWARE

// What only moves is integers, through loops, branches and selections.
// CHECK-LABEL: func @moves
// CHECK-SAME: memref<?xi16>
// CHECK-NOT: f16
// CHECK: memref.load %{{.*}} : memref<?xi16>
// CHECK: scf.for {{.*}} -> (i16)
// CHECK: arith.select %{{.*}} : i16
// CHECK: scf.if
// CHECK: memref.store %{{.*}} : memref<?xi16>
// CHECK: return
func.func @moves(%x: memref<?xbf16>, %p: i1, %q: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = memref.load %x[%c0] : memref<?xbf16>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first) -> bf16 {
    %v = memref.load %x[%i] : memref<?xbf16>
    %b = scf.if %p -> bf16 {
      memref.store %a, %x[%i] : memref<?xbf16>
      scf.yield %v : bf16
    } else {
      memref.store %v, %x[%c0] : memref<?xbf16>
      scf.yield %a : bf16
    }
    %s = arith.select %q, %b, %v : bf16
    scf.yield %s : bf16
  }
  memref.store %last, %x[%c0] : memref<?xbf16>
  return
}

// -----

// CHECK-LABEL: func @blocks
// CHECK: cf.br ^bb1(%{{.*}} : i16)
// CHECK: ^bb1(%{{.*}}: i16):
func.func @blocks(%x: memref<bf16>, %p: i1) {
  %v = memref.load %x[] : memref<bf16>
  cf.br ^bb1(%v : bf16)
^bb1(%a: bf16):
  cf.cond_br %p, ^bb1(%a : bf16), ^bb2
^bb2:
  memref.store %a, %x[] : memref<bf16>
  return
}

// -----

// Constants are their bits: 1.0, the smallest subnormal and a signaling NaN.
// CHECK: memref.global "private" constant @table : memref<2xi16> = dense<[16256, 1]>
memref.global "private" constant @table : memref<2xbf16> = dense<[1.0, 9.18354962E-41]>
// CHECK-LABEL: func @constants
// CHECK-DAG: arith.constant dense<15360> : vector<4xi16>
// CHECK-DAG: arith.constant 32641 : i16
func.func @constants(%x: memref<4xf16>, %y: memref<bf16>, %i: index) {
  %one = arith.constant dense<1.0> : vector<4xf16>
  %nan = arith.constant 0x7F81 : bf16
  vector.store %one, %x[%i] : memref<4xf16>, vector<4xf16>
  memref.store %nan, %y[] : memref<bf16>
  return
}

// -----

// Masked accesses, shuffles and casts of vectors.
// CHECK-LABEL: func @vectors
// CHECK-NOT: f16
// CHECK: vector.maskedload %{{.*}} : memref<64xi16>, vector<16xi1>, vector<16xi16> into vector<16xi16>
// CHECK: vector.shuffle %{{.*}} : vector<16xi16>, vector<16xi16>
// CHECK: vector.bitcast %{{.*}} : vector<16xi16> to vector<8xi32>
// CHECK: vector.transfer_write %{{.*}} : vector<16xi16>, memref<64xi16>
func.func @vectors(%x: memref<64xf16>, %m: vector<16xi1>, %i: index) -> vector<8xi32> {
  %z = arith.constant dense<0.0> : vector<16xf16>
  %v = vector.maskedload %x[%i], %m, %z : memref<64xf16>, vector<16xi1>, vector<16xf16> into vector<16xf16>
  %s = vector.shuffle %v, %v [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30] : vector<16xf16>, vector<16xf16>
  %w = vector.bitcast %s : vector<16xf16> to vector<8xi32>
  vector.transfer_write %s, %x[%i] : vector<16xf16>, memref<64xf16>
  return %w : vector<8xi32>
}

// -----

// bf16 is widened by a shift and rounded as `rounding` says; f16 by instructions.
// CHECK-LABEL: func @conversions
// CHECK: arith.extui %{{.*}} : i16 to i32
// CHECK: arith.shli
// CHECK: arith.bitcast %{{.*}} : i32 to f32
// CHECK: arith.cmpf uno
// CHECK: arith.trunci %{{.*}} : i32 to i16
// CHECK: memref.store %{{.*}} : memref<i16>
// CHECK: %[[H:.*]] = arith.bitcast %{{.*}} : i16 to f16
// CHECK: arith.extf %[[H]] : f16 to f32
// CHECK: %[[T:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.bitcast %[[T]] : f16 to i16
// HARDWARE-LABEL: func @conversions
// HARDWARE: arith.shli
// HARDWARE: %[[T:.*]] = arith.truncf %{{.*}} : f32 to bf16
// HARDWARE: %[[N:.*]] = arith.bitcast %[[T]] : bf16 to i16
// HARDWARE: memref.store %[[N]], %{{.*}} : memref<i16>
func.func @conversions(%b: memref<bf16>, %h: memref<f16>) {
  %x = memref.load %b[] : memref<bf16>
  %x32 = arith.extf %x : bf16 to f32
  %xx = arith.mulf %x32, %x32 : f32
  %r = arith.truncf %xx : f32 to bf16
  memref.store %r, %b[] : memref<bf16>
  %y = memref.load %h[] : memref<f16>
  %y32 = arith.extf %y : f16 to f32
  %yy = arith.mulf %y32, %y32 : f32
  %s = arith.truncf %yy : f32 to f16
  memref.store %s, %h[] : memref<f16>
  return
}

// -----

// A bf16 that comes from outside keeps its type there, and is hidden inside.
// CHECK-LABEL: func @called
// CHECK-SAME: %[[S:[a-z0-9]+]]: bf16, %{{[a-z0-9]+}}: f16, %{{.*}}: memref<?xi16>) -> bf16
// CHECK: %[[BITS:.*]] = arith.bitcast %[[S]] : bf16 to i16
// CHECK: llvm.inline_asm "", "=r,0" %[[BITS]] : (i16) -> i16
// CHECK: %[[R:.*]] = call @called(%{{.*}}) : (bf16, f16, memref<?xi16>) -> bf16
// CHECK: arith.bitcast %[[R]] : bf16 to i16
// CHECK: llvm.inline_asm
// CHECK: return %{{.*}} : bf16
func.func @called(%s: bf16, %h: f16, %x: memref<?xbf16>) -> bf16 {
  %c0 = arith.constant 0 : index
  memref.store %s, %x[%c0] : memref<?xbf16>
  %r = call @called(%s, %h, %x) : (bf16, f16, memref<?xbf16>) -> bf16
  memref.store %r, %x[%c0] : memref<?xbf16>
  return %r : bf16
}

// -----

// Complex numbers keep the type of their elements.
// CHECK-LABEL: func @complex
// CHECK: complex.re %{{.*}} : complex<bf16>
// CHECK: arith.bitcast %{{.*}} : bf16 to i16
// CHECK: memref.store %{{.*}} : memref<i16>
func.func @complex(%x: memref<complex<bf16>>, %y: memref<bf16>) {
  %c = memref.load %x[] : memref<complex<bf16>>
  %re = complex.re %c : complex<bf16>
  memref.store %re, %y[] : memref<bf16>
  return
}

// -----

// Nothing stands beside an op in its mask.
// CHECK-LABEL: func @masked
// CHECK: %[[F:.*]] = arith.bitcast %{{.*}} : vector<8xi16> to vector<8xf16>
// CHECK: %[[R:.*]] = vector.mask %{{.*}} { vector.reduction <add>, %[[F]] : vector<8xf16> into f16 }
// CHECK: arith.bitcast %[[R]] : f16 to i16
func.func @masked(%x: memref<8xf16>, %y: memref<f16>, %m: vector<8xi1>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<8xf16>, vector<8xf16>
  %r = vector.mask %m { vector.reduction <add>, %v : vector<8xf16> into f16 } : vector<8xi1> -> f16
  memref.store %r, %y[] : memref<f16>
  return
}

// -----

func.func @atomic(%x: memref<4xbf16>, %v: bf16, %i: index) {
  // expected-error@+1 {{norm-narrow-floats-to-integers: an atomic operation on 'bf16' is not supported}}
  %0 = memref.atomic_rmw addf %v, %x[%i] : (bf16, memref<4xbf16>) -> bf16
  return
}
