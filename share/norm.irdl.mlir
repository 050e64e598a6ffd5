// The norm dialect for stock mlir-opt, which reads it with no build:
//
//   mlir-opt --irdl-file=norm.irdl.mlir program.mlir
//
// Programs are in the generic form with a dictionary of attributes, for dialects
// from a file have no properties: norm-opt reads the same text. Limits: tensors
// only; IRDL states neither element types nor optional attributes, so
// compute_type, sum_type, scale_type, normalized_type, weight_dims and count
// pass unchecked, and S1 to S9 of docs/Norm.md are checked by norm-opt alone.
// epsilon_mode and root_form are #norm.epsilon_mode<"outside"> here, and
// #norm<epsilon_mode outside> in norm-opt; with their defaults both are left
// out.

irdl.dialect @norm {
  irdl.attribute @epsilon_mode {
    %inside = irdl.is "inside"
    %outside = irdl.is "outside"
    %clamp = irdl.is "clamp"
    %mode = irdl.any_of(%inside, %outside, %clamp)
    irdl.parameters(value: %mode)
  }
  irdl.attribute @root_form {
    %reciprocal = irdl.is "reciprocal"
    %rsqrt = irdl.is "rsqrt"
    %quotient = irdl.is "quotient"
    %form = irdl.any_of(%reciprocal, %rsqrt, %quotient)
    irdl.parameters(value: %form)
  }
  irdl.operation @rmsnorm {
    // A constraint of its own for each operand: one value is one type. A result
    // has the type of its init.
    %input = irdl.base "!builtin.tensor"
    %weight = irdl.base "!builtin.tensor"
    %init = irdl.base "!builtin.tensor"
    %inv_rms_init = irdl.base "!builtin.tensor"
    irdl.operands(input: %input, weight: optional %weight, init: %init,
                  inv_rms_init: optional %inv_rms_init)
    irdl.results(result: %init, inv_rms: optional %inv_rms_init)
    %dims = irdl.base "#builtin.dense_array"
    %epsilon = irdl.base "#builtin.float"
    irdl.attributes {"dims" = %dims, "epsilon" = %epsilon}
  }  irdl.operation @rmsnorm_backward {
    // Which results there are is an attribute here, resultSegmentSizes. epsilon
    // is not stated: with inv_rms it may be absent.
    %dy = irdl.base "!builtin.tensor"
    %input = irdl.base "!builtin.tensor"
    %weight = irdl.base "!builtin.tensor"
    %inv_rms = irdl.base "!builtin.tensor"
    %rms = irdl.base "!builtin.tensor"
    %dx_init = irdl.base "!builtin.tensor"
    %dw_init = irdl.base "!builtin.tensor"
    irdl.operands(dy: %dy, input: %input, weight: optional %weight,
                  inv_rms: optional %inv_rms, rms: optional %rms,
                  dx_init: optional %dx_init, dw_init: optional %dw_init)
    irdl.results(dx: optional %dx_init, dw: optional %dw_init)
    %dims = irdl.base "#builtin.dense_array"
    irdl.attributes {"dims" = %dims}
  }
}
