// A row that is alone, of a dynamic extent: its kernel writes the result once. A copy
// of the result onto itself would race with the threads that still write it, and in a
// strided buffer was a loop that no thread could take a part of.
// RUN: norm-compile %s --target=nvvm --emit=vector -o - | FileCheck %s
// RUN: norm-run %s --pipeline=simt --function=tensors '--input=5xf32=3' | FileCheck %s --check-prefix=VALUES
// VALUES: result[0]: 5xf32=1 1 1 1 1

// CHECK-LABEL: func.func @tensors
// CHECK: gpu.launch
// CHECK-NOT: copy
func.func @tensors(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = tensor.empty(%n) : tensor<?xf32>
  %y = norm.rmsnorm ins(%x : tensor<?xf32>) outs(%i : tensor<?xf32>) dims = [0] epsilon = 0.0 : f32 -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @strided
// CHECK: gpu.launch
// CHECK-NOT: copy
func.func @strided(%xs: memref<?xf32, strided<[?], offset: ?>>, %ys: memref<?xf32, strided<[2], offset: 9>>) {
  %x = bufferization.to_tensor %xs restrict : memref<?xf32, strided<[?], offset: ?>> to tensor<?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %i = tensor.empty(%n) : tensor<?xf32>
  %y = norm.rmsnorm ins(%x : tensor<?xf32>) outs(%i : tensor<?xf32>) dims = [0] epsilon = 0.0 : f32 -> tensor<?xf32>
  bufferization.materialize_in_destination %y in restrict writable %ys : (tensor<?xf32>, memref<?xf32, strided<[2], offset: 9>>) -> ()
  return
}
