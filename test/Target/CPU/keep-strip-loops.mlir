// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-keep-strip-loops))' | FileCheck %s
// RUN: sed 's/128/256/g' %s | norm-opt --pass-pipeline='builtin.module(func.func(norm-keep-strip-loops))' | FileCheck %s
// RUN: sed 's/128/320/g' %s | norm-opt --pass-pipeline='builtin.module(func.func(norm-keep-strip-loops))' | FileCheck %s --check-prefix=FIVE
// Down to LLVM IR: metadata on the branch back.
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-keep-strip-loops),convert-scf-to-cf,convert-vector-to-llvm,convert-arith-to-llvm,finalize-memref-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts,llvm.func(norm-attach-loop-annotations))' | FileCheck %s --check-prefix=BRANCH

// CHECK: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK: #[[LOOP:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>

// CHECK-LABEL: func @long
// CHECK: vector.store
// CHECK: } {llvm.loop_annotation = #[[LOOP]]}
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
// CHECK: llvm.loop_annotation = #[[LOOP]], norm.loop = #norm.loop<edge>
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
// CHECK-NOT: llvm.loop_annotation
// FIVE-LABEL: func @short
// FIVE: llvm.loop_annotation
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
// CHECK-NOT: llvm.loop_annotation
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
