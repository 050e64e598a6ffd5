// RUN: norm-opt %s --norm-annotate-kernels | FileCheck %s

// Launched twice with the same clusters.
// CHECK: gpu.func @same() kernel attributes {known_cluster_size = array<i32: 4, 1, 1>}
// Two sizes, one that is not constant, and none.
// CHECK: gpu.func @two() kernel {
// CHECK: gpu.func @dynamic() kernel {
// CHECK: gpu.func @none() kernel {
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @same() kernel {
      gpu.return
    }
    gpu.func @two() kernel {
      gpu.return
    }
    gpu.func @dynamic() kernel {
      gpu.return
    }
    gpu.func @none() kernel {
      gpu.return
    }
  }
  func.func @f(%n: index) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    gpu.launch_func @m::@same clusters in (%c4, %c1, %c1) blocks in (%c4, %c1, %c1) threads in (%c4, %c1, %c1)
    gpu.launch_func @m::@same clusters in (%c4, %c1, %c1) blocks in (%c4, %c1, %c1) threads in (%c4, %c1, %c1)
    gpu.launch_func @m::@two clusters in (%c4, %c1, %c1) blocks in (%c4, %c1, %c1) threads in (%c4, %c1, %c1)
    gpu.launch_func @m::@two clusters in (%c2, %c1, %c1) blocks in (%c4, %c1, %c1) threads in (%c4, %c1, %c1)
    gpu.launch_func @m::@dynamic clusters in (%n, %c1, %c1) blocks in (%n, %c1, %c1) threads in (%c4, %c1, %c1)
    gpu.launch_func @m::@none blocks in (%c4, %c1, %c1) threads in (%c4, %c1, %c1)
    return
  }
}
