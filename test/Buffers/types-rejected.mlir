// RUN: norm-opt %s --norm-results-to-out-params --split-input-file --verify-diagnostics
// RUN: not norm-compile %s -o %t 2>&1 | FileCheck %s
// CHECK: types-rejected.mlir:6:1: error: cannot compile an argument or result of type 'tf32'

// expected-error@+1 {{cannot compile an argument or result of type 'tf32'}}
func.func @main(%x: tf32) {
  return
}

// -----

// expected-error@+1 {{cannot compile an argument or result of type 'tensor<4xcomplex<tf32>>'}}
func.func private @declared(tensor<4xcomplex<tf32>>)

// -----

// expected-error@+1 {{cannot compile an argument or result of type 'none'}}
func.func private @private(%x: none) -> none {
  return %x : none
}

// -----

// expected-error@+1 {{cannot compile an argument or result of type 'tuple<f32>'}}
func.func @tuple(%x: tuple<f32>) {
  return
}

// -----

// expected-error@+1 {{cannot compile an argument or result of type 'tensor<4x!quant.uniform<u8:f32, 1.000000e+00>>'}}
func.func @quantized(%x: tensor<4x!quant.uniform<u8:f32, 1.0>>) {
  return
}

// -----

// expected-error@+1 {{cannot compile an argument or result of type '!shape.shape'}}
func.func @shape(%x: !shape.shape) {
  return
}

// -----

// LLVM has integers from one bit on.
// expected-error@+1 {{cannot compile an argument or result of type 'i0'}}
func.func @no_bits(%x: i0) -> i0 {
  return %x : i0
}

// -----

// expected-error@+1 {{cannot compile an argument or result of type 'vector<4xi0>'}}
func.func @vector(%x: vector<4xi0>) {
  return
}

// -----

#csr = #sparse_tensor.encoding<{map = (d0, d1) -> (d0 : dense, d1 : compressed)}>
// expected-error@+1 {{cannot compile an argument or result of type 'tensor<4x4xf32, #sparse_tensor.encoding<}}
func.func @sparse(%x: tensor<4x4xf32, #csr>) {
  return
}

// -----

// expected-error@+1 {{cannot return a buffer with a layout: 'memref<4xf32, strided<[2], offset: ?>>'}}
func.func @layout(%x: memref<4xf32, strided<[2], offset: ?>>) -> memref<4xf32, strided<[2], offset: ?>> {
  return %x : memref<4xf32, strided<[2], offset: ?>>
}

// -----

// These are compiled.
func.func @others(%a: i1000, %b: f4E2M1FN, %c: !llvm.ptr, %d: vector<[4]xindex>, %e: memref<4xvector<4xbf16>>,
                  %f: memref<4xf32, strided<[1]>>) -> memref<4xf32, strided<[1]>> {
  return %f : memref<4xf32, strided<[1]>>
}
