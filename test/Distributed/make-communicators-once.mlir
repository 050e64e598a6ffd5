// RUN: norm-opt %s --norm-make-communicators-once --split-input-file | FileCheck %s
// RUN: not norm-opt %s --norm-make-communicators-once=implementation=Fancy --split-input-file 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: expects an implementation of MPI, MPICH or OpenMPI, got 'Fancy'

// Equal communicators are one, which a function splits when it is called first.
// CHECK: module attributes {dlti.map = #dlti.map<"MPI:Implementation" = "MPICH">}
// CHECK-NOT: shard.grid
// CHECK: func.func private @[[GET:norm_get_communicator]]() -> i64
// CHECK: scf.if
// CHECK: mpi.comm_split
// CHECK: llvm.store
// CHECK-NOT: norm_get_communicator_
// CHECK-LABEL: func.func @twice(
// CHECK-NOT: mpi.comm_split
// CHECK: call @[[GET]]()
// CHECK: mpi.allreduce
// CHECK: call @[[GET]]()
// CHECK: mpi.allreduce
shard.grid @g(shape = 2x2)
func.func @twice(%a: memref<4xf32>) {
  %two = arith.constant 2 : i32
  %w = mpi.comm_world : !mpi.comm
  %e, %rank = mpi.comm_rank(%w) : !mpi.retval, i32
  %color = arith.divsi %rank, %two : i32
  %c = mpi.comm_split(%w, %color, %rank) : !mpi.comm
  mpi.allreduce(%a, %a, MPI_SUM, %c) : memref<4xf32>, memref<4xf32>
  %color1 = arith.divsi %rank, %two : i32
  %d = mpi.comm_split(%w, %color1, %rank) : !mpi.comm
  mpi.allreduce(%a, %a, MPI_SUM, %d) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// A color that an argument decides stays, and so does what the module says of MPI.
// CHECK: module attributes {dlti.map = #dlti.map<"MPI:Implementation" = "OpenMPI">}
// CHECK-LABEL: func.func @argument(
// CHECK: mpi.comm_split
module attributes {dlti.map = #dlti.map<"MPI:Implementation" = "OpenMPI">} {
  func.func @argument(%a: memref<4xf32>, %color: i32) {
    %w = mpi.comm_world : !mpi.comm
    %c = mpi.comm_split(%w, %color, %color) : !mpi.comm
    mpi.allreduce(%a, %a, MPI_SUM, %c) : memref<4xf32>, memref<4xf32>
    return
  }
}
