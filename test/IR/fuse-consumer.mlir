// RUN: norm-test-fuse-consumer %s --test-fuse-consumer --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// The rows of x are made in a loop: the op joins it, row by row.
// CHECK-LABEL: func @rows(
// CHECK: scf.forall (%[[IV:.*]]) in (16)
// CHECK: %[[E:.*]] = linalg.exp {{.*}} -> tensor<1x64xf32>
// CHECK: %[[N:.*]]:2 = norm.rmsnorm ins(%{{.*}}, %{{.*}} : tensor<1x64xf32>, tensor<64xf32>) outs(%{{.*}}, %{{.*}} : tensor<1x64xf32>, tensor<1xf32>)
// CHECK-DAG: tensor.parallel_insert_slice %[[N]]#0 into %{{.*}}[%[[IV]], 0] [1, 64]
// CHECK-DAG: tensor.parallel_insert_slice %[[N]]#1 into %{{.*}}[%[[IV]]] [1]
// CHECK-NOT: norm.rmsnorm
// CHECK: return
func.func @rows(%a: tensor<16x64xf32>, %w: tensor<64xf32>, %e: tensor<16x64xf32>, %i: tensor<16x64xf32>, %r: tensor<16xf32>) -> (tensor<16x64xf32>, tensor<16xf32>) {
  %x = scf.forall (%iv) in (16) shared_outs(%o = %e) -> tensor<16x64xf32> {
    %at = tensor.extract_slice %a[%iv, 0] [1, 64] [1, 1] : tensor<16x64xf32> to tensor<1x64xf32>
    %ot = tensor.extract_slice %o[%iv, 0] [1, 64] [1, 1] : tensor<16x64xf32> to tensor<1x64xf32>
    %t = linalg.exp ins(%at : tensor<1x64xf32>) outs(%ot : tensor<1x64xf32>) -> tensor<1x64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%iv, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<16x64xf32>
    }
  }
  %y:2 = norm.rmsnorm ins(%x, %w : tensor<16x64xf32>, tensor<64xf32>) outs(%i, %r : tensor<16x64xf32>, tensor<16xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<16x64xf32>, tensor<16xf32>
  return %y#0, %y#1 : tensor<16x64xf32>, tensor<16xf32>
}

// -----

// A weight with one value a row says which row: the op joins its loop.
// CHECK-LABEL: func @row_weight(
// CHECK: scf.forall
// CHECK: linalg.exp
// CHECK: norm.rmsnorm ins(%{{.*}}, %{{.*}} : tensor<1x64xf32>, tensor<1xf32>)
// CHECK-NOT: norm.rmsnorm
func.func @row_weight(%x: tensor<16x64xf32>, %a: tensor<16xf32>, %e: tensor<16xf32>, %i: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %w = scf.forall (%iv) in (16) shared_outs(%o = %e) -> tensor<16xf32> {
    %at = tensor.extract_slice %a[%iv] [1] [1] : tensor<16xf32> to tensor<1xf32>
    %ot = tensor.extract_slice %o[%iv] [1] [1] : tensor<16xf32> to tensor<1xf32>
    %t = linalg.exp ins(%at : tensor<1xf32>) outs(%ot : tensor<1xf32>) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%iv] [1] [1] : tensor<1xf32> into tensor<16xf32>
    }
  }
  %y = norm.rmsnorm ins(%x, %w : tensor<16x64xf32>, tensor<16xf32>) outs(%i : tensor<16x64xf32>) dims = [1] epsilon = 0.0 : f32 weight_dims = [0] -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// -----

// The loop makes a part of each row: the op stays behind it, whole.
// CHECK-LABEL: func @columns(
// CHECK: scf.forall
// CHECK-NOT: norm.rmsnorm
// CHECK: {{^    }$}}
// CHECK: norm.rmsnorm ins(%{{.*}} : tensor<16x64xf32>)
func.func @columns(%a: tensor<16x64xf32>, %e: tensor<16x64xf32>, %i: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %x = scf.forall (%iv) = (0) to (64) step (4) shared_outs(%o = %e) -> tensor<16x64xf32> {
    %at = tensor.extract_slice %a[0, %iv] [16, 4] [1, 1] : tensor<16x64xf32> to tensor<16x4xf32>
    %ot = tensor.extract_slice %o[0, %iv] [16, 4] [1, 1] : tensor<16x64xf32> to tensor<16x4xf32>
    %t = linalg.exp ins(%at : tensor<16x4xf32>) outs(%ot : tensor<16x4xf32>) -> tensor<16x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[0, %iv] [16, 4] [1, 1] : tensor<16x4xf32> into tensor<16x64xf32>
    }
  }
  // expected-remark@+1 {{not fused}}
  %y = norm.rmsnorm ins(%x : tensor<16x64xf32>) outs(%i : tensor<16x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

// -----

// A tile of a weight over the columns says nothing of the rows.
// CHECK-LABEL: func @column_weight(
// CHECK: scf.forall
// CHECK-NOT: norm.rmsnorm
// CHECK: {{^    }$}}
// CHECK: norm.rmsnorm ins(%{{.*}}, %{{.*}} : tensor<64x16xf32>, tensor<16xf32>)
func.func @column_weight(%x: tensor<64x16xf32>, %a: tensor<16xf32>, %e: tensor<16xf32>, %i: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %w = scf.forall (%iv) in (16) shared_outs(%o = %e) -> tensor<16xf32> {
    %at = tensor.extract_slice %a[%iv] [1] [1] : tensor<16xf32> to tensor<1xf32>
    %ot = tensor.extract_slice %o[%iv] [1] [1] : tensor<16xf32> to tensor<1xf32>
    %t = linalg.exp ins(%at : tensor<1xf32>) outs(%ot : tensor<1xf32>) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%iv] [1] [1] : tensor<1xf32> into tensor<16xf32>
    }
  }
  // expected-remark@+1 {{not fused}}
  %y = norm.rmsnorm ins(%x, %w : tensor<64x16xf32>, tensor<16xf32>) outs(%i : tensor<64x16xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}
