// RUN: norm-opt %s --norm-plan-gpu-rows --split-input-file | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// 4096 f32: 256 threads, 4 elements an access, the row in one vector.
// CHECK-LABEL: func.func @row_sum
// CHECK: linalg.generic {{.*}}norm.row_lanes = 4096 : i64
// CHECK: {norm.threads = 256 : i64, norm.vector = 4 : i64}
func.func @row_sum(%x: tensor<64x4096xf32>, %init: tensor<64xf32>) -> tensor<64xf32> {
  %y = scf.forall (%i) in (64) shared_outs(%o = %init) -> (tensor<64xf32>) {
    %r = tensor.extract_slice %x[%i, 0] [1, 4096] [1, 1] : tensor<64x4096xf32> to tensor<1x4096xf32>
    %e = tensor.extract_slice %o[%i] [1] [1] : tensor<64xf32> to tensor<1xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%r : tensor<1x4096xf32>) outs(%e : tensor<1xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<64xf32>
    }
  }
  return %y : tensor<64xf32>
}

// -----

// bf16 beside f32: 16 bytes of the narrower. 5000 is no multiple of 16, so the
// vector is padded: 512 threads, 2 accesses of 8 each.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @widen
// CHECK: norm.row_lanes = 8192 : i64
// CHECK: {norm.threads = 512 : i64, norm.vector = 8 : i64}
func.func @widen(%x: tensor<4x5000xbf16>, %init: tensor<4x5000xf32>) -> tensor<4x5000xf32> {
  %y = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<4x5000xf32>) {
    %r = tensor.extract_slice %x[%i, 0] [1, 5000] [1, 1] : tensor<4x5000xbf16> to tensor<1x5000xbf16>
    %e = tensor.extract_slice %o[%i, 0] [1, 5000] [1, 1] : tensor<4x5000xf32> to tensor<1x5000xf32>
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<1x5000xbf16>) outs(%e : tensor<1x5000xf32>) {
    ^bb0(%a: bf16, %b: f32):
      %c = arith.extf %a : bf16 to f32
      linalg.yield %c : f32
    } -> tensor<1x5000xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5000] [1, 1] : tensor<1x5000xf32> into tensor<4x5000xf32>
    }
  }
  return %y : tensor<4x5000xf32>
}

// -----

// Odd rows cannot be aligned: one element an access. Rows beyond 24576 elements
// are done in strips, here of 16384.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @odd_and_long
// CHECK: norm.row_lanes = 16384 : i64
// CHECK: {norm.threads = 1024 : i64, norm.vector = 1 : i64}
func.func @odd_and_long(%x: tensor<4x50001xf32>, %init: tensor<4x50001xf32>) -> tensor<4x50001xf32> {
  %y = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<4x50001xf32>) {
    %r = tensor.extract_slice %x[%i, 0] [1, 50001] [1, 1] : tensor<4x50001xf32> to tensor<1x50001xf32>
    %e = tensor.extract_slice %o[%i, 0] [1, 50001] [1, 1] : tensor<4x50001xf32> to tensor<1x50001xf32>
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<1x50001xf32>) outs(%e : tensor<1x50001xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %a : f32
      linalg.yield %c : f32
    } -> tensor<1x50001xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 50001] [1, 1] : tensor<1x50001xf32> into tensor<4x50001xf32>
    }
  }
  return %y : tensor<4x50001xf32>
}

// -----

// In strips, the row of exponentials is computed by both of its users.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @recompute
// CHECK: scf.forall
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: arith.addf
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK-NEXT: arith.divf
// CHECK-NOT: linalg.generic
// CHECK: norm.threads = 256
func.func @recompute(%x: tensor<4x?xf32>, %init: tensor<4x?xf32>, %n: index) -> tensor<4x?xf32> {
  %y = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<4x?xf32>) {
    %r = tensor.extract_slice %x[%i, 0] [1, %n] [1, 1] : tensor<4x?xf32> to tensor<1x?xf32>
    %e = tensor.extract_slice %o[%i, 0] [1, %n] [1, 1] : tensor<4x?xf32> to tensor<1x?xf32>
    %t = tensor.empty(%n) : tensor<1x?xf32>
    %z = arith.constant dense<0.0> : tensor<1xf32>
    %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%r : tensor<1x?xf32>) outs(%t : tensor<1x?xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = math.exp %a : f32
      linalg.yield %c : f32
    } -> tensor<1x?xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<1x?xf32>) outs(%z : tensor<1xf32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<1xf32>
    %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %s : tensor<1x?xf32>, tensor<1xf32>) outs(%e : tensor<1x?xf32>) {
    ^bb0(%a: f32, %m: f32, %b: f32):
      %c = arith.divf %a, %m : f32
      linalg.yield %c : f32
    } -> tensor<1x?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%i, 0] [1, %n] [1, 1] : tensor<1x?xf32> into tensor<4x?xf32>
    }
  }
  return %y : tensor<4x?xf32>
}

// -----

// Outside a row loop nothing is vectorised, and parallel dimensions lead.
#t = affine_map<(d0, d1) -> (d0, d1)>
#c = affine_map<(d0, d1) -> (d1)>
// CHECK: #[[T:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @column_sum
// CHECK: linalg.generic {indexing_maps = [#[[T]], {{.*}}], iterator_types = ["parallel", "reduction"]}{{.*}}norm.row_lanes = 0 : i64
func.func @column_sum(%x: tensor<8x6xf32>, %init: tensor<6xf32>) -> tensor<6xf32> {
  %s = linalg.generic {indexing_maps = [#t, #c], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<8x6xf32>) outs(%init : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.addf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<6xf32>
  return %s : tensor<6xf32>
}
