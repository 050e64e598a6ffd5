// RUN: norm-opt %s --canonicalize --split-input-file | FileCheck %s

// A dead dw goes, with its init.
// CHECK-LABEL: func @dead_dw(
// CHECK: %[[DX:.*]] = norm.rmsnorm_backward ins(%{{.*}}) weight(%{{.*}} : tensor<8xf32>) dx(%{{.*}} : tensor<4x8xf32>) dims = [1] epsilon = 0.000000e+00 : f32 -> tensor<4x8xf32>
// CHECK-NEXT: return %[[DX]]
func.func @dead_dw(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>) -> tensor<4x8xf32> {
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) weight(%w : tensor<8xf32>) dx(%i : tensor<4x8xf32>) dw(%j : tensor<8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x8xf32>, tensor<8xf32>
  return %dx : tensor<4x8xf32>
}

// -----

// A dead dx goes, and the weight, which dw does not read; weight_dims stay.
// CHECK-LABEL: func @dead_dx(
// CHECK: %[[DW:.*]] = norm.rmsnorm_backward ins(%{{[^)]*}}) dw(%{{.*}} : tensor<4xbf16>) dims = [1] epsilon = 0.000000e+00 : f32 normalized_type = bf16 weight_dims = [0] -> tensor<4xbf16>
// CHECK-NEXT: return %[[DW]]
func.func @dead_dx(%dy: tensor<4x8xbf16>, %x: tensor<4x8xbf16>, %w: tensor<4xbf16>, %i: tensor<4x8xbf16>, %j: tensor<4xbf16>) -> tensor<4xbf16> {
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xbf16>, tensor<4x8xbf16>) weight(%w : tensor<4xbf16>) dx(%i : tensor<4x8xbf16>) dw(%j : tensor<4xbf16>) dims = [1] epsilon = 0.0 : f32 normalized_type = bf16 weight_dims = [0] -> tensor<4x8xbf16>, tensor<4xbf16>
  return %dw : tensor<4xbf16>
}

// -----

// Both dead: the op goes. On memrefs nothing does.
// CHECK-LABEL: func @dead(
// CHECK-NEXT: norm.rmsnorm_backward ins(%{{.*}} : memref<4x8xf32>, memref<4x8xf32>)
// CHECK-NEXT: return
func.func @dead(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %m: memref<4x8xf32>, %o: memref<4x8xf32>) {
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%x : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  norm.rmsnorm_backward ins(%m, %m : memref<4x8xf32>, memref<4x8xf32>) dx(%o : memref<4x8xf32>) dims = [1] epsilon = 0.0 : f32
  return
}

// -----

// Without a weight P is the wider of T and the type of dw, which dx depends on.
// CHECK-LABEL: func @dw_states_p(
// CHECK: norm.rmsnorm_backward ins(%{{[^)]*}}) dx(%{{[^)]*}}) dw(
func.func @dw_states_p(%dy: tensor<4x8xf32>, %x: tensor<4x8xf16>, %i: tensor<4x8xf16>, %j: tensor<8xf32>) -> tensor<4x8xf16> {
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf16>) dx(%i : tensor<4x8xf16>) dw(%j : tensor<8xf32>) dims = [1] epsilon = 0.0 : f32 normalized_type = f16 -> tensor<4x8xf16>, tensor<8xf32>
  return %dx : tensor<4x8xf16>
}

// -----

// A weight of ones goes, where P does not round dy and there is no dw.
// CHECK-LABEL: func @ones(
// CHECK: norm.rmsnorm_backward ins(%{{[^)]*}}) dx(
// CHECK: norm.rmsnorm_backward ins(%{{[^)]*}}) weight(%{{[^)]*}}) dx(%{{[^)]*}}) dims = [1] epsilon = 0.000000e+00 : f32 normalized_type = bf16
// CHECK: norm.rmsnorm_backward ins(%{{[^)]*}}) weight(%{{[^)]*}}) dx(%{{[^)]*}}) dw(
func.func @ones(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %i: tensor<4x8xf32>, %j: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) {
  %w = arith.constant dense<1.0> : tensor<8xf32>
  %h = arith.constant dense<1.0> : tensor<8xbf16>
  %a = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) weight(%w : tensor<8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x8xf32>
  %b = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) weight(%h : tensor<8xbf16>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 normalized_type = bf16 -> tensor<4x8xf32>
  %c:2 = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) weight(%w : tensor<8xf32>) dx(%i : tensor<4x8xf32>) dw(%j : tensor<8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x8xf32>, tensor<8xf32>
  return %a, %b, %c#0, %c#1 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>
}

// -----

// inv_rms of a forward norm of the same x is taken; the norm gets the result.
// CHECK-LABEL: func @take(
// CHECK-SAME: %{{.*}}: tensor<?x8xf16>, %[[X:[^:]*]]: tensor<?x8xf16>
// CHECK: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[R:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK: %[[Y:.*]]:2 = norm.rmsnorm ins(%[[X]], %{{.*}}) outs(%{{.*}}, %[[R]] : {{.*}}) dims = [1] epsilon = 9.99999997E-7 : f32 normalized_type = f16
// CHECK: norm.rmsnorm_backward ins(%{{.*}}, %[[X]] : {{.*}}) weight({{.*}}) inv_rms(%[[Y]]#1 : tensor<?xf32>)
func.func @take(%dy: tensor<?x8xf16>, %x: tensor<?x8xf16>, %w: tensor<8xf16>, %i: tensor<?x8xf16>) -> (tensor<?x8xf16>, tensor<?x8xf16>) {
  %y = norm.rmsnorm ins(%x, %w : tensor<?x8xf16>, tensor<8xf16>) outs(%i : tensor<?x8xf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = f16 -> tensor<?x8xf16>
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<?x8xf16>, tensor<?x8xf16>) weight(%w : tensor<8xf16>) dx(%i : tensor<?x8xf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = f16 -> tensor<?x8xf16>
  return %y, %dx : tensor<?x8xf16>, tensor<?x8xf16>
}

// -----

// Not of another epsilon, of another x, of a norm behind the op, or in a mode
// that needs the root before epsilon.
// CHECK-LABEL: func @not_taken(
// CHECK-NOT: inv_rms(
// CHECK: return
func.func @not_taken(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %i: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %y = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<4x8xf32>
  %z = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 1.0e-6 : f32 epsilon_mode = outside -> tensor<4x8xf32>
  %a = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<4x8xf32>
  %b = norm.rmsnorm_backward ins(%x, %dy : tensor<4x8xf32>, tensor<4x8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<4x8xf32>
  %c = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf32>, tensor<4x8xf32>) dx(%i : tensor<4x8xf32>) dims = [1] epsilon = 1.0e-6 : f32 epsilon_mode = outside -> tensor<4x8xf32>
  %l = norm.rmsnorm ins(%x : tensor<4x8xf32>) outs(%i : tensor<4x8xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<4x8xf32>
  %s = arith.addf %y, %z : tensor<4x8xf32>
  %t = arith.addf %s, %l : tensor<4x8xf32>
  return %s, %t, %a, %b, %c : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What the forward op drops as redundant.
// CHECK-LABEL: func @redundant(
// CHECK: dims = [1] epsilon = 0.000000e+00 : f32 -> tensor<4x8xf16>
func.func @redundant(%dy: tensor<4x8xf16>, %x: tensor<4x8xf16>, %w: tensor<8xf16>, %i: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<4x8xf16>, tensor<4x8xf16>) weight(%w : tensor<8xf16>) dx(%i : tensor<4x8xf16>) dims = [1] epsilon = 0.0 : f32 compute_type = f32 scale_type = f32 normalized_type = f32 weight_dims = [1] count = 8 -> tensor<4x8xf16>
  return %dx : tensor<4x8xf16>
}

// -----

// CHECK-LABEL: func @memref_cast(
// CHECK-SAME: %[[DY:[^:]*]]: memref<4x8xf32>, %[[X:[^:]*]]: memref<4x8xf32>, %[[I:[^:]*]]: memref<4x8xf32>)
// CHECK: norm.rmsnorm_backward ins(%[[DY]], %[[X]] : memref<4x8xf32>, memref<4x8xf32>) dx(%[[I]] : memref<4x8xf32>)
func.func @memref_cast(%dy: memref<4x8xf32>, %x: memref<4x8xf32>, %i: memref<4x8xf32>) {
  %d = memref.cast %dy : memref<4x8xf32> to memref<?x8xf32>
  %c = memref.cast %x : memref<4x8xf32> to memref<?x?xf32>
  norm.rmsnorm_backward ins(%d, %c : memref<?x8xf32>, memref<?x?xf32>) dx(%i : memref<4x8xf32>) dims = [1] epsilon = 0.0 : f32
  return
}
