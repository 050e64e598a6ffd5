// transform.norm.decompose: a handle to the linalg ops that it makes.
// RUN: norm-opt %s --transform-interpreter | FileCheck %s
// The same ops as the pass makes.
// RUN: norm-opt %s --transform-interpreter | sed -e 's/ attrs =  *{made}//' | sed '/transform.with_named_sequence/,$d' > %t.script
// RUN: norm-opt %s --norm-to-linalg | sed '/transform.with_named_sequence/,$d' > %t.pass
// RUN: diff %t.script %t.pass

// CHECK-LABEL: func @f
// CHECK-COUNT-3: linalg.generic {{.*}}attrs = {made}
// CHECK-NOT: norm.rmsnorm
func.func @f(%x: tensor<8x64xf32>, %i: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = norm.rmsnorm ins(%x : tensor<8x64xf32>) outs(%i : tensor<8x64xf32>)
       dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// CHECK-LABEL: func @on_memrefs
// CHECK-COUNT-3: linalg.generic {{.*}}attrs = {made}
// CHECK-NOT: norm.rmsnorm ins
func.func @on_memrefs(%x: memref<?x64xf16>, %y: memref<?x64xf16>) {
  norm.rmsnorm ins(%x : memref<?x64xf16>) outs(%y : memref<?x64xf16>)
       dims = [1] epsilon = 1.0e-6 : f32
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %norms = transform.structured.match ops{["norm.rmsnorm"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %generics = transform.norm.decompose %norms
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %generics "made" : !transform.any_op
    transform.yield
  }
}
