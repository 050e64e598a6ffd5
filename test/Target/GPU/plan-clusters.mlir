// RUN: sed s/EXTENT/16384/g %s | norm-opt --norm-plan-gpu-rows=max-cluster=16 | FileCheck %s --check-prefix=BLOCK
// RUN: sed s/EXTENT/16385/g %s | norm-opt --norm-plan-gpu-rows=max-cluster=16 | FileCheck %s --check-prefix=TWO
// RUN: sed s/EXTENT/262144/g %s | norm-opt --norm-plan-gpu-rows=max-cluster=16 | FileCheck %s --check-prefix=SIXTEEN
// RUN: sed s/EXTENT/393217/g %s | norm-opt --norm-plan-gpu-rows=max-cluster=16 | FileCheck %s --check-prefix=STRIPS
// RUN: sed s/EXTENT/262144/g %s | norm-opt --norm-plan-gpu-rows=max-cluster=8 | FileCheck %s --check-prefix=STRIPS
// RUN: sed s/EXTENT/65536/g %s | norm-opt --norm-plan-gpu-rows | FileCheck %s --check-prefix=STRIPS
// RUN: sed s/EXTENT/1024/g %s | norm-opt --norm-plan-gpu-rows | FileCheck %s --check-prefix=WARP

// One block holds the row; two, sixteen do; and no cluster does: strips.
// BLOCK: #norm.loop<rows, <threads = 512, vector = 4, lanes = 16384, registers = {{[0-9]+}}>>
// TWO: #norm.loop<rows, <threads = 576, {{.*}}, cluster = 2, shifted = true>>
// SIXTEEN: #norm.loop<rows, <threads = 8192, {{.*}}, lanes = 262144, {{.*}}, cluster = 16>>
// STRIPS: #norm.loop<rows, <threads = 1024, {{.*}}, lanes = 16384, registers = {{[0-9]+}}>>
// A warp holds a short row.
// WARP: #norm.loop<rows, <threads = 32, vector = 4, lanes = 1024,

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @row_sum(%x: tensor<64xEXTENTxf32>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %y = scf.forall (%i) in (64) shared_outs(%o = %init) -> (tensor<64xf32>) {
    %r = tensor.extract_slice %x[%i, 0] [1, EXTENT] [1, 1] : tensor<64xEXTENTxf32> to tensor<1xEXTENTxf32>
    %e = tensor.extract_slice %o[%i] [1] [1] : tensor<64xf32> to tensor<1xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r : tensor<1xEXTENTxf32>) outs(%e : tensor<1xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}
