// RUN: norm-opt %s --pass-pipeline='builtin.module(llvm.func(norm-tune-for-x86{f16-vectors=1}))' | FileCheck %s
// RUN: norm-opt %s --pass-pipeline='builtin.module(llvm.func(norm-tune-for-x86))' | FileCheck %s --check-prefix=NONE
// NONE-NOT: llvm.arithmetic.fence

// LLVM has no non-temporal store of f16; the fence keeps the bitcast.
// CHECK-LABEL: llvm.func @stream
// CHECK-SAME: prefer_vector_width = "512"
// CHECK: %[[F:.*]] = llvm.bitcast %{{.*}} : vector<32xf16> to vector<16xf32>
// CHECK: %[[W:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence"(%[[F]]) : (vector<16xf32>) -> vector<16xf32>
// CHECK: llvm.store %[[W]], %{{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
// CHECK: llvm.call_intrinsic "llvm.arithmetic.fence"
// CHECK: llvm.store %{{.*}}, %{{.*}} {nontemporal} : vector<16xf32>, !llvm.ptr
llvm.func @stream(%v: vector<32xf16>, %p: !llvm.ptr) {
  %bits = llvm.bitcast %v : vector<32xf16> to vector<32xi16>
  llvm.store %bits, %p {alignment = 64 : i64, nontemporal} : vector<32xi16>, !llvm.ptr
  llvm.store %v, %p {nontemporal} : vector<32xf16>, !llvm.ptr
  llvm.return
}

// Other stores stay, and so does a width that is there.
// CHECK-LABEL: llvm.func @other
// CHECK-SAME: prefer_vector_width = "256"
// CHECK-NOT: llvm.call_intrinsic
// CHECK: llvm.store %{{.*}} : vector<32xf16>, !llvm.ptr
// CHECK: llvm.store %{{.*}} {nontemporal} : vector<32xi16>, !llvm.ptr
// CHECK: llvm.store %{{.*}} {nontemporal} : vector<3xf16>, !llvm.ptr
llvm.func @other(%v: vector<32xf16>, %i: vector<32xi16>, %odd: vector<3xf16>, %p: !llvm.ptr) attributes {prefer_vector_width = "256"} {
  llvm.store %v, %p : vector<32xf16>, !llvm.ptr
  llvm.store %i, %p {nontemporal} : vector<32xi16>, !llvm.ptr
  llvm.store %odd, %p {nontemporal} : vector<3xf16>, !llvm.ptr
  llvm.return
}

// CHECK: llvm.func @declared()
// CHECK-NOT: prefer_vector_width
llvm.func @declared()
