// The roles and plans of loops are there when all passes between the one that builds a loop
// and those that read them have run: canonicalization, CSE and bufferization.
// RUN: norm-compile %s --emit=vector | FileCheck %s
// RUN: norm-compile %s --emit=vector --threads=2 | FileCheck %s
// What reads them leaves a loop without its role alone.
// RUN: norm-opt %s --norm-decomposition --norm-rows-on-tensors | norm-opt --norm-bufferize-rows=cache-bytes=1 | FileCheck %s --check-prefix=STREAM
// RUN: norm-opt %s --norm-decomposition --norm-rows-on-tensors | sed 's/ {norm.loop = .*}//' | norm-opt --norm-bufferize-rows=cache-bytes=1 | FileCheck %s --check-prefix=ALONE
// STREAM: norm.streams
// ALONE-NOT: norm.streams
// ALONE: return

// CHECK-LABEL: func.func @rows
// CHECK: {{scf.for|scf.forall}}
// Blocks of strips, and strips.
// CHECK: } {norm.loop = #norm.loop<statistic>}
// CHECK: } {norm.loop = #norm.loop<statistic>}
// CHECK: vector.transfer_write
// CHECK: } {norm.loop = #norm.loop<strips>}
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 64, tail_lanes = 16>}
func.func @rows(%x: tensor<?x4096xf32>, %w: tensor<4096xf32>, %o: tensor<?x4096xf32>) -> tensor<?x4096xf32> {
  %y = norm.rmsnorm ins(%x, %w : tensor<?x4096xf32>, tensor<4096xf32>) outs(%o : tensor<?x4096xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}

// Blocks of 16 rows of one vector: a loop that sums each, one that scales each.
// CHECK-LABEL: func.func @block
// CHECK: } {norm.loop = #norm.loop<block>}
// CHECK: } {norm.loop = #norm.loop<block>}
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 64, tail_lanes = 16>}
func.func @block(%x: tensor<1024x64xf32>, %w: tensor<64xf32>, %o: tensor<1024x64xf32>) -> tensor<1024x64xf32> {
  %y = norm.rmsnorm ins(%x, %w : tensor<1024x64xf32>, tensor<64xf32>) outs(%o : tensor<1024x64xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<1024x64xf32>
  return %y : tensor<1024x64xf32>
}
