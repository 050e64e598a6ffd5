// RUN: norm-opt %s --norm-distribute-rows-to-gpu --canonicalize --cse --split-input-file | FileCheck %s
// RUN: norm-opt %s --norm-distribute-rows-to-gpu --split-input-file '--remarks-filter-missed=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY --implicit-check-not=[Missed]

// Without a schedule, or without a role too, a thread has a row, and a remark says so.
// RUN: sed 's/rows, <.*>>}/rows>}/' %s | norm-opt --norm-distribute-rows-to-gpu --split-input-file '--remarks-filter=norm.*' 2>&1 | FileCheck %s --check-prefix=BARE
// RUN: sed 's/{norm.loop.*//' %s | norm-opt --norm-distribute-rows-to-gpu --split-input-file '--remarks-filter=norm.*' 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: the loop has no schedule: each thread works on a row alone
// BARE-LABEL: func.func @warp
// BARE: %[[SIZE:.*]] = arith.constant 128 : index
// BARE: gpu.launch {{.*}} threads(%{{.*}}) in (%{{.*}} = %[[SIZE]],
// BARE: vector.transfer_read {{.*}} vector<128xf32>

// One warp a row, four rows a block: chunk 0 of thread t is elements 4t to 4t+3.
// CHECK-LABEL: func.func @warp
// CHECK: %[[PTR:.*]] = memref.extract_aligned_pointer_as_index %arg0
// CHECK: %[[REST:.*]] = arith.remui %[[PTR]], %c16
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if %[[ALIGNED]]
// CHECK: gpu.launch blocks(%[[B:.*]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c16, %{{.*}} = %c1, %{{.*}} = %c1) threads(%[[T:.*]], %[[W:.*]], %{{.*}}) in (%{{.*}} = %c32, %{{.*}} = %c4, %{{.*}} = %c1)
// CHECK-SAME: module(@norm_kernels) function(@warp_kernel0)
// CHECK: %[[FIRST:.*]] = arith.muli %[[B]], %c4
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[W]]
// CHECK: scf.if
// CHECK: %[[E:.*]] = arith.muli %[[T]], %c4
// CHECK: %[[V:.*]] = vector.load %arg0[%[[ROW]], %[[E]]] {alignment = 16 : i64} : memref<62x128xf32>, vector<4xf32>
// CHECK-COUNT-3: arith.addf
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK-NEXT: memref.store
// CHECK: } else {
// CHECK: gpu.launch
// CHECK-SAME: function(@warp_kernel0_unaligned)
// CHECK-COUNT-4: vector.load {{.*}} vector<1xf32>
func.func @warp(%x: memref<62x128xf32>, %y: memref<62xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (62) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<62x128xf32>, vector<128xf32>
    %s = vector.reduction <add>, %v fastmath<reassoc> : vector<128xf32> into f32
    memref.store %s, %y[%i] : memref<62xf32>
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 128, registers = 32>>}
  return
}

// -----

// Two warps exchange through workgroup memory; each row of a block is inside.
// The mask ends in chunk 1: chunk 0 is read without a condition.
// CHECK-LABEL: func.func @masked_max
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[BUF:.*]] : memref<2xf16, #gpu.address_space<workgroup>>)
// CHECK: vector.load {{.*}} {alignment = 8 : i64} : memref<8x400xf16>, vector<4xf16>
// CHECK: scf.if %{{.*}} -> (vector<4xf16>)
// CHECK: vector.load
// CHECK: scf.yield
// CHECK: } else {
// CHECK-NEXT: scf.yield %{{.*}} : vector<4xf16>
// CHECK: arith.maximumf
// 16-bit values travel as words.
// CHECK: arith.extui
// CHECK-NEXT: gpu.shuffle xor
// CHECK-COUNT-4: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[BUF]]
// CHECK: gpu.barrier
// CHECK-NEXT: %{{.*}} = arith.andi
// CHECK-NEXT: memref.load %[[BUF]]
// CHECK: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: scf.if
// CHECK: vector.store {{.*}} {alignment = 8 : i64}
func.func @masked_max(%x: memref<8x400xf16>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %low = arith.constant dense<0xFC00> : vector<512xf16>
  %mask = vector.constant_mask [400] : vector<512xi1>
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad, %mask {in_bounds = [true]} : memref<8x400xf16>, vector<512xf16>
    %w = arith.select %mask, %v, %low : vector<512xi1>, vector<512xf16>
    %s = vector.reduction <maximumf>, %w : vector<512xf16> into f16
    %b = vector.broadcast %s : f16 to vector<512xf16>
    %d = arith.subf %v, %b : vector<512xf16>
    vector.transfer_write %d, %x[%i, %c0], %mask {in_bounds = [true]} : vector<512xf16>, memref<8x400xf16>
  } {norm.loop = #norm.loop<rows, <threads = 64, vector = 4, lanes = 512, registers = 32>>}
  return
}

// -----

// A mask known at run time may end within a chunk: the last access is masked.
// CHECK-LABEL: func.func @strips
// CHECK: %[[INNER:.*]] = memref.dim %arg0
// CHECK: arith.remui %[[INNER]], %c4
// CHECK: gpu.launch
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<4xi32>, vector<4xi32>)
// CHECK: vector.load
// CHECK: vector.load
// CHECK: scf.for
// CHECK: scf.if
// CHECK: vector.load
// CHECK: else
// CHECK: vector.maskedload
func.func @strips(%x: memref<8x?xi32>, %y: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c256 = arith.constant 256 : index
  %pad = arith.constant 0 : i32
  %zero = arith.constant dense<0> : vector<256xi32>
  scf.forall (%i) in (8) {
    %main = affine.apply affine_map<()[s0] -> (s0 floordiv 256 * 256)>()[%n]
    %a = scf.for %j = %c0 to %main step %c256 iter_args(%acc = %zero) -> (vector<256xi32>) {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]} : memref<8x?xi32>, vector<256xi32>
      %b = arith.addi %acc, %v : vector<256xi32>
      scf.yield %b : vector<256xi32>
    }
    %t = scf.for %j = %main to %n step %c256 iter_args(%acc = %a) -> (vector<256xi32>) {
      %rest = arith.subi %n, %main : index
      %mask = vector.create_mask %rest : vector<256xi1>
      %v = vector.transfer_read %x[%i, %j], %pad, %mask {in_bounds = [true]} : memref<8x?xi32>, vector<256xi32>
      %b = arith.addi %acc, %v : vector<256xi32>
      scf.yield %b : vector<256xi32>
    }
    %s = vector.reduction <add>, %t : vector<256xi32> into i32
    memref.store %s, %y[%i] : memref<8xi32>
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 256, registers = 32>>}
  return
}

// -----

// A shuffle of f64 is one op; two dimensions of rows are numbered by one index,
// which 32 bits hold.
// CHECK-LABEL: func.func @two_row_dims
// CHECK: gpu.launch
// CHECK-DAG: arith.remui {{.*}} : i32
// CHECK-DAG: arith.divui {{.*}} : i32
// CHECK-COUNT-5: gpu.shuffle xor {{.*}} : f64
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.launch
func.func @two_row_dims(%x: memref<3x5x64xf64>, %y: memref<3x5xf64>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f64
  scf.forall (%i, %j) in (3, 5) {
    %v = vector.transfer_read %x[%i, %j, %c0], %pad {in_bounds = [true]} : memref<3x5x64xf64>, vector<64xf64>
    %s = vector.reduction <add>, %v : vector<64xf64> into f64
    memref.store %s, %y[%i, %j] : memref<3x5xf64>
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 2, lanes = 64, registers = 32>>}
  return
}

// -----

// More rows than 32 bits number take the kernel that divides in 64.
// CHECK-LABEL: func.func @many_rows
// CHECK: %[[SMALL:.*]] = arith.cmpi ule, %{{.*}}, %c4294967295 : index
// CHECK: %[[FITS:.*]] = arith.andi %{{.*}}, %[[SMALL]] : i1
// CHECK: scf.if %[[FITS]]
// CHECK: gpu.launch
// CHECK: arith.divui {{.*}} : i32
// CHECK-NOT: arith.divui
// CHECK: } else {
// CHECK: gpu.launch
// CHECK: arith.divui {{.*}} : index
func.func @many_rows(%x: memref<?x?x64xf32>, %a: index, %c: index) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i, %j) in (%a, %c) {
    %v = vector.transfer_read %x[%i, %j, %c0], %pad {in_bounds = [true]} : memref<?x?x64xf32>, vector<64xf32>
    %s = arith.negf %v : vector<64xf32>
    vector.transfer_write %s, %x[%i, %j, %c0] {in_bounds = [true]} : vector<64xf32>, memref<?x?x64xf32>
  } {norm.loop = #norm.loop<rows, <threads = 16, vector = 4, lanes = 64, registers = 32>>}
  return
}

// -----

// Four threads a row, eight rows a warp. A warp without rows leaves; a row that
// is not there shuffles with the last one's values and writes nothing.
// CHECK-LABEL: func.func @rows_of_a_warp
// CHECK-SAME: %{{.*}}: memref<?x64xf32>, %{{.*}}: memref<?xf32>, %[[COUNT:.*]]: index
// CHECK: gpu.launch blocks(%[[B:.*]], %{{.*}}, %{{.*}}) in {{.*}} threads(%[[T:.*]], %[[W:.*]], %{{.*}}) in (%{{.*}} = %c4, %{{.*}} = %c32
// CHECK: %[[FIRST:.*]] = arith.muli %[[B]], %c32
// CHECK: %[[ROW:.*]] = arith.addi %[[FIRST]], %[[W]]
// CHECK: %[[OF_WARP:.*]] = arith.andi %[[ROW]], %c-8
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[OF_WARP]], %[[COUNT]]
// CHECK: scf.if %[[ANY]]
// CHECK: %[[ACTIVE:.*]] = arith.cmpi slt, %[[ROW]], %[[COUNT]]
// CHECK: %[[CLAMPED:.*]] = arith.minui %[[ROW]]
// CHECK: vector.load %{{.*}}[%[[CLAMPED]], %{{.*}}]
// CHECK: scf.if %[[ACTIVE]]
// CHECK-COUNT-4: vector.store
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: %[[WRITES:.*]] = arith.andi %{{.*}}, %[[ACTIVE]] : i1
// CHECK: scf.if %[[WRITES]]
// CHECK-NEXT: memref.store
// CHECK: else
func.func @rows_of_a_warp(%x: memref<?x64xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (%n) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<?x64xf32>, vector<64xf32>
    %s = vector.reduction <add>, %v : vector<64xf32> into f32
    memref.store %s, %y[%i] : memref<?xf32>
    vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<?x64xf32>
  } {norm.loop = #norm.loop<rows, <threads = 4, vector = 4, lanes = 64, registers = 32>>}
  return
}

// -----

// Three warps: a butterfly over four, the fourth with the neutral element.
// CHECK-LABEL: func.func @three_warps
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[BUF:.*]] : memref<3xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: %[[SLOT:.*]] = arith.andi %{{.*}}, %c3
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[SLOT]], %c3
// CHECK: %[[NEAR:.*]] = arith.minui %[[SLOT]], %c2
// CHECK: %[[PARTIAL:.*]] = memref.load %[[BUF]][%[[NEAR]]]
// CHECK: arith.select %[[EXISTS]], %[[PARTIAL]], %{{.*}} : f32
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: else
func.func @three_warps(%x: memref<8x384xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<8x384xf32>, vector<384xf32>
    %s = vector.reduction <add>, %v : vector<384xf32> into f32
    memref.store %s, %y[%i] : memref<8xf32>
  } {norm.loop = #norm.loop<rows, <threads = 96, vector = 4, lanes = 384, registers = 32>>}
  return
}

// -----

// Rows of 61 begin anywhere: threads begin where memory is aligned, x as one row.
// Chunk 0 ends within the row and may begin before it; one comparison sees both.
// A vector of the weight is cut out of the two aligned ones around it.
// CHECK-LABEL: func.func @shifted
// CHECK: gpu.launch
// CHECK: %[[LINEAR:.*]] = arith.muli %{{.*}}, %c61
// CHECK: %[[SHIFT:.*]] = arith.andi %[[LINEAR]], %c3
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %arg0 {{.*}} : memref<8x61xf32> into memref<488xf32>
// CHECK: %[[START:.*]] = arith.subi %[[LINEAR]], %[[SHIFT]]
// CHECK: %[[SLOT:.*]] = arith.muli %{{.*}}, %c4
// CHECK: %[[BASE:.*]] = arith.subi %[[SLOT]], %[[SHIFT]]
// CHECK: %[[BASE32:.*]] = arith.index_cast %[[BASE]] : index to i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[BASE32]], %c58_i32
// CHECK: scf.if %[[INSIDE]] -> (vector<4xf32>)
// CHECK: %[[AT:.*]] = arith.addi %[[START]], %[[SLOT]]
// CHECK: vector.load %[[FLAT]][%[[AT]]] {alignment = 16 : i64}
// CHECK: } else {
// CHECK-COUNT-4: memref.load %[[FLAT]]
// CHECK: vector.from_elements
// CHECK: %[[REST:.*]] = arith.andi %{{.*}}, %c3
// CHECK: %[[REST32:.*]] = arith.index_cast %[[REST]] : index to i32
// CHECK: %[[LIMIT:.*]] = arith.addi %[[REST32]], %c54_i32
// CHECK: %[[BOTH:.*]] = arith.cmpi ult, %[[BASE32]], %[[LIMIT]]
// CHECK: scf.if %[[BOTH]] -> (vector<4xf32>)
// CHECK: vector.load %arg1{{.*}} {alignment = 16 : i64}
// CHECK: vector.load %arg1{{.*}} {alignment = 16 : i64}
// CHECK-COUNT-6: arith.select
// CHECK: arith.andi %{{.*}}, %c32_i32
// CHECK-COUNT-4: arith.select
// CHECK-NOT: arith.select
// CHECK: vector.from_elements
// CHECK: } else {
// CHECK-COUNT-4: memref.load %arg1
// CHECK: vector.store {{.*}}, %[[FLAT]]{{.*}} {alignment = 16 : i64}
// CHECK-COUNT-4: memref.store {{.*}}, %[[FLAT]]
func.func @shifted(%x: memref<8x61xf32>, %w: memref<61xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %mask = vector.constant_mask [61] : vector<64xi1>
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad, %mask {in_bounds = [true]} : memref<8x61xf32>, vector<64xf32>
    %a = vector.transfer_read %w[%c0], %pad, %mask {in_bounds = [true]} : memref<61xf32>, vector<64xf32>
    %d = arith.mulf %v, %a : vector<64xf32>
    vector.transfer_write %d, %x[%i, %c0], %mask {in_bounds = [true]} : vector<64xf32>, memref<8x61xf32>
  } {norm.loop = #norm.loop<rows, <threads = 8, vector = 4, lanes = 64, registers = 32, shifted = true>>}
  return
}

// -----

// Vectors too short for the shift, and rows whose place is computed in the loop:
// one element an access.
// CHECK-LABEL: func.func @cannot_shift
// CHECK-NOT: vector<4xf32>
// CHECK: return
func.func @cannot_shift(%x: memref<8x61xf32>, %z: memref<8x61xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %mask = vector.constant_mask [61] : vector<64xi1>
  %late = vector.constant_mask [62] : vector<64xi1>
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad, %late {in_bounds = [true]} : memref<8x61xf32>, vector<64xf32>
    vector.transfer_write %v, %z[%i, %c0], %mask {in_bounds = [true]} : vector<64xf32>, memref<8x61xf32>
  } {norm.loop = #norm.loop<rows, <threads = 8, vector = 4, lanes = 64, registers = 32, shifted = true>>}
  scf.forall (%i) in (8) {
    %j = arith.xori %i, %c1 : index
    %v = vector.transfer_read %x[%j, %c0], %pad, %mask {in_bounds = [true]} : memref<8x61xf32>, vector<64xf32>
    vector.transfer_write %v, %z[%j, %c0], %mask {in_bounds = [true]} : vector<64xf32>, memref<8x61xf32>
  } {norm.loop = #norm.loop<rows, <threads = 8, vector = 4, lanes = 64, registers = 32, shifted = true>>}
  return
}

// -----

// Without a plan a thread has an iteration; other accesses get one thread.
// CHECK-LABEL: func.func @scalar
// CHECK: gpu.launch {{.*}} threads(%{{.*}}) in (%{{.*}} = %c128
// CHECK: memref.alloca() : memref<4xf32>
// CHECK-NOT: memref.dealloc
// CHECK: gpu.launch {{.*}} threads(%{{.*}}) in (%{{.*}} = %c1,
// CHECK: memref.store
func.func @scalar(%x: memref<100xf32>, %a: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.parallel (%i) = (%c0) to (%c100) step (%c1) {
    %t = memref.alloc() : memref<4xf32>
    memref.store %a, %t[%c0] : memref<4xf32>
    %v = memref.load %t[%i] : memref<4xf32>
    memref.store %v, %x[%i] : memref<100xf32>
    memref.dealloc %t : memref<4xf32>
  }
  memref.store %a, %x[%c1] : memref<100xf32>
  return
}

// -----

// Three warps: the butterfly over four takes what a maximum of numbers ignores.
// CHECK-LABEL: func.func @three_warps
// CHECK: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %c3
// CHECK: %[[PARTIAL:.*]] = memref.load %{{.*}} : memref<3xf32, #gpu.address_space<workgroup>>
// CHECK: arith.select %[[INSIDE]], %[[PARTIAL]], %[[NAN]] : f32
// CHECK-COUNT-2: gpu.shuffle xor
func.func @three_warps(%x: memref<8x384xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<8x384xf32>, vector<384xf32>
    %s = vector.reduction <maxnumf>, %v : vector<384xf32> into f32
    memref.store %s, %y[%i] : memref<8xf32>
  } {norm.loop = #norm.loop<rows, <threads = 96, vector = 4, lanes = 384, registers = 32>>}
  return
}

// -----

// Folding has left no vector of those that were planned: threads by rows.
// CHECK-LABEL: func.func @no_vector_left
// CHECK: gpu.launch
// CHECK-NOT: gpu.shuffle
// CHECK: memref.store %{{.*}}, %arg0[%{{.*}}] : memref<100xi8>
func.func @no_vector_left(%y: memref<100xi8>) {
  %zero = arith.constant 0 : i8
  scf.forall (%i) in (100) {
    memref.store %zero, %y[%i] : memref<100xi8>
  } {norm.loop = #norm.loop<rows, <threads = 8, vector = 16, lanes = 384, registers = 32>>}
  return
}

// -----

// A row of few lanes that is read one element further than it is written has one thread.
// WHY: remark: [Missed] ReadBack | Category:norm-distribute-rows-to-gpu | Remark="each thread works on a row alone: it reads back what the loop writes"
// CHECK-LABEL: func.func @read_back
// CHECK: gpu.launch
// CHECK-NOT: vector.transfer
// CHECK: return
func.func @read_back(%x: memref<8x1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c1], %pad {in_bounds = [true]} : memref<8x1024xf32>, vector<512xf32>
    vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<512xf32>, memref<8x1024xf32>
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 512, registers = 32>>}
  return
}

// -----

// A vector along another dimension than the last: an element per access, in one kernel.
// CHECK-LABEL: func.func @across
// CHECK: gpu.launch
// CHECK-COUNT-4: vector.load %arg0[%{{.*}}, %{{.*}}] : memref<32x8xf32>, vector<1xf32>
// CHECK-COUNT-4: vector.store {{.*}} vector<1xf32>
// CHECK-NOT: gpu.launch
func.func @across(%x: memref<32x8xf32>, %y: memref<8x32xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%c0, %i], %pad {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<32x8xf32>, vector<32xf32>
    vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<32xf32>, memref<8x32xf32>
  } {norm.loop = #norm.loop<rows, <threads = 8, vector = 4, lanes = 32, registers = 32>>}
  return
}
