func.func @g(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  norm.rmsnorm ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
               dims = [1] epsilon = 1.0e-6 : f32
  return
}
