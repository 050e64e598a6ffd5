// The plan of rows: what is given stays, and the rest is completed.
// RUN: norm-opt %s --norm-tile-rows --split-input-file | FileCheck %s
// RUN: norm-opt %s --norm-tile-rows=parallel --split-input-file | FileCheck %s --check-prefix=PAR
// Bufferization keeps it, and the vectors have its lanes.
// RUN: norm-opt %s --norm-rows-on-tensors --norm-rows-on-buffers --split-input-file | FileCheck %s --check-prefix=EMIT
// RUN: norm-opt %s --norm-rows-on-tensors='threads=2' --norm-rows-on-buffers --split-input-file | FileCheck %s --check-prefix=EMIT

#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @lanes
// CHECK: scf.for {{.*}} step %c1 iter_args
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 32, tail_lanes = 16>}
// PAR-LABEL: func.func @lanes
// PAR: scf.forall
// PAR: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 32, tail_lanes = 16>}
// EMIT-LABEL: func.func @lanes
// EMIT-NOT: vector<64xf32>
// EMIT: vector.transfer_write {{.*}} : vector<32xf32>
// EMIT: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 32, tail_lanes = 16>}
func.func @lanes(%x: tensor<128x96xf32>, %o: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x96xf32>) outs(%o : tensor<128x96xf32>)
      attrs = {norm.plan = #norm.row_plan<lanes = 32>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<128x96xf32>
  return %y : tensor<128x96xf32>
}

// -----

// Blocks of rows that nobody else would make, with a remainder; few lanes, of
// which the last ones are no more.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @blocks
// CHECK: scf.for {{.*}} to %c126 step %c3
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 16, tail_lanes = 4, stream = false>}
// CHECK: scf.for {{.*}} step %c1
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 16, tail_lanes = 4, stream = false>}
// A loop that threads shall not share, and one that they share without a remainder.
// PAR-LABEL: func.func @blocks
// PAR-NOT: scf.forall
// PAR: scf.for
// EMIT-LABEL: func.func @blocks
// EMIT: vector<16xf32>
func.func @blocks(%x: tensor<128x96xf32>, %o: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x96xf32>) outs(%o : tensor<128x96xf32>)
      attrs = {norm.plan = #norm.row_plan<rows_per_block = 3, lanes = 16, tail_lanes = 4, parallel = false, stream = false>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<128x96xf32>
  return %y : tensor<128x96xf32>
}

// -----

// More last lanes than usual lanes: as many of both.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @tail
// CHECK: norm.plan = #norm.row_plan<lanes = 128, tail_lanes = 128>
// PAR-LABEL: func.func @tail
// EMIT-LABEL: func.func @tail
// EMIT: vector.create_mask {{.*}} : vector<128xi1>
func.func @tail(%x: tensor<128x?xf32>, %o: tensor<128x?xf32>) -> tensor<128x?xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x?xf32>) outs(%o : tensor<128x?xf32>)
      attrs = {norm.plan = #norm.row_plan<tail_lanes = 128>} {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %a : f32
    linalg.yield %r : f32
  } -> tensor<128x?xf32>
  return %y : tensor<128x?xf32>
}

// -----

// Parts and blocks of rows that are summed. A block of 32 rows has a sum of its
// own, although 16 are added one by one elsewhere.
#id = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @parts
// CHECK: scf.for {{.*}} = %c0 to %c8 step %c1
// CHECK: tensor.extract_slice {{.*}} [128, 64]
// CHECK: scf.for {{.*}} step %c32
// CHECK: scf.for {{.*}} step %c32
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 64, tail_lanes = 16>}
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 64, tail_lanes = 16>}
// PAR-LABEL: func.func @parts
// PAR: scf.forall {{.*}} in (8)
// PAR: tensor.extract_slice {{.*}} [128, 64]
// PAR: scf.for {{.*}} step %c32
// EMIT-LABEL: func.func @parts
func.func @parts(%x: tensor<1024x64xf32>, %o: tensor<1024x64xf32>, %s: tensor<64xf32>) -> (tensor<1024x64xf32>, tensor<64xf32>) {
  %y:2 = linalg.generic {indexing_maps = [#id, #id, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<1024x64xf32>) outs(%o, %s : tensor<1024x64xf32>, tensor<64xf32>)
      attrs = {norm.plan = #norm.row_plan<rows_per_block = 32, rows_per_part = 128>} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %r = arith.mulf %a, %a : f32
    %t = arith.addf %c, %r : f32
    linalg.yield %r, %t : f32, f32
  } -> (tensor<1024x64xf32>, tensor<64xf32>)
  return %y#0, %y#1 : tensor<1024x64xf32>, tensor<64xf32>
}
