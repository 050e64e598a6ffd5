// RUN: norm-opt %s --norm-to-composite --allow-unregistered-dialect --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @unweighted
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x64xf32>
// CHECK-NEXT: %[[Y:.*]] = "stablehlo.composite"(%[[X]]) {
// CHECK-SAME: composite_attributes = {compute_type = f32, dims = array<i64: 1>, epsilon = 9.99999997E-7 : f32, epsilon_mode = "inside", root_form = "reciprocal"},
// CHECK-SAME: decomposition = @norm.rmsnorm.impl, name = "norm.rmsnorm", version = 1 : i32} : (tensor<8x64xf32>) -> tensor<8x64xf32>
// The same norm: the same decomposition. The inits are gone.
// CHECK-NEXT: %[[Z:.*]] = "stablehlo.composite"(%[[Y]]) {{.*}}decomposition = @norm.rmsnorm.impl,
// CHECK-NEXT: return %[[Z]]
func.func @unweighted(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %i = tensor.empty() : tensor<8x64xf32>
  %y = norm.rmsnorm ins(%x : tensor<8x64xf32>) outs(%i : tensor<8x64xf32>)
       dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  %j = tensor.empty() : tensor<8x64xf32>
  %z = norm.rmsnorm ins(%y : tensor<8x64xf32>) outs(%j : tensor<8x64xf32>)
       dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  return %z : tensor<8x64xf32>
}
// CHECK: func.func private @norm.rmsnorm.impl(%[[A:.*]]: tensor<8x64xf32>) -> tensor<8x64xf32>
// CHECK-NEXT: %[[ZERO:.*]] = "stablehlo.constant"() {value = dense<0.000000e+00> : tensor<f32>} : () -> tensor<f32>
// CHECK-NEXT: %[[SQ:.*]] = "stablehlo.multiply"(%[[A]], %[[A]])
// CHECK-NEXT: %[[SUM:.*]] = "stablehlo.reduce"(%[[SQ]], %[[ZERO]]) ({
// CHECK-NEXT: ^bb0(%[[L:.*]]: tensor<f32>, %[[R:.*]]: tensor<f32>):
// CHECK-NEXT:   %[[T:.*]] = "stablehlo.add"(%[[L]], %[[R]])
// CHECK-NEXT:   "stablehlo.return"(%[[T]]) : (tensor<f32>) -> ()
// CHECK-NEXT: }) {dimensions = array<i64: 1>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK-NEXT: %[[N:.*]] = "stablehlo.constant"() {value = dense<6.400000e+01> : tensor<f32>}
// CHECK-NEXT: %[[E:.*]] = "stablehlo.constant"() {value = dense<9.99999997E-7> : tensor<f32>}
// CHECK-NEXT: %[[NS:.*]] = "stablehlo.broadcast_in_dim"(%[[N]]) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<8xf32>
// CHECK-NEXT: %[[M:.*]] = "stablehlo.divide"(%[[SUM]], %[[NS]])
// CHECK-NEXT: %[[ES:.*]] = "stablehlo.broadcast_in_dim"(%[[E]])
// CHECK-NEXT: %[[P:.*]] = "stablehlo.add"(%[[M]], %[[ES]])
// CHECK-NEXT: %[[ROOT:.*]] = "stablehlo.sqrt"(%[[P]])
// CHECK-NEXT: %[[ONE:.*]] = "stablehlo.constant"() {value = dense<1.000000e+00> : tensor<f32>}
// CHECK-NEXT: %[[ONES:.*]] = "stablehlo.broadcast_in_dim"(%[[ONE]])
// CHECK-NEXT: %[[I:.*]] = "stablehlo.divide"(%[[ONES]], %[[ROOT]])
// CHECK-NEXT: %[[B:.*]] = "stablehlo.broadcast_in_dim"(%[[I]]) {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x64xf32>
// CHECK-NEXT: %[[Y:.*]] = "stablehlo.multiply"(%[[A]], %[[B]])
// CHECK-NEXT: return %[[Y]]
// CHECK-NOT: @norm.rmsnorm.impl

// -----

// Every attribute, and a name that is taken.
// CHECK-LABEL: func.func @attributes
// CHECK: %[[Y:.*]]:2 = "stablehlo.composite"(%{{.*}}, %{{.*}}) {composite_attributes = {compute_type = f32, count = 5 : i64, dims = array<i64: 1>,
// CHECK-SAME: epsilon_mode = "clamp", normalized_type = f16, root_form = "rsqrt", scale_type = bf16, sum_type = f64, weight_dims = array<i64: 0>}
// CHECK-SAME: decomposition = @norm.rmsnorm.impl_0
// CHECK-SAME: (tensor<8x64xf16>, tensor<8xbf16>) -> (tensor<8x64xf16>, tensor<8xf32>)
// CHECK: func.func private @norm.rmsnorm.impl_0
// CHECK: "stablehlo.slice"(%{{.*}}) {limit_indices = array<i64: 8, 5>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<8x64xf16>) -> tensor<8x5xf16>
// CHECK: "stablehlo.convert"(%{{.*}}) : (tensor<8x5xf16>) -> tensor<8x5xf32>
// CHECK: "stablehlo.multiply"(%{{.*}}) : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
// CHECK: "stablehlo.convert"(%{{.*}}) : (tensor<8x5xf32>) -> tensor<8x5xf64>
// CHECK: "stablehlo.divide"(%{{.*}}) : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
// CHECK: %[[M:.*]] = "stablehlo.convert"(%{{.*}}) : (tensor<8xf64>) -> tensor<8xf32>
// CHECK: %[[ROOT:.*]] = "stablehlo.sqrt"(%[[M]])
// CHECK: "stablehlo.maximum"(%[[ROOT]], %{{.*}}) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK: %[[R:.*]] = "stablehlo.divide"
// CHECK: %[[S:.*]] = "stablehlo.convert"(%[[R]]) : (tensor<8xf32>) -> tensor<8xbf16>
// CHECK: "stablehlo.convert"(%[[S]]) : (tensor<8xbf16>) -> tensor<8xf32>
// CHECK: %[[Z:.*]] = "stablehlo.convert"(%{{.*}}) : (tensor<8x64xf32>) -> tensor<8x64xf16>
// CHECK: "stablehlo.convert"(%{{.*}}) : (tensor<8xbf16>) -> tensor<8xf32>
// CHECK: "stablehlo.broadcast_in_dim"(%{{.*}}) {broadcast_dimensions = array<i64: 0>} : (tensor<8xf32>) -> tensor<8x64xf32>
// CHECK: %[[F:.*]] = "stablehlo.convert"(%{{.*}}) : (tensor<8x64xf32>) -> tensor<8x64xf16>
// CHECK: return %[[F]], %[[R]] : tensor<8x64xf16>, tensor<8xf32>
func.func @attributes(%x: tensor<8x64xf16>, %w: tensor<8xbf16>) -> (tensor<8x64xf16>, tensor<8xf32>) {
  %i = tensor.empty() : tensor<8x64xf16>
  %j = tensor.empty() : tensor<8xf32>
  %y:2 = norm.rmsnorm ins(%x, %w : tensor<8x64xf16>, tensor<8xbf16>)
         outs(%i, %j : tensor<8x64xf16>, tensor<8xf32>) dims = [1] epsilon = 1.0e-3 : f32
         epsilon_mode = clamp root_form = rsqrt compute_type = f32 sum_type = f64
         scale_type = bf16 normalized_type = f16 weight_dims = [0] count = 5
         -> tensor<8x64xf16>, tensor<8xf32>
  return %y#0, %y#1 : tensor<8x64xf16>, tensor<8xf32>
}
func.func private @norm.rmsnorm.impl()

// -----

// The root itself divides.
// CHECK-LABEL: func.func private @norm.rmsnorm.impl(%{{.*}}: tensor<8x64xbf16>)
// CHECK: %[[P:.*]] = "stablehlo.convert"(%{{.*}}) : (tensor<64xf32>) -> tensor<64xbf16>
// CHECK: %[[ROOT:.*]] = "stablehlo.add"
// CHECK: %[[B:.*]] = "stablehlo.broadcast_in_dim"(%[[ROOT]]) {broadcast_dimensions = array<i64: 1>} : (tensor<64xbf16>) -> tensor<8x64xbf16>
// CHECK: "stablehlo.divide"(%{{.*}}, %[[B]])
func.func @quotient(%x: tensor<8x64xbf16>, %i: tensor<8x64xbf16>) -> tensor<8x64xbf16> {
  %y = norm.rmsnorm ins(%x : tensor<8x64xbf16>) outs(%i : tensor<8x64xbf16>) dims = [0] epsilon = 1.0e-3 : f32
       epsilon_mode = outside root_form = quotient compute_type = bf16 -> tensor<8x64xbf16>
  return %y : tensor<8x64xbf16>
}
