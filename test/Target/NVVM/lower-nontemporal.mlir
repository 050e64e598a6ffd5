// RUN: norm-opt %s --pass-pipeline='builtin.module(gpu.module(norm-lower-nontemporal))' | FileCheck %s
// RUN: norm-opt %s --pass-pipeline='builtin.module(gpu.module(norm-lower-nontemporal{loads=l1-no-allocate}))' | FileCheck %s --check-prefix=NOALLOC

// PTX has either a cache operator or a priority in L1, and stores keep theirs.
// NOALLOC-LABEL: llvm.func @widths
// NOALLOC: "ld.global.L1::no_allocate.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l"
// NOALLOC: "ld.global.L1::no_allocate.v2.b32 {$0, $1}, [$2];", "=r,=r,l"
// NOALLOC: "ld.global.L1::no_allocate.b32 $0, [$1];", "=r,l"
// NOALLOC: "ld.global.L1::no_allocate.b16 $0, [$1];", "=h,l"
// NOALLOC: "st.global.cs.v4.b32

gpu.module @m {
  // CHECK-LABEL: llvm.func @widths
  // CHECK: llvm.addrspacecast %arg0 : !llvm.ptr to !llvm.ptr<1>
  // CHECK: llvm.inline_asm has_side_effects "ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l"
  // CHECK: llvm.bitcast %{{.*}} : vector<4xi32> to vector<8xbf16>
  // CHECK: llvm.inline_asm has_side_effects "ld.global.cs.v2.b32 {$0, $1}, [$2];", "=r,=r,l"
  // CHECK: llvm.inline_asm has_side_effects "ld.global.cs.b32 $0, [$1];", "=r,l"
  // CHECK: llvm.inline_asm has_side_effects "ld.global.cs.b16 $0, [$1];", "=h,l"
  // CHECK: llvm.inline_asm has_side_effects "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r"
  // CHECK: llvm.inline_asm has_side_effects "st.global.cs.v2.b32 [$0], {$1, $2};", "l,r,r"
  // CHECK: llvm.inline_asm has_side_effects "st.global.cs.b32 [$0], $1;", "l,r"
  // CHECK: llvm.inline_asm has_side_effects "st.global.cs.b16 [$0], $1;", "l,h"
  llvm.func @widths(%p: !llvm.ptr) {
    %a = llvm.load %p {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<8xbf16>
    %b = llvm.load %p {alignment = 8 : i64, nontemporal} : !llvm.ptr -> vector<2xf32>
    %c = llvm.load %p {alignment = 4 : i64, nontemporal} : !llvm.ptr -> f32
    %d = llvm.load %p {alignment = 2 : i64, nontemporal} : !llvm.ptr -> vector<1xf16>
    llvm.store %a, %p {alignment = 16 : i64, nontemporal} : vector<8xbf16>, !llvm.ptr
    llvm.store %b, %p {alignment = 8 : i64, nontemporal} : vector<2xf32>, !llvm.ptr
    llvm.store %c, %p {alignment = 4 : i64, nontemporal} : f32, !llvm.ptr
    llvm.store %d, %p {alignment = 2 : i64, nontemporal} : vector<1xf16>, !llvm.ptr
    llvm.return
  }

  // Not nontemporal, no PTX size, and less aligned than the instruction wants.
  // CHECK-LABEL: llvm.func @others
  // CHECK-NOT: llvm.inline_asm
  // CHECK: llvm.return
  llvm.func @others(%p: !llvm.ptr) {
    %a = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
    %b = llvm.load %p {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<3xf32>
    %c = llvm.load %p {alignment = 4 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
    llvm.store %a, %p {alignment = 8 : i64, nontemporal} : vector<4xf32>, !llvm.ptr
    llvm.store %b, %p {alignment = 16 : i64} : vector<3xf32>, !llvm.ptr
    llvm.store %c, %p : vector<4xf32>, !llvm.ptr
    llvm.return
  }
}
