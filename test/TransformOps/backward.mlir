// Gradients as the norms: transform.norm.recognize returns norm.rmsnorm_backward,
// which transform.norm.decompose decomposes as the pass does.
// RUN: norm-opt %s --norm-to-linalg -o %t.mlir
// RUN: norm-opt %t.mlir --transform-interpreter | FileCheck %s
// RUN: sed 's/transform.annotate .*/%g = transform.norm.decompose %norms : (!transform.any_op) -> !transform.any_op\ntransform.annotate %g "made" : !transform.any_op/' %t.mlir | norm-opt --transform-interpreter -o %t.made.mlir
// RUN: FileCheck %s --check-prefix=MADE --input-file=%t.made.mlir

// CHECK-LABEL: func @f
// CHECK: norm.rmsnorm_backward {{.*}} {tagged}
// MADE-LABEL: func @f
// MADE-COUNT-4: attrs = {made}
// MADE-NOT: norm.rmsnorm
func.func @f(%dy: tensor<8x64xf32>, %x: tensor<8x64xf32>, %i: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<8x64xf32>, tensor<8x64xf32>)
        dx(%i : tensor<8x64xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  return %dx : tensor<8x64xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %module, %norms = transform.norm.recognize %root required
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %norms "tagged" : !transform.any_op
    transform.yield
  }
}
