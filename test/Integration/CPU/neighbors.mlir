// RMSNorm with what stands around it in models, in f32 and bf16: a residual sum
// that is a result too, a bias, a SiLU gate before and after, and quantization of
// each row to int8. One loop over the rows, no buffer of the size of x but the
// arguments, and results within a bound of f64.

// Behind the second else: the first one is of the question whether buffers are large.
// RUN: norm-compile %s --emit=vector -o - | FileCheck %s --strict-whitespace
// One row of the sum is kept, which is written with its norm.
// CHECK-LABEL: func.func @residual_bf16
// CHECK: {{^}}    } else {
// CHECK: {{^}}    } else {
// CHECK-NOT: memref.alloc({{.*}} : memref<?x
// CHECK: {{^}}      scf.for
// CHECK-NOT: {{^}}      scf.for
// CHECK-NOT: memref.copy
// CHECK: return
// CHECK-LABEL: func.func @bias
// CHECK: {{^}}    } else {
// CHECK: {{^}}    } else {
// CHECK-NOT: memref.alloc(
// CHECK: {{^}}      scf.for
// CHECK-NOT: {{^}}      scf.for
// CHECK-NOT: memref.copy
// CHECK: return
// CHECK-LABEL: func.func @gate_after
// CHECK: {{^}}    } else {
// CHECK: {{^}}    } else {
// CHECK-NOT: memref.alloc(
// CHECK: {{^}}      scf.for
// CHECK: math.exp {{.*}} : vector<16xf32>
// CHECK-NOT: {{^}}      scf.for
// CHECK-NOT: memref.copy
// CHECK: return
// The gated row is kept for its second pass, one row of it.
// CHECK-LABEL: func.func @gate_before
// CHECK: {{^}}    } else {
// CHECK: {{^}}    } else {
// CHECK-NOT: memref.alloc({{.*}} : memref<?x
// CHECK: {{^}}      scf.for
// CHECK: math.exp {{.*}} : vector<16xf32>
// CHECK-NOT: {{^}}      scf.for
// CHECK-NOT: memref.alloc({{.*}} : memref<?x
// CHECK-NOT: memref.copy
// CHECK: return
// CHECK-LABEL: func.func @quantize
// CHECK: {{^}}    } else {
// CHECK: {{^}}    } else {
// CHECK-NOT: memref.alloc({{.*}} : memref<?x
// CHECK: {{^}}      scf.for
// CHECK: math.roundeven {{.*}} : vector<64xf32>
// CHECK: arith.fptosi {{.*}} : vector<64xf32> to vector<64xi8>
// CHECK-NOT: {{^}}      scf.for
// CHECK-NOT: memref.alloc({{.*}} : memref<?x
// CHECK-NOT: memref.copy
// CHECK: return

// RUN: %python %S/neighbors.py %t norm-compile %s --mcpu=native | FileCheck %s --check-prefix=BOUND
// RUN: %python %S/neighbors.py %t norm-compile %s --mcpu=native --threads=2 | FileCheck %s --check-prefix=BOUND
// BOUND-COUNT-25: : within the bound
// BOUND-NOT: OVER

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#vec = affine_map<(d0) -> (d0)>

func.func @residual_bf16(%x: tensor<?x?xbf16>, %res: tensor<?x?xbf16>, %w: tensor<?xbf16>) -> (tensor<?x?xbf16>, tensor<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %i = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %h = linalg.add ins(%x, %res : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%i : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %y = norm.rmsnorm ins(%h, %w : tensor<?x?xbf16>, tensor<?xbf16>) outs(%i : tensor<?x?xbf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = bf16 -> tensor<?x?xbf16>
  return %h, %y : tensor<?x?xbf16>, tensor<?x?xbf16>
}

func.func @bias(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Mamba 2's gated norm with norm_before_gate: norm(x) * silu(z).
func.func @gate_after(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %z : tensor<?x?xf32>, tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) {
  ^bb0(%a: f32, %g: f32, %o: f32):
    %neg = arith.negf %g : f32
    %e = math.exp %neg : f32
    %d = arith.addf %e, %one : f32
    %silu = arith.divf %g, %d : f32
    %p = arith.mulf %a, %silu : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Its other form: norm(x * silu(z)).
func.func @gate_before(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = tensor.empty(%m, %n) : tensor<?x?xf32>
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %z : tensor<?x?xf32>, tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) {
  ^bb0(%a: f32, %g: f32, %o: f32):
    %neg = arith.negf %g : f32
    %e = math.exp %neg : f32
    %d = arith.addf %e, %one : f32
    %silu = arith.divf %g, %d : f32
    %p = arith.mulf %a, %silu : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  %y = norm.rmsnorm ins(%h, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Symmetric, one scale a row: amax / 127.
func.func @quantize(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> (tensor<?x?xi8>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 1.0e-30 : f32
  %top = arith.constant 127.0 : f32
  %bottom = arith.constant -127.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = tensor.empty(%m, %n) : tensor<?x?xf32>
  %j = tensor.empty(%m) : tensor<?xf32>
  %k = tensor.empty(%m, %n) : tensor<?x?xi8>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%j : tensor<?xf32>) -> tensor<?xf32>
  %amax = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
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
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %scale : tensor<?x?xf32>, tensor<?xf32>) outs(%k : tensor<?x?xi8>) {
  ^bb0(%a: f32, %s: f32, %o: i8):
    %d = arith.divf %a, %s : f32
    %r = math.roundeven %d : f32
    %u = arith.minimumf %r, %top : f32
    %v = arith.maximumf %u, %bottom : f32
    %b = arith.fptosi %v : f32 to i8
    linalg.yield %b : i8
  } -> tensor<?x?xi8>
  return %q, %scale : tensor<?x?xi8>, tensor<?xf32>
}
