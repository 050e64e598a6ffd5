// Negative amounts of padding remove elements first: upstream makes a view that begins before the buffer.
// RUN: norm-opt %s --norm-lower-tensor-ops --canonicalize | FileCheck %s
// RUN: norm-run %s --function=known --input=5xf32=1,2,3,4,5 | FileCheck %s --check-prefix=KNOWN
// RUN: norm-run %s --function=open --input=7xf32=1,2,3,4,5,6,7 --input=index=-1 --input=index=2 | FileCheck %s --check-prefix=OPEN
// RUN: norm-run %s --function=open --input=7xf32=1,2,3,4,5,6,7 --input=index=1 --input=index=-2 | FileCheck %s --check-prefix=HIGH
// RUN: norm-run %s --function=nothing --input=2xf32=1,2 | FileCheck %s --check-prefix=NOTHING

// CHECK-LABEL: func @known
// CHECK: %[[REST:.*]] = tensor.extract_slice %arg0[1] [4] [1]
// CHECK: tensor.pad %[[REST]] low[0] high[2]
// KNOWN: result[0]: 6xf32=2 3 4 5 0 0
func.func @known(%x: tensor<5xf32>) -> tensor<6xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[-1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<5xf32> to tensor<6xf32>
  return %p : tensor<6xf32>
}

// OPEN: result[0]: 8xf32=2 3 4 5 6 7 0 0
// HIGH: result[0]: 6xf32=0 1 2 3 4 5
func.func @open(%x: tensor<?xf32>, %l: index, %h: index) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[%l] high[%h] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}

// CHECK-LABEL: func @nothing
// CHECK: tensor.generate
// NOTHING: result[0]: 3xf32=0 0 0
func.func @nothing(%x: tensor<2xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[-3] high[4] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<3xf32>
  return %p : tensor<3xf32>
}
