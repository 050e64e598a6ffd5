// Clusters: ids, the barrier, and workgroup memory of the other blocks in the
// form that norm-to-nvvm writes. Each block sums the numbers of the blocks of its
// cluster, from their memory.
// RUN: norm-run %s --pipeline=simt --function=sums --input=8xi32=0 | FileCheck %s --check-prefix=SUMS
// Clusters of 4: 1 + 2 + 3 + 4 and 5 + 6 + 7 + 8.
// SUMS: 8xi32=10 10 10 10 26 26 26 26
// The size may be an attribute of the kernel.
// RUN: norm-run %s --pipeline=simt --function=known --input=8xi32=0 | FileCheck %s --check-prefix=KNOWN
// KNOWN: 8xi32=3 3 7 7 11 11 15 15
// RUN: norm-run %s --pipeline=simt --function=ids --input=4x2x8xi32=0 | FileCheck %s --check-prefix=IDS
// Block (2, 1) of (4, 2) blocks in clusters of (2, 2): cluster (1, 0) of (2, 1),
// block (0, 1) in it with rank 2 of 4.
// IDS: {{\[\[}}0 0 0 0 0 4 2 1][0 0 0 1 2 4 2 1]]
// IDS-SAME: {{\[\[}}0 0 1 0 1 4 2 1][0 0 1 1 3 4 2 1]]
// IDS-SAME: {{\[\[}}1 0 0 0 0 4 2 1][1 0 0 1 2 4 2 1]]

#wg = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @sums(%out: memref<8xi32>) workgroup(%pad: memref<3xf32, #wg>, %s: memref<2xi32, #wg>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %n = gpu.cluster_dim_blocks x
    nvvm.griddepcontrol wait
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %b1 = arith.addi %b, %c1 : index
      %v = arith.index_cast %b1 : index to i32
      memref.store %v, %s[%c1] : memref<2xi32, #wg>
    }
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    %base = memref.extract_aligned_pointer_as_index %s : memref<2xi32, #wg> -> index
    %address = arith.index_cast %base : index to i64
    %mine = llvm.inttoptr %address : i64 to !llvm.ptr<3>
    %slot = llvm.getelementptr %mine[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (i32) {
      %rank = arith.index_cast %i : index to i32
      %theirs = nvvm.mapa %slot, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
      %v = llvm.load %theirs : !llvm.ptr<7> -> i32
      %r = arith.addi %a, %v : i32
      scf.yield %r : i32
    }
    nvvm.griddepcontrol launch_dependents
    nvvm.cluster.arrive.relaxed
    nvvm.cluster.wait
    scf.if %first {
      memref.store %sum, %out[%b] : memref<8xi32>
    }
    gpu.return
  }

  // The same by stores into the first block's memory.
  gpu.func @known(%out: memref<8xi32>) workgroup(%s: memref<2xi32, #wg>) kernel attributes {known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %b = gpu.block_id x
    %b1 = arith.addi %b, %c1 : index
    %v = arith.index_cast %b1 : index to i32
    %base = memref.extract_aligned_pointer_as_index %s : memref<2xi32, #wg> -> index
    %address = arith.index_cast %base : index to i64
    %mine = llvm.inttoptr %address : i64 to !llvm.ptr<3>
    %slot = llvm.getelementptr %mine[%rank] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %size = gpu.cluster_dim_blocks x
    scf.for %i = %c0 to %size step %c1 {
      %other = arith.index_cast %i : index to i32
      %theirs = nvvm.mapa %slot, %other : !llvm.ptr<3> -> !llvm.ptr<7>
      llvm.store %v, %theirs : i32, !llvm.ptr<7>
    }
    nvvm.cluster.arrive
    nvvm.cluster.wait
    %x = memref.load %s[%c0] : memref<2xi32, #wg>
    %y = memref.load %s[%c1] : memref<2xi32, #wg>
    %sum = arith.addi %x, %y : i32
    memref.store %sum, %out[%b] : memref<8xi32>
    gpu.return
  }

  gpu.func @ids(%out: memref<4x2x8xi32>) kernel {
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %0 = gpu.cluster_id x
    %1 = gpu.cluster_id y
    %2 = gpu.cluster_block_id x
    %3 = gpu.cluster_block_id y
    %4 = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %5 = nvvm.read.ptx.sreg.cluster.nctarank : i32
    %6 = gpu.cluster_dim x
    %7 = gpu.cluster_dim y
    %i0 = arith.index_cast %0 : index to i32
    %i1 = arith.index_cast %1 : index to i32
    %i2 = arith.index_cast %2 : index to i32
    %i3 = arith.index_cast %3 : index to i32
    %i6 = arith.index_cast %6 : index to i32
    %i7 = arith.index_cast %7 : index to i32
    %c0 = arith.constant 0 : index
    %v = vector.from_elements %i0, %i1, %i2, %i3, %4, %5, %i6, %i7 : vector<8xi32>
    vector.store %v, %out[%bx, %by, %c0] : memref<4x2x8xi32>, vector<8xi32>
    gpu.return
  }
}

func.func @sums(%out: memref<8xi32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@sums clusters in (%c4, %c1, %c1) blocks in (%c8, %c1, %c1) threads in (%c64, %c1, %c1) args(%out : memref<8xi32>)
  return
}
func.func @known(%out: memref<8xi32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  gpu.launch_func @kernels::@known blocks in (%c8, %c1, %c1) threads in (%c1, %c1, %c1) args(%out : memref<8xi32>)
  return
}
func.func @ids(%out: memref<4x2x8xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  gpu.launch_func @kernels::@ids clusters in (%c2, %c2, %c1) blocks in (%c4, %c2, %c1) threads in (%c1, %c1, %c1) args(%out : memref<4x2x8xi32>)
  return
}
}
