// RUN: norm-opt %s --norm-distribute-rows-to-gpu --canonicalize --cse | FileCheck %s
// RUN: sed 's/threads = 192/threads = 96/' %s | not norm-opt --norm-distribute-rows-to-gpu 2>&1 | FileCheck %s --check-prefix=SPLIT
// SPLIT: error: norm-distribute-rows-to-gpu: 96 threads cannot be 2 blocks of whole warps

// Two reductions over rows of 2 blocks of 64 threads: warp w of block r writes
// slot 2r + w of both blocks, which then read their own four.
// CHECK-LABEL: func.func @two_sums
// CHECK: gpu.launch clusters(%[[ROW:[a-z0-9]+]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c2, %{{.*}} = %c1, %{{.*}} = %c1) blocks(%{{.*}}, %{{.*}}, %{{.*}}) in (%{{.*}} = %c16, %{{.*}} = %c1, %{{.*}} = %c1) threads(%[[T:[a-z0-9]+]], %{{.*}}, %{{.*}}) in (%{{.*}} = %c64, %{{.*}} = %c1, %{{.*}} = %c1)
// CHECK-SAME: workgroup(%[[A:.*]] : memref<4xf32, #gpu.address_space<workgroup>>, %[[B:.*]] : memref<4xf32, #gpu.address_space<workgroup>>)
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK: %[[RANK:.*]] = gpu.cluster_block_id x
// CHECK: %[[BEFORE:.*]] = arith.muli %[[RANK]], %c64
// CHECK: %[[THREAD:.*]] = arith.addi %[[BEFORE]], %[[T]]
// CHECK: %[[E:.*]] = arith.muli %[[THREAD]], %c4
// CHECK: vector.load %arg0[%[[ROW]], %[[E]]] {alignment = 16 : i64}
// No block writes to another that may not have started.
// CHECK: nvvm.cluster.wait {aligned}
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: %[[LANE:.*]] = arith.remui %[[T]], %c32
// CHECK: %[[WARP:.*]] = arith.divui %[[T]], %c32
// CHECK: %[[HAS_PEER:.*]] = arith.cmpi ult, %[[LANE]], %c2
// CHECK: scf.if %[[HAS_PEER]] {
// CHECK: %[[FIRST:.*]] = arith.muli %[[RANK]], %c2
// CHECK: arith.addi %[[FIRST]], %[[WARP]]
// CHECK: memref.extract_aligned_pointer_as_index %[[A]]
// CHECK: %[[REMOTE:.*]] = nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: llvm.store %{{.*}}, %[[REMOTE]] : f32, !llvm.ptr<7>
// CHECK: }
// CHECK-NEXT: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: %[[SLOT:.*]] = arith.andi %[[LANE]], %c3
// CHECK: memref.load %[[A]][%[[SLOT]]]
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.extract_aligned_pointer_as_index %[[B]]
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK-NOT: nvvm.cluster
// CHECK: function(@two_sums_kernel0_unaligned)
func.func @two_sums(%x: memref<8x512xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<8x512xf32>, vector<512xf32>
    %s = vector.reduction <add>, %v fastmath<reassoc> : vector<512xf32> into f32
    %b = vector.broadcast %s : f32 to vector<512xf32>
    %d = arith.subf %v, %b : vector<512xf32>
    %r = vector.reduction <add>, %d fastmath<reassoc> : vector<512xf32> into f32
    memref.store %r, %y[%i] : memref<8xf32>
  } {norm.loop = #norm.loop<rows, <threads = 128, vector = 4, lanes = 512, registers = 32, cluster = 2>>}
  return
}

// More slots than a warp has lanes: each lane reads several and adds them.
// CHECK-LABEL: func.func @many_slots
// CHECK: workgroup(%[[C:.*]] : memref<64xf32, #gpu.address_space<workgroup>>)
// CHECK: nvvm.mapa
// CHECK: nvvm.cluster.wait
// CHECK: %[[P:.*]] = memref.load %[[C]]
// CHECK: %[[Q:.*]] = memref.load %[[C]]
// CHECK: arith.addf %[[P]], %[[Q]]
// CHECK-COUNT-5: gpu.shuffle xor
func.func @many_slots(%x: memref<8x8192xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<8x8192xf32>, vector<8192xf32>
    %s = vector.reduction <add>, %v fastmath<reassoc> : vector<8192xf32> into f32
    memref.store %s, %y[%i] : memref<8xf32>
  } {norm.loop = #norm.loop<rows, <threads = 2048, vector = 4, lanes = 8192, registers = 32, cluster = 4>>}
  return
}

// A turn of the loop waits until all blocks have read what the last one wrote.
// CHECK-LABEL: func.func @in_loop
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: scf.for
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: memref.load
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK-NEXT: nvvm.cluster.wait {aligned}
// CHECK: scf.yield
func.func @in_loop(%x: memref<8x1024xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %c1024 = arith.constant 1024 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %t = scf.for %k = %c0 to %c1024 step %c512 iter_args(%a = %pad) -> (f32) {
      %v = vector.transfer_read %x[%i, %k], %pad {in_bounds = [true]} : memref<8x1024xf32>, vector<512xf32>
      %s = vector.reduction <add>, %v, %a fastmath<reassoc> : vector<512xf32> into f32
      scf.yield %s : f32
    }
    memref.store %t, %y[%i] : memref<8xf32>
  } {norm.loop = #norm.loop<rows, <threads = 128, vector = 1, lanes = 512, registers = 32, cluster = 2>>}
  return
}

// Six slots, not a power of two: two lanes of eight read minus infinity.
// CHECK-LABEL: func.func @odd_slots
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: nvvm.cluster.wait
// CHECK: %[[PARTIAL:.*]] = memref.load
// CHECK: arith.select %{{.*}}, %[[PARTIAL]], %[[LOWEST]]
func.func @odd_slots(%x: memref<8x768xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<8x768xf32>, vector<768xf32>
    %s = vector.reduction <maximumf>, %v : vector<768xf32> into f32
    memref.store %s, %y[%i] : memref<8xf32>
  } {norm.loop = #norm.loop<rows, <threads = 192, vector = 4, lanes = 768, registers = 32, cluster = 2>>}
  return
}
