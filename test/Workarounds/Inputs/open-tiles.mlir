func.func @main(%a: tensor<16x16xf32>, %t: index, %e: tensor<?x4x?x4xf32>) -> tensor<?x4x?x4xf32> {
  %p = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [%t, 4] into %e : tensor<16x16xf32> -> tensor<?x4x?x4xf32>
  return %p : tensor<?x4x?x4xf32>
}
