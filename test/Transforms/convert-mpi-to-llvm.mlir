// RUN: norm-opt %s --norm-convert-mpi-to-llvm | FileCheck %s

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
