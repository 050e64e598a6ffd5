// The stages of rows as transform ops: plans are read, and changed for one loop.
// RUN: norm-opt %s --transform-interpreter --verify-diagnostics | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// The op between the sum and its user is two, of which one has a value per row.
// CHECK-LABEL: func.func @norm
// CHECK: scf.for {{.*}} step %c4
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK: math.sqrt
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 32, tail_lanes = 16, stream = false>}
func.func @norm(%x: tensor<128x64xf32>, %e: tensor<128xf32>, %o: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x64xf32>) outs(%e : tensor<128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  // expected-remark @below {{an end of rows}}
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<128x64xf32>, tensor<128xf32>) outs(%o : tensor<128x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %q = math.sqrt %b : f32
    %r = arith.divf %a, %q : f32
    linalg.yield %r : f32
  } -> tensor<128x64xf32>
  return %y : tensor<128x64xf32>
}

// CHECK-LABEL: func.func @copy
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 64, tail_lanes = 4, pipeline = false>}
func.func @copy(%x: tensor<128x96xf32>, %o: tensor<128x96xf32>) -> tensor<128x96xf32> {
  // expected-remark @below {{an end of rows}}
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x96xf32>) outs(%o : tensor<128x96xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<128x96xf32>
  return %y : tensor<128x96xf32>
}

// Loops on buffers.
// CHECK-LABEL: func.func @buffers
// CHECK: vector.transfer_write {{.*}} : vector<16xf32>
// CHECK: norm.plan = #norm.row_plan<lanes = 16, stream = false>
func.func @buffers(%x: memref<4x16xf32>, %o: memref<4x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %row = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<4x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    %out = memref.subview %o[%i, 0] [1, 16] [1, 1] : memref<4x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%row : memref<1x16xf32, strided<[16, 1], offset: ?>>) outs(%out : memref<1x16xf32, strided<[16, 1], offset: ?>>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
    }
  } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 16>}
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %functions = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %norm, %copy, %buffers = transform.split_handle %functions : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %rows = transform.merge_handles %norm, %copy : !transform.any_op

    %formed = transform.norm.form %rows : (!transform.any_op) -> !transform.any_op
    %ends, %plans = transform.norm.plan %formed : (!transform.any_op) -> (!transform.any_op, !transform.any_param)
    transform.debug.emit_remark_at %ends, "an end of rows" : !transform.any_op
    // expected-remark @below {{plans #norm.row_plan<rows_per_block = 16, lanes = 64, tail_lanes = 16>, #norm.row_plan<rows_per_block = 1, lanes = 64, tail_lanes = 16>}}
    transform.debug.emit_param_as_remark %plans, "plans" : !transform.any_param

    // What is given comes first.
    %end, %other = transform.split_handle %ends : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %changed, %plan = transform.norm.plan %end {with = #norm.row_plan<rows_per_block = 4, lanes = 32>} : (!transform.any_op) -> (!transform.any_op, !transform.any_param)
    // expected-remark @below {{plan #norm.row_plan<rows_per_block = 4, lanes = 32, tail_lanes = 16>}}
    transform.debug.emit_param_as_remark %plan, "plan" : !transform.any_param

    // A parameter may hold a plan.
    %given = transform.param.constant #norm.row_plan<tail_lanes = 4, pipeline = false> -> !transform.any_param
    transform.annotate %other "norm.plan" = %given : !transform.any_op, !transform.any_param

    // The loop has what is left of the plan, which may be changed until it is followed.
    %tiled, %loops = transform.norm.tile %formed : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %loop, %loopOfCopy = transform.split_handle %loops : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %kept, %planOfLoop = transform.norm.plan %loop {with = #norm.row_plan<stream = false>} : (!transform.any_op) -> (!transform.any_op, !transform.any_param)
    // expected-remark @below {{of a loop #norm.row_plan<lanes = 32, tail_lanes = 16, stream = false>}}
    transform.debug.emit_param_as_remark %planOfLoop, "of a loop" : !transform.any_param

    %emitted, %rowLoops = transform.norm.emit %buffers : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %last, %planOfRows = transform.norm.plan %rowLoops {with = #norm.row_plan<stream = false>} : (!transform.any_op) -> (!transform.any_op, !transform.any_param)
    transform.yield
  }
}
