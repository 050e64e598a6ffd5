// A scale for each row or block and floats of 8 or 4 bits, as front ends lower them: every
// number of f8E4M3FN, f8E5M2 and f4E2M1FN, every tie, the f32 beside each, and special values.
// RUN: %python %S/block-scales.py write %t
// RUN: norm-run %s --function=row_e4m3 --input=@%t.x.npy --output=@%t.row_e4m3.q.npy --output=@%t.row_e4m3.scale.npy
// RUN: norm-run %s --function=blocks_e5m2 --input=@%t.x.npy --output=@%t.blocks_e5m2.q.npy --output=@%t.blocks_e5m2.scale.npy
// RUN: norm-run %s --function=blocks_e4m3 --input=@%t.x.npy --output=@%t.blocks_e4m3.q.npy --output=@%t.blocks_e4m3.scale.npy
// RUN: norm-run %s --function=mxfp8 --input=@%t.x.npy --output=@%t.mxfp8.q.npy --output=@%t.mxfp8.scale.npy
// RUN: norm-run %s --function=mxfp4 --input=@%t.x4.npy --output=@%t.mxfp4.q.npy --output=@%t.mxfp4.scale.npy
// RUN: norm-run %s --function=mxfp4_pairs --input=@%t.x4.npy --output=@%t.mxfp4_pairs.q.npy --output=@%t.mxfp4_pairs.scale.npy
// RUN: norm-run %s --function=nvfp4 --input=@%t.x4.npy --input=@%t.given.npy --output=@%t.nvfp4.q.npy --output=@%t.nvfp4.scale.npy
// RUN: norm-run %s --function=nvfp4_strided --input=@%t.x4.npy --input=@%t.given.npy --output=@%t.nvfp4_strided.q.npy --output=@%t.nvfp4_strided.scale.npy
// RUN: norm-run %s --function=given_e4m3 --input=@%t.x.npy --input=@%t.given.npy --output=@%t.given_e4m3.q.npy
// RUN: %python %S/block-scales.py check %t | FileCheck %s
// CHECK: row_e4m3: {{[0-9]+}} elements right, {{[0-9]+}} codes, {{[0-9]+}} scales right
// CHECK: blocks_e5m2: {{[0-9]+}} elements right, {{[0-9]+}} codes, {{[0-9]+}} scales right
// CHECK: blocks_e4m3: {{[0-9]+}} elements right, {{[0-9]+}} codes, {{[0-9]+}} scales right
// CHECK: mxfp8: {{[0-9]+}} elements right, {{[0-9]+}} codes, {{[0-9]+}} scales right
// CHECK: mxfp4: {{[0-9]+}} elements right, 16 codes, {{[0-9]+}} scales right
// CHECK: mxfp4_pairs: {{[0-9]+}} elements right, 16 codes, {{[0-9]+}} scales right
// CHECK: nvfp4: {{[0-9]+}} elements right, 16 codes, {{[0-9]+}} scales right
// CHECK: nvfp4_strided: {{[0-9]+}} elements right, 16 codes, {{[0-9]+}} scales right
// CHECK: given_e4m3: {{[0-9]+}} elements right, {{[0-9]+}} codes

#id = affine_map<(d0, d1) -> (d0, d1)>
#elements = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#blocks = affine_map<(d0, d1, d2) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
#nothing = affine_map<(d0, d1, d2) -> ()>
#even = affine_map<(d0, d1) -> (d0, d1 * 2)>
#odd = affine_map<(d0, d1) -> (d0, d1 * 2 + 1)>

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

func.func @mxfp4(%x: tensor<?x256xf32>) -> (tensor<?x128xi8>, tensor<?x8xi8>) {
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
    %p = arith.truncf %a toward_zero : f32 to f8E8M0FNU
    %n = arith.bitcast %p : f8E8M0FNU to i8
    %w = arith.extui %n : i8 to i32
    %c2 = arith.constant 2 : i32
    %d = arith.subi %w, %c2 : i32
    %z = arith.constant 0 : i32
    %k = arith.maxsi %d, %z : i32
    %t = arith.trunci %k : i32 to i8
    %nan = arith.constant -1 : i8
    %is_nan = arith.cmpi eq, %n, %nan : i8
    %v = arith.select %is_nan, %nan, %t : i8
    linalg.yield %v : i8
  } -> tensor<?x8xi8>
  %g0 = tensor.empty(%m) : tensor<?x8x32xi8>
  %q = linalg.generic {indexing_maps = [#elements, #blocks, #elements], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %scale : tensor<?x8x32xf32>, tensor<?x8xi8>) outs(%g0 : tensor<?x8x32xi8>) {
  ^bb0(%a: f32, %b: i8, %o: i8):
    %s0 = arith.bitcast %b : i8 to f8E8M0FNU
    %q0 = arith.scaling_truncf %a, %s0 : f32, f8E8M0FNU to f4E2M1FN
    %n = arith.bitcast %q0 : f4E2M1FN to i4
    %v = arith.extui %n : i4 to i8
    linalg.yield %v : i8
  } -> tensor<?x8x32xi8>
  %row = tensor.collapse_shape %q [[0], [1, 2]] : tensor<?x8x32xi8> into tensor<?x256xi8>
  %h = tensor.empty(%m) : tensor<?x128xi8>
  %low = tensor.extract_slice %row[0, 0] [%m, 128] [1, 2] : tensor<?x256xi8> to tensor<?x128xi8>
  %high = tensor.extract_slice %row[0, 1] [%m, 128] [1, 2] : tensor<?x256xi8> to tensor<?x128xi8>
  %packed = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%low, %high : tensor<?x128xi8>, tensor<?x128xi8>) outs(%h : tensor<?x128xi8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %c4 = arith.constant 4 : i8
    %u = arith.shli %b, %c4 : i8
    %v = arith.ori %a, %u : i8
    linalg.yield %v : i8
  } -> tensor<?x128xi8>
  return %packed, %scale : tensor<?x128xi8>, tensor<?x8xi8>
}

func.func @mxfp4_pairs(%x: tensor<?x256xf32>) -> (tensor<?x128xi8>, tensor<?x8xi8>) {
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
    %p = arith.truncf %a toward_zero : f32 to f8E8M0FNU
    %n = arith.bitcast %p : f8E8M0FNU to i8
    %w = arith.extui %n : i8 to i32
    %c2 = arith.constant 2 : i32
    %d = arith.subi %w, %c2 : i32
    %z = arith.constant 0 : i32
    %k = arith.maxsi %d, %z : i32
    %t = arith.trunci %k : i32 to i8
    %nan = arith.constant -1 : i8
    %is_nan = arith.cmpi eq, %n, %nan : i8
    %v = arith.select %is_nan, %nan, %t : i8
    linalg.yield %v : i8
  } -> tensor<?x8xi8>
  %g0 = tensor.empty(%m) : tensor<?x8x32xi8>
  %q = linalg.generic {indexing_maps = [#elements, #blocks, #elements], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %scale : tensor<?x8x32xf32>, tensor<?x8xi8>) outs(%g0 : tensor<?x8x32xi8>) {
  ^bb0(%a: f32, %b: i8, %o: i8):
    %s0 = arith.bitcast %b : i8 to f8E8M0FNU
    %q0 = arith.scaling_truncf %a, %s0 : f32, f8E8M0FNU to f4E2M1FN
    %n = arith.bitcast %q0 : f4E2M1FN to i4
    %v = arith.extui %n : i4 to i8
    linalg.yield %v : i8
  } -> tensor<?x8x32xi8>
  %row = tensor.collapse_shape %q [[0], [1, 2]] : tensor<?x8x32xi8> into tensor<?x256xi8>
  %h = tensor.empty(%m) : tensor<?x128xi8>
  %pairs = tensor.expand_shape %row [[0], [1, 2]] output_shape [%m, 128, 2] : tensor<?x256xi8> into tensor<?x128x2xi8>
  %low = tensor.extract_slice %pairs[0, 0, 0] [%m, 128, 1] [1, 1, 1] : tensor<?x128x2xi8> to tensor<?x128xi8>
  %column = tensor.extract_slice %pairs[0, 0, 1] [%m, 128, 1] [1, 1, 1] : tensor<?x128x2xi8> to tensor<?x128x1xi8>
  %high = tensor.collapse_shape %column [[0], [1, 2]] : tensor<?x128x1xi8> into tensor<?x128xi8>
  %packed = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%low, %high : tensor<?x128xi8>, tensor<?x128xi8>) outs(%h : tensor<?x128xi8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %c4 = arith.constant 4 : i8
    %u = arith.shli %b, %c4 : i8
    %v = arith.ori %a, %u : i8
    linalg.yield %v : i8
  } -> tensor<?x128xi8>
  return %packed, %scale : tensor<?x128xi8>, tensor<?x8xi8>
}

func.func @nvfp4(%x: tensor<?x256xf32>, %given: tensor<f32>) -> (tensor<?x128xi8>, tensor<?x16xi8>) {
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
  %s = tensor.empty(%m) : tensor<?x16xi8>
  %scale = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%top, %given : tensor<?x16xf32>, tensor<f32>) outs(%s : tensor<?x16xi8>) {
  ^bb0(%a: f32, %g: f32, %o: i8):
    %six = arith.constant 6.0 : f32
    %d = arith.divf %a, %six : f32
    %r = arith.divf %d, %g : f32
    %most = arith.constant 448.0 : f32
    %u = arith.minimumf %r, %most : f32
    %least = arith.constant 0.001953125 : f32
    %k = arith.maximumf %u, %least : f32
    %p = arith.truncf %k : f32 to f8E4M3FN
    %v = arith.bitcast %p : f8E4M3FN to i8
    linalg.yield %v : i8
  } -> tensor<?x16xi8>
  %g0 = tensor.empty(%m) : tensor<?x16x16xi8>
  %q = linalg.generic {indexing_maps = [#elements, #blocks, #nothing, #elements], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %scale, %given : tensor<?x16x16xf32>, tensor<?x16xi8>, tensor<f32>) outs(%g0 : tensor<?x16x16xi8>) {
  ^bb0(%a: f32, %b: i8, %g: f32, %o: i8):
    %s0 = arith.bitcast %b : i8 to f8E4M3FN
    %w = arith.extf %s0 : f8E4M3FN to f32
    %p = arith.mulf %g, %w : f32
    %d = arith.divf %a, %p : f32
    %q0 = arith.truncf %d : f32 to f4E2M1FN
    %n = arith.bitcast %q0 : f4E2M1FN to i4
    %v = arith.extui %n : i4 to i8
    linalg.yield %v : i8
  } -> tensor<?x16x16xi8>
  %row = tensor.collapse_shape %q [[0], [1, 2]] : tensor<?x16x16xi8> into tensor<?x256xi8>
  %h = tensor.empty(%m) : tensor<?x128xi8>
  %low = tensor.extract_slice %row[0, 0] [%m, 128] [1, 2] : tensor<?x256xi8> to tensor<?x128xi8>
  %high = tensor.extract_slice %row[0, 1] [%m, 128] [1, 2] : tensor<?x256xi8> to tensor<?x128xi8>
  %packed = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%low, %high : tensor<?x128xi8>, tensor<?x128xi8>) outs(%h : tensor<?x128xi8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %c4 = arith.constant 4 : i8
    %u = arith.shli %b, %c4 : i8
    %v = arith.ori %a, %u : i8
    linalg.yield %v : i8
  } -> tensor<?x128xi8>
  return %packed, %scale : tensor<?x128xi8>, tensor<?x16xi8>
}

func.func @nvfp4_strided(%x: tensor<?x256xf32>, %given: tensor<f32>) -> (tensor<?x128xi8>, tensor<?x16xi8>) {
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
  %s = tensor.empty(%m) : tensor<?x16xi8>
  %scale = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%top, %given : tensor<?x16xf32>, tensor<f32>) outs(%s : tensor<?x16xi8>) {
  ^bb0(%a: f32, %g: f32, %o: i8):
    %six = arith.constant 6.0 : f32
    %d = arith.divf %a, %six : f32
    %r = arith.divf %d, %g : f32
    %most = arith.constant 448.0 : f32
    %u = arith.minimumf %r, %most : f32
    %least = arith.constant 0.001953125 : f32
    %k = arith.maximumf %u, %least : f32
    %p = arith.truncf %k : f32 to f8E4M3FN
    %v = arith.bitcast %p : f8E4M3FN to i8
    linalg.yield %v : i8
  } -> tensor<?x16xi8>
  %g0 = tensor.empty(%m) : tensor<?x16x16xi8>
  %q = linalg.generic {indexing_maps = [#elements, #blocks, #nothing, #elements], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %scale, %given : tensor<?x16x16xf32>, tensor<?x16xi8>, tensor<f32>) outs(%g0 : tensor<?x16x16xi8>) {
  ^bb0(%a: f32, %b: i8, %g: f32, %o: i8):
    %s0 = arith.bitcast %b : i8 to f8E4M3FN
    %w = arith.extf %s0 : f8E4M3FN to f32
    %p = arith.mulf %g, %w : f32
    %d = arith.divf %a, %p : f32
    %q0 = arith.truncf %d : f32 to f4E2M1FN
    %n = arith.bitcast %q0 : f4E2M1FN to i4
    %v = arith.extui %n : i4 to i8
    linalg.yield %v : i8
  } -> tensor<?x16x16xi8>
  %row = tensor.collapse_shape %q [[0], [1, 2]] : tensor<?x16x16xi8> into tensor<?x256xi8>
  %h = tensor.empty(%m) : tensor<?x128xi8>
  %packed = linalg.generic {indexing_maps = [#even, #odd, #id], iterator_types = ["parallel", "parallel"]} ins(%row, %row : tensor<?x256xi8>, tensor<?x256xi8>) outs(%h : tensor<?x128xi8>) {
  ^bb0(%a: i8, %b: i8, %o: i8):
    %c4 = arith.constant 4 : i8
    %u = arith.shli %b, %c4 : i8
    %v = arith.ori %a, %u : i8
    linalg.yield %v : i8
  } -> tensor<?x128xi8>
  return %packed, %scale : tensor<?x128xi8>, tensor<?x16xi8>
}

func.func @given_e4m3(%x: tensor<?x256xf32>, %given: tensor<f32>) -> tensor<?x256xi8> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x256xf32>
  %e = tensor.empty(%m) : tensor<?x256xi8>
  %q = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %given : tensor<?x256xf32>, tensor<f32>) outs(%e : tensor<?x256xi8>) {
  ^bb0(%a: f32, %g: f32, %o: i8):
    %d = arith.divf %a, %g : f32
    %most = arith.constant 448.0 : f32
    %u = arith.minimumf %d, %most : f32
    %least = arith.constant -448.0 : f32
    %t = arith.maximumf %u, %least : f32
    %v = arith.truncf %t : f32 to f8E4M3FN
    %n = arith.bitcast %v : f8E4M3FN to i8
    linalg.yield %n : i8
  } -> tensor<?x256xi8>
  return %q : tensor<?x256xi8>
}
