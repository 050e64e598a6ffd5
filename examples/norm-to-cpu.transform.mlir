// norm-to-cpu as a transform script: the stages of its pipeline, for a compiler
// that does something of its own in between or in place of one.
//
//   norm-opt model.mlir --transform-preload-library='transform-library-paths=
//       examples/norm-to-cpu.transform.mlir' --transform-interpreter
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%tensors: !transform.any_op {transform.consumed}) {
    %norms = transform.apply_registered_pass "norm-recognition" to %tensors : (!transform.any_op) -> !transform.any_op
    %linalg = transform.apply_registered_pass "norm-decomposition" to %norms : (!transform.any_op) -> !transform.any_op
    %rows = transform.apply_registered_pass "norm-rows-on-tensors" to %linalg : (!transform.any_op) -> !transform.any_op
    %buffers = transform.apply_registered_pass "norm-rows-on-buffers" to %rows : (!transform.any_op) -> !transform.any_op
    %llvm = transform.apply_registered_pass "norm-vector-to-cpu" with options = {"fma" = true} to %buffers : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
