// RUN: sed s/EXTENT/16384/g %s | norm-opt --norm-tile-rows="scheduled max-cluster=16" | FileCheck %s --check-prefix=BLOCK
// RUN: sed s/EXTENT/16385/g %s | norm-opt --norm-tile-rows="scheduled max-cluster=16" | FileCheck %s --check-prefix=TWO
// RUN: sed s/EXTENT/262144/g %s | norm-opt --norm-tile-rows="scheduled max-cluster=16" | FileCheck %s --check-prefix=SIXTEEN
// RUN: sed s/EXTENT/393217/g %s | norm-opt --norm-tile-rows="scheduled max-cluster=16" | FileCheck %s --check-prefix=STRIPS
// RUN: sed s/EXTENT/262144/g %s | norm-opt --norm-tile-rows="scheduled max-cluster=8" | FileCheck %s --check-prefix=STRIPS
// RUN: sed s/EXTENT/65536/g %s | norm-opt --norm-tile-rows=scheduled | FileCheck %s --check-prefix=STRIPS
// RUN: sed s/EXTENT/512/g %s | norm-opt --norm-tile-rows=scheduled | FileCheck %s --check-prefix=WARP

// One block holds the row; two, sixteen do; and no cluster does: strips.
// BLOCK: #norm.loop<rows, <threads = 512, vector = 4, lanes = 16384, registers = {{[0-9]+}}>>
// TWO: #norm.loop<rows, <threads = 832, {{.*}}, cluster = 2, shifted = true>>
// SIXTEEN: #norm.loop<rows, <threads = 8192, {{.*}}, lanes = 262144, {{.*}}, cluster = 16>>
// STRIPS: #norm.loop<rows, <threads = 1024, {{.*}}, lanes = 16384, registers = {{[0-9]+}}>>
// A warp holds a short row.
// WARP: #norm.loop<rows, <threads = 32, vector = 4, lanes = 512,

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @row_sum(%x: tensor<64xEXTENTxf32>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64xEXTENTxf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<64xf32>
  return %s : tensor<64xf32>
}
