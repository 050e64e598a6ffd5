// What norm-to-library rejects; the IR stays.
// RUN: norm-opt %s --norm-to-library=function=f --split-input-file --verify-diagnostics
// RUN: not norm-opt %S/Inputs/function.mlir --norm-to-library 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not norm-opt %S/Inputs/function.mlir --norm-to-library=backward-function=f 2>&1 | FileCheck %s --check-prefix=FORWARD
// FORWARD: error: 'norm.rmsnorm' op norm-to-library: function names no C function for it
// NAME: error: norm-to-library: function or backward-function must name the C function to call
// RUN: not norm-opt %S/Inputs/function.mlir --pass-pipeline='builtin.module(func.func(norm-to-library{function=f}))' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: function.mlir:2:3: error: 'norm.rmsnorm' op norm-to-library must run on the module that the function is declared in

func.func @tensors(%x: tensor<8x64xf32>, %i: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @below {{on tensors: norm-to-library calls functions on memrefs, bufferize before}}
  %y = norm.rmsnorm ins(%x : tensor<8x64xf32>) outs(%i : tensor<8x64xf32>)
       dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

func.func @gradient(%dy: memref<8x64xf32>, %x: memref<8x64xf32>) {
  // expected-error @below {{norm-to-library: backward-function names no C function for it}}
  norm.rmsnorm_backward ins(%dy, %x : memref<8x64xf32>, memref<8x64xf32>)
      dx(%x : memref<8x64xf32>) dims = [1] epsilon = 1.0e-6 : f32
  return
}

// -----

func.func @memory_space(%x: memref<8x64xf32, 1>, %y: memref<8x64xf32>) {
  // expected-error @below {{norm-to-library: 'memref<8x64xf32, 1>' is in another memory space than the host's}}
  norm.rmsnorm ins(%x : memref<8x64xf32, 1>) outs(%y : memref<8x64xf32>)
               dims = [1] epsilon = 1.0e-6 : f32
  return
}

// -----

func.func @no_strides(%x: memref<8x64xf32, affine_map<(d0, d1) -> (d0 mod 4, d1)>>, %y: memref<8x64xf32>) {
  // expected-error @below {{norm-to-library: no strides describe 'memref<8x64xf32,}}
  norm.rmsnorm ins(%x : memref<8x64xf32, affine_map<(d0, d1) -> (d0 mod 4, d1)>>)
               outs(%y : memref<8x64xf32>) dims = [1] epsilon = 1.0e-6 : f32
  return
}

// -----

func.func @two_signatures(%x: memref<8x64xf32>, %h: memref<8x64xf16>, %y: memref<8x64xf32>) {
  norm.rmsnorm ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
               dims = [1] epsilon = 1.0e-6 : f32
  // expected-error @below {{norm-to-library: 'f' would be called with '(memref<?x?xf16}}
  norm.rmsnorm ins(%h : memref<8x64xf16>) outs(%y : memref<8x64xf32>)
               dims = [1] epsilon = 1.0e-6 : f32
  return
}

// -----

func.func private @f(i32)
func.func @other_function(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  // expected-error @below {{and is a function of type '(i32) -> ()'; suffix=true names one function per signature}}
  norm.rmsnorm ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
               dims = [1] epsilon = 1.0e-6 : f32
  return
}

// -----

memref.global @f : memref<4xf32>
func.func @no_function(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  // expected-error @below {{norm-to-library: @f is not a function}}
  norm.rmsnorm ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
               dims = [1] epsilon = 1.0e-6 : f32
  return
}
