// Operands that a program reads at the quotient of an index: by thirds of a row, which do
// not divide strips, by 128 elements, which exceed them, and by rows that share a value.
// RUN: norm-run %s --function=thirds --input=1x96xf32=3 --input=1x32xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31 --expected-output=1x96xf32=0
// RUN: not norm-run %s --function=thirds --input=1x96xf32=3 --input=1x32xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,31,30 --expected-output=1x96xf32=0
// RUN: norm-run %s --function=blocks --input=2x256xf32=3 --input=2x2xf32=0,1,0,1 --expected-output=2x256xf32=0
// RUN: norm-run %s --function=heads --input=8x64xf32=3 --input=2xf32=0,1 --expected-output=8x64xf32=0

#all = affine_map<(d0, d1) -> (d0, d1)>
#third = affine_map<(d0, d1) -> (d0, d1 floordiv 3)>
#block = affine_map<(d0, d1) -> (d0, d1 floordiv 128)>
#head = affine_map<(d0, d1) -> (d0 floordiv 4)>

func.func @thirds(%x: tensor<1x96xf32>, %s: tensor<1x32xf32>) -> tensor<1x96xf32> {
  %e = tensor.empty() : tensor<1x96xf32>
  %y = linalg.generic {indexing_maps = [#all, #third, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<1x96xf32>, tensor<1x32xf32>) outs(%e : tensor<1x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<1x96xf32>
  %d = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<1x96xf32>, tensor<1x96xf32>) outs(%e : tensor<1x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %q = arith.divui %j, %c3 : index
    %i = arith.index_cast %q : index to i32
    %f = arith.sitofp %i : i32 to f32
    %v = arith.mulf %a, %f : f32
    %w = arith.subf %b, %v : f32
    linalg.yield %w : f32
  } -> tensor<1x96xf32>
  return %d : tensor<1x96xf32>
}

func.func @blocks(%x: tensor<2x256xf32>, %s: tensor<2x2xf32>) -> tensor<2x256xf32> {
  %e = tensor.empty() : tensor<2x256xf32>
  %y = linalg.generic {indexing_maps = [#all, #block, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<2x256xf32>, tensor<2x2xf32>) outs(%e : tensor<2x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<2x256xf32>
  %d = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<2x256xf32>, tensor<2x256xf32>) outs(%e : tensor<2x256xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %j = linalg.index 1 : index
    %c128 = arith.constant 128 : index
    %q = arith.divui %j, %c128 : index
    %i = arith.index_cast %q : index to i32
    %f = arith.sitofp %i : i32 to f32
    %v = arith.mulf %a, %f : f32
    %w = arith.subf %b, %v : f32
    linalg.yield %w : f32
  } -> tensor<2x256xf32>
  return %d : tensor<2x256xf32>
}

func.func @heads(%x: tensor<8x64xf32>, %s: tensor<2xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #head, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<8x64xf32>, tensor<2xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %v = arith.mulf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  %d = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %j = linalg.index 0 : index
    %c4 = arith.constant 4 : index
    %q = arith.divui %j, %c4 : index
    %i = arith.index_cast %q : index to i32
    %f = arith.sitofp %i : i32 to f32
    %v = arith.mulf %a, %f : f32
    %w = arith.subf %b, %v : f32
    linalg.yield %w : f32
  } -> tensor<8x64xf32>
  return %d : tensor<8x64xf32>
}
