// What norm-to-composite rejects; the IR stays.
// RUN: norm-opt %s --norm-to-composite --allow-unregistered-dialect --split-input-file --verify-diagnostics
// RUN: not norm-opt %S/Inputs/norm.mlir --norm-to-composite 2>&1 | FileCheck %s
// CHECK: error: norm-to-composite: the context neither knows the dialect stablehlo nor allows unregistered ones (--allow-unregistered-dialect)

func.func @memrefs(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  // expected-error @below {{on memrefs: StableHLO has tensors only}}
  norm.rmsnorm ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
               dims = [1] epsilon = 1.0e-6 : f32
  return
}

// -----

func.func @dynamic(%x: tensor<?x64xf32>, %i: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @below {{norm-to-composite: 'tensor<?x64xf32>' is dynamic; static shapes are written only}}
  %y = norm.rmsnorm ins(%x : tensor<?x64xf32>) outs(%i : tensor<?x64xf32>)
       dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

func.func @gradient(%dy: tensor<8x64xf32>, %x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{norm-to-composite: there is no composite of gradients; norm-to-linalg decomposes them}}
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<8x64xf32>, tensor<8x64xf32>)
        dx(%x : tensor<8x64xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  return %dx : tensor<8x64xf32>
}
