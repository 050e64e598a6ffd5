// RUN: norm-opt %s --verify-diagnostics --split-input-file

// operands
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{expects operands that are all tensors or all memrefs}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%m : memref<4x8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// results
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{expects 1 results for 1 outs on tensors, got 0}}
  norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32
  return
}

// -----

// results
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{expects result type 'tensor<4x8xf32>' of its init, got 'tensor<4x?xf32>'}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x?xf32>
  return
}

// -----

// S1:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S1: dims must name at least one dimension}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// S1:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S1: dims must be sorted, unique and in [0, 2), got [1, 1]}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1, 1] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// S1:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S1: dims must be sorted, unique and in [0, 2), got [1, 0]}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1, 0] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// S1:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S1: dims must be sorted, unique and in [0, 2), got [2]}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [2] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// S1:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S1: dims must be sorted, unique and in [0, 2), got [-1]}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [-1] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// S3:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S3: epsilon must be finite and not negative}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = -1.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// S3:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S3: epsilon must be finite and not negative}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 0x7FC00000 : f32 -> tensor<4x8xf32>
  return
}

// -----

// S3: overflows in the compute type
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S3: epsilon must be finite and not negative}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 1.0e300 : f64 -> tensor<4x8xf32>
  return
}

// -----

// S3:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S3: scale_type 'f64' is wider than the compute type 'f32'}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 scale_type = f64 -> tensor<4x8xf32>
  return
}

// -----

// S4:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S4: normalized_type 'f64' is wider than the compute type 'f32'}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 normalized_type = f64 -> tensor<4x8xf32>
  return
}

// -----

// S5:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S5: weight_dims without a weight}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 weight_dims = [1] -> tensor<4x8xf32>
  return
}

// -----

// S5:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S5: weight_dims must be sorted, unique and in [0, 2), got [2]}}
  %0 = norm.rmsnorm ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 weight_dims = [2] -> tensor<4x8xf32>
  return
}

// -----

// S5:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S5: weight must have the extents of x's dims [0], expected [4], got [8]}}
  %0 = norm.rmsnorm ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 weight_dims = [0] -> tensor<4x8xf32>
  return
}

// -----

// S6:
func.func @f(%x: tensor<4x8xf32>, %i: tensor<4x9xf32>) {
  // expected-error@+1 {{S6: result must have x's shape [4, 8], got [4, 9]}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x9xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x9xf32>
  return
}

// -----

// S7:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S7: count needs exactly one normalized dimension, got dims [0, 1]}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [0, 1] epsilon = 0.0 : f32 count = 2 -> tensor<4x8xf32>
  return
}

// -----

// S7:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S7: count must be in [1, 8], got 9}}
  %0 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 count = 9 -> tensor<4x8xf32>
  return
}

// -----

// S7:
func.func @f(%x: tensor<?x?xf32>) {
  // expected-error@+1 {{S7: count must be in [1, extent], got 0}}
  %0 = norm.rmsnorm ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) dims = [1] epsilon = 0.0 : f32 count = 0 -> tensor<?x?xf32>
  return
}

// -----

// S8:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S8: inv_rms must have x's shape without dims [4], got [8]}}
  %0:2 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i, %w : tensor<4x8xf32>, tensor<8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x8xf32>, tensor<8xf32>
  return
}

// -----

// S8:
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %r: tensor<4xf32>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S8: inv_rms must have the compute type 'f64', got 'f32'}}
  %0:2 = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i, %r : tensor<4x8xf32>, tensor<4xf32>) dims = [1] epsilon = 0.0 : f32 compute_type = f64 -> tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @loop_attribute_elsewhere() {
  // expected-error @+1 {{'arith.constant' op expects 'norm.loop' to be a #norm.loop on a loop}}
  %c0 = arith.constant {norm.loop = #norm.loop<rows>} 0 : index
  return
}

// -----

func.func @loop_attribute_type(%n: index) {
  // expected-error @+1 {{'scf.forall' op expects 'norm.loop' to be a #norm.loop on a loop}}
  scf.forall (%i) in (%n) {
  } {norm.loop = "rows"}
  return
}

// -----

func.func @parallel_strips(%n: index) {
  // expected-error @+1 {{'scf.forall' op expects a parallel loop to go over rows, got strips}}
  scf.forall (%i) in (%n) {
  } {norm.loop = #norm.loop<strips>}
  return
}

// -----

// expected-error @+1 {{expects a schedule on a loop over rows alone, got block}}
#block = #norm.loop<block, <threads = 32, vector = 4, lanes = 128, registers = 32>>

// -----

// expected-error @+1 {{expects 'lanes' to be a power of two from 16 to 1024, got 48}}
#lanes = #norm.row_plan<lanes = 48>

// -----

// expected-error @+1 {{expects 'tail_lanes' to be a power of two from 4 to 1024, got -4}}
#tail_lanes = #norm.row_plan<tail_lanes = -4>

// -----

// expected-error @+1 {{expects 'tail_lanes' to be at most 'lanes', got 64 and 32}}
#more_tail_lanes = #norm.row_plan<lanes = 32, tail_lanes = 64>

// -----

// expected-error @+1 {{expects 'rows_per_block' to be from 1 to 1024, got 2000}}
#rows_per_block = #norm.row_plan<rows_per_block = 2000>

// -----

// expected-error @+1 {{expects 'rows_per_part' to be a 64-bit integer from 1 to 1048576, got -1}}
#rows_per_part = #norm.row_plan<rows_per_part = -1>

// -----

func.func @plan_of_a_number() {
  // expected-error @+1 {{'arith.constant' op expects 'norm.plan' to be a #norm.row_plan on a linalg op or a loop over rows}}
  %c0 = arith.constant {norm.plan = #norm.row_plan<lanes = 32>} 0 : index
  return
}

// -----

func.func @plan_type(%n: index) {
  // expected-error @+1 {{'scf.forall' op expects 'norm.plan' to be a #norm.row_plan on a linalg op or a loop over rows}}
  scf.forall (%i) in (%n) {
  } {norm.loop = #norm.loop<rows>, norm.plan = 64 : i64}
  return
}

// -----

func.func @plan_of_a_loop_with_a_block(%n: index) {
  // expected-error @+1 {{'scf.forall' op expects the plan of a loop to have no 'rows_per_block', 'rows_per_part' or 'parallel'}}
  scf.forall (%i) in (%n) {
  } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<rows_per_block = 8>}
  return
}

// -----

// expected-error @+1 {{expects a schedule of positive numbers}}
#none = #norm.gpu_schedule<threads = 0, vector = 4, lanes = 128, registers = 32>

// -----

// expected-error @+1 {{'func.func' op expects 'norm.sum_parts' to be a positive integer on a function}}
func.func private @parts() attributes {norm.sum_parts = 0 : i64}

// -----

func.func @not_a_function() {
  // expected-error @+1 {{'arith.constant' op expects 'norm.sum_parts' to be a positive integer on a function}}
  %c = arith.constant {norm.sum_parts = 16 : i64} 0 : index
  return
}

// -----

// expected-error @+1 {{'func.func' op expects 'norm.result' to be an i64 on an argument of a function}}
func.func private @no_number(tensor<4xf32> {norm.result = "y"}) -> tensor<4xf32>

// -----

// expected-error @+1 {{'func.func' op has no result 1 to write over argument 0}}
func.func private @no_result(tensor<4xf32> {norm.result = 1 : i64}) -> tensor<4xf32>

// -----

// expected-error @+1 {{'func.func' op cannot write result 0 of type 'tensor<5xf32>' over argument 1 of type 'tensor<4xf32>'}}
func.func private @other_type(f32, tensor<4xf32> {norm.result = 0 : i64}) -> tensor<5xf32>

// -----

// expected-error @+1 {{'func.func' op cannot write result 0 of type 'f32' over argument 0 of type 'f32'}}
func.func private @no_tensor(f32 {norm.result = 0 : i64}) -> f32

// -----

// expected-error @+1 {{'func.func' op writes result 0 over more than one argument}}
func.func private @twice(tensor<4xf32> {norm.result = 0 : i64}, tensor<4xf32> {norm.result = 0 : i64}) -> tensor<4xf32>

// -----

func.func @streams_of_one_result(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  // expected-error @+1 {{'linalg.copy' op expects 'norm.streams' to be a #norm.row_streams of results and inputs of a linalg op on buffers}}
  linalg.copy {norm.streams = #norm.row_streams<results = [1]>} ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}

// -----

func.func @fetched_inputs(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  // expected-error @+1 {{expects 'norm.streams' to be a #norm.row_streams of results and inputs}}
  linalg.copy {norm.streams = #norm.row_streams<results = [0], fetched = 2>} ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}

// -----

func.func @streams_of_a_loop(%y: memref<8x64xf32>) {
  // expected-error @+1 {{'scf.forall' op expects 'norm.streams' to be a #norm.row_streams of results and inputs}}
  scf.forall (%i) in (8) {
  } {norm.streams = #norm.row_streams<results = [0]>}
  return
}
