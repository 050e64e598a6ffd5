// RUN: norm-opt %s --norm-recognize | FileCheck %s
// RUN: norm-opt %s --norm-recognize='rounding=relaxed' | FileCheck %s

// Types and control flow that few programs have: each is read or left alone, and
// what comes out is valid.

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// CHECK-LABEL: func.func @f80(
// CHECK-NOT: norm.rmsnorm
func.func @f80(%x: tensor<8x8xf80>) -> tensor<8x8xf80> {
  %zero = arith.constant 0.0 : f80
  %n = arith.constant 8.0 : f80
  %eps = arith.constant 1.0e-6 : f80

  %e1 = tensor.empty() : tensor<8xf80>
  %init = linalg.fill ins(%zero : f80) outs(%e1 : tensor<8xf80>) -> tensor<8xf80>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf80>) outs(%init : tensor<8xf80>) {
  ^bb0(%in: f80, %acc: f80):
    %square = arith.mulf %in, %in : f80
    %next = arith.addf %square, %acc : f80
    linalg.yield %next : f80
  } -> tensor<8xf80>
  %e2 = tensor.empty() : tensor<8x8xf80>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xf80>, tensor<8xf80>) outs(%e2 : tensor<8x8xf80>) {
  ^bb0(%in: f80, %s: f80, %out: f80):
    %mean = arith.divf %s, %n : f80
    %m = arith.addf %mean, %eps : f80
    %r = math.rsqrt %m : f80
    %z = arith.mulf %in, %r : f80
    linalg.yield %z : f80
  } -> tensor<8x8xf80>
  return %y : tensor<8x8xf80>
}

// CHECK-LABEL: func.func @f128(
// CHECK-NOT: norm.rmsnorm
func.func @f128(%x: tensor<8x8xf128>) -> tensor<8x8xf128> {
  %zero = arith.constant 0.0 : f128
  %n = arith.constant 8.0 : f128
  %eps = arith.constant 1.0e-6 : f128

  %e1 = tensor.empty() : tensor<8xf128>
  %init = linalg.fill ins(%zero : f128) outs(%e1 : tensor<8xf128>) -> tensor<8xf128>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf128>) outs(%init : tensor<8xf128>) {
  ^bb0(%in: f128, %acc: f128):
    %square = arith.mulf %in, %in : f128
    %next = arith.addf %square, %acc : f128
    linalg.yield %next : f128
  } -> tensor<8xf128>
  %e2 = tensor.empty() : tensor<8x8xf128>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xf128>, tensor<8xf128>) outs(%e2 : tensor<8x8xf128>) {
  ^bb0(%in: f128, %s: f128, %out: f128):
    %mean = arith.divf %s, %n : f128
    %m = arith.addf %mean, %eps : f128
    %r = math.rsqrt %m : f128
    %z = arith.mulf %in, %r : f128
    linalg.yield %z : f128
  } -> tensor<8x8xf128>
  return %y : tensor<8x8xf128>
}

// CHECK-LABEL: func.func @tf32(
// CHECK-NOT: norm.rmsnorm
func.func @tf32(%x: tensor<8x8xtf32>) -> tensor<8x8xtf32> {
  %zero = arith.constant 0.0 : tf32
  %n = arith.constant 8.0 : tf32
  %eps = arith.constant 1.0e-6 : tf32

  %e1 = tensor.empty() : tensor<8xtf32>
  %init = linalg.fill ins(%zero : tf32) outs(%e1 : tensor<8xtf32>) -> tensor<8xtf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xtf32>) outs(%init : tensor<8xtf32>) {
  ^bb0(%in: tf32, %acc: tf32):
    %square = arith.mulf %in, %in : tf32
    %next = arith.addf %square, %acc : tf32
    linalg.yield %next : tf32
  } -> tensor<8xtf32>
  %e2 = tensor.empty() : tensor<8x8xtf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xtf32>, tensor<8xtf32>) outs(%e2 : tensor<8x8xtf32>) {
  ^bb0(%in: tf32, %s: tf32, %out: tf32):
    %mean = arith.divf %s, %n : tf32
    %m = arith.addf %mean, %eps : tf32
    %r = math.rsqrt %m : tf32
    %z = arith.mulf %in, %r : tf32
    linalg.yield %z : tf32
  } -> tensor<8x8xtf32>
  return %y : tensor<8x8xtf32>
}

// CHECK-LABEL: func.func @f16_to_f8(
// CHECK: norm.rmsnorm ins(
func.func @f16_to_f8(%x: tensor<8x8xf16>) -> tensor<8x8xf8E5M2> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf16>) outs(%init : tensor<8xf32>) {
  ^bb0(%i: f16, %acc: f32):
    %in = arith.extf %i : f16 to f32
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf8E5M2>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xf16>, tensor<8xf32>) outs(%e2 : tensor<8x8xf8E5M2>) {
  ^bb0(%i: f16, %s: f32, %out: f8E5M2):
    %in = arith.extf %i : f16 to f32
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %t = arith.truncf %z : f32 to f8E5M2
    linalg.yield %t : f8E5M2
  } -> tensor<8x8xf8E5M2>
  return %y : tensor<8x8xf8E5M2>
}

// CHECK-LABEL: func.func @vectors(
// CHECK-NOT: norm.rmsnorm
func.func @vectors(%x: tensor<8x8xvector<4xf32>>) -> tensor<8x8xvector<4xf32>> {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %n = arith.constant dense<8.0> : vector<4xf32>
  %e1 = tensor.empty() : tensor<8xvector<4xf32>>
  %init = linalg.fill ins(%zero : vector<4xf32>) outs(%e1 : tensor<8xvector<4xf32>>) -> tensor<8xvector<4xf32>>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xvector<4xf32>>) outs(%init : tensor<8xvector<4xf32>>) {
  ^bb0(%in: vector<4xf32>, %acc: vector<4xf32>):
    %square = arith.mulf %in, %in : vector<4xf32>
    %next = arith.addf %square, %acc : vector<4xf32>
    linalg.yield %next : vector<4xf32>
  } -> tensor<8xvector<4xf32>>
  %e2 = tensor.empty() : tensor<8x8xvector<4xf32>>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xvector<4xf32>>, tensor<8xvector<4xf32>>) outs(%e2 : tensor<8x8xvector<4xf32>>) {
  ^bb0(%in: vector<4xf32>, %s: vector<4xf32>, %out: vector<4xf32>):
    %mean = arith.divf %s, %n : vector<4xf32>
    %r = math.rsqrt %mean : vector<4xf32>
    %z = arith.mulf %in, %r : vector<4xf32>
    linalg.yield %z : vector<4xf32>
  } -> tensor<8x8xvector<4xf32>>
  return %y : tensor<8x8xvector<4xf32>>
}

// CHECK-LABEL: func.func @complex_part(
// CHECK-NOT: norm.rmsnorm
func.func @complex_part(%x: tensor<8x8xcomplex<f32>>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xcomplex<f32>>) outs(%init : tensor<8xf32>) {
  ^bb0(%c: complex<f32>, %acc: f32):
    %in = complex.abs %c : complex<f32>
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xcomplex<f32>>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%c: complex<f32>, %s: f32, %out: f32):
    %in = complex.re %c : complex<f32>
    %mean = arith.divf %s, %n : f32
    %r = math.rsqrt %mean : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @complex_abs(
// CHECK: norm.rmsnorm ins(
func.func @complex_abs(%x: tensor<8x8xcomplex<f32>>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xcomplex<f32>>) outs(%init : tensor<8xf32>) {
  ^bb0(%c: complex<f32>, %acc: f32):
    %in = complex.abs %c : complex<f32>
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xcomplex<f32>>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%c: complex<f32>, %s: f32, %out: f32):
    %in = complex.abs %c : complex<f32>
    %mean = arith.divf %s, %n : f32
    %r = math.rsqrt %mean : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @rank_0(
// CHECK-NOT: norm.rmsnorm
func.func @rank_0(%x: tensor<f32>) -> tensor<f32> {
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%x : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %in : f32
    %m = arith.addf %s, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @no_columns(
// CHECK: norm.rmsnorm ins(
func.func @no_columns(%x: tensor<8x0xf32>) -> tensor<8x0xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-6 : f32

  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x0xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x0xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x0xf32>, tensor<8xf32>) outs(%e2 : tensor<8x0xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x0xf32>
  return %y : tensor<8x0xf32>
}

// CHECK-LABEL: func.func @no_rows(
// CHECK: norm.rmsnorm ins(
func.func @no_rows(%x: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32

  %e1 = tensor.empty() : tensor<0xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<0xf32>) -> tensor<0xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<0x8xf32>) outs(%init : tensor<0xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<0xf32>
  %e2 = tensor.empty() : tensor<0x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<0x8xf32>, tensor<0xf32>) outs(%e2 : tensor<0x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<0x8xf32>
  return %y : tensor<0x8xf32>
}

// CHECK-LABEL: func.func @in_a_branch(
// CHECK: norm.rmsnorm ins(
func.func @in_a_branch(%x: tensor<8x8xf32>, %cond: i1) -> tensor<8x8xf32> {
  %res = scf.if %cond -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32

  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xf32>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  scf.yield %y : tensor<8x8xf32>
  } else {
  scf.yield %x : tensor<8x8xf32>
  }
  return %res : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @over_blocks(
// CHECK: norm.rmsnorm ins(
func.func @over_blocks(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32

  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  cf.br ^next
^next:
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xf32>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @statistic_of_last_turn(
// CHECK-NOT: norm.rmsnorm
func.func @statistic_of_last_turn(%x0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %x0, %old = %init) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %old : tensor<8x8xf32>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  scf.yield %y, %sum : tensor<8x8xf32>, tensor<8xf32>
  }
  return %r#0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @integers(
// CHECK: norm.rmsnorm ins(
func.func @integers(%x: tensor<8x8xi32>) -> tensor<8x8xi32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xi32>) outs(%init : tensor<8xf32>) {
  ^bb0(%i: i32, %acc: f32):
    %in = arith.sitofp %i : i32 to f32
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xi32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xi32>, tensor<8xf32>) outs(%e2 : tensor<8x8xi32>) {
  ^bb0(%i: i32, %s: f32, %out: i32):
    %in = arith.sitofp %i : i32 to f32
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %t = arith.fptosi %z : f32 to i32
    linalg.yield %t : i32
  } -> tensor<8x8xi32>
  return %y : tensor<8x8xi32>
}

// CHECK-LABEL: func.func @encoded(
// CHECK-NOT: norm.rmsnorm
func.func @encoded(%x: tensor<8x8xf32, "e">) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32

  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32, "e">) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xf32, "e">, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @wide_integer(
// CHECK-NOT: norm.rmsnorm
func.func @wide_integer(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %w = arith.constant 36893488147419103240 : i128
  %nn = arith.uitofp %w : i128 to f32
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xf32>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %nn : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @fastmath(
// CHECK: norm.rmsnorm ins(
func.func @fastmath(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32

  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in fastmath<nnan,ninf> : f32
    %next = arith.addf %square, %acc fastmath<reassoc> : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xf32>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @two_results(
// CHECK: norm.rmsnorm ins(
func.func @two_results(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%init, %init : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%in: f32, %a0: f32, %a1: f32):
    %square = arith.mulf %in, %in : f32
    %n0 = arith.addf %a0, %in : f32
    %n1 = arith.addf %a1, %square : f32
    linalg.yield %n0, %n1 : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum#1 : tensor<8x8xf32>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  return %y, %sum#0 : tensor<8x8xf32>, tensor<8xf32>
}

// 1 + a slice of w is computed over the slice, not over w itself.

// CHECK-LABEL: func.func @weight_of_a_slice(
// CHECK: %[[SLICE:.*]] = tensor.extract_slice
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%[[SLICE]] : tensor<8xf32>)
// CHECK: norm.rmsnorm ins(%arg0, %[[W]] : tensor<8x8xf32>, tensor<8xf32>)
func.func @weight_of_a_slice(%x: tensor<8x8xf32>, %w: tensor<16xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %ws = tensor.extract_slice %w[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %ws : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %out: f32):
    %w1 = arith.addf %g, %one : f32
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %w1 : f32
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// A result from outside of the body, beside an op that it does not need: there is
// nothing to read it from. (It was read through a null pointer; found by norm-fuzz.)
// CHECK-LABEL: func.func @yields_from_outside(
// CHECK-NOT: norm.rmsnorm
func.func @yields_from_outside(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %r = math.rsqrt %s : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %zero : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

// The normalized value is read by others through a body that only moves it, which
// yields an argument: the norm ends in front of it. (A null pointer was read.)
// CHECK-LABEL: func.func @is_shared_transposed(
// CHECK: %[[Z:.*]] = norm.rmsnorm ins(%arg0 : tensor<4x32xf32>)
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[Z]] : tensor<4x32xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[T]], %arg1 :
// CHECK: return %[[T]],
func.func @is_shared_transposed(%x: tensor<4x32xf32>, %w: tensor<32xf32>)
    -> (tensor<32x4xf32>, tensor<32x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %z = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %root = math.sqrt %mean : f32
    %v = arith.divf %in, %root : f32
    linalg.yield %v : f32
  } -> tensor<4x32xf32>
  %e3 = tensor.empty() : tensor<32x4xf32>
  %t = linalg.transpose ins(%z : tensor<4x32xf32>) outs(%e3 : tensor<32x4xf32>) permutation = [1, 0]
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%t, %w : tensor<32x4xf32>, tensor<32xf32>) outs(%e3 : tensor<32x4xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %v = arith.mulf %in, %weight : f32
    linalg.yield %v : f32
  } -> tensor<32x4xf32>
  return %t, %y : tensor<32x4xf32>, tensor<32x4xf32>
}

// The verifier reads 32 bits of the indices of groups: these are dimension 0.
// CHECK-LABEL: func.func @wide_groups(
// CHECK: norm.rmsnorm
func.func @wide_groups(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %expanded = tensor.expand_shape %sum [[4294967296, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %collapsed = tensor.collapse_shape %expanded [[4294967296, 1]] : tensor<8x1xf32> into tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %collapsed : tensor<8x8xf32>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %shifted = arith.addf %mean, %eps : f32
    %r = math.rsqrt %shifted : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
