// The schedule of norm-to-cpu up to `norm-compile --emit=vector`, as a transform
// script: copy it, then change what your compiler does otherwise.
//
//   norm-opt model.mlir --transform-preload-library='transform-library-paths=
//       examples/norm-to-cpu.transform.mlir' --transform-interpreter
//       | norm-opt --norm-vector-to-cpu
//
// A pass runs on the module or on each of its functions. norm.recognize and
// norm.decompose give handles to the norms and to what becomes of them, for
// steps of yours in between.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m0: !transform.any_op {transform.consumed}) {
    // 1. TOSA, where there is any, to linalg; then recognition.
    %f0 = transform.structured.match ops{["func.func"]} in %m0 : (!transform.any_op) -> !transform.any_op
    %f1 = transform.apply_registered_pass "tosa-to-linalg-named" to %f0 : (!transform.any_op) -> !transform.any_op
    %f2 = transform.apply_registered_pass "tosa-to-linalg" to %f1 : (!transform.any_op) -> !transform.any_op
    %f3 = transform.apply_registered_pass "tosa-to-arith" to %f2 : (!transform.any_op) -> !transform.any_op
    %f4 = transform.apply_registered_pass "tosa-to-tensor" to %f3 : (!transform.any_op) -> !transform.any_op
    %e0 = transform.apply_registered_pass "convert-elementwise-to-linalg" to %m0 : (!transform.any_op) -> !transform.any_op
    %m1, %norms = transform.norm.recognize %e0
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)

    // 2. norm ops to linalg; other aggregated ops, such as softmax, too.
    %generics = transform.norm.decompose %norms : (!transform.any_op) -> !transform.any_op
    %m2 = transform.apply_registered_pass "norm-to-linalg" with options = {"all-aggregated" = true} to %m1
        : (!transform.any_op) -> !transform.any_op
    %m3 = transform.apply_registered_pass "linalg-generalize-named-ops" to %m2 : (!transform.any_op) -> !transform.any_op
    %x0 = transform.apply_registered_pass "norm-expand-scaling" to %m3 : (!transform.any_op) -> !transform.any_op
    %f21 = transform.structured.match ops{["func.func"]} in %x0 : (!transform.any_op) -> !transform.any_op
    %f26 = transform.apply_registered_pass "norm-read-parts-as-slices" to %f21 : (!transform.any_op) -> !transform.any_op
    %f22 = transform.apply_registered_pass "norm-split-joined-rows" to %f26 : (!transform.any_op) -> !transform.any_op
    %m4 = transform.apply_registered_pass "linalg-fold-unit-extent-dims" to %x0 : (!transform.any_op) -> !transform.any_op
    %x1 = transform.apply_registered_pass "norm-fuse-elementwise" to %m4 : (!transform.any_op) -> !transform.any_op
    %f27 = transform.structured.match ops{["func.func"]} in %x1 : (!transform.any_op) -> !transform.any_op
    %f28 = transform.apply_registered_pass "norm-split-joined-rows" to %f27 : (!transform.any_op) -> !transform.any_op
    %m5 = transform.apply_registered_pass "norm-fuse-elementwise" to %x1 : (!transform.any_op) -> !transform.any_op
    %m6 = transform.apply_registered_pass "canonicalize" to %m5 : (!transform.any_op) -> !transform.any_op
    %m7 = transform.apply_registered_pass "cse" to %m6 : (!transform.any_op) -> !transform.any_op

    // 3. Results become trailing buffers, written in place.
    %s0 = transform.structured.match ops{["func.func"]} in %m7 : (!transform.any_op) -> !transform.any_op
    %s1 = transform.apply_registered_pass "norm-merge-siblings" to %s0 : (!transform.any_op) -> !transform.any_op
    %w0 = transform.apply_registered_pass "norm-store-whole-bytes" to %m7 : (!transform.any_op) -> !transform.any_op
    %m8 = transform.apply_registered_pass "norm-results-to-out-params" to %w0 : (!transform.any_op) -> !transform.any_op
    %f5 = transform.structured.match ops{["func.func"]} in %m8 : (!transform.any_op) -> !transform.any_op
    %f23 = transform.apply_registered_pass "norm-write-parts-in-place" to %f5 : (!transform.any_op) -> !transform.any_op
    %f6 = transform.apply_registered_pass "norm-write-results-last" to %f23 : (!transform.any_op) -> !transform.any_op
    %f7 = transform.apply_registered_pass "norm-recompute-producers" to %f6 : (!transform.any_op) -> !transform.any_op
    %f17 = transform.apply_registered_pass "norm-carry-in-place" to %f7 : (!transform.any_op) -> !transform.any_op
    %f18 = transform.apply_registered_pass "norm-separate-destinations" to %f17 : (!transform.any_op) -> !transform.any_op
    %f8 = transform.apply_registered_pass "norm-separate-results" to %f18 : (!transform.any_op) -> !transform.any_op

    // 4. Rows: tiled and fused into one loop, then vectorized.
    %c0 = transform.apply_registered_pass "norm-collapse-dims" to %f8 : (!transform.any_op) -> !transform.any_op
    %c1 = transform.apply_registered_pass "norm-order-loops" to %c0 : (!transform.any_op) -> !transform.any_op
    %c3 = transform.apply_registered_pass "norm-merge-row-sums" to %c1 : (!transform.any_op) -> !transform.any_op
    %c2 = transform.apply_registered_pass "norm-hoist-row-scalars" to %c3 : (!transform.any_op) -> !transform.any_op
    %f9 = transform.apply_registered_pass "norm-tile-rows" with options = {"block-elements" = 1024 : i64} to %c2
        : (!transform.any_op) -> !transform.any_op
    %f10 = transform.apply_registered_pass "canonicalize" to %f9 : (!transform.any_op) -> !transform.any_op
    %f11 = transform.apply_registered_pass "cse" to %f10 : (!transform.any_op) -> !transform.any_op
    %f12 = transform.apply_registered_pass "norm-hoist-row-scalars" to %f11 : (!transform.any_op) -> !transform.any_op
    %f13 = transform.apply_registered_pass "norm-vectorize-rows" to %f12 : (!transform.any_op) -> !transform.any_op
    %f14 = transform.apply_registered_pass "canonicalize" to %f13 : (!transform.any_op) -> !transform.any_op
    %f15 = transform.apply_registered_pass "cse" to %f14 : (!transform.any_op) -> !transform.any_op
    %f16 = transform.apply_registered_pass "loop-invariant-code-motion" to %f15 : (!transform.any_op) -> !transform.any_op

    // 5. Buffers, freed again where the schedule made any.
    %m9 = transform.apply_registered_pass "norm-separate-destinations" to %m8 : (!transform.any_op) -> !transform.any_op
    %m10 = transform.apply_registered_pass "empty-tensor-to-alloc-tensor" to %m9 : (!transform.any_op) -> !transform.any_op
    %l0 = transform.apply_registered_pass "norm-localize-nested-writes" to %m10 : (!transform.any_op) -> !transform.any_op
    %m11 = transform.apply_registered_pass "one-shot-bufferize"
        with options = {"allow-return-allocs-from-loops" = true,
                        "bufferize-function-boundaries" = true,
                        "function-boundary-type-conversion" = "identity-layout-map"} to %l0
        : (!transform.any_op) -> !transform.any_op
    %m12 = transform.apply_registered_pass "canonicalize" to %m11 : (!transform.any_op) -> !transform.any_op
    %m13 = transform.apply_registered_pass "cse" to %m12 : (!transform.any_op) -> !transform.any_op
    %m14 = transform.apply_registered_pass "buffer-deallocation-pipeline" to %m13 : (!transform.any_op) -> !transform.any_op
    %m15 = transform.apply_registered_pass "convert-bufferization-to-memref" to %m14 : (!transform.any_op) -> !transform.any_op
    %f19 = transform.structured.match ops{["func.func"]} in %m15 : (!transform.any_op) -> !transform.any_op
    %f20 = transform.apply_registered_pass "optimize-allocation-liveness" to %f19 : (!transform.any_op) -> !transform.any_op
    %b0 = transform.apply_registered_pass "norm-reuse-buffers" to %m15 : (!transform.any_op) -> !transform.any_op
    %m16 = transform.apply_registered_pass "fold-memref-alias-ops" to %b0 : (!transform.any_op) -> !transform.any_op
    %m17 = transform.apply_registered_pass "norm-expand-memref-copy" to %m16 : (!transform.any_op) -> !transform.any_op
    %m18 = transform.apply_registered_pass "canonicalize" to %m17 : (!transform.any_op) -> !transform.any_op
    %m19 = transform.apply_registered_pass "cse" to %m18 : (!transform.any_op) -> !transform.any_op
    %f24 = transform.structured.match ops{["func.func"]} in %m19 : (!transform.any_op) -> !transform.any_op
    %f25 = transform.apply_registered_pass "norm-pair-strided-accesses" to %f24 : (!transform.any_op) -> !transform.any_op
    %m20 = transform.apply_registered_pass "cse" to %m19 : (!transform.any_op) -> !transform.any_op
    %f29 = transform.structured.match ops{["func.func"]} in %m20 : (!transform.any_op) -> !transform.any_op
    %f30 = transform.apply_registered_pass "norm-sink-deinterleaves" to %f29 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
