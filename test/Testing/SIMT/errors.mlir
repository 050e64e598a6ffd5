// What a GPU would hang on or get wrong is reported, with the threads and the op.

// RUN: not norm-run %s --pipeline=simt --function=exits 2>&1 | FileCheck %s --check-prefix=EXITS
// EXITS: error: kernel 'exits': block (1, 0, 0) thread (0, 0, 0): gpu.barrier at {{.*}}errors.mlir:{{[0-9]+}}:5: not reached by block (1, 0, 0) thread (33, 0, 0), which has exited
// RUN: not norm-run %s --pipeline=simt --function=elsewhere 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// ELSEWHERE: error: kernel 'elsewhere': block (0, 0, 0) thread (0, 0, 0): gpu.barrier at {{.*}}errors.mlir:{{[0-9]+}}:7: not reached by block (0, 0, 0) thread (32, 0, 0), which waits at gpu.barrier at {{.*}}errors.mlir:[[#ELSE:]]:7
// RUN: not norm-run %s --pipeline=simt --function=past_end 2>&1 | FileCheck %s --check-prefix=PAST
// PAST: error: kernel 'past_end': block (0, 0, 0) thread (61, 0, 0): vector.store at {{.*}}errors.mlir:{{[0-9]+}}:5: index 61 of 4 elements is out of range of workgroup memory of extent 64
// RUN: not norm-run %s --pipeline=simt --function=negative 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: kernel 'negative': block (0, 0, 0) thread (0, 0, 0): memref.load at {{.*}}: index -1 of 1 elements is out of range of workgroup memory of extent 2
// RUN: not norm-run %s --pipeline=simt --function=pointer 2>&1 | FileCheck %s --check-prefix=POINTER
// POINTER: error: kernel 'pointer': block (0, 0, 0) thread (4, 0, 0): llvm.store at {{.*}}: 4 bytes that are not in the workgroup memory of the block

// RUN: not norm-run %s --pipeline=simt --function=divergent_shuffle 2>&1 | FileCheck %s --check-prefix=DIVERGENT
// DIVERGENT: error: kernel 'divergent_shuffle': block (0, 0, 0) thread (32, 0, 0): gpu.shuffle at {{.*}}: not reached by block (0, 0, 0) thread (63, 0, 0), which waits at gpu.barrier at {{.*}}
// RUN: not norm-run %s --pipeline=simt --function=exited_shuffle 2>&1 | FileCheck %s --check-prefix=GONE
// GONE: error: kernel 'exited_shuffle': block (0, 0, 0) thread (0, 0, 0): gpu.shuffle at {{.*}}: not reached by block (0, 0, 0) thread (31, 0, 0), which has exited
// RUN: not norm-run %s --pipeline=simt --function=inactive_lane 2>&1 | FileCheck %s --check-prefix=INACTIVE
// INACTIVE: error: kernel 'inactive_lane': block (0, 0, 0) thread (0, 0, 0): gpu.shuffle at {{.*}}: reads lane 8, which is not active: the warp has 8 threads
// RUN: not norm-run %s --pipeline=simt --function=outside_width 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error: kernel 'outside_width': block (0, 0, 0) thread (16, 0, 0): gpu.shuffle at {{.*}}: lane 16 is not active: the width is 16
// RUN: not norm-run %s --pipeline=simt --function=bad_width 2>&1 | FileCheck %s --check-prefix=BADWIDTH
// BADWIDTH: error: kernel 'bad_width': block (0, 0, 0) thread (0, 0, 0): gpu.shuffle at {{.*}}: width 64 is not in [1, 32]
// RUN: not norm-run %s --pipeline=simt --function=two_widths 2>&1 | FileCheck %s --check-prefix=TWOWIDTHS
// TWOWIDTHS: error: kernel 'two_widths': {{.*}}: gpu.shuffle at {{.*}}: lanes disagree about the width: 16, 8

// RUN: not norm-run %s --pipeline=simt --function=cluster_missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: kernel 'cluster_missing': block (2, 0, 0) thread (0, 0, 0): nvvm.cluster.wait at {{.*}}: not reached by block (3, 0, 0) thread (0, 0, 0), which has exited
// RUN: not norm-run %s --pipeline=simt --function=cluster_twice 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: kernel 'cluster_twice': {{.*}}: nvvm.cluster.arrive at {{.*}}: the thread has arrived before, and not waited
// RUN: not norm-run %s --pipeline=simt --function=cluster_no_arrive 2>&1 | FileCheck %s --check-prefix=NOARRIVE
// NOARRIVE: error: kernel 'cluster_no_arrive': {{.*}}: nvvm.cluster.wait at {{.*}}: the thread has not arrived
// RUN: not norm-run %s --pipeline=simt --function=no_such_block 2>&1 | FileCheck %s --check-prefix=NOBLOCK
// NOBLOCK: error: kernel 'peer': {{.*}}: nvvm.mapa at {{.*}}: no place in the workgroup memory of block 2 of the cluster
// A block that reads from one that may have exited.
// RUN: not norm-run %s --pipeline=simt --function=peer_exits 2>&1 | FileCheck %s --check-prefix=PEER
// PEER: error: kernel 'peer': block (1, 0, 0) thread (0, 0, 0): llvm.load at {{.*}}: 4 bytes that are not in the workgroup memory of a running block of the cluster

// RUN: not norm-run %s --pipeline=simt --function=no_threads 2>&1 | FileCheck %s --check-prefix=NOTHREADS
// NOTHREADS: error: kernel 'nothing': a size of the launch is not positive
// RUN: not norm-run %s --pipeline=simt --function=big_block 2>&1 | FileCheck %s --check-prefix=BIGBLOCK
// BIGBLOCK: error: kernel 'nothing': a block of 1056 threads, more than 1024
// RUN: not norm-run %s --pipeline=simt --function=big_grid 2>&1 | FileCheck %s --check-prefix=BIGGRID
// BIGGRID: error: kernel 'nothing': a grid of 2147483648 x 1 x 1 blocks, more than 2147483647 x 65535 x 65535
// RUN: not norm-run %s --pipeline=simt --function=high_grid 2>&1 | FileCheck %s --check-prefix=HIGHGRID
// HIGHGRID: error: kernel 'nothing': a grid of 1 x 65536 x 1 blocks, more than 2147483647 x 65535 x 65535
// RUN: not norm-run %s --pipeline=simt --function=big_cluster 2>&1 | FileCheck %s --check-prefix=BIGCLUSTER
// BIGCLUSTER: error: kernel 'nothing': a cluster of 32 blocks, more than 16
// RUN: not norm-run %s --pipeline=simt --function=part_cluster 2>&1 | FileCheck %s --check-prefix=PARTCLUSTER
// PARTCLUSTER: error: kernel 'nothing': the grid is no multiple of the cluster

#wg = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
gpu.module @kernels {
  // Thread 33 of block 1 leaves.
  gpu.func @exits() kernel {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c1 = arith.constant 1 : index
    %c33 = arith.constant 33 : index
    %is33 = arith.cmpi eq, %t, %c33 : index
    %is1 = arith.cmpi eq, %b, %c1 : index
    %leave = arith.andi %is33, %is1 : i1
    cf.cond_br %leave, ^out, ^in
  ^in:
    gpu.barrier
    gpu.return
  ^out:
    gpu.return
  }
  gpu.func @elsewhere() kernel {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : index
    %first = arith.cmpi ult, %t, %c32 : index
    scf.if %first {
      gpu.barrier
    } else {
      gpu.barrier
    }
    gpu.return
  }
  gpu.func @past_end() workgroup(%a: memref<64xi32, #wg>, %b: memref<64xi32, #wg>) kernel {
    %t = gpu.thread_id x
    %v = arith.constant dense<1> : vector<4xi32>
    vector.store %v, %a[%t] : memref<64xi32, #wg>, vector<4xi32>
    gpu.return
  }
  gpu.func @negative(%y: memref<1xi32>) workgroup(%a: memref<64xi32, #wg>, %s: memref<2xi32, #wg>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i = arith.subi %t, %c1 : index
    %v = memref.load %s[%i] : memref<2xi32, #wg>
    memref.store %v, %y[%c0] : memref<1xi32>
    gpu.return
  }
  gpu.func @pointer() workgroup(%s: memref<4xi32, #wg>) kernel {
    %t = gpu.thread_id x
    %one = arith.constant 1 : i32
    %base = memref.extract_aligned_pointer_as_index %s : memref<4xi32, #wg> -> index
    %address = arith.index_cast %base : index to i64
    %i = arith.index_cast %t : index to i64
    %p = llvm.inttoptr %address : i64 to !llvm.ptr<3>
    %q = llvm.getelementptr %p[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i32
    llvm.store %one, %q : i32, !llvm.ptr<3>
    gpu.return
  }

  // Lane 31 of warp 1 goes to the barrier.
  gpu.func @divergent_shuffle(%y: memref<64xi32>) kernel {
    %t = gpu.thread_id x
    %c63 = arith.constant 63 : index
    %i1 = arith.constant 1 : i32
    %i32 = arith.constant 32 : i32
    %in = arith.cmpi ne, %t, %c63 : index
    scf.if %in {
      %r, %ok = gpu.shuffle xor %i32, %i1, %i32 : i32
      memref.store %r, %y[%t] : memref<64xi32>
    }
    gpu.barrier
    gpu.return
  }
  gpu.func @exited_shuffle(%y: memref<64xi32>) kernel {
    %t = gpu.thread_id x
    %c31 = arith.constant 31 : index
    %i1 = arith.constant 1 : i32
    %i32 = arith.constant 32 : i32
    %in = arith.cmpi ne, %t, %c31 : index
    scf.if %in {
      %r, %ok = gpu.shuffle xor %i32, %i1, %i32 : i32
      memref.store %r, %y[%t] : memref<64xi32>
    }
    gpu.return
  }
  // 8 threads, of which lane 0 asks lane 8.
  gpu.func @inactive_lane(%y: memref<64xi32>) kernel {
    %t = gpu.thread_id x
    %i8 = arith.constant 8 : i32
    %i32 = arith.constant 32 : i32
    %r, %ok = gpu.shuffle xor %i32, %i8, %i32 : i32
    memref.store %r, %y[%t] : memref<64xi32>
    gpu.return
  }
  gpu.func @outside_width(%y: memref<64xi32>) kernel {
    %t = gpu.thread_id x
    %i1 = arith.constant 1 : i32
    %i16 = arith.constant 16 : i32
    %r, %ok = gpu.shuffle xor %i1, %i1, %i16 : i32
    memref.store %r, %y[%t] : memref<64xi32>
    gpu.return
  }
  gpu.func @bad_width(%y: memref<64xi32>) kernel {
    %t = gpu.thread_id x
    %i1 = arith.constant 1 : i32
    %i64 = arith.constant 64 : i32
    %r, %ok = gpu.shuffle xor %i1, %i1, %i64 : i32
    memref.store %r, %y[%t] : memref<64xi32>
    gpu.return
  }
  gpu.func @two_widths(%y: memref<64xi32>) kernel {
    %t = gpu.thread_id x
    %c4 = arith.constant 4 : index
    %i1 = arith.constant 1 : i32
    %i8 = arith.constant 8 : i32
    %i16 = arith.constant 16 : i32
    %in = arith.cmpi ult, %t, %c4 : index
    %width = arith.select %in, %i8, %i16 : i32
    %r, %ok = gpu.shuffle xor %i1, %i1, %width : i32
    memref.store %r, %y[%t] : memref<64xi32>
    gpu.return
  }

  // Block 3 does not take part.
  gpu.func @cluster_missing() kernel {
    %b = gpu.block_id x
    %c3 = arith.constant 3 : index
    %in = arith.cmpi ne, %b, %c3 : index
    scf.if %in {
      nvvm.cluster.arrive
      nvvm.cluster.wait
    }
    gpu.return
  }
  gpu.func @cluster_twice() kernel {
    nvvm.cluster.arrive
    nvvm.cluster.arrive
    gpu.return
  }
  gpu.func @cluster_no_arrive() kernel {
    nvvm.cluster.wait
    gpu.return
  }
  gpu.func @peer(%y: memref<2xi32>, %rank: i32) workgroup(%s: memref<1xi32, #wg>) kernel {
    %b = gpu.block_id x
    %base = memref.extract_aligned_pointer_as_index %s : memref<1xi32, #wg> -> index
    %address = arith.index_cast %base : index to i64
    %p = llvm.inttoptr %address : i64 to !llvm.ptr<3>
    %q = nvvm.mapa %p, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
    %v = llvm.load %q : !llvm.ptr<7> -> i32
    memref.store %v, %y[%b] : memref<2xi32>
    gpu.return
  }
  gpu.func @nothing() kernel {
    gpu.return
  }
}
func.func @exits() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@exits blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1)
  return
}
func.func @elsewhere() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@elsewhere blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
  return
}
func.func @past_end() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch_func @kernels::@past_end blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
  return
}
func.func @negative() {
  %c1 = arith.constant 1 : index
  %a0 = gpu.alloc () : memref<1xi32>
  gpu.launch_func @kernels::@negative blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a0 : memref<1xi32>)
  gpu.dealloc %a0 : memref<1xi32>
  return
}
func.func @pointer() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  gpu.launch_func @kernels::@pointer blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1)
  return
}
func.func @divergent_shuffle() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a0 = gpu.alloc () : memref<64xi32>
  gpu.launch_func @kernels::@divergent_shuffle blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a0 : memref<64xi32>)
  gpu.dealloc %a0 : memref<64xi32>
  return
}
func.func @exited_shuffle() {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %a0 = gpu.alloc () : memref<64xi32>
  gpu.launch_func @kernels::@exited_shuffle blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a0 : memref<64xi32>)
  gpu.dealloc %a0 : memref<64xi32>
  return
}
func.func @inactive_lane() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a0 = gpu.alloc () : memref<64xi32>
  gpu.launch_func @kernels::@inactive_lane blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%a0 : memref<64xi32>)
  gpu.dealloc %a0 : memref<64xi32>
  return
}
func.func @outside_width() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %a0 = gpu.alloc () : memref<64xi32>
  gpu.launch_func @kernels::@outside_width blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a0 : memref<64xi32>)
  gpu.dealloc %a0 : memref<64xi32>
  return
}
func.func @bad_width() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %a0 = gpu.alloc () : memref<64xi32>
  gpu.launch_func @kernels::@bad_width blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a0 : memref<64xi32>)
  gpu.dealloc %a0 : memref<64xi32>
  return
}
func.func @two_widths() {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a0 = gpu.alloc () : memref<64xi32>
  gpu.launch_func @kernels::@two_widths blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%a0 : memref<64xi32>)
  gpu.dealloc %a0 : memref<64xi32>
  return
}
func.func @cluster_missing() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  gpu.launch_func @kernels::@cluster_missing clusters in (%c2, %c1, %c1) blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}
func.func @cluster_twice() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  gpu.launch_func @kernels::@cluster_twice clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}
func.func @cluster_no_arrive() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  gpu.launch_func @kernels::@cluster_no_arrive clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}
func.func @no_such_block() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a0 = gpu.alloc () : memref<2xi32>
  %a1 = arith.constant 2 : i32
  gpu.launch_func @kernels::@peer clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%a0 : memref<2xi32>, %a1 : i32)
  gpu.dealloc %a0 : memref<2xi32>
  return
}
func.func @peer_exits() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a0 = gpu.alloc () : memref<2xi32>
  %a1 = arith.constant 0 : i32
  gpu.launch_func @kernels::@peer clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%a0 : memref<2xi32>, %a1 : i32)
  gpu.dealloc %a0 : memref<2xi32>
  return
}
func.func @no_threads() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@nothing blocks in (%c1, %c1, %c1) threads in (%c0, %c1, %c1)
  return
}
func.func @big_block() {
  %c1 = arith.constant 1 : index
  %c1056 = arith.constant 1056 : index
  gpu.launch_func @kernels::@nothing blocks in (%c1, %c1, %c1) threads in (%c1056, %c1, %c1)
  return
}
func.func @big_grid() {
  %c1 = arith.constant 1 : index
  %many = arith.constant 2147483648 : index
  gpu.launch_func @kernels::@nothing blocks in (%many, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}
func.func @high_grid() {
  %c1 = arith.constant 1 : index
  %many = arith.constant 65536 : index
  gpu.launch_func @kernels::@nothing blocks in (%c1, %many, %c1) threads in (%c1, %c1, %c1)
  return
}
func.func @big_cluster() {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @kernels::@nothing clusters in (%c32, %c1, %c1) blocks in (%c32, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}
func.func @part_cluster() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  gpu.launch_func @kernels::@nothing clusters in (%c2, %c1, %c1) blocks in (%c3, %c1, %c1) threads in (%c1, %c1, %c1)
  return
}
}
