// What the verifiers of transform.norm.* reject.
// RUN: norm-opt %s --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    // expected-error @below {{rounding must be default, exact or relaxed, got 'fast'}}
    %module, %norms = transform.norm.recognize %root rounding = "fast"
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_param {transform.consumed}) {
    // expected-error @below {{operand #0 must be TransformHandleTypeInterface instance}}
    %generics = transform.norm.decompose %root
        : (!transform.any_param) -> !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // expected-error @below {{attribute 'with' failed to satisfy constraint: plan of rows}}
    %planned, %plans = transform.norm.plan %root {with = 64 : i64}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_param)
    transform.yield
  }
}
