// Masks and other elements that are not whole bytes: memory has a byte for each
// i1, and vectors must find them there, one loop with the norm.

// RUN: %python %S/element_types.py 1,2,3,4,5,7,8,12,16 norm-run | FileCheck %s --check-prefix=WIDTHS
// RUN: %python %S/element_types.py 24,32,48,64,65,100,128 norm-run | FileCheck %s --check-prefix=WIDTHS
// RUN: %python %S/element_types.py 4 norm-run --threads=2 --verify-buffers | FileCheck %s --check-prefix=WIDTHS
// WIDTHS: i{{[0-9]+}}: {{1[13]}} results are right
// RUN: not %python %S/element_types.py --wrong 4 norm-run 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: i4: wide_s: element 2 is

// RUN: %python -c "import numpy as n; r = n.random.default_rng(7); n.save('%t.x.npy', r.standard_normal((3, 83), 'f')); n.save('%t.m.npy', r.random((3, 83)) < .7); n.save('%t.r.npy', n.array([True, False, True]))"
// RUN: norm-run %s --pipeline=upstream --function=padding --input=@%t.x.npy --input=@%t.m.npy --output=@%t.padding.npy
// RUN: norm-run %s --function=padding --input=@%t.x.npy --input=@%t.m.npy --expected-output=@%t.padding.npy
// RUN: not norm-run %s --function=padding --input=@%t.x.npy --input=@%t.m.npy --expected-output=@%t.x.npy
// RUN: norm-run %s --pipeline=upstream --function=rows --input=@%t.x.npy --input=@%t.r.npy --output=@%t.rows.npy
// RUN: norm-run %s --function=rows --input=@%t.x.npy --input=@%t.r.npy --expected-output=@%t.rows.npy
// RUN: norm-run %s --pipeline=upstream --function=compared --input=@%t.x.npy --output=@%t.y.npy --output=@%t.positive.npy --output=@%t.any.npy
// RUN: norm-run %s --function=compared --input=@%t.x.npy --expected-output=@%t.y.npy --expected-output=@%t.positive.npy --expected-output=@%t.any.npy
// RUN: %python -c "import numpy as n; y, p, a = [n.load('%t.' + f + '.npy') for f in ('y', 'positive', 'any')]; assert p.dtype == a.dtype == bool; assert (p == (y > 0)).all() and (a == (y > 2).any(1)).all()"

// One loop, vectors from the bytes of the mask, and nothing packed.
// RUN: norm-compile %s --emit=vector -o - | FileCheck %s --implicit-check-not='memref<{{[^>]*}}xi1' --implicit-check-not=linalg.
// CHECK-LABEL: func.func @padding
// CHECK: %[[M:.*]] = vector.transfer_read %{{.*}} : memref<3x83xi8>, vector<64xi8>
// CHECK: arith.trunci %[[M]] : vector<64xi8> to vector<64xi1>
// CHECK-LABEL: func.func @rows
// CHECK: memref.load %{{.*}} : memref<3xi8>
// CHECK-LABEL: func.func @compared
// CHECK: arith.extui %{{.*}} : vector<64xi1> to vector<64xi8>
// CHECK: vector.transfer_write %{{.*}} : vector<64xi8>, memref<3x83xi8>
// CHECK: arith.extui %{{.*}} : vector<64xi1> to vector<64xi8>
// CHECK: arith.ori %{{.*}} : vector<16xi8>

// RUN: norm-compile %s --emit=asm --mtriple=x86_64-linux --mcpu=x86-64-v3 -o - | FileCheck %s --check-prefix=ASM
// ASM-LABEL: _mlir_ciface_padding:
// ASM-COUNT-5: vpmovzxbd
// ASM: retq

// A byte that is neither: the lowest bit counts.
// RUN: norm-run %s --function=chosen --input=4xi1='0 1 2 255' | FileCheck %s --check-prefix=BYTES
// BYTES: 4xf32=2 1 2 1

// RUN: norm-compile %s --emit=header -o - | FileCheck %s --check-prefix=HEADER
// HEADER: /* scalar(i1, tensor<2xf32>) -> (tensor<2xf32>) */
// HEADER: _mlir_ciface_scalar(bool arg0, const norm_memref_1d *arg1, norm_memref_1d *result0);
// RUN: echo 'func.func @f(%%x: tensor<8xi4>) { return }' > %t.i4.mlir
// RUN: not norm-compile %t.i4.mlir --emit=header -o - 2>&1 | FileCheck %s --check-prefix=CTYPE
// CTYPE: error: type tensor<8xi4> has no C equivalent
// A buffer of 8-bit floats is one of bytes, and a single one its bits.
// RUN: echo 'func.func @f(%%x: tensor<8xf8E4M3FN>) { return }' > %t.f8.mlir
// RUN: norm-compile %t.f8.mlir --emit=header -o - | FileCheck %s --check-prefix=FLOAT8
// FLOAT8: _mlir_ciface_f(const norm_memref_1d *arg0);
// RUN: echo 'func.func @f(%%x: f8E4M3FN) { return }' > %t.f8.mlir
// RUN: norm-compile %t.f8.mlir --emit=header -o - | FileCheck %s --check-prefix=SINGLE
// SINGLE: _mlir_ciface_f(uint8_t arg0);
// RUN: not norm-run %t.i4.mlir --function=f --input=@%t.m.npy 2>&1 | FileCheck %s --check-prefix=NUMPY
// NUMPY: numpy has no type for {{.*}}tensor<8xi4>

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0) -> (d0)>

func.func @padding(%x: tensor<3x83xf32>, %m: tensor<3x83xi1>) -> tensor<3x83xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x83xf32>
  %i = tensor.empty() : tensor<3x83xf32>
  %y = norm.rmsnorm ins(%x : tensor<3x83xf32>) outs(%i : tensor<3x83xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<3x83xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%y, %m : tensor<3x83xf32>, tensor<3x83xi1>) outs(%e : tensor<3x83xf32>) {
  ^bb0(%a: f32, %b: i1, %out: f32):
    %v = arith.select %b, %a, %zero : f32
    linalg.yield %v : f32
  } -> tensor<3x83xf32>
  return %z : tensor<3x83xf32>
}

func.func @rows(%x: tensor<3x83xf32>, %m: tensor<3xi1>) -> tensor<3x83xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x83xf32>
  %z = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<3x83xf32>, tensor<3xi1>) outs(%e : tensor<3x83xf32>) {
  ^bb0(%a: f32, %b: i1, %out: f32):
    %v = arith.select %b, %a, %zero : f32
    linalg.yield %v : f32
  } -> tensor<3x83xf32>
  %i = tensor.empty() : tensor<3x83xf32>
  %y = norm.rmsnorm ins(%z : tensor<3x83xf32>) outs(%i : tensor<3x83xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<3x83xf32>
  return %y : tensor<3x83xf32>
}

func.func @compared(%x: tensor<3x83xf32>) -> (tensor<3x83xf32>, tensor<3x83xi1>, tensor<3xi1>) {
  %false = arith.constant false
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<3x83xi1>
  %i = tensor.empty() : tensor<3x83xf32>
  %y = norm.rmsnorm ins(%x : tensor<3x83xf32>) outs(%i : tensor<3x83xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<3x83xf32>
  %p = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<3x83xf32>) outs(%e : tensor<3x83xi1>) {
  ^bb0(%a: f32, %out: i1):
    %v = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %v : i1
  } -> tensor<3x83xi1>
  %r = tensor.empty() : tensor<3xi1>
  %f = linalg.fill ins(%false : i1) outs(%r : tensor<3xi1>) -> tensor<3xi1>
  %any = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<3x83xf32>) outs(%f : tensor<3xi1>) {
  ^bb0(%a: f32, %acc: i1):
    %v = arith.cmpf ogt, %a, %two : f32
    %o = arith.ori %acc, %v : i1
    linalg.yield %o : i1
  } -> tensor<3xi1>
  return %y, %p, %any : tensor<3x83xf32>, tensor<3x83xi1>, tensor<3xi1>
}

func.func @chosen(%m: tensor<4xi1>) -> tensor<4xf32> {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%m : tensor<4xi1>) outs(%e : tensor<4xf32>) {
  ^bb0(%b: i1, %out: f32):
    %v = arith.select %b, %one, %two : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %z : tensor<4xf32>
}

func.func @scalar(%m: i1, %x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: f32, %out: f32):
    %v = arith.select %m, %a, %zero : f32
    linalg.yield %v : f32
  } -> tensor<2xf32>
  return %z : tensor<2xf32>
}
