// RUN: norm-opt %s --norm-emulate-gpu | FileCheck %s
#wg = #gpu.address_space<workgroup>
// CHECK: module {
module attributes {gpu.container_module} {
  // CHECK-LABEL: func.func @main(
  // CHECK-SAME: %[[X:.*]]: memref<64xf32>
  // CHECK-DAG: %[[SIZES:.*]] = llvm.alloca %{{.*}} x !llvm.array<9 x i64>
  // CHECK-DAG: %[[ARGS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>, f32)>
  // CHECK: %[[Y:.*]] = memref.alloc() {alignment = 256 : i64} : memref<64xf32>
  // CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[ARGS]][0, 1]
  // CHECK-NEXT: llvm.store %{{.*}}, %[[FIELD]] : f32
  // The block's size, and no cluster.
  // CHECK: %[[THREADS:.*]] = arith.index_cast %c64
  // CHECK: %[[SIZE3:.*]] = llvm.getelementptr %[[SIZES]][0, 3]
  // CHECK-NEXT: llvm.store %[[THREADS]], %[[SIZE3]]
  // CHECK: %[[F:.*]] = constant @k : (!llvm.ptr, !llvm.ptr) -> ()
  // CHECK: %[[KERNEL:.*]] = builtin.unrealized_conversion_cast %[[F]]
  // CHECK: %[[NAME:.*]] = llvm.mlir.addressof
  // Two buffers of 12 bytes, at multiples of 16.
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(32 : i64)
  // CHECK: call @norm_simt_launch(%[[NAME]], %[[KERNEL]], %[[ARGS]], %[[SIZES]], %[[BYTES]])
  // CHECK: memref.copy %[[Y]], %[[X]]
  // CHECK: memref.dealloc %[[Y]]
  // CHECK-NOT: gpu.
  func.func @main(%x: memref<64xf32>, %a: f32) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t0 = gpu.wait async
    %y, %t1 = gpu.alloc async [%t0] () : memref<64xf32>
    %t2 = gpu.launch_func async [%t1] @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%y : memref<64xf32>, %a : f32)
    %t3 = gpu.memcpy async [%t2] %x, %y : memref<64xf32>, memref<64xf32>
    %t4 = gpu.dealloc async [%t3] %y : memref<64xf32>
    gpu.wait [%t4]
    return
  }
  // CHECK-LABEL: func.func private @k(
  // CHECK-SAME: %[[SELF:.*]]: !llvm.ptr, %[[PACKED:.*]]: !llvm.ptr)
  gpu.module @kernels {
    gpu.func @k(%y: memref<64xf32>, %a: f32) workgroup(%s: memref<3xf32, #wg>, %u: memref<3xf32, #wg>) kernel {
      // CHECK: llvm.getelementptr %[[PACKED]][0, 1]
      // CHECK: llvm.getelementptr %[[SELF]][29]
      // CHECK: %[[S:.*]] = builtin.unrealized_conversion_cast {{.*}} to memref<3xf32>
      // CHECK: llvm.getelementptr %{{.*}}[16] : (!llvm.ptr) -> !llvm.ptr, i8
      // CHECK: %[[U:.*]] = builtin.unrealized_conversion_cast {{.*}} to memref<3xf32>
      // CHECK: %[[WORD:.*]] = llvm.getelementptr %[[SELF]][1]
      // CHECK: %[[ID:.*]] = llvm.load %[[WORD]] : !llvm.ptr -> i64
      // CHECK: %[[T:.*]] = arith.index_cast %[[ID]] : i64 to index
      %t = gpu.thread_id y
      // CHECK: %[[INDEX:.*]] = arith.index_cast %[[T]] : index to i64
      // CHECK: %[[SITE:.*]] = llvm.mlir.addressof
      // CHECK: call @norm_simt_check_index(%[[SELF]], %[[SITE]], %[[INDEX]], %{{.*}}, %{{.*}})
      // CHECK: memref.store %{{.*}}, %[[U]][%[[T]]] : memref<3xf32>
      memref.store %a, %u[%t] : memref<3xf32, #wg>
      // CHECK: call @norm_simt_barrier(%[[SELF]], %{{.*}})
      gpu.barrier
      // CHECK: %[[I:.*]] = arith.bitcast %{{.*}} : f32 to i32
      // CHECK: %[[BITS:.*]] = arith.extui %[[I]] : i32 to i64
      // CHECK: %[[UP:.*]] = llvm.mlir.constant(2 : i32)
      // CHECK: call @norm_simt_shuffle(%[[SELF]], %{{.*}}, %[[BITS]], %{{.*}}, %{{.*}}, %[[UP]])
      // CHECK: arith.bitcast %{{.*}} : i32 to f32
      %one = arith.constant 1 : i32
      %width = arith.constant 32 : i32
      %r, %ok = gpu.shuffle up %a, %one, %width : f32
      // CHECK: llvm.getelementptr %[[SELF]][30]
      %b = arith.select %ok, %r, %a : f32
      memref.store %b, %y[%t] : memref<64xf32>
      // CHECK: return
      gpu.return
    }
  }
}
// CHECK: llvm.mlir.global internal constant @norm_simt_site{{.*}}("memref.store at {{.*}}emulate-gpu.mlir:{{[0-9]+}}:7\00")
