// A scale for each row or block and 8-bit floats, as front ends lower them: every number
// of f8E4M3FN and f8E5M2, every tie, the f32 beside each, and special values.
// RUN: %python %S/block-scales.py write %t
// RUN: norm-run %s --function=row_e4m3 --input=@%t.x.npy --output=@%t.row_e4m3.q.npy --output=@%t.row_e4m3.scale.npy
// RUN: norm-run %s --function=blocks_e5m2 --input=@%t.x.npy --output=@%t.blocks_e5m2.q.npy --output=@%t.blocks_e5m2.scale.npy
// RUN: norm-run %s --function=blocks_e4m3 --input=@%t.x.npy --output=@%t.blocks_e4m3.q.npy --output=@%t.blocks_e4m3.scale.npy
// RUN: norm-run %s --function=mxfp8 --input=@%t.x.npy --output=@%t.mxfp8.q.npy --output=@%t.mxfp8.scale.npy
// RUN: %python %S/block-scales.py check %t | FileCheck %s
// CHECK: row_e4m3: {{[0-9]+}} elements right, {{[0-9]+}} codes, {{[0-9]+}} scales right
// CHECK: blocks_e5m2: {{[0-9]+}} elements right, {{[0-9]+}} codes, {{[0-9]+}} scales right
// CHECK: blocks_e4m3: {{[0-9]+}} elements right, {{[0-9]+}} codes, {{[0-9]+}} scales right
// CHECK: mxfp8: {{[0-9]+}} elements right, {{[0-9]+}} codes, {{[0-9]+}} scales right

#id = affine_map<(d0, d1) -> (d0, d1)>
#elements = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#blocks = affine_map<(d0, d1, d2) -> (d0, d1)>

func.func @row_e4m3(%x: tensor<?x256xf32>) -> (tensor<?x256xi8>, tensor<?x1xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x256xf32>
  %zero = arith.constant 0.0 : f32
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, 1, 256] : tensor<?x256xf32> into tensor<?x1x256xf32>
  %e = tensor.empty(%m) : tensor<?x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1xf32>) -> tensor<?x1xf32>
  %top = linalg.generic {indexing_maps = [#elements, #blocks], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y : tensor<?x1x256xf32>) outs(%f : tensor<?x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = math.absf %a : f32
    %v = arith.maximumf %n, %o : f32
    linalg.yield %v : f32
  } -> tensor<?x1xf32>
  %s = tensor.empty(%m) : tensor<?x1xf32>
  %scale = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%top : tensor<?x1xf32>) outs(%s : tensor<?x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %most = arith.constant 448.0 : f32
    %d = arith.divf %a, %most : f32
    %least = arith.constant 1.0e-12 : f32
    %v = arith.maximumf %d, %least : f32
    linalg.yield %v : f32
  } -> tensor<?x1xf32>
  %g = tensor.empty(%m) : tensor<?x1x256xi8>
  %q = linalg.generic {indexing_maps = [#elements, #blocks, #elements], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %scale : tensor<?x1x256xf32>, tensor<?x1xf32>) outs(%g : tensor<?x1x256xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %t = arith.divf %a, %b : f32
    %v = arith.truncf %t : f32 to f8E4M3FN
    %n = arith.bitcast %v : f8E4M3FN to i8
    linalg.yield %n : i8
  } -> tensor<?x1x256xi8>
  %row = tensor.collapse_shape %q [[0], [1, 2]] : tensor<?x1x256xi8> into tensor<?x256xi8>
  return %row, %scale : tensor<?x256xi8>, tensor<?x1xf32>
}

func.func @blocks_e5m2(%x: tensor<?x256xf32>) -> (tensor<?x256xi8>, tensor<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x256xf32>
  %zero = arith.constant 0.0 : f32
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, 2, 128] : tensor<?x256xf32> into tensor<?x2x128xf32>
  %e = tensor.empty(%m) : tensor<?x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %top = linalg.generic {indexing_maps = [#elements, #blocks], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y : tensor<?x2x128xf32>) outs(%f : tensor<?x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = math.absf %a : f32
    %v = arith.maximumf %n, %o : f32
    linalg.yield %v : f32
  } -> tensor<?x2xf32>
  %s = tensor.empty(%m) : tensor<?x2xf32>
  %scale = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%top : tensor<?x2xf32>) outs(%s : tensor<?x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %most = arith.constant 57344.0 : f32
    %d = arith.divf %a, %most : f32
    %least = arith.constant 1.0e-12 : f32
    %v = arith.maximumf %d, %least : f32
    linalg.yield %v : f32
  } -> tensor<?x2xf32>
  %g = tensor.empty(%m) : tensor<?x2x128xi8>
  %q = linalg.generic {indexing_maps = [#elements, #blocks, #elements], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %scale : tensor<?x2x128xf32>, tensor<?x2xf32>) outs(%g : tensor<?x2x128xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %t = arith.divf %a, %b : f32
    %v = arith.truncf %t : f32 to f8E5M2
    %n = arith.bitcast %v : f8E5M2 to i8
    linalg.yield %n : i8
  } -> tensor<?x2x128xi8>
  %row = tensor.collapse_shape %q [[0], [1, 2]] : tensor<?x2x128xi8> into tensor<?x256xi8>
  return %row, %scale : tensor<?x256xi8>, tensor<?x2xf32>
}

func.func @blocks_e4m3(%x: tensor<?x256xf32>) -> (tensor<?x256xi8>, tensor<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x256xf32>
  %zero = arith.constant 0.0 : f32
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, 16, 16] : tensor<?x256xf32> into tensor<?x16x16xf32>
  %e = tensor.empty(%m) : tensor<?x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %top = linalg.generic {indexing_maps = [#elements, #blocks], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y : tensor<?x16x16xf32>) outs(%f : tensor<?x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = math.absf %a : f32
    %v = arith.maximumf %n, %o : f32
    linalg.yield %v : f32
  } -> tensor<?x16xf32>
  %s = tensor.empty(%m) : tensor<?x16xf32>
  %scale = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%top : tensor<?x16xf32>) outs(%s : tensor<?x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %most = arith.constant 448.0 : f32
    %d = arith.divf %a, %most : f32
    %least = arith.constant 1.0e-12 : f32
    %v = arith.maximumf %d, %least : f32
    linalg.yield %v : f32
  } -> tensor<?x16xf32>
  %g = tensor.empty(%m) : tensor<?x16x16xi8>
  %q = linalg.generic {indexing_maps = [#elements, #blocks, #elements], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %scale : tensor<?x16x16xf32>, tensor<?x16xf32>) outs(%g : tensor<?x16x16xi8>) {
  ^bb0(%a: f32, %b: f32, %o: i8):
    %t = arith.divf %a, %b : f32
    %v = arith.truncf %t : f32 to f8E4M3FN
    %n = arith.bitcast %v : f8E4M3FN to i8
    linalg.yield %n : i8
  } -> tensor<?x16x16xi8>
  %row = tensor.collapse_shape %q [[0], [1, 2]] : tensor<?x16x16xi8> into tensor<?x256xi8>
  return %row, %scale : tensor<?x256xi8>, tensor<?x16xf32>
}

func.func @mxfp8(%x: tensor<?x256xf32>) -> (tensor<?x256xi8>, tensor<?x8xi8>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x256xf32>
  %zero = arith.constant 0.0 : f32
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [%m, 8, 32] : tensor<?x256xf32> into tensor<?x8x32xf32>
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %top = linalg.generic {indexing_maps = [#elements, #blocks], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y : tensor<?x8x32xf32>) outs(%f : tensor<?x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = math.absf %a : f32
    %v = arith.maximumf %n, %o : f32
    linalg.yield %v : f32
  } -> tensor<?x8xf32>
  %s = tensor.empty(%m) : tensor<?x8xi8>
  %scale = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%top : tensor<?x8xf32>) outs(%s : tensor<?x8xi8>) {
  ^bb0(%a: f32, %o: i8):
    %i = arith.bitcast %a : f32 to i32
    %c23 = arith.constant 23 : i32
    %e0 = arith.shrui %i, %c23 : i32
    %c8 = arith.constant 8 : i32
    %d = arith.subi %e0, %c8 : i32
    %z = arith.constant 0 : i32
    %k = arith.maxsi %d, %z : i32
    %v = arith.trunci %k : i32 to i8
    linalg.yield %v : i8
  } -> tensor<?x8xi8>
  %g = tensor.empty(%m) : tensor<?x8x32xi8>
  %q = linalg.generic {indexing_maps = [#elements, #blocks, #elements], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %scale : tensor<?x8x32xf32>, tensor<?x8xi8>) outs(%g : tensor<?x8x32xi8>) {
  ^bb0(%a: f32, %b: i8, %o: i8):
    %w = arith.extui %b : i8 to i32
    %c254 = arith.constant 254 : i32
    %d = arith.subi %c254, %w : i32
    %c23 = arith.constant 23 : i32
    %i = arith.shli %d, %c23 : i32
    %p = arith.bitcast %i : i32 to f32
    %r = arith.mulf %a, %p : f32
    %most = arith.constant 448.0 : f32
    %u = arith.minimumf %r, %most : f32
    %least = arith.constant -448.0 : f32
    %t = arith.maximumf %u, %least : f32
    %v = arith.truncf %t : f32 to f8E4M3FN
    %n = arith.bitcast %v : f8E4M3FN to i8
    linalg.yield %n : i8
  } -> tensor<?x8x32xi8>
  %row = tensor.collapse_shape %q [[0], [1, 2]] : tensor<?x8x32xi8> into tensor<?x256xi8>
  return %row, %scale : tensor<?x256xi8>, tensor<?x8xi8>
}
