// What a norm scales may be a reduction itself: a sum over experts, a maximum, a mean, a product with a constant.
// RUN: norm-opt %s --norm-recognize | FileCheck %s
// RUN: norm-run %s --function=of_sum --input='6x3x16xf32=0.5' --input=16xf32=2 --expected-output=6x16xf32=1.9999995
// RUN: norm-run %s --function=of_mean --input='6x3x16xf32=0.5' --input=16xf32=2 --expected-output=6x16xf32=1.999996

#x = affine_map<(d0, d1) -> (d0, d1)>
#w = affine_map<(d0, d1) -> (d1)>
#r = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func @of_sum
// CHECK: norm.rmsnorm ins(%{{.*}}, %arg1 : tensor<6x16xf32>, tensor<16xf32>)
func.func @of_sum(%p0: tensor<6x3x16xf32>, %weight: tensor<16xf32>) -> tensor<6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 16.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<6x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x16xf32>) -> tensor<6x16xf32>
  %x = linalg.reduce { arith.addf } ins(%p0 : tensor<6x3x16xf32>) outs(%f : tensor<6x16xf32>) dimensions = [1]
  %se = tensor.empty() : tensor<6xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [#x, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x16xf32>) outs(%sf : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %q, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [#x, #r, #w, #x], iterator_types = ["parallel", "parallel"]} ins(%x, %s, %weight : tensor<6x16xf32>, tensor<6xf32>, tensor<16xf32>) outs(%e : tensor<6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %wi: f32, %o: f32):
    %m = arith.divf %b, %n : f32
    %p = arith.addf %m, %eps : f32
    %k = math.rsqrt %p : f32
    %t0 = arith.mulf %a, %k : f32
    %t = arith.mulf %t0, %wi : f32
    linalg.yield %t : f32
  } -> tensor<6x16xf32>
  return %y : tensor<6x16xf32>
}

// CHECK-LABEL: func @of_maximum
// CHECK: norm.rmsnorm ins(%{{.*}}, %arg1 : tensor<6x16xf32>, tensor<16xf32>)
func.func @of_maximum(%p0: tensor<6x3x16xf32>, %weight: tensor<16xf32>) -> tensor<6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 16.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<6x16xf32>
  %low = arith.constant 0xFF800000 : f32
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<6x16xf32>) -> tensor<6x16xf32>
  %x = linalg.reduce { arith.maximumf } ins(%p0 : tensor<6x3x16xf32>) outs(%f : tensor<6x16xf32>) dimensions = [1]
  %se = tensor.empty() : tensor<6xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [#x, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x16xf32>) outs(%sf : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %q, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [#x, #r, #w, #x], iterator_types = ["parallel", "parallel"]} ins(%x, %s, %weight : tensor<6x16xf32>, tensor<6xf32>, tensor<16xf32>) outs(%e : tensor<6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %wi: f32, %o: f32):
    %m = arith.divf %b, %n : f32
    %p = arith.addf %m, %eps : f32
    %k = math.rsqrt %p : f32
    %t0 = arith.mulf %a, %k : f32
    %t = arith.mulf %t0, %wi : f32
    linalg.yield %t : f32
  } -> tensor<6x16xf32>
  return %y : tensor<6x16xf32>
}

// CHECK-LABEL: func @of_mean
// CHECK: norm.rmsnorm ins(%{{.*}}, %arg1 : tensor<6x16xf32>, tensor<16xf32>)
func.func @of_mean(%p0: tensor<6x3x16xf32>, %weight: tensor<16xf32>) -> tensor<6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 16.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<6x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x16xf32>) -> tensor<6x16xf32>
  %sum = linalg.reduce { arith.addf } ins(%p0 : tensor<6x3x16xf32>) outs(%f : tensor<6x16xf32>) dimensions = [1]
  %three = arith.constant 3.0 : f32
  %x = linalg.map ins(%sum : tensor<6x16xf32>) outs(%e : tensor<6x16xf32>) (%in: f32, %out: f32) {
    %v = arith.divf %in, %three : f32
    linalg.yield %v : f32
  }
  %se = tensor.empty() : tensor<6xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [#x, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x16xf32>) outs(%sf : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %q, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [#x, #r, #w, #x], iterator_types = ["parallel", "parallel"]} ins(%x, %s, %weight : tensor<6x16xf32>, tensor<6xf32>, tensor<16xf32>) outs(%e : tensor<6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %wi: f32, %o: f32):
    %m = arith.divf %b, %n : f32
    %p = arith.addf %m, %eps : f32
    %k = math.rsqrt %p : f32
    %t0 = arith.mulf %a, %k : f32
    %t = arith.mulf %t0, %wi : f32
    linalg.yield %t : f32
  } -> tensor<6x16xf32>
  return %y : tensor<6x16xf32>
}

// CHECK-LABEL: func @of_product
// CHECK: norm.rmsnorm ins(%{{.*}}, %arg1 : tensor<6x16xf32>, tensor<16xf32>)
func.func @of_product(%p0: tensor<6x2xf32>, %weight: tensor<16xf32>) -> tensor<6x16xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 16.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<6x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x16xf32>) -> tensor<6x16xf32>
  %c = arith.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [2.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]]> : tensor<2x16xf32>
  %x = linalg.matmul ins(%p0, %c : tensor<6x2xf32>, tensor<2x16xf32>) outs(%f : tensor<6x16xf32>) -> tensor<6x16xf32>
  %se = tensor.empty() : tensor<6xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [#x, #r], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x16xf32>) outs(%sf : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %q, %o : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [#x, #r, #w, #x], iterator_types = ["parallel", "parallel"]} ins(%x, %s, %weight : tensor<6x16xf32>, tensor<6xf32>, tensor<16xf32>) outs(%e : tensor<6x16xf32>) {
  ^bb0(%a: f32, %b: f32, %wi: f32, %o: f32):
    %m = arith.divf %b, %n : f32
    %p = arith.addf %m, %eps : f32
    %k = math.rsqrt %p : f32
    %t0 = arith.mulf %a, %k : f32
    %t = arith.mulf %t0, %wi : f32
    linalg.yield %t : f32
  } -> tensor<6x16xf32>
  return %y : tensor<6x16xf32>
}
