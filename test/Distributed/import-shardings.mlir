// RUN: norm-opt %s --norm-import-shardings --split-input-file --verify-diagnostics | FileCheck %s

// What JAX 0.10 writes for P("data", "model"), P("model") and a result P(None, ("model", "data")).
// CHECK: shard.grid @mesh(shape = 2x4)
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<16x512xf32>, %[[W:.*]]: tensor<512xf32> {jax.name = "w"}, %[[N:.*]]: tensor<16x512xf32>) -> (tensor<16x512xf32> {jax.result_info = "result"})
// CHECK: %[[S:.*]] = shard.sharding @mesh split_axes = {{\[\[}}0], [1]]
// CHECK: %[[A:.*]] = shard.shard %[[X]] to %[[S]] : tensor<16x512xf32>
// CHECK: %[[B:.*]] = shard.shard %[[A]] to %[[S]] annotate_for_users
// CHECK: %[[T:.*]] = shard.sharding @mesh split_axes = {{\[\[}}1]]
// CHECK: shard.shard %[[W]] to %[[T]]
// CHECK: %[[Y:.*]] = arith.addf %[[B]], %[[N]]
// CHECK: %[[R:.*]] = shard.sharding @mesh split_axes = {{\[\[}}], [1, 0]]
// CHECK: %[[C:.*]] = shard.shard %[[Y]] to %[[R]] :
// CHECK: %[[D:.*]] = shard.shard %[[C]] to %[[R]] annotate_for_users
// CHECK: return %[[D]]
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22data\22=2, \22model\22=4]>}"}} {
  func.func @main(%x: tensor<16x512xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22data\22}, {\22model\22, ?}]>"}, mhlo.sharding = "{devices=[2,4]<=[8]}"},
                  %w: tensor<512xf32> {jax.name = "w", mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22model\22}]>"}},
                  %n: tensor<16x512xf32>)
      -> (tensor<16x512xf32> {jax.result_info = "result", mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}, {\22model\22, \22data\22}]>"}}) {
    %y = arith.addf %x, %n : tensor<16x512xf32>
    return %y : tensor<16x512xf32>
  }
}

// -----

// A program without annotations stays.
// CHECK-LABEL: func.func @plain
// CHECK-NEXT: return
func.func @plain(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----

// expected-error @below {{has meshes that are not understood: {mesh = #sdy.mesh<["x"=4], device_ids=[3, 2, 1, 0]>}}}
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=4], device_ids=[3, 2, 1, 0]>}"}} {
}

// -----

module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=4]>}"}} {
  // expected-error @below {{has a sharding that is not understood: #sdy.sharding<@mesh, [{"x":(1)2}]>}}
  func.func @part_of_an_axis(%x: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22:(1)2}]>"}}) {
    return
  }
}

// -----

module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=4]>}"}} {
  // expected-error @below {{has a sharding of a mesh that the module does not have: #sdy.sharding<@other, [{"x"}]>}}
  func.func @other_mesh(%x: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@other, [{\22x\22}]>"}}) {
    return
  }
}

// -----

module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=4]>}"}} {
  // expected-error @below {{has a sharding of an axis that the mesh does not have: #sdy.sharding<@mesh, [{"y"}]>}}
  func.func @other_axis(%x: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22y\22}]>"}}) {
    return
  }
}

// -----

// The last block need not be the one that returns.
// CHECK-LABEL: func.func @blocks
// CHECK: shard.shard {{.*}} annotate_for_users
// CHECK: return
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=4]>}"}} {
  func.func @blocks(%x: tensor<8xf32>) -> (tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}]>"}}) {
    cf.br ^end
  ^end:
    return %x : tensor<8xf32>
  ^other:
    cf.br ^end
  }
}
