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

// What has one value per row needs no lanes. Each of these values is looked at once, not 3^20 times.
// CHECK-LABEL: func @values_of_rows
// CHECK: scf.for {{.*}} step %c64
// CHECK: arith.mulf {{.*}} : vector<64xf32>
func.func @values_of_rows(%x: memref<9x128xf32>, %r: memref<9xf32>, %y: memref<9x128xf32>) {
  linalg.generic {indexing_maps = [#rows, #row, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %r : memref<9x128xf32>, memref<9xf32>) outs(%y : memref<9x128xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %s1 = math.fma %s, %s, %s : f32
    %s2 = math.fma %s1, %s1, %s1 : f32
    %s3 = math.fma %s2, %s2, %s2 : f32
    %s4 = math.fma %s3, %s3, %s3 : f32
    %s5 = math.fma %s4, %s4, %s4 : f32
    %s6 = math.fma %s5, %s5, %s5 : f32
    %s7 = math.fma %s6, %s6, %s6 : f32
    %s8 = math.fma %s7, %s7, %s7 : f32
    %s9 = math.fma %s8, %s8, %s8 : f32
    %s10 = math.fma %s9, %s9, %s9 : f32
    %s11 = math.fma %s10, %s10, %s10 : f32
    %s12 = math.fma %s11, %s11, %s11 : f32
    %s13 = math.fma %s12, %s12, %s12 : f32
    %s14 = math.fma %s13, %s13, %s13 : f32
    %s15 = math.fma %s14, %s14, %s14 : f32
    %s16 = math.fma %s15, %s15, %s15 : f32
    %s17 = math.fma %s16, %s16, %s16 : f32
    %s18 = math.fma %s17, %s17, %s17 : f32
    %s19 = math.fma %s18, %s18, %s18 : f32
    %s20 = math.fma %s19, %s19, %s19 : f32
    %p = arith.mulf %a, %s20 : f32
    linalg.yield %p : f32
  }
  return
}

}
