// RUN: norm-opt %s --norm-call-libc --split-input-file --verify-diagnostics | FileCheck %s

// Equal messages are one, of which a zero is no part.
// CHECK: llvm.mlir.global internal constant @[[OTHER:[a-z_0-9]*]]("other\0A")
// CHECK: llvm.mlir.global internal constant @[[TEXT:[a-z_0-9]*]]("100% \22wrong\22\0A")
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[A:.*]]: i1, %[[B:.*]]: i1)
// CHECK: cf.cond_br %[[A]], ^[[NEXT:.*]], ^[[FAIL:.*]]
// CHECK: ^[[NEXT]]:
// CHECK: cf.cond_br %[[B]]
// CHECK: ^[[FAIL]]:
// CHECK: %[[M:.*]] = llvm.mlir.addressof @[[TEXT]]
// CHECK: %[[ERR:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(13 : i64)
// CHECK: llvm.call @write(%[[ERR]], %[[M]], %[[SIZE]])
// CHECK: llvm.call @abort()
// CHECK: llvm.unreachable
// CHECK: addressof @[[TEXT]]
// CHECK: addressof @[[OTHER]]
// CHECK-NOT: cf.assert
func.func @f(%a: i1, %b: i1) {
  cf.assert %a, "100% \22wrong\22"
  cf.assert %b, "100% \22wrong\22"
  cf.assert %b, "other"
  return
}

// -----

func.func @structured(%a: i1) {
  scf.if %a {
    // expected-error @below {{norm-call-libc: needs convert-scf-to-cf first}}
    cf.assert %a, "inside"
  }
  return
}
