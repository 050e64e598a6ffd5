// An op in the body of another, which reads its own index and captures the outer
// one: x[i, j] must not become x[i, i], compiled, by upstream's passes, or as kernels.
// RUN: norm-run %s --function=sums --input=3x3xf32=1,2,3,4,5,6,7,8,9 --expected-output=3xf32=6,15,24
// RUN: norm-run %s --function=sums --pipeline=upstream --input=3x3xf32=1,2,3,4,5,6,7,8,9 --expected-output=3xf32=6,15,24
// RUN: norm-run %s --function=sums --pipeline=simt --input=3x3xf32=1,2,3,4,5,6,7,8,9 --expected-output=3xf32=6,15,24
// RUN: not norm-run %s --function=sums --input=3x3xf32=1,2,3,4,5,6,7,8,9 --expected-output=3xf32=3,15,27

// RUN: norm-run %s --function=product --input=2x3xf32=1,2,3,4,5,6 --input=3x2xf32=1,2,3,4,5,6 --expected-output=2x2xf32=22,28,49,64
// RUN: norm-run %s --function=product --pipeline=upstream --input=2x3xf32=1,2,3,4,5,6 --input=3x2xf32=1,2,3,4,5,6 --expected-output=2x2xf32=22,28,49,64
// RUN: norm-run %s --function=product --pipeline=simt --input=2x3xf32=1,2,3,4,5,6 --input=3x2xf32=1,2,3,4,5,6 --expected-output=2x2xf32=22,28,49,64

// RUN: norm-run %s --function=fused --input=3x3xf32=1,2,3,4,5,6,7,8,9 --expected-output=3xf32=6,16,26
// RUN: norm-run %s --function=fused --pipeline=upstream --input=3x3xf32=1,2,3,4,5,6,7,8,9 --expected-output=3xf32=6,16,26
// RUN: norm-run %s --function=fused --pipeline=simt --input=3x3xf32=1,2,3,4,5,6,7,8,9 --expected-output=3xf32=6,16,26

// RUN: norm-run %s --function=generated --input=3x3xf32=1,2,3,4,5,6,7,8,9 --expected-output=3xf32=6,15,24
// RUN: norm-run %s --function=generated --pipeline=upstream --input=3x3xf32=1,2,3,4,5,6,7,8,9 --expected-output=3xf32=6,15,24
// RUN: norm-run %s --function=generated --pipeline=simt --input=3x3xf32=1,2,3,4,5,6,7,8,9 --expected-output=3xf32=6,15,24

// RUN: norm-run %s --function=transposed --input=2x3xf32=1,2,3,4,5,6 --expected-output=3x2xf32=4,1,5,2,6,3
// RUN: norm-run %s --function=transposed --pipeline=upstream --input=2x3xf32=1,2,3,4,5,6 --expected-output=3x2xf32=4,1,5,2,6,3
// RUN: norm-run %s --function=transposed --pipeline=simt --input=2x3xf32=1,2,3,4,5,6 --expected-output=3x2xf32=4,1,5,2,6,3

// RUN: norm-run %s --function=levels --input=2x2x2xf32=1,2,3,4,5,6,7,8 --expected-output=2xf32=10,26
// RUN: norm-run %s --function=levels --pipeline=upstream --input=2x2x2xf32=1,2,3,4,5,6,7,8 --expected-output=2xf32=10,26
// RUN: norm-run %s --function=levels --pipeline=simt --input=2x2x2xf32=1,2,3,4,5,6,7,8 --expected-output=2xf32=10,26

#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#scalar = affine_map<(d0) -> ()>

// The sum of each row, of dynamic extents.
func.func @sums(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %row = tensor.empty(%n) : tensor<?xf32>
  %e0 = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%rows : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %sum = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]} ins(%row : tensor<?xf32>) outs(%init : tensor<f32>) {
    ^bb1(%unused: f32, %acc: f32):
      %j = linalg.index 0 : index
      %in = tensor.extract %x[%i, %j] : tensor<?x?xf32>
      %next = arith.addf %in, %acc : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %v = tensor.extract %sum[] : tensor<f32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Two outer indices, and products that an op of its own has written.
func.func @product(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %e0 = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x2xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %products = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e3 : tensor<3xf32>) {
    ^bb1(%unused: f32):
      %k = linalg.index 0 : index
      %l = tensor.extract %a[%i, %k] : tensor<2x3xf32>
      %r = tensor.extract %b[%k, %j] : tensor<3x2xf32>
      %p = arith.mulf %l, %r : f32
      linalg.yield %p : f32
    } -> tensor<3xf32>
    %sum = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]} ins(%products : tensor<3xf32>) outs(%init : tensor<f32>) {
    ^bb1(%in: f32, %acc: f32):
      %next = arith.addf %in, %acc : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %v = tensor.extract %sum[] : tensor<f32>
    linalg.yield %v : f32
  } -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// The outer body reads no index until the ops before it are fused into it: row i
// of x and i itself, summed.
func.func @fused(%x: tensor<3x3xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %e3 = tensor.empty() : tensor<3xf32>
  %i3 = tensor.empty() : tensor<3xi64>
  %e0 = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %iota = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%i3 : tensor<3xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %cast = arith.index_cast %i : index to i64
    linalg.yield %cast : i64
  } -> tensor<3xi64>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%iota : tensor<3xi64>) outs(%e3 : tensor<3xf32>) {
  ^bb0(%row: i64, %out: f32):
    %r = arith.index_cast %row : i64 to index
    %sum = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]} ins(%e3 : tensor<3xf32>) outs(%init : tensor<f32>) {
    ^bb1(%unused: f32, %acc: f32):
      %j = linalg.index 0 : index
      %in = tensor.extract %x[%r, %j] : tensor<3x3xf32>
      %next = arith.addf %in, %acc : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %v = tensor.extract %sum[] : tensor<f32>
    %f = arith.sitofp %row : i64 to f32
    %w = arith.addf %v, %f : f32
    linalg.yield %w : f32
  } -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// Bufferization makes linalg.map with linalg.index of tensor.generate.
func.func @generated(%x: tensor<3x3xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %y = tensor.generate {
  ^bb0(%i: index):
    %row = tensor.generate {
    ^bb1(%j: index):
      %in = tensor.extract %x[%i, %j] : tensor<3x3xf32>
      tensor.yield %in : f32
    } : tensor<3xf32>
    %sum = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]} ins(%row : tensor<3xf32>) outs(%init : tensor<f32>) {
    ^bb1(%in: f32, %acc: f32):
      %next = arith.addf %in, %acc : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %v = tensor.extract %sum[] : tensor<f32>
    tensor.yield %v : f32
  } : tensor<3xf32>
  return %y : tensor<3xf32>
}

// Two loops in two: x transposed, each row backwards.
func.func @transposed(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<3x2xf32>
  %t = tensor.empty() : tensor<2x3xf32>
  %y = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<3x2xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %copy = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]} outs(%t : tensor<2x3xf32>) {
    ^bb1(%unused: f32):
      %k = linalg.index 0 : index
      %l = linalg.index 1 : index
      %in = tensor.extract %x[%l, %k] : tensor<2x3xf32>
      linalg.yield %in : f32
    } -> tensor<2x3xf32>
    %back = arith.subi %c1, %j : index
    %v = tensor.extract %copy[%back, %i] : tensor<2x3xf32>
    linalg.yield %v : f32
  } -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Three levels: the sum of each matrix.
func.func @levels(%x: tensor<2x2x2xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<2xf32>
  %e0 = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e2 : tensor<2xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %total = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]} ins(%e2 : tensor<2xf32>) outs(%init : tensor<f32>) {
    ^bb1(%unused: f32, %acc: f32):
      %j = linalg.index 0 : index
      %row = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]} ins(%e2 : tensor<2xf32>) outs(%init : tensor<f32>) {
      ^bb2(%unused2: f32, %part: f32):
        %k = linalg.index 0 : index
        %in = tensor.extract %x[%i, %j, %k] : tensor<2x2x2xf32>
        %next = arith.addf %in, %part : f32
        linalg.yield %next : f32
      } -> tensor<f32>
      %r = tensor.extract %row[] : tensor<f32>
      %next = arith.addf %r, %acc : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %v = tensor.extract %total[] : tensor<f32>
    linalg.yield %v : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}
