// An accumulator that no element reads is the result where there are no
// elements, and fusion and bufferization must not drop it.
// RUN: norm-opt %s --norm-fuse-elementwise | FileCheck %s
// RUN: norm-run %s --function=open --input=0xf32=1 --input=f32=5 | FileCheck %s --check-prefix=EMPTY
// RUN: norm-run %s --function=open --input=0xf32=1 --input=f32=5 --threads=2 | FileCheck %s --check-prefix=EMPTY
// RUN: norm-run %s --function=no_element --input=0xf32=1 --input=f32=5 | FileCheck %s --check-prefix=EMPTY
// RUN: norm-run %s --function=open --input=3xf32=1,2,3 --input=f32=5 | FileCheck %s --check-prefix=LAST
// RUN: norm-run %s --function=some --input=3xf32=1,2,3 --input=f32=5 | FileCheck %s --check-prefix=LAST
// EMPTY: result[0]: f32=5
// LAST: result[0]: f32=6

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>

// CHECK-LABEL: func @open
// CHECK: linalg.generic {{.*}} outs(%arg1 :
// CHECK: arith.select %{{.*}}, %{{.*}}, %out
func.func @open(%a: tensor<?xf32>, %init: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%a : tensor<?xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func @no_element
// CHECK: linalg.generic {{.*}} outs(%arg1 :
func.func @no_element(%a: tensor<0xf32>, %init: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%a : tensor<0xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func @some
// CHECK-NOT: arith.select
func.func @some(%a: tensor<3xf32>, %init: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%a : tensor<3xf32>) outs(%init : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %x : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
