// Functions on buffers of more than 2^31 elements.
func.func @rows_bf16(%x: memref<?x?xbf16, strided<[?, 1], offset: ?>>, %y: memref<?x?xbf16, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = bufferization.to_tensor %x restrict : memref<?x?xbf16, strided<[?, 1], offset: ?>> to tensor<?x?xbf16>
  %m = tensor.dim %t, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %t, %c1 : tensor<?x?xbf16>
  %i = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %r = norm.rmsnorm ins(%t : tensor<?x?xbf16>) outs(%i : tensor<?x?xbf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xbf16>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<?x?xbf16>, memref<?x?xbf16, strided<[?, 1], offset: ?>>) -> ()
  return
}

// Rows in blocks.
func.func @rows_f32(%x: memref<?x100xf32, strided<[?, 1], offset: ?>>, %y: memref<?x100xf32, strided<[?, 1], offset: ?>>) {
  %c0 = arith.constant 0 : index
  %t = bufferization.to_tensor %x restrict : memref<?x100xf32, strided<[?, 1], offset: ?>> to tensor<?x100xf32>
  %m = tensor.dim %t, %c0 : tensor<?x100xf32>
  %i = tensor.empty(%m) : tensor<?x100xf32>
  %r = norm.rmsnorm ins(%t : tensor<?x100xf32>) outs(%i : tensor<?x100xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x100xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<?x100xf32>, memref<?x100xf32, strided<[?, 1], offset: ?>>) -> ()
  return
}

// The stride is a constant of more than 31 bits.
func.func @static_f16(%x: memref<3x64xf16, strided<[2147483712, 1], offset: 2147483712>>, %y: memref<3x64xf16, strided<[2147483712, 1], offset: 2147483712>>) {
  %t = bufferization.to_tensor %x restrict : memref<3x64xf16, strided<[2147483712, 1], offset: 2147483712>> to tensor<3x64xf16>
  %i = tensor.empty() : tensor<3x64xf16>
  %r = norm.rmsnorm ins(%t : tensor<3x64xf16>) outs(%i : tensor<3x64xf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<3x64xf16>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<3x64xf16>, memref<3x64xf16, strided<[2147483712, 1], offset: 2147483712>>) -> ()
  return
}

func.func @columns_bf16(%x: memref<3x?xbf16, strided<[?, ?], offset: ?>>, %y: memref<3x?xbf16, strided<[?, ?], offset: ?>>) {
  %c1 = arith.constant 1 : index
  %t = bufferization.to_tensor %x restrict : memref<3x?xbf16, strided<[?, ?], offset: ?>> to tensor<3x?xbf16>
  %n = tensor.dim %t, %c1 : tensor<3x?xbf16>
  %i = tensor.empty(%n) : tensor<3x?xbf16>
  %r = norm.rmsnorm ins(%t : tensor<3x?xbf16>) outs(%i : tensor<3x?xbf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<3x?xbf16>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<3x?xbf16>, memref<3x?xbf16, strided<[?, ?], offset: ?>>) -> ()
  return
}

func.func @columns_f32(%x: memref<3x?xf32, strided<[?, ?], offset: ?>>, %y: memref<3x?xf32, strided<[?, ?], offset: ?>>) {
  %c1 = arith.constant 1 : index
  %t = bufferization.to_tensor %x restrict : memref<3x?xf32, strided<[?, ?], offset: ?>> to tensor<3x?xf32>
  %n = tensor.dim %t, %c1 : tensor<3x?xf32>
  %i = tensor.empty(%n) : tensor<3x?xf32>
  %r = norm.rmsnorm ins(%t : tensor<3x?xf32>) outs(%i : tensor<3x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<3x?xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<3x?xf32>, memref<3x?xf32, strided<[?, ?], offset: ?>>) -> ()
  return
}

// The second result of the op alone: the first is not computed.
func.func @statistic(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %i = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %j = tensor.empty(%m) : tensor<?xf32>
  %y, %r = norm.rmsnorm ins(%x : tensor<?x?xbf16>) outs(%i, %j : tensor<?x?xbf16>, tensor<?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xbf16>, tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @one_row(%x: tensor<1x2147483748xbf16>) -> tensor<1xf32> {
  %i = tensor.empty() : tensor<1x2147483748xbf16>
  %j = tensor.empty() : tensor<1xf32>
  %y, %r = norm.rmsnorm ins(%x : tensor<1x2147483748xbf16>) outs(%i, %j : tensor<1x2147483748xbf16>, tensor<1xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<1x2147483748xbf16>, tensor<1xf32>
  return %r : tensor<1xf32>
}

func.func @all(%x: tensor<524289x4096xbf16>) -> tensor<524289x4096xbf16> {
  %i = tensor.empty() : tensor<524289x4096xbf16>
  %y = norm.rmsnorm ins(%x : tensor<524289x4096xbf16>) outs(%i : tensor<524289x4096xbf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<524289x4096xbf16>
  return %y : tensor<524289x4096xbf16>
}

// Dims that are not the last, dynamic, for the inspection.
func.func @first_dim(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %c = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %i = tensor.empty(%a, %b, %c) : tensor<?x?x?xf32>
  %y = norm.rmsnorm ins(%x : tensor<?x?x?xf32>) outs(%i : tensor<?x?x?xf32>) dims = [0, 2] epsilon = 1.0e-6 : f32 -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// A temporary of a row, whose size is computed at run time.
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
