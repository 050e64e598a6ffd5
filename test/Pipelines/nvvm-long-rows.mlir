// A row of 65536 elements is four blocks': x is read once, 16 bytes at a time,
// the weight before the blocks wait for each other, one value a warp is exchanged
// and one barrier of the cluster follows. ptxas spills nothing.
// RUN: norm-opt %s --norm-to-nvvm | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s
// CHECK: llvm.func @program.main
// CHECK: gpu.launch_func {{.*}}@norm_kernels::@main_kernel0 clusters in
// CHECK: .entry main_kernel0(
// CHECK: .maxntid 512, 1, 1
// CHECK-NEXT: .explicitcluster
// CHECK-NEXT: .reqnctapercluster 4, 1, 1
// CHECK: barrier.cluster.arrive.aligned
// CHECK-COUNT-8: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK: barrier.cluster.wait.aligned
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK: mapa.shared::cluster.u64
// CHECK-NEXT: st.shared::cluster.b32
// CHECK: barrier.cluster.arrive.aligned
// CHECK-NEXT: barrier.cluster.wait.aligned
// CHECK-COUNT-5: shfl.sync.bfly
// CHECK-NOT: {{ld.global|shfl|bar}}
// CHECK-COUNT-4: st.global.v4.b32

// The kernel before is waited for first; the next may start once the loads are on
// the way.
// RUN: norm-opt %s --norm-to-nvvm=dependent-launch=true | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefix=DEPENDENT
// DEPENDENT: .entry main_kernel0(
// DEPENDENT-NOT: ld.global
// DEPENDENT: griddepcontrol.wait
// DEPENDENT-COUNT-8: ld.global.v4.b32
// DEPENDENT: griddepcontrol.launch_dependents
// DEPENDENT-NOT: ld.global
// DEPENDENT: barrier.cluster.wait.aligned

// A chip without clusters reads such a row twice.
// RUN: norm-opt %s --norm-to-nvvm=chip=sm_80 | sed 's/\\0A/\n/g; s/\\09/ /g' | FileCheck %s --check-prefix=SM80
// SM80-NOT: cluster
// SM80: .entry main_kernel0(
// SM80-COUNT-2: bra

func.func @main(%x: tensor<?x65536xbf16>, %w: tensor<65536xbf16>, %i: tensor<?x65536xbf16>) -> tensor<?x65536xbf16> {
  %y = norm.rmsnorm ins(%x, %w : tensor<?x65536xbf16>, tensor<65536xbf16>) outs(%i : tensor<?x65536xbf16>) dims = [1] epsilon = 1.0e-5 : f32 normalized_type = bf16 -> tensor<?x65536xbf16>
  return %y : tensor<?x65536xbf16>
}
