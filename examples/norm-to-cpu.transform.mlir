// norm-to-cpu as a transform script: the stages of its pipeline, for a compiler
// that does something of its own in between or in place of one.
//
//   norm-opt model.mlir --transform-preload-library='transform-library-paths=
//       examples/norm-to-cpu.transform.mlir' --transform-interpreter
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%tensors: !transform.any_op {transform.consumed}) {
    %norms = transform.apply_registered_pass "norm-recognition" to %tensors : (!transform.any_op) -> !transform.any_op
    %linalg = transform.apply_registered_pass "norm-decomposition" to %norms : (!transform.any_op) -> !transform.any_op
    %ordered = transform.apply_registered_pass "norm-prepare-rows" to %linalg : (!transform.any_op) -> !transform.any_op
    %functions = transform.structured.match ops{["func.func"]} in %ordered : (!transform.any_op) -> !transform.any_op
    %formed = transform.norm.form %functions : (!transform.any_op) -> !transform.any_op
    // The plan of each loop over rows can be read here, and changed, such as by
    //   transform.norm.plan %ends {with = #norm.row_plan<lanes = 32>}
    %ends, %plans = transform.norm.plan %formed : (!transform.any_op) -> (!transform.any_op, !transform.any_param)
    %tiled, %rows = transform.norm.tile %formed : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %simple = transform.apply_registered_pass "canonicalize" to %tiled : (!transform.any_op) -> !transform.any_op
    %merged = transform.apply_registered_pass "cse" to %simple : (!transform.any_op) -> !transform.any_op
    %buffers = transform.apply_registered_pass "norm-bufferize-rows" to %ordered : (!transform.any_op) -> !transform.any_op
    %onBuffers = transform.structured.match ops{["func.func"]} in %buffers : (!transform.any_op) -> !transform.any_op
    %emitted, %loops = transform.norm.emit %onBuffers : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %vectors = transform.apply_registered_pass "norm-place-temporaries" to %buffers : (!transform.any_op) -> !transform.any_op
    %llvm = transform.apply_registered_pass "norm-vector-to-cpu" with options = {"fma" = true} to %vectors : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
