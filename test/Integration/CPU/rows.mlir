// Row-wise programs that the passes know nothing of, run against numpy in f64:
// softmax, LayerNorm, and RMSNorm between a residual sum, a gate and a bias. Each
// becomes one loop over its rows without a temporary of the size of x.

// Behind the second else (the first one is of the question whether buffers are large). Functions are computed in parts.
// RUN: norm-compile %s --emit=vector -o - | FileCheck %s --strict-whitespace
// CHECK-LABEL: func.func @softmax
// CHECK: {{^}}    } else {
// CHECK: {{^}}    } else {
// CHECK: memref.alloc(%{{[a-z0-9_]*}}) {{.*}} : memref<1x?xf32>
// CHECK-NOT: memref.alloc
// CHECK: {{^}}      scf.for
// CHECK: vector.transfer_read {{.*}} vector<64xf32>
// CHECK: vector.transfer_read {{.*}} vector<16xf32>
// CHECK: math.exp {{.*}} : vector<16xf32>
// CHECK-NOT: {{^}}      scf.for
// CHECK: return
// Of LayerNorm, x - mean is computed again and not kept.
// CHECK-LABEL: func.func @layernorm
// CHECK: {{^}}    } else {
// CHECK: {{^}}    } else {
// CHECK-NOT: memref.alloc
// CHECK: {{^}}      scf.for
// CHECK: vector.transfer_read {{.*}} vector<64xf32>
// Its centered half is RMSNorm of x - mean, which recognition finds.
// CHECK: math.sqrt {{.*}} : f32
// CHECK-NOT: {{^}}      scf.for
// CHECK: return
// CHECK-LABEL: func.func @residual_gate_bias
// CHECK: {{^}}    } else {
// CHECK: {{^}}    } else {
// CHECK-NOT: memref.alloc(%{{[a-z0-9_]*}}, %
// CHECK: {{^}}      scf.for
// CHECK: vector.transfer_read {{.*}} vector<64xf32>
// CHECK-NOT: {{^}}      scf.for
// CHECK-NOT: memref.alloc
// CHECK: return
// A residual sum that is a result is written beside its norm and never read back.
// CHECK-LABEL: func.func @residual_two_results
// CHECK: {{^}}    } else {
// CHECK: {{^}}    } else {
// CHECK-NOT: memref.alloc
// CHECK-NOT: copy
// CHECK-NOT: vector.transfer_read %arg5
// CHECK: arith.addf {{.*}} : vector<64xf32>
// CHECK: vector.transfer_write %{{.*}}, %arg6
// CHECK: vector.transfer_write %{{.*}}, %arg5
// CHECK-NOT: memref.alloc
// CHECK-NOT: copy
// CHECK-NOT: vector.transfer_read %arg5
// CHECK: return

// RUN: %python %S/rows.py %t

// One element, less than a vector, whole vectors, odd lengths, every tail.
// RUN: norm-run %s --function=softmax --input=@%t.3x1.x.npy --expected-output=@%t.3x1.softmax.npy | FileCheck %s --check-prefix=ULP
// RUN: norm-run %s --function=softmax --input=@%t.5x37.x.npy --expected-output=@%t.5x37.softmax.npy | FileCheck %s --check-prefix=ULP
// RUN: norm-run %s --function=softmax --input=@%t.2x64.x.npy --expected-output=@%t.2x64.softmax.npy | FileCheck %s --check-prefix=ULP
// RUN: norm-run %s --function=softmax --input=@%t.67x257.x.npy --expected-output=@%t.67x257.softmax.npy | FileCheck %s --check-prefix=ULP
// RUN: norm-run %s --function=softmax --input=@%t.3x1000.x.npy --expected-output=@%t.3x1000.softmax.npy | FileCheck %s --check-prefix=ULP
// ULP: result[0]: max ulp
// ULP-NOT: over the limit

// RUN: norm-run %s --function=layernorm --input=@%t.3x1.x.npy --input=@%t.3x1.w.npy --input=@%t.3x1.b.npy --output=@%t.out.npy
// RUN: %python %S/rows.py %t --layernorm 3x1 %t.out.npy | FileCheck %s --check-prefix=LN
// RUN: norm-run %s --function=layernorm --input=@%t.5x37.x.npy --input=@%t.5x37.w.npy --input=@%t.5x37.b.npy --output=@%t.out.npy
// RUN: %python %S/rows.py %t --layernorm 5x37 %t.out.npy | FileCheck %s --check-prefix=LN
// RUN: norm-run %s --function=layernorm --input=@%t.67x257.x.npy --input=@%t.67x257.w.npy --input=@%t.67x257.b.npy --output=@%t.out.npy
// RUN: %python %S/rows.py %t --layernorm 67x257 %t.out.npy | FileCheck %s --check-prefix=LN
// LN: layernorm {{.*}}: error {{.*}} of the bound

// y * gate + bias has no cancellation; h = x + res may be a result too, exact.
// RUN: norm-run %s --function=residual_gate_bias --input=@%t.67x257.x.npy --input=@%t.67x257.res.npy --input=@%t.67x257.w.npy --input=@%t.67x257.gate.npy --input=@%t.67x257.b.npy --expected-output=@%t.67x257.gated.npy | FileCheck %s --check-prefix=ULP
// RUN: norm-run %s --function=residual_two_results --input=@%t.5x37.x.npy --input=@%t.5x37.res.npy --input=@%t.5x37.w.npy --input=@%t.5x37.gate.npy --input=@%t.5x37.b.npy --expected-output=@%t.5x37.h.npy --expected-output=@%t.5x37.gated.npy | FileCheck %s --check-prefix=GATE
// RUN: norm-run %s --function=residual_two_results --input=@%t.67x257.x.npy --input=@%t.67x257.res.npy --input=@%t.67x257.w.npy --input=@%t.67x257.gate.npy --input=@%t.67x257.b.npy --expected-output=@%t.67x257.h.npy --expected-output=@%t.67x257.gated.npy | FileCheck %s --check-prefix=GATE
// GATE: result[0]: max ulp 0 over
// GATE: result[1]: max ulp
// GATE-NOT: over the limit

// Two threads give the bits of one.
// RUN: norm-run %s --function=softmax --input=@%t.67x257.x.npy --output=@%t.one.npy
// RUN: norm-run %s --function=softmax --threads=2 --input=@%t.67x257.x.npy --expected-output=@%t.one.npy --max-ulp=0 | FileCheck %s --check-prefix=SAME
// RUN: norm-run %s --function=layernorm --threads=2 --input=@%t.67x257.x.npy --input=@%t.67x257.w.npy --input=@%t.67x257.b.npy --expected-output=@%t.out.npy --max-ulp=0 | FileCheck %s --check-prefix=SAME
// SAME: result[0]: max ulp 0 over 17219 elements{{$}}

// Static and dynamic extents of zero, S9 of docs/Norm.md.
// RUN: norm-run %s --function=no_rows --input=0x8xf32=0 | FileCheck %s --check-prefix=ROWS0
// ROWS0: result[0]: 0x8xf32=
// RUN: norm-run %s --function=empty_rows --input=2x0xf32=0 | FileCheck %s --check-prefix=COLS0
// COLS0: result[0]: 2x0xf32=
// COLS0: result[1]: 2xf32=nan nan
// RUN: norm-run %s --function=softmax --input=0x8xf32=0 | FileCheck %s --check-prefix=ROWS0
// RUN: norm-run %s --function=softmax --input=2x0xf32=0 | FileCheck %s --check-prefix=SOFTMAX0
// RUN: norm-run %s --function=softmax --threads=2 --input=2x0xf32=0 | FileCheck %s --check-prefix=SOFTMAX0
// SOFTMAX0: result[0]: 2x0xf32=

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = tensor.empty(%m, %n) : tensor<?x?xf32>
  %max0 = linalg.fill ins(%low : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<?x?xf32>) outs(%max0 : tensor<?xf32>) dimensions = [1]
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %c = math.exp %d : f32
    linalg.yield %c : f32
  } -> tensor<?x?xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<?x?xf32>) outs(%sum0 : tensor<?xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @layernorm(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %ni = arith.index_cast %n : index to i64
  %count = arith.sitofp %ni : i64 to f32
  %e = tensor.empty(%m) : tensor<?xf32>
  %y = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%z : tensor<?xf32>) dimensions = [1]
  %centered = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %a, %mean : f32
    linalg.yield %d : f32
  } -> tensor<?x?xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%centered : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%d: f32, %s: f32):
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%squares : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%s: f32, %o: f32):
    %v = arith.divf %s, %count : f32
    %t = arith.addf %v, %eps : f32
    %q = math.rsqrt %t : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  %result = linalg.generic {indexing_maps = [#id, #row, #col, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%centered, %r, %w, %bias : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%d: f32, %q: f32, %g: f32, %b: f32, %o: f32):
    %p = arith.mulf %d, %q : f32
    %s = arith.mulf %p, %g : f32
    %t = arith.addf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  return %result : tensor<?x?xf32>
}

func.func @residual_gate_bias(%x: tensor<?x?xf32>, %res: tensor<?x?xf32>, %w: tensor<?xf32>, %gate: tensor<?x?xf32>, %bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = tensor.empty(%m, %n) : tensor<?x?xf32>
  %h = linalg.add ins(%x, %res : tensor<?x?xf32>, tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = norm.rmsnorm ins(%h, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %gate, %bias : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) {
  ^bb0(%a: f32, %g: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %g : f32
    %s = arith.addf %p, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

func.func @residual_two_results(%x: tensor<?x?xf32>, %res: tensor<?x?xf32>, %w: tensor<?xf32>, %gate: tensor<?x?xf32>, %bias: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = tensor.empty(%m, %n) : tensor<?x?xf32>
  %h = linalg.add ins(%x, %res : tensor<?x?xf32>, tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = norm.rmsnorm ins(%h, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %gate, %bias : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) {
  ^bb0(%a: f32, %g: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %g : f32
    %s = arith.addf %p, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %h, %r : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @no_rows(%x: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %i = tensor.empty() : tensor<0x8xf32>
  %y = norm.rmsnorm ins(%x : tensor<0x8xf32>) outs(%i : tensor<0x8xf32>) dims = [1] epsilon = 0.0 : f32 count = 3 -> tensor<0x8xf32>
  return %y : tensor<0x8xf32>
}

func.func @empty_rows(%x: tensor<2x0xf32>) -> (tensor<2x0xf32>, tensor<2xf32>) {
  %i = tensor.empty() : tensor<2x0xf32>
  %j = tensor.empty() : tensor<2xf32>
  %y, %r = norm.rmsnorm ins(%x : tensor<2x0xf32>) outs(%i, %j : tensor<2x0xf32>, tensor<2xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<2x0xf32>, tensor<2xf32>
  return %y, %r : tensor<2x0xf32>, tensor<2xf32>
}
