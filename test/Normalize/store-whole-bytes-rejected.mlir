// Ops that have elements in a way that the pass does not know.
// RUN: norm-opt %s --norm-store-whole-bytes --split-input-file --verify-diagnostics

func.func @atomic(%m: memref<4xi4>, %v: i4, %i: index) {
  // expected-error@+1 {{norm-store-whole-bytes: 'memref.atomic_rmw' on elements that are not whole bytes is not supported}}
  memref.atomic_rmw addi %v, %m[%i] : (i4, memref<4xi4>) -> i4
  return
}

// -----

func.func @vector(%m: memref<16xi1>, %i: index) -> vector<8xi1> {
  // expected-error@+1 {{norm-store-whole-bytes: 'vector.load' on elements that are not whole bytes is not supported}}
  %v = vector.load %m[%i] : memref<16xi1>, vector<8xi1>
  return %v : vector<8xi1>
}

// -----

func.func @tf32(%x: tensor<4xtf32>) -> tensor<2xtf32> {
  // expected-error@+1 {{norm-store-whole-bytes: elements of 'tf32' are not supported in memory, LLVM has no such type}}
  %0 = tensor.extract_slice %x[0] [2] [1] : tensor<4xtf32> to tensor<2xtf32>
  return %0 : tensor<2xtf32>
}

// -----

func.func @long(%x: tensor<4xi129>) -> tensor<2xi129> {
  // expected-error@+1 {{norm-store-whole-bytes: elements of 'i129' are not supported in memory, integers have 128 bits at most}}
  %0 = tensor.extract_slice %x[0] [2] [1] : tensor<4xi129> to tensor<2xi129>
  return %0 : tensor<2xi129>
}

// -----

// Three bytes an element, where memory has four.
func.func @resource() -> tensor<3xi24> {
  // expected-error@+1 {{norm-store-whole-bytes: elements of 'tensor<3xi24>' cannot be read; write them as dense<...>}}
  %0 = arith.constant dense_resource<blob> : tensor<3xi24>
  return %0 : tensor<3xi24>
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x04000000010000020000030000"
    }
  }
#-}
