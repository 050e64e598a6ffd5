// Functions and roundings of rows as AVX2 code: no call and no float operation on one
// element in an inner loop, and no function of libm in the file.

// RUN: norm-compile %s --emit=asm --mtriple=x86_64-linux-gnu --mcpu=x86-64-v3 -o %t.s
// RUN: FileCheck %s --check-prefix=ASM --input-file=%t.s --implicit-check-not=expf --implicit-check-not=roundevenf --implicit-check-not=vpsllvd
// RUN: %python %S/Inputs/inner_loops.py %t.s _mlir_ciface_softmax | FileCheck %s --check-prefix=SOFTMAX --implicit-check-not='calls {{[1-9]}}' --implicit-check-not='scalar {{[1-9]}}'
// RUN: %python %S/Inputs/inner_loops.py %t.s _mlir_ciface_gate | FileCheck %s --check-prefix=GATE --implicit-check-not='calls {{[1-9]}}' --implicit-check-not='scalar {{[1-9]}}'
// RUN: %python %S/Inputs/inner_loops.py %t.s _mlir_ciface_quantize | FileCheck %s --check-prefix=QUANTIZE --implicit-check-not='calls {{[1-9]}}' --implicit-check-not='scalar {{[1-9]}}'

// The largest magnitude is one of integers; the conversion rounds to nearest even, and
// whole registers are packed to bytes.
// ASM-LABEL: _mlir_ciface_quantize:
// ASM: vpmaxsd {{.*}}%ymm
// ASM: vdivps
// ASM-NOT: vroundps
// ASM: vcvtps2dq {{.*}}%ymm
// ASM: vpackssdw {{.*}}%ymm
// ASM: vpacksswb {{.*}}%ymm

// exp of 64 elements in parts: stored once each, nothing spilled. The next row is
// prefetched there; its maximum is taken where the quotients are streamed.
// SOFTMAX: loop: width 256, carried {{[0-9]}}, loads {{[1-4][0-9]}}, stores 8, nt 0, prefetch 4,
// SOFTMAX: loop: width 256, carried 8, loads 16, stores 0, nt 8, prefetch 4,
// SOFTMAX: loop: width 256, carried 0, loads 8, stores 0, nt 8, prefetch 0,

// 8 stores, and at most as many spills.
// GATE: loop: width 256, carried {{[0-9]}}, loads {{[1-9][0-9]}}, stores {{[89]|1[0-6]}}, nt 0, prefetch 8,
// GATE: loop: width 256, carried 8, loads {{8|16}}, stores 0, nt 0, prefetch 0,
// GATE: loop: width 256, carried 0, {{.*}} nt {{8|16}}, prefetch 0,
// GATE: loop: width 256, carried {{[0-9]}}, loads {{[1-9][0-9]}}, stores {{[89]|1[0-6]}}, nt 0, prefetch 0,

// The products are computed again, so no loop stores them; 64 bytes are two stores.
// QUANTIZE: loop: width 256, carried 8, loads 8, stores 0, nt 0, prefetch 0,
// QUANTIZE: loop: width 256, carried 8, loads 16, stores 0, nt 0, prefetch 0,
// QUANTIZE: loop: width 256, carried 0, loads 16, stores 0, nt 2, prefetch 4,
// QUANTIZE: loop: width 256, carried 8, loads 8, stores 0, nt 0, prefetch 0,
// QUANTIZE: loop: width 256, carried 8, loads 16, stores 0, nt 0, prefetch 0,
// QUANTIZE: loop: width 256, carried 0, loads 16, stores 2, nt 0, prefetch 0,

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#vec = affine_map<(d0) -> (d0)>

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

func.func @gate(%x: tensor<2048x4096xf32>, %w: tensor<4096xf32>, %z: tensor<2048x4096xf32>) -> tensor<2048x4096xf32> {
  %one = arith.constant 1.0 : f32
  %i = tensor.empty() : tensor<2048x4096xf32>
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %z : tensor<2048x4096xf32>, tensor<2048x4096xf32>) outs(%i : tensor<2048x4096xf32>) {
  ^bb0(%a: f32, %g: f32, %o: f32):
    %neg = arith.negf %g : f32
    %e = math.exp %neg : f32
    %d = arith.addf %e, %one : f32
    %silu = arith.divf %g, %d : f32
    %p = arith.mulf %a, %silu : f32
    linalg.yield %p : f32
  } -> tensor<2048x4096xf32>
  %y = norm.rmsnorm ins(%h, %w : tensor<2048x4096xf32>, tensor<4096xf32>) outs(%i : tensor<2048x4096xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<2048x4096xf32>
  return %y : tensor<2048x4096xf32>
}

func.func @quantize(%x: tensor<2048x4096xf32>, %w: tensor<4096xf32>) -> (tensor<2048x4096xi8>, tensor<2048xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 1.0e-30 : f32
  %top = arith.constant 127.0 : f32
  %bottom = arith.constant -127.0 : f32
  %i = tensor.empty() : tensor<2048x4096xf32>
  %j = tensor.empty() : tensor<2048xf32>
  %k = tensor.empty() : tensor<2048x4096xi8>
  %y = norm.rmsnorm ins(%x, %w : tensor<2048x4096xf32>, tensor<4096xf32>) outs(%i : tensor<2048x4096xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<2048x4096xf32>
  %z = linalg.fill ins(%zero : f32) outs(%j : tensor<2048xf32>) -> tensor<2048xf32>
  %amax = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<2048x4096xf32>) outs(%z : tensor<2048xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = math.absf %a : f32
    %t = arith.maximumf %o, %b : f32
    linalg.yield %t : f32
  } -> tensor<2048xf32>
  %scale = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%amax : tensor<2048xf32>) outs(%j : tensor<2048xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.divf %a, %top : f32
    %t = arith.maximumf %b, %least : f32
    linalg.yield %t : f32
  } -> tensor<2048xf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %scale : tensor<2048x4096xf32>, tensor<2048xf32>) outs(%k : tensor<2048x4096xi8>) {
  ^bb0(%a: f32, %s: f32, %o: i8):
    %d = arith.divf %a, %s : f32
    %r = math.roundeven %d : f32
    %u = arith.minimumf %r, %top : f32
    %v = arith.maximumf %u, %bottom : f32
    %b = arith.fptosi %v : f32 to i8
    linalg.yield %b : i8
  } -> tensor<2048x4096xi8>
  return %q, %scale : tensor<2048x4096xi8>, tensor<2048xf32>
}
