// RUN: norm-opt %s --verify-diagnostics --split-input-file

// operands
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{expects operands that are all tensors or all memrefs}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%m : memref<4x8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// results
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{expects 2 results for 2 outs on tensors, got 1}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) weight(%w : tensor<8xf32>) dx(%i : tensor<4x8xf32>) dw(%j : tensor<8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// results
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{expects result type 'tensor<4x8xf32>' of its init, got 'tensor<?x8xf32>'}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<?x8xf32>
  return
}

// -----

// results
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{B6: expects dx, dw or both}}
  norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) weight(%w : tensor<8xf32>) dims = [1] epsilon = 0.0 : f32
  return
}

// -----

// B1: as S1
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S1: dims must be sorted, unique and in [0, 2), got [2]}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%i : tensor<4x8xf32>) dims = [2] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// B1:
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{B1: dy must have x's shape [4, 8], got [8]}}
  %0 = norm.rmsnorm_backward ins(%w, %x : tensor<8xf32>, tensor<4x8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// B1:
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{B1: dx must have x's shape [4, 8], got [8]}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%j : tensor<8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<8xf32>
  return
}

// -----

// B2: as S2
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S2: sum_type 'f16' is no wider than the compute type 'f32'}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 sum_type = f16 -> tensor<4x8xf32>
  return
}

// -----

// B3: as S3
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S3: epsilon must be finite and not negative in 'f32', got -1.000000e+00 : f32}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = -1.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// B3: one source of r
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{B3: inv_rms and rms exclude each other}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) inv_rms(%r : tensor<4xf32>) rms(%r : tensor<4xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// B3: 1/(s+e) does not tell s
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{B3: inv_rms does not tell the root before epsilon, which epsilon_mode = outside needs; pass rms}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) inv_rms(%r : tensor<4xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 epsilon_mode = outside -> tensor<4x8xf32>
  return
}

// -----

// B3: r of inside is not computed from s
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{B3: rms needs epsilon_mode = outside or clamp; for inside pass inv_rms}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) rms(%r : tensor<4xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  return
}

// -----

// B3:
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{B3: epsilon is missing, and there is no inv_rms}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] -> tensor<4x8xf32>
  return
}

// -----

// B4: as S4
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S4: normalized_type 'f64' is wider than the compute type 'f32'}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 normalized_type = f64 -> tensor<4x8xf32>
  return
}

// -----

// B5: as S5
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S5: weight_dims without a weight}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 weight_dims = [1] -> tensor<4x8xf32>
  return
}

// -----

// B5: as S5
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S5: weight_dims must be sorted, unique and in [0, 2), got [1, 0]}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dw(%j : tensor<8xf32>) dims = [1] epsilon = 0.0 : f32 weight_dims = [1, 0] -> tensor<8xf32>
  return
}

// -----

// B5: as S5
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S5: weight must have the extents of x's dims [0], expected [4], got [8]}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) weight(%w : tensor<8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 weight_dims = [0] -> tensor<4x8xf32>
  return
}

// -----

// B5:
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{B5: dw must have the extents of x's dims [0], expected [4], got [8]}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dw(%j : tensor<8xf32>) dims = [1] epsilon = 0.0 : f32 weight_dims = [0] -> tensor<8xf32>
  return
}

// -----

// B5:
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{B5: dw must have the weight's element type 'f32', got 'f16'}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) weight(%w : tensor<8xf32>) dw(%h : tensor<8xf16>) dims = [1] epsilon = 0.0 : f32 -> tensor<8xf16>
  return
}

// -----

// B7: as S7
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{S7: count must be in [1, 8], got 9}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 count = 9 -> tensor<4x8xf32>
  return
}

// -----

// B8:
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{B8: inv_rms must have x's shape without dims [4], got [8]}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) inv_rms(%w : tensor<8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] -> tensor<4x8xf32>
  return
}

// -----

// B8:
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{B8: inv_rms must have the compute type 'f64', got 'f32'}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) inv_rms(%r : tensor<4xf32>) dx(%i : tensor<4x8xf32>) dims = [1] compute_type = f64 -> tensor<4x8xf32>
  return
}

// -----

// B8:
func.func @f(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %r: tensor<4xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>, %h: tensor<8xf16>, %m: memref<4x8xf32>) {
  // expected-error@+1 {{B8: rms must have x's shape without dims [4], got [8]}}
  %0 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) rms(%w : tensor<8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 epsilon_mode = clamp -> tensor<4x8xf32>
  return
}
