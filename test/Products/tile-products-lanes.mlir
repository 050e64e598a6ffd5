// Blocks have columns that tiles of any number of lanes divide.
// RUN: sed 's|LANES|16|' %s | norm-opt --pass-pipeline='builtin.module(func.func(norm-tile-products))' | FileCheck %s --check-prefixes=CHECK,L16
// RUN: sed 's|LANES|32|' %s | norm-opt --pass-pipeline='builtin.module(func.func(norm-tile-products))' | FileCheck %s --check-prefixes=CHECK,L32
// RUN: sed 's|LANES|64|' %s | norm-opt --pass-pipeline='builtin.module(func.func(norm-tile-products))' | FileCheck %s --check-prefixes=CHECK,L64
// RUN: sed 's|LANES|32|' %s | norm-opt --norm-to-cpu -o /dev/null
// RUN: sed 's|LANES|24|' %s | not norm-opt -o /dev/null 2>&1 | FileCheck %s --check-prefix=POWER
// Pairs of columns take 16 lanes, and a register of AVX-512 is one of four in a row of 64.
// RUN: sed 's|LANES|8|' %s | not norm-opt -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: sed 's|LANES|128|' %s | not norm-opt -o /dev/null 2>&1 | FileCheck %s --check-prefix=MANY
// POWER: error: {{.*}}expects 'product_lanes' of 'norm.row_target' to be a power of two from 16 to 64, got 24
// FEW: error: {{.*}}expects 'product_lanes' of 'norm.row_target' to be a power of two from 16 to 64, got 8
// MANY: error: {{.*}}expects 'product_lanes' of 'norm.row_target' to be a power of two from 16 to 64, got 128

// CHECK-LABEL: @f
// L16: scf.for {{.*}} step %c48
// L32: scf.for {{.*}} step %c64
// L64: scf.for {{.*}} step %c48
module attributes {norm.row_target = {product_lanes = LANES : i64}} {
func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x48xf32>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xf32>, tensor<64x48xf32>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}
}
