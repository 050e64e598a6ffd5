// RUN: norm-opt %s --norm-prepare-llvm | FileCheck %s

// Equal messages are one, of which a zero is no part.
// CHECK: llvm.mlir.global internal constant @[[OTHER:[a-z_0-9]*]]("other\0A")
// CHECK: llvm.func @abort() attributes {passthrough = ["noreturn"]}
// CHECK: llvm.mlir.global internal constant @[[TEXT:[a-z_0-9]*]]("100% \22wrong\22\0A")
// CHECK-LABEL: func.func @program.f(
// CHECK-SAME: %[[A:.*]]: i1, %[[B:.*]]: i1)
// CHECK: %[[WRONG:.*]] = arith.xori %[[A]], %true
// CHECK: scf.if %[[WRONG]] {
// CHECK: %[[M:.*]] = llvm.mlir.addressof @[[TEXT]]
// CHECK: %[[ERR:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(13 : i64)
// CHECK: llvm.call @write(%[[ERR]], %[[M]], %[[SIZE]])
// CHECK: llvm.call @abort()
// CHECK-NEXT: }
// CHECK: addressof @[[TEXT]]
// CHECK: addressof @[[OTHER]]
// CHECK-NOT: cf.assert
func.func @f(%a: i1, %b: i1) {
  cf.assert %a, "100% \22wrong\22"
  cf.assert %b, "100% \22wrong\22"
  cf.assert %b, "other"
  return
}

// Also inside of structured branches.
// CHECK-LABEL: func.func @program.structured
// CHECK: scf.if
// CHECK: scf.if
// CHECK: @abort
func.func @structured(%a: i1) {
  scf.if %a {
    cf.assert %a, "other"
  }
  return
}
