// RUN: sed s/EXTENT/16384/g %s | norm-opt --norm-plan-gpu-rows=max-cluster=16 | FileCheck %s --check-prefix=BLOCK
// RUN: sed s/EXTENT/16385/g %s | norm-opt --norm-plan-gpu-rows=max-cluster=16 | FileCheck %s --check-prefix=TWO
// RUN: sed s/EXTENT/262144/g %s | norm-opt --norm-plan-gpu-rows=max-cluster=16 | FileCheck %s --check-prefix=SIXTEEN
// RUN: sed s/EXTENT/393217/g %s | norm-opt --norm-plan-gpu-rows=max-cluster=16 | FileCheck %s --check-prefix=STRIPS
// RUN: sed s/EXTENT/262144/g %s | norm-opt --norm-plan-gpu-rows=max-cluster=8 | FileCheck %s --check-prefix=STRIPS
// RUN: sed s/EXTENT/65536/g %s | norm-opt --norm-plan-gpu-rows | FileCheck %s --check-prefix=STRIPS

// One block holds the row; two, sixteen do; and no cluster does: strips.
// BLOCK-NOT: norm.cluster
// BLOCK: norm.threads = 512 : i64
// TWO: norm.cluster = 2 : i64, norm.registers = {{[0-9]+}} : i64, norm.shifted, norm.threads = 576 : i64
// SIXTEEN: norm.row_lanes = 262144
// SIXTEEN: norm.cluster = 16 : i64, {{.*}}norm.threads = 8192 : i64
// STRIPS: norm.row_lanes = 16384
// STRIPS-NOT: norm.cluster
// STRIPS: norm.threads = 1024 : i64

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
