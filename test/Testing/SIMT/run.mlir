// Kernels by hand on the emulation: ids, shuffles, workgroup and private memory,
// blocks that are no whole number of warps, host buffers and tokens.
// RUN: norm-run %s --pipeline=simt --precision=9 --function=ids --input=2x3x2x4xi32=0 | FileCheck %s --check-prefix=IDS
// IDS: {{\[\[\[}}0 1 2 3][100 101 102 103]]
// IDS-SAME: {{\[\[}}10000 10001 10002 10003][10100 10101 10102 10103]]
// IDS-SAME: {{\[\[}}1020000 1020001 1020002 1020003][1020100 1020101 1020102 1020103]]

// 40 threads: a warp and a quarter. Each adds what the other lanes give.
// RUN: norm-run %s --pipeline=simt --function=shuffles --input=4x40xi32=77 | FileCheck %s --check-prefix=SHUFFLE
// xor 1
// SHUFFLE: [1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14 17 16 19 18 21 20 23 22 25 24 27 26 29 28 31 30 33 32 35 34 37 36 39 38]
// down 2 in a width of 8: lanes 6 and 7 have no source.
// SHUFFLE-SAME: [2 3 4 5 6 7 99 99 77 {{.*}} 77 34 35 36 37 38 39 99 99]
// up 3 in a width of 8
// SHUFFLE-SAME: [99 99 99 0 1 2 3 4 77 {{.*}} 77 99 99 99 32 33 34 35 36]
// idx 5
// SHUFFLE-SAME: [5 5 5 {{.*}} 5 37 37 37 37 37 37 37 37]

// RUN: norm-run %s --pipeline=simt --function=types --input=4xf64=0 | FileCheck %s --check-prefix=TYPES
// TYPES: result[0]: 4xf64=116.5 5.5 338.5 227.5

// RUN: norm-run %s --pipeline=simt --function=reverse --input=2x96xf32=1 | FileCheck %s --check-prefix=REVERSE
// REVERSE: [95 94 93 {{.*}} 2 1 0][95 94 {{.*}} 1 0]

// Without the barrier the first warp reads what the others have not written.
// RUN: norm-run %s --pipeline=simt --function=no_barrier --input=96xf32=1 | FileCheck %s --check-prefix=NAN
// NAN: result[0]: 96xf32=-nan -nan {{.*}} 33 32 31 30 {{.*}} 1 0

// The first error is kept, and the launch after it does not run.
// RUN: not norm-run %s --pipeline=simt --function=after_error --input=96xf32=1 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: error: kernel 'no_barrier': a size of the launch is not positive

#wg = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
gpu.module @kernels {
  // 1000000 * block x + 10000 * block y + 100 * thread y + thread x, where 100
  // is 25 * 4 threads and 1000000 is 500000 * 2 blocks.
  gpu.func @ids(%out: memref<2x3x2x4xi32>) kernel {
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %gx = gpu.grid_dim x
    %dx = gpu.block_dim x
    %c25 = arith.constant 25 : index
    %c10000 = arith.constant 10000 : index
    %c500000 = arith.constant 500000 : index
    %hundred = arith.muli %c25, %dx : index
    %million = arith.muli %c500000, %gx : index
    %y = arith.muli %ty, %hundred : index
    %b = arith.muli %by, %c10000 : index
    %a = arith.muli %bx, %million : index
    %s0 = arith.addi %tx, %y : index
    %s1 = arith.addi %s0, %b : index
    %s2 = arith.addi %s1, %a : index
    %v = arith.index_cast %s2 : index to i32
    memref.store %v, %out[%bx, %by, %ty, %tx] : memref<2x3x2x4xi32>
    gpu.return
  }

  gpu.func @shuffles(%out: memref<4x40xi32>) kernel {
    %t = gpu.thread_id x
    %lane = gpu.lane_id
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %five = arith.constant 5 : i32
    %eight = arith.constant 8 : i32
    %all = arith.constant 32 : i32
    %none = arith.constant 99 : i32
    %v = arith.index_cast %t : index to i32
    %a, %ok0 = gpu.shuffle xor %v, %one, %all : i32
    memref.store %a, %out[%c0, %t] : memref<4x40xi32>
    %in = arith.cmpi ult, %lane, %c8 : index
    scf.if %in {
      %d, %ok1 = gpu.shuffle down %v, %two, %eight : i32
      %e = arith.select %ok1, %d, %none : i32
      memref.store %e, %out[%c1, %t] : memref<4x40xi32>
      %f, %ok2 = gpu.shuffle up %v, %three, %eight : i32
      %g = arith.select %ok2, %f, %none : i32
      memref.store %g, %out[%c2, %t] : memref<4x40xi32>
    }
    %h, %ok3 = gpu.shuffle idx %v, %five, %all : i32
    memref.store %h, %out[%c3, %t] : memref<4x40xi32>
    gpu.return
  }

  // The neighbor's t + 0.5 as f64, ten times it as a pair of f16, and a hundred
  // times its t as i8.
  gpu.func @types(%out: memref<4xf64>) private(%p: memref<1xf64, #gpu.address_space<private>>) kernel {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %all = arith.constant 32 : i32
    %i = arith.index_cast %t : index to i32
    %half = arith.constant 0.5 : f64
    %f = arith.sitofp %i : i32 to f64
    %v = arith.addf %f, %half : f64
    %a, %ok0 = gpu.shuffle xor %v, %one, %all : f64
    memref.store %a, %p[%c0] : memref<1xf64, #gpu.address_space<private>>
    %h = arith.truncf %v : f64 to f16
    %pair = vector.broadcast %h : f16 to vector<2xf16>
    %b, %ok1 = gpu.shuffle xor %pair, %one, %all : vector<2xf16>
    %b1 = vector.extract %b[1] : f16 from vector<2xf16>
    %b2 = arith.extf %b1 : f16 to f64
    %n = arith.trunci %i : i32 to i8
    %c, %ok2 = gpu.shuffle xor %n, %one, %all : i8
    %c2 = arith.sitofp %c : i8 to f64
    %p0 = memref.load %p[%c0] : memref<1xf64, #gpu.address_space<private>>
    %ten = arith.constant 10.0 : f64
    %hundred = arith.constant 100.0 : f64
    %d0 = arith.mulf %b2, %ten : f64
    %d1 = arith.mulf %c2, %hundred : f64
    %d2 = arith.addf %d0, %d1 : f64
    %r = arith.addf %p0, %d2 : f64
    memref.store %r, %out[%t] : memref<4xf64>
    gpu.return
  }

  gpu.func @reverse(%x: memref<2x96xf32>, %y: memref<2x96xf32>) workgroup(%s: memref<96xf32, #wg>) kernel {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c95 = arith.constant 95 : index
    // A hint to the cache changes nothing.
    %v = memref.load %x[%b, %t] {nontemporal = true} : memref<2x96xf32>
    %i = arith.index_cast %t : index to i32
    %f = arith.sitofp %i : i32 to f32
    %p = arith.mulf %v, %f : f32
    memref.store %p, %s[%t] : memref<96xf32, #wg>
    gpu.barrier
    %o = arith.subi %c95, %t : index
    %r = memref.load %s[%o] : memref<96xf32, #wg>
    memref.store %r, %y[%b, %t] {nontemporal = true} : memref<2x96xf32>
    gpu.return
  }

  gpu.func @no_barrier(%y: memref<96xf32>) workgroup(%s: memref<96xf32, #wg>) kernel {
    %t = gpu.thread_id x
    %c95 = arith.constant 95 : index
    %i = arith.index_cast %t : index to i32
    %f = arith.sitofp %i : i32 to f32
    memref.store %f, %s[%t] : memref<96xf32, #wg>
    %o = arith.subi %c95, %t : index
    %r = memref.load %s[%o] : memref<96xf32, #wg>
    memref.store %r, %y[%t] : memref<96xf32>
    gpu.return
  }
}

func.func @no_barrier(%out: memref<96xf32>) {
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  gpu.launch_func @kernels::@no_barrier blocks in (%c1, %c1, %c1) threads in (%c96, %c1, %c1) args(%out : memref<96xf32>)
  return
}
func.func @after_error(%out: memref<96xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  gpu.launch_func @kernels::@no_barrier blocks in (%c1, %c0, %c1) threads in (%c96, %c1, %c1) args(%out : memref<96xf32>)
  gpu.launch_func @kernels::@no_barrier blocks in (%c1, %c1, %c1) threads in (%c0, %c1, %c1) args(%out : memref<96xf32>)
  return
}

func.func @ids(%out: memref<2x3x2x4xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  gpu.launch_func @kernels::@ids blocks in (%c2, %c3, %c1) threads in (%c4, %c2, %c1) args(%out : memref<2x3x2x4xi32>)
  return
}
func.func @shuffles(%out: memref<4x40xi32>) {
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  gpu.launch_func @kernels::@shuffles blocks in (%c1, %c1, %c1) threads in (%c40, %c1, %c1) args(%out : memref<4x40xi32>)
  return
}
func.func @types(%out: memref<4xf64>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  gpu.launch_func @kernels::@types blocks in (%c1, %c1, %c1) threads in (%c4, %c1, %c1) args(%out : memref<4xf64>)
  return
}
// The result goes through a device buffer, and each step waits for a token.
func.func @reverse(%x: memref<2x96xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c96 = arith.constant 96 : index
  %t0 = gpu.wait async
  %y, %t1 = gpu.alloc async [%t0] () : memref<2x96xf32>
  %t2 = gpu.launch_func async [%t1] @kernels::@reverse blocks in (%c2, %c1, %c1) threads in (%c96, %c1, %c1) args(%x : memref<2x96xf32>, %y : memref<2x96xf32>)
  %t3 = gpu.memcpy async [%t2] %x, %y : memref<2x96xf32>, memref<2x96xf32>
  %t4 = gpu.dealloc async [%t3] %y : memref<2x96xf32>
  gpu.wait [%t4]
  return
}
}
