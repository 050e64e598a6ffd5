// RUN: norm-opt %s --norm-vectorize-rows --cse | FileCheck %s

// A row of integers is reduced whole: LLVM's patterns for vpdpbusd and psadbw leave out lanes of halves.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// CHECK-LABEL: func @sum
// CHECK: %[[WIDE:.*]] = scf.for {{.*}} -> (vector<64xi32>)
// CHECK-NOT: vector.extract_strided_slice
// CHECK: vector.reduction <add>, %[[WIDE]] {{.*}}: vector<64xi32> into i32
// CHECK-NOT: vector.extract_strided_slice
func.func @sum(%x: memref<1x128xi32>, %s: memref<1xi32>) {
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<1x128xi32>) outs(%s : memref<1xi32>) {
  ^bb0(%a: i32, %o: i32):
    %t = arith.addi %a, %o : i32
    linalg.yield %t : i32
  }
  return
}
