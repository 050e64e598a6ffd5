// Loops that carry rows of unknown length, which kernels write to memory: no row loop
// reads back what it wrote.
// RUN: norm-run %s --function=doubled --pipeline=simt --input=2x3xf32=1,2,3,4,5,6 --expected-output=2x3xf32=8,16,24,32,40,48
// RUN: norm-run %s --function=doubled --input=2x3xf32=1,2,3,4,5,6 --expected-output=2x3xf32=8,16,24,32,40,48
// RUN: norm-run %s --function=both --pipeline=simt --input=2x3xf32=1,2,3,4,5,6 --input=2x3xf32=0 --expected-output=2x3xf32=8,16,24,32,40,48 --expected-output=2x3xf32=12,24,36,48,60,72
// RUN: norm-run %s --function=both --input=2x3xf32=1,2,3,4,5,6 --input=2x3xf32=0 --expected-output=2x3xf32=8,16,24,32,40,48 --expected-output=2x3xf32=12,24,36,48,60,72

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @doubled(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> (tensor<?x?xf32>) {
    %rows = tensor.dim %t, %c0 : tensor<?x?xf32>
    %columns = tensor.dim %t, %c1 : tensor<?x?xf32>
    %e = tensor.empty(%rows, %columns) : tensor<?x?xf32>
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    scf.yield %g : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// The first result has a second reader.
func.func @both(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x, %u = %y) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
    %rows = tensor.dim %t, %c0 : tensor<?x?xf32>
    %columns = tensor.dim %t, %c1 : tensor<?x?xf32>
    %e = tensor.empty(%rows, %columns) : tensor<?x?xf32>
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%t : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%g, %t : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    scf.yield %g, %h : tensor<?x?xf32>, tensor<?x?xf32>
  }
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xf32>
}
