// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-finish-loops))' | FileCheck %s
// RUN: sed 's/128/256/g' %s | norm-opt --pass-pipeline='builtin.module(func.func(norm-finish-loops))' | FileCheck %s
// RUN: sed 's/128/320/g' %s | norm-opt --pass-pipeline='builtin.module(func.func(norm-finish-loops))' | FileCheck %s --check-prefix=FIVE
// Down to LLVM IR: metadata on the branch back.
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-finish-loops),convert-scf-to-cf,convert-vector-to-llvm,convert-arith-to-llvm,finalize-memref-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)' | FileCheck %s --check-prefix=BRANCH

// CHECK: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK: #[[LOOP:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>

// CHECK-LABEL: func @long
// CHECK: vector.store
// CHECK: } {loop_annotation = #[[LOOP]]}
// BRANCH-LABEL: llvm.func @long
// BRANCH: llvm.br {{.*}} {loop_annotation = #
// BRANCH-NOT: {llvm.loop_annotation
func.func @long(%x: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c64 {
    %v = vector.load %x[%i] : memref<1024xf32>, vector<64xf32>
    %w = arith.addf %v, %v : vector<64xf32>
    vector.store %w, %x[%i] : memref<1024xf32>, vector<64xf32>
  }
  return
}

// Loops over the edges of a row have few turns, but LLVM cannot see that.
// CHECK-LABEL: func @edge
// CHECK: loop_annotation = #[[LOOP]], norm.loop = #norm.loop<edge>
func.func @edge(%x: memref<1024xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c4 {
    %v = vector.load %x[%i] : memref<1024xf32>, vector<4xf32>
    vector.store %v, %x[%i] : memref<1024xf32>, vector<4xf32>
  } {norm.loop = #norm.loop<edge>}
  return
}

// Up to four iterations are better as none.
// CHECK-LABEL: func @short
// CHECK-NOT: loop_annotation
// FIVE-LABEL: func @short
// FIVE: } {loop_annotation
func.func @short(%x: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c128 step %c64 {
    %v = vector.load %x[%i] : memref<128xf32>, vector<64xf32>
    %w = arith.addf %v, %v : vector<64xf32>
    vector.store %w, %x[%i] : memref<128xf32>, vector<64xf32>
  }
  return
}

// Narrow vectors and scalars are for LLVM to unroll.
// CHECK-LABEL: func @narrow
// CHECK-NOT: loop_annotation
func.func @narrow(%x: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c16 {
    %v = vector.load %x[%i] : memref<1024xf32>, vector<16xf32>
    %w = arith.addf %v, %v : vector<16xf32>
    vector.store %w, %x[%i] : memref<1024xf32>, vector<16xf32>
  }
  return
}

// The copies of a loop of loops would be nine loops; an inner one is LLVM's to unroll.
// CHECK-LABEL: func @window
// CHECK: scf.for
// CHECK: scf.for {{.*}} to %c3
// CHECK: scf.for {{.*}} to %c3
// CHECK: scf.for
// CHECK: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: } {loop_annotation = #loop_annotation}
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @window(%x: memref<?x?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %o = %c0 to %n step %c1 {
    scf.for %i = %c0 to %c3 step %c1 {
      scf.for %j = %c0 to %c3 step %c1 {
        scf.for %k = %c0 to %n step %c1 {
          %row = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%o, %i)
          %column = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%k, %j)
          %a = memref.load %x[%row, %column] : memref<?x?xf32>
          %b = memref.load %y[%k] : memref<?xf32>
          %m = arith.maximumf %a, %b : f32
          memref.store %m, %y[%k] : memref<?xf32>
        }
      }
    }
  }
  return
}

// LLVM would make 99 stores of the inner loop, and 3267 of both.
// CHECK-LABEL: func @rows
// CHECK: } {loop_annotation = #[[LOOP]], norm.loop = #norm.loop<rows>}
// CHECK: } {loop_annotation = #[[LOOP]], norm.loop = #norm.loop<rows>}
// CHECK: } {norm.loop = #norm.loop<rows>}
func.func @rows(%x: memref<33x99x4xf64>, %y: memref<32x4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c33 = arith.constant 33 : index
  %c99 = arith.constant 99 : index
  %zero = arith.constant dense<0.0> : vector<4xf64>
  scf.for %i = %c0 to %c33 step %c1 {
    scf.for %j = %c0 to %c99 step %c1 {
      vector.store %zero, %x[%i, %j, %c0] : memref<33x99x4xf64>, vector<4xf64>
    } {norm.loop = #norm.loop<rows>}
  } {norm.loop = #norm.loop<rows>}
  scf.for %i = %c0 to %c32 step %c1 {
    vector.store %zero, %y[%i, %c0] : memref<32x4xf64>, vector<4xf64>
  } {norm.loop = #norm.loop<rows>}
  return
}
