// RUN: norm-opt %s --norm-use-x86-instructions=f16-vectors=1 | FileCheck %s
// RUN: norm-opt %s --norm-use-x86-instructions | FileCheck %s --check-prefix=NONE
// RUN: norm-opt %s --pass-pipeline='builtin.module(norm-use-x86-instructions,convert-vector-to-llvm,convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)' | FileCheck %s --check-prefix=LLVM
// NONE-NOT: llvm.arithmetic.fence

// LLVM has no non-temporal store of f16; the fence keeps the bitcast.
// CHECK-LABEL: func @stream
// CHECK-SAME: prefer_vector_width = "512"
// CHECK: %[[F:.*]] = vector.bitcast %{{.*}} : vector<32xf16> to vector<16xf32>
// CHECK: %[[W:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%[[F]]) : (vector<16xf32>) -> vector<16xf32>
// CHECK: %[[B:.*]] = vector.bitcast %[[W]] : vector<16xf32> to vector<32xi16>
// CHECK: vector.store %[[B]], %{{.*}} {nontemporal = true} : memref<64xi16>, vector<32xi16>
// CHECK: llvm.call_intrinsic "llvm.arithmetic.fence"
// CHECK: vector.store %{{.*}}, %{{.*}} {nontemporal = true} : memref<64xf16>, vector<32xf16>
// LLVM-LABEL: llvm.func @stream
// LLVM-SAME: prefer_vector_width = "512"
func.func @stream(%v: vector<32xf16>, %p: memref<64xf16>, %q: memref<64xi16>) {
  %c0 = arith.constant 0 : index
  %bits = arith.bitcast %v : vector<32xf16> to vector<32xi16>
  vector.store %bits, %q[%c0] {nontemporal = true} : memref<64xi16>, vector<32xi16>
  vector.store %v, %p[%c0] {nontemporal = true} : memref<64xf16>, vector<32xf16>
  return
}

// Other stores stay, and so does a width that is there.
// CHECK-LABEL: func @other
// CHECK-SAME: prefer_vector_width = "256"
// CHECK-NOT: llvm.call_intrinsic
// CHECK: vector.store %{{.*}} : memref<64xf16>, vector<32xf16>
// CHECK: vector.store %{{.*}} {nontemporal = true} : memref<64xi16>, vector<32xi16>
// CHECK: vector.store %{{.*}} {nontemporal = true} : memref<64xf16>, vector<3xf16>
func.func @other(%v: vector<32xf16>, %i: vector<32xi16>, %odd: vector<3xf16>, %p: memref<64xf16>, %q: memref<64xi16>) attributes {prefer_vector_width = "256"} {
  %c0 = arith.constant 0 : index
  vector.store %v, %p[%c0] : memref<64xf16>, vector<32xf16>
  vector.store %i, %q[%c0] {nontemporal = true} : memref<64xi16>, vector<32xi16>
  vector.store %odd, %p[%c0] {nontemporal = true} : memref<64xf16>, vector<3xf16>
  return
}

// CHECK: func private @declared()
// CHECK-NOT: prefer_vector_width
func.func private @declared()
