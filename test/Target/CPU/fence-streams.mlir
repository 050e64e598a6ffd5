// RUN: norm-opt %s --split-input-file --verify-diagnostics --norm-finish-loops | FileCheck %s
// RUN: norm-opt %s --split-input-file --verify-diagnostics --norm-finish-loops=sfence=true | FileCheck %s --check-prefix=SFENCE

// One fence, behind the outermost loop.
// CHECK-LABEL: func @serial
// CHECK: vector.store
// CHECK-NEXT: {{^ *}$}}
// CHECK-NEXT: {{^ *}$}}
// CHECK-NEXT: llvm.fence seq_cst
// CHECK-NOT: llvm.fence
// CHECK: return
// SFENCE-LABEL: func @serial
// SFENCE: vector.store
// SFENCE-NEXT: {{^ *}$}}
// SFENCE-NEXT: {{^ *}$}}
// SFENCE-NEXT: llvm.call_intrinsic "llvm.x86.sse.sfence"()
func.func @serial(%y: memref<8x64xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %k = %c0 to %c64 step %c16 {
      vector.store %v, %y[%i, %k] {nontemporal = true} : memref<8x64xf32>, vector<16xf32>
    }
  }
  return
}

// Each thread fences before the team ends.
// CHECK-LABEL: func @team
// CHECK: omp.wsloop
// CHECK: vector.store
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: omp.terminator
// CHECK-NOT: llvm.fence
func.func @team(%y: memref<8x16xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%c8) step (%c1) {
        vector.store %v, %y[%i, %c0] {nontemporal = true} : memref<8x16xf32>, vector<16xf32>
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// CHECK-LABEL: func @ordinary
// CHECK-NOT: llvm.fence
func.func @ordinary(%y: memref<16xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  vector.store %v, %y[%c0] : memref<16xf32>, vector<16xf32>
  return
}

// -----

func.func @threads_without_fence(%y: memref<8x16xf32>, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{norm-finish-loops: threads that stream need convert-scf-to-openmp first}}
  scf.forall (%i) in (8) {
    vector.store %v, %y[%i, %c0] {nontemporal = true} : memref<8x16xf32>, vector<16xf32>
  }
  return
}
