// What stands around a norm in models, on GPUs: one kernel a function, nothing of
// the size of x but the arguments, every row read once, results within a bound of
// f64 under the emulation.

// RUN: norm-compile %s --target=nvvm --emit=vector -o - | FileCheck %s --implicit-check-not=gpu.alloc --implicit-check-not=_kernel1
// CHECK-LABEL: func.func @residual
// CHECK: gpu.launch_func @norm_kernels::@residual_kernel0
// Two reads (x and the residual), each of 16 bytes, and two results: the sum is
// stored before the reduction.
// CHECK: gpu.func @residual_kernel0(
// CHECK-COUNT-4: vector.load {{.*}} {alignment = 16 : i64} : memref<?x4096xbf16>, vector<8xbf16>
// CHECK-NOT: vector.load
// CHECK-COUNT-2: vector.store {{.*}} {alignment = 16 : i64} : memref<?x4096xbf16>, vector<8xbf16>
// CHECK-NOT: vector.store
// CHECK-COUNT-2: vector.load {{.*}} {alignment = 16 : i64} : memref<4096xbf16>, vector<8xbf16>
// CHECK: gpu.shuffle
// CHECK-NOT: vector.load
// CHECK-COUNT-2: vector.store {{.*}} {alignment = 16 : i64} : memref<?x4096xbf16>, vector<8xbf16>
// CHECK-NOT: vector.store
// CHECK: gpu.func @residual_kernel0_unaligned(
// CHECK-LABEL: func.func @gate
// CHECK: gpu.launch_func @norm_kernels::@gate_kernel0
// CHECK-LABEL: func.func @bias
// CHECK: gpu.launch_func @norm_kernels::@bias_kernel0
// CHECK-LABEL: func.func @gemma
// CHECK: gpu.launch_func @norm_kernels::@gemma_kernel0
// CHECK-LABEL: func.func @int8
// CHECK: gpu.launch_func @norm_kernels::@int8_kernel0
// CHECK-LABEL: func.func @fp8
// CHECK: gpu.launch_func @norm_kernels::@fp8_kernel0
// CHECK-LABEL: func.func @fp8_given
// CHECK: gpu.launch_func @norm_kernels::@fp8_given_kernel0

// RUN: env PYTHONPATH=%S/../CPU:%normtest %python %S/Inputs/fused.py %t norm-run %s --pipeline=simt | FileCheck %s --check-prefix=BOUND
// BOUND-COUNT-7: : within the bound
// BOUND-NOT: OVER

// With extents that are known at run time only, in strips.
// RUN: %python %S/../CPU/neighbors.py %t.any norm-run %S/../CPU/neighbors.mlir --pipeline=simt | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC-COUNT-10: : within the bound
// DYNAMIC-NOT: OVER

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#none = affine_map<(d0, d1) -> ()>
#vec = affine_map<(d0) -> (d0)>

func.func @residual(%x: tensor<?x4096xbf16>, %res: tensor<?x4096xbf16>, %w: tensor<4096xbf16>) -> (tensor<?x4096xbf16>, tensor<?x4096xbf16>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x4096xbf16>
  %i = tensor.empty(%m) : tensor<?x4096xbf16>
  %h = linalg.add ins(%x, %res : tensor<?x4096xbf16>, tensor<?x4096xbf16>) outs(%i : tensor<?x4096xbf16>) -> tensor<?x4096xbf16>
  %y = norm.rmsnorm ins(%h, %w : tensor<?x4096xbf16>, tensor<4096xbf16>) outs(%i : tensor<?x4096xbf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = bf16 -> tensor<?x4096xbf16>
  return %h, %y : tensor<?x4096xbf16>, tensor<?x4096xbf16>
}

// norm(x) * silu(z), N of 2880.
func.func @gate(%x: tensor<?x2880xf32>, %w: tensor<2880xf32>, %z: tensor<?x2880xf32>) -> tensor<?x2880xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x2880xf32>
  %i = tensor.empty(%m) : tensor<?x2880xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x2880xf32>, tensor<2880xf32>) outs(%i : tensor<?x2880xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x2880xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %z : tensor<?x2880xf32>, tensor<?x2880xf32>) outs(%i : tensor<?x2880xf32>) {
  ^bb0(%a: f32, %g: f32, %o: f32):
    %neg = arith.negf %g : f32
    %e = math.exp %neg : f32
    %d = arith.addf %e, %one : f32
    %silu = arith.divf %g, %d : f32
    %p = arith.mulf %a, %silu : f32
    linalg.yield %p : f32
  } -> tensor<?x2880xf32>
  return %r : tensor<?x2880xf32>
}

// A row of 40000 is several blocks'.
func.func @bias(%x: tensor<?x40000xf32>, %w: tensor<40000xf32>, %bias: tensor<40000xf32>) -> tensor<?x40000xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x40000xf32>
  %i = tensor.empty(%m) : tensor<?x40000xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x40000xf32>, tensor<40000xf32>) outs(%i : tensor<?x40000xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x40000xf32>
  %r = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<?x40000xf32>, tensor<40000xf32>) outs(%i : tensor<?x40000xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x40000xf32>
  return %r : tensor<?x40000xf32>
}

// 1 + w in f32, one rounding, a short row.
func.func @gemma(%x: tensor<?x256xbf16>, %w: tensor<256xbf16>) -> tensor<?x256xbf16> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x256xbf16>
  %one = arith.constant 1.0 : f32
  %i = tensor.empty(%m) : tensor<?x256xbf16>
  %e = tensor.empty() : tensor<256xf32>
  %v = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%w : tensor<256xbf16>) outs(%e : tensor<256xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %b = arith.extf %a : bf16 to f32
    %c = arith.addf %b, %one : f32
    linalg.yield %c : f32
  } -> tensor<256xf32>
  %y = norm.rmsnorm ins(%x, %v : tensor<?x256xbf16>, tensor<256xf32>) outs(%i : tensor<?x256xbf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x256xbf16>
  return %y : tensor<?x256xbf16>
}

// Symmetric, one scale a row: amax / 127.
func.func @int8(%x: tensor<?x4096xbf16>, %w: tensor<4096xbf16>) -> (tensor<?x4096xi8>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 1.0e-30 : f32
  %top = arith.constant 127.0 : f32
  %bottom = arith.constant -127.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x4096xbf16>
  %i = tensor.empty(%m) : tensor<?x4096xf32>
  %j = tensor.empty(%m) : tensor<?xf32>
  %k = tensor.empty(%m) : tensor<?x4096xi8>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x4096xbf16>, tensor<4096xbf16>) outs(%i : tensor<?x4096xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%j : tensor<?xf32>) -> tensor<?xf32>
  %amax = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<?x4096xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = math.absf %a : f32
    %t = arith.maximumf %o, %b : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %scale = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%amax : tensor<?xf32>) outs(%j : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.divf %a, %top : f32
    %t = arith.maximumf %b, %least : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %scale : tensor<?x4096xf32>, tensor<?xf32>) outs(%k : tensor<?x4096xi8>) {
  ^bb0(%a: f32, %s: f32, %o: i8):
    %d = arith.divf %a, %s : f32
    %r = math.roundeven %d : f32
    %u = arith.minimumf %r, %top : f32
    %v = arith.maximumf %u, %bottom : f32
    %b = arith.fptosi %v : f32 to i8
    linalg.yield %b : i8
  } -> tensor<?x4096xi8>
  return %q, %scale : tensor<?x4096xi8>, tensor<?xf32>
}

// f8E4M3FN, one scale a row: amax / 448. Its bits leave as i8.
func.func @fp8(%x: tensor<?x4096xbf16>, %w: tensor<4096xbf16>) -> (tensor<?x4096xi8>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 1.0e-30 : f32
  %top = arith.constant 448.0 : f32
  %bottom = arith.constant -448.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x4096xbf16>
  %i = tensor.empty(%m) : tensor<?x4096xf32>
  %j = tensor.empty(%m) : tensor<?xf32>
  %k = tensor.empty(%m) : tensor<?x4096xi8>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x4096xbf16>, tensor<4096xbf16>) outs(%i : tensor<?x4096xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%j : tensor<?xf32>) -> tensor<?xf32>
  %amax = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<?x4096xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = math.absf %a : f32
    %t = arith.maximumf %o, %b : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %scale = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%amax : tensor<?xf32>) outs(%j : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.divf %a, %top : f32
    %t = arith.maximumf %b, %least : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %scale : tensor<?x4096xf32>, tensor<?xf32>) outs(%k : tensor<?x4096xi8>) {
  ^bb0(%a: f32, %s: f32, %o: i8):
    %d = arith.divf %a, %s : f32
    %u = arith.minimumf %d, %top : f32
    %v = arith.maximumf %u, %bottom : f32
    %f = arith.truncf %v : f32 to f8E4M3FN
    %b = arith.bitcast %f : f8E4M3FN to i8
    linalg.yield %b : i8
  } -> tensor<?x4096xi8>
  return %q, %scale : tensor<?x4096xi8>, tensor<?xf32>
}

// f8E4M3FN with a scale that is given.
func.func @fp8_given(%x: tensor<?x1152xf32>, %w: tensor<1152xf32>, %scale: tensor<f32>) -> tensor<?x1152xi8> {
  %c0 = arith.constant 0 : index
  %top = arith.constant 448.0 : f32
  %bottom = arith.constant -448.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x1152xf32>
  %i = tensor.empty(%m) : tensor<?x1152xf32>
  %k = tensor.empty(%m) : tensor<?x1152xi8>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x1152xf32>, tensor<1152xf32>) outs(%i : tensor<?x1152xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x1152xf32>
  %q = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %scale : tensor<?x1152xf32>, tensor<f32>) outs(%k : tensor<?x1152xi8>) {
  ^bb0(%a: f32, %s: f32, %o: i8):
    %d = arith.divf %a, %s : f32
    %u = arith.minimumf %d, %top : f32
    %v = arith.maximumf %u, %bottom : f32
    %f = arith.truncf %v : f32 to f8E4M3FN
    %b = arith.bitcast %f : f8E4M3FN to i8
    linalg.yield %b : i8
  } -> tensor<?x1152xi8>
  return %q : tensor<?x1152xi8>
}
