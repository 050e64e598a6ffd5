// Failures of transform.norm.* and their messages.
// RUN: norm-opt %s --transform-interpreter --split-input-file --verify-diagnostics
// Silenceable ones: a sequence that suppresses failures goes on.
// RUN: sed -e 's/failures(propagate)/failures(suppress)/' -e '/expected-/d' %s | norm-opt --transform-interpreter --split-input-file 2>&1 | FileCheck %s --implicit-check-not=error:
// CHECK: func @near_miss
// CHECK-COUNT-2: norm.rmsnorm ins

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// n - 1.
func.func @near_miss(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %c0 = arith.constant 0.0 : f32
  %n = arith.constant 63.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
       ins(%x : tensor<8x64xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %q, %acc : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %i = tensor.empty() : tensor<8x64xf32>
  // expected-note @below {{not an RMSNorm (wrong-divisor): sum over dims [1] has 64 terms but is divided by 63}}
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
       ins(%x, %s : tensor<8x64xf32>, tensor<8xf32>) outs(%i : tensor<8x64xf32>) {
  ^bb0(%a: f32, %sum: f32, %o: f32):
    %m = arith.divf %sum, %n : f32
    %p = arith.addf %m, %eps : f32
    %r = math.rsqrt %p : f32
    %t = arith.mulf %a, %r : f32
    linalg.yield %t : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    transform.sequence %root : !transform.any_op failures(propagate) {
    ^bb0(%target: !transform.any_op):
      // expected-error @below {{no RMSNorm in the targets}}
      %module, %norms = transform.norm.recognize %target required
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    }
    transform.yield
  }
}

// -----

func.func @f(%x: tensor<8x64xf32>, %i: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = norm.rmsnorm ins(%x : tensor<8x64xf32>) outs(%i : tensor<8x64xf32>)
       dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    transform.sequence %root : !transform.any_op failures(propagate) {
    ^bb0(%target: !transform.any_op):
      %return = transform.structured.match ops{["func.return"]} in %target
          : (!transform.any_op) -> !transform.any_op
      // expected-error @below {{expects targets that are isolated from above, such as modules and functions, got 'func.return'}}
      %module, %norms = transform.norm.recognize %return
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    }
    transform.yield
  }
}

// -----

func.func @f(%x: tensor<8x64xf32>, %i: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = norm.rmsnorm ins(%x : tensor<8x64xf32>) outs(%i : tensor<8x64xf32>)
       dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    transform.sequence %root : !transform.any_op failures(propagate) {
    ^bb0(%target: !transform.any_op):
      %f = transform.structured.match ops{["func.func"]} in %target
          : (!transform.any_op) -> !transform.any_op
      // expected-error @below {{expects norm ops, got 'func.func'}}
      %generics = transform.norm.decompose %f
          : (!transform.any_op) -> !transform.any_op
    }
    transform.yield
  }
}

// -----

func.func @f(%x: tensor<8x64xf32>, %i: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %y = norm.rmsnorm ins(%x : tensor<8x64xf32>) outs(%i : tensor<8x64xf32>)
       dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    transform.sequence %root : !transform.any_op failures(propagate) {
    ^bb0(%target: !transform.any_op):
      %norm = transform.structured.match ops{["norm.rmsnorm"]} in %target
          : (!transform.any_op) -> !transform.any_op
      // expected-error @below {{expects functions, got 'norm.rmsnorm'}}
      %formed = transform.norm.form %norm : (!transform.any_op) -> !transform.any_op
    }
    transform.yield
  }
}

// -----

func.func @f() {
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    transform.sequence %root : !transform.any_op failures(propagate) {
    ^bb0(%target: !transform.any_op):
      %return = transform.structured.match ops{["func.return"]} in %target
          : (!transform.any_op) -> !transform.any_op
      // expected-error @below {{expects functions, linalg ops or loops over rows, got 'func.return'}}
      %planned, %plans = transform.norm.plan %return
          : (!transform.any_op) -> (!transform.any_op, !transform.any_param)
    }
    transform.yield
  }
}

// -----

func.func @f(%n: index) {
  scf.forall (%i) in (%n) {
  } {norm.loop = #norm.loop<rows>}
  return
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    transform.sequence %root : !transform.any_op failures(propagate) {
    ^bb0(%target: !transform.any_op):
      %loop = transform.structured.match ops{["scf.forall"]} in %target
          : (!transform.any_op) -> !transform.any_op
      // expected-error @below {{the step of a loop says its rows: #norm.row_plan<rows_per_block = 8>}}
      %planned, %plans = transform.norm.plan %loop {with = #norm.row_plan<rows_per_block = 8>}
          : (!transform.any_op) -> (!transform.any_op, !transform.any_param)
    }
    transform.yield
  }
}
