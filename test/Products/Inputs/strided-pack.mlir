func.func @strided(%x: memref<64x64xf32, strided<[?, ?], offset: ?>>, %y: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xf32, strided<[?, ?], offset: ?>>) outs(%y : memref<64x64xf32>) attrs = {norm.pack} {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}
