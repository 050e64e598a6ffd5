// RUN: norm-opt %s --norm-convert-mpi-to-llvm --split-input-file | FileCheck %s

// In place, with MPICH's handles.
// CHECK-LABEL: func.func @sum(
// CHECK: llvm.call @MPI_Allreduce(%{{.*}}) : (!llvm.ptr, !llvm.ptr, i32, i32, i32, i32) -> i32
module attributes {dlti.map = #dlti.map<"MPI:Implementation" = "MPICH">} {
  func.func @sum(%a: memref<4xf32>) {
    %w = mpi.comm_world : !mpi.comm
    mpi.allreduce(%a, %a, MPI_SUM, %w) : memref<4xf32>, memref<4xf32>
    return
  }
}

// -----

// OpenMPI's reductions have "op" in their names, and its communicators are pointers.
// CHECK-DAG: llvm.mlir.global external @ompi_mpi_op_sum()
// CHECK-LABEL: func.func @open(
// CHECK: %[[PLACE:.*]] = llvm.alloca
// CHECK: llvm.call @MPI_Comm_split(%{{.*}}, %{{.*}}, %{{.*}}, %[[PLACE]])
// CHECK-NEXT: llvm.load %[[PLACE]] : !llvm.ptr -> i64
// CHECK-NOT: llvm.sext
// CHECK: llvm.mlir.addressof @ompi_mpi_op_sum
module attributes {dlti.map = #dlti.map<"MPI:Implementation" = "OpenMPI">} {
  func.func @open(%a: memref<4xf32>, %color: i32, %key: i32) {
    %w = mpi.comm_world : !mpi.comm
    %n = mpi.comm_split(%w, %color, %key) : !mpi.comm
    mpi.allreduce(%a, %a, MPI_SUM, %n) : memref<4xf32>, memref<4xf32>
    return
  }
}
