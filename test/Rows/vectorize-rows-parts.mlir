// Strips are computed in parts where more lanes would be alive at once than registers hold.
// RUN: norm-opt %s --norm-vectorize-rows --canonicalize | FileCheck %s
// RUN: sed 's/^module {/module attributes {norm.row_target = {live_lanes = 384}} {/' %s | norm-opt --norm-vectorize-rows | FileCheck %s --check-prefix=WHOLE
// RUN: sed 's/^module {/module attributes {norm.row_target = {part_lanes = 8}} {/' %s | norm-opt --norm-vectorize-rows | FileCheck %s --check-prefix=EIGHT

#rows = affine_map<(r, c) -> (r, c)>
#columns = affine_map<(r, c) -> (c)>
#row = affine_map<(r, c) -> (r)>

module {

// A function is a polynomial: the body is done for 16 elements, then for the next 16.
// CHECK-LABEL: func @function
// CHECK-SAME: %[[X:.*]]: memref<9x128xf32>, %[[Y:.*]]: memref<9x128xf32>
// CHECK: scf.for %[[R:.*]] = %c0
// CHECK: scf.for %[[C:.*]] = %c0{{.*}} to %c128{{.*}} step %c64
// CHECK-NEXT: %[[V:.*]] = vector.transfer_read %[[X]][%[[R]], %[[C]]]{{.*}} vector<16xf32>
// CHECK-NEXT: %[[E:.*]] = math.exp %[[V]] : vector<16xf32>
// CHECK-NEXT: vector.transfer_write %[[E]], %[[Y]][%[[R]], %[[C]]]
// CHECK: %[[C16:.*]] = arith.addi %[[C]], %c16
// CHECK: vector.transfer_read %[[X]][%[[R]], %[[C16]]]
// CHECK: vector.transfer_write {{.*}}, %[[Y]][%[[R]], %[[C16]]]
// CHECK-COUNT-2: vector.transfer_write
// CHECK-NOT: vector<64xf32>
// CHECK: return
// WHOLE-LABEL: func @function
// WHOLE: math.exp {{.*}} : vector<64xf32>
// EIGHT-LABEL: func @function
// EIGHT-COUNT-8: math.exp {{.*}} : vector<8xf32>
// EIGHT-NOT: math.exp
// EIGHT: return
func.func @function(%x: memref<9x128xf32>, %y: memref<9x128xf32>) {
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<9x128xf32>) outs(%y : memref<9x128xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  return
}

// A row of one strip stays whole: ops that follow have it in a register.
// CHECK-LABEL: func @one_strip
// CHECK: math.exp {{.*}} : vector<64xf32>
func.func @one_strip(%x: memref<9x64xf32>, %y: memref<9x64xf32>) {
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<9x64xf32>) outs(%y : memref<9x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Three values of 64 lanes are 192, four are 256. A value that all columns share is in one register.
// CHECK-LABEL: func @three
// CHECK-NOT: vector<16xf32>
// CHECK-LABEL: func @four
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT: vector<64xf32>
// CHECK: return
// WHOLE-LABEL: func @four
// WHOLE: arith.addf {{.*}} : vector<64xf32>
func.func @three(%x: memref<9x128xf32>, %y: memref<9x128xf32>, %z: memref<9x128xf32>, %s: memref<9xf32>) {
  linalg.generic {indexing_maps = [#rows, #rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %s : memref<9x128xf32>, memref<9x128xf32>, memref<9xf32>) outs(%z : memref<9x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.mulf %o, %c : f32
    %1 = arith.addf %a, %b : f32
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32
  }
  return
}
func.func @four(%x: memref<9x128xf32>, %y: memref<9x128xf32>, %z: memref<9x128xf32>, %w: memref<128xf32>) {
  linalg.generic {indexing_maps = [#rows, #rows, #columns, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %w : memref<9x128xf32>, memref<9x128xf32>, memref<128xf32>) outs(%z : memref<9x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %0 = arith.mulf %o, %c : f32
    %1 = arith.addf %a, %b : f32
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// Even and odd elements of 32 bf16 are 16 words each.
// CHECK-LABEL: func @pairs
// CHECK: vector.transfer_read {{.*}} vector<32xbf16>
// CHECK: math.exp {{.*}} : vector<32xf32>
// CHECK: vector.transfer_read {{.*}} vector<32xbf16>
// CHECK: math.exp {{.*}} : vector<32xf32>
// CHECK-NOT: math.exp
// CHECK: return
func.func @pairs(%x: memref<9x128xbf16>, %y: memref<9x128xbf16>) {
  linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<9x128xbf16>) outs(%y : memref<9x128xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %0 = arith.extf %a : bf16 to f32
    %1 = math.exp %0 : f32
    %2 = arith.truncf %1 : f32 to bf16
    linalg.yield %2 : bf16
  }
  return
}

// Each part is added to its part of the sum: no sum is another one than without parts.
// CHECK-LABEL: func @sum
// CHECK: scf.for {{.*}} step %c64{{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (vector<64xf32>)
// CHECK: %[[P:.*]] = vector.extract_strided_slice %[[S]] {offsets = [0], sizes = [16]
// CHECK: math.exp {{.*}} : vector<16xf32>
// CHECK: %[[N:.*]] = arith.addf %[[P]], %{{.*}} : vector<16xf32>
// CHECK: vector.insert_strided_slice %[[N]], %[[S]] {offsets = [0], strides = [1]} : vector<16xf32> into vector<64xf32>
// CHECK: vector.insert_strided_slice {{.*}} {offsets = [16]
// CHECK: vector.insert_strided_slice {{.*}} {offsets = [32]
// CHECK: %[[L:.*]] = vector.insert_strided_slice {{.*}} {offsets = [48]
// CHECK: scf.yield %[[L]]
func.func @sum(%x: memref<9x1024xf32>, %y: memref<9xf32>) {
  linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<9x1024xf32>) outs(%y : memref<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// A strip of sums over rows has its parts in the loop over the rows, which reads whole strips.
// CHECK-LABEL: func @sums_over_rows
// CHECK: scf.for {{.*}} step %c64
// CHECK: scf.for {{.*}} -> (vector<64xf32>)
// CHECK-COUNT-4: vector.insert_strided_slice
// CHECK-NOT: math.exp
// CHECK: scf.yield
func.func @sums_over_rows(%x: memref<9x1024xf32>, %y: memref<1024xf32>) {
  linalg.generic {indexing_maps = [#rows, #columns], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<9x1024xf32>) outs(%y : memref<1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// The mask of the last columns has the lanes of a whole strip.
// EIGHT-LABEL: func @masked_sums_over_rows
// EIGHT: %[[MASK:.*]] = vector.create_mask {{.*}} : vector<16xi1>
// EIGHT: vector.transfer_read {{.*}}, %[[MASK]] {{.*}} vector<16xf32>
func.func @masked_sums_over_rows(%x: memref<9x1007xf32>, %y: memref<1007xf32>) {
  linalg.generic {indexing_maps = [#rows, #columns], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<9x1007xf32>) outs(%y : memref<1007xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = math.exp %a : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// What is streamed keeps its hint, with the alignment of a part.
// CHECK-LABEL: func @streamed
// CHECK: memref.prefetch
// CHECK-COUNT-4: vector.store {{.*}} {alignment = 16 : i64, nontemporal = true} : memref<16xf8E4M3FN, strided<[1], offset: ?>>, vector<16xf8E4M3FN>
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @streamed(%x: memref<9x128xf32>, %next: memref<9x128xf32>, %y: memref<9x128xf8E4M3FN>) {
  linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %next : memref<9x128xf32>, memref<9x128xf32>) outs(%y : memref<9x128xf8E4M3FN>)
      attrs = {norm.streams = #norm.row_streams<results = [0], fetched = 1>} {
  ^bb0(%a: f32, %n: f32, %o: f8E4M3FN):
    %0 = arith.truncf %a : f32 to f8E4M3FN
    linalg.yield %0 : f8E4M3FN
  }
  return
}

}
