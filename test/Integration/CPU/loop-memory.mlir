// Loops that carry tensors free what they allocate, keep no more of it alive the
// more turns they take, and use no more of the stack.
// REQUIRES: linux, x86_64

// RUN: norm-compile %s --emit=obj -o %t.o
// RUN: norm-compile %s --emit=header -o %t.h
// RUN: clang-22 -O2 -include %t.h %S/Inputs/loop_memory.c %t.o -o %t.exe -lm -Wl,--wrap=malloc -Wl,--wrap=free
// RUN: %t.exe | FileCheck %s
// CHECK-NOT: {{[1-9][0-9]*}} wrong
// CHECK-NOT: {{[1-9][0-9]*}} not freed
// CHECK: add, 2000 turns: 0 wrong, 0 not freed, {{[0-4]}} alive
// CHECK: swap, 2000 turns: 0 wrong, 0 not freed, {{[0-4]}} alive
// CHECK: changing, 2000 turns: 0 wrong, 0 not freed, {{[0-9]}} alive
// CHECK: small, 100000 turns: 0 wrong, 0 not freed, {{[0-4]}} alive

#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @add(%x: tensor<64x300xf32>, %n: index) -> tensor<64x300xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<64x300xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %x) -> tensor<64x300xf32> {
    %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %h : tensor<64x300xf32>, tensor<64x300xf32>) outs(%e : tensor<64x300xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<64x300xf32>
    scf.yield %y : tensor<64x300xf32>
  }
  return %r : tensor<64x300xf32>
}

func.func @swap(%x: tensor<64x300xf32>, %n: index) -> tensor<64x300xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant dense<0.0> : tensor<64x300xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %k) -> (tensor<64x300xf32>, tensor<64x300xf32>) {
    scf.yield %q, %p : tensor<64x300xf32>, tensor<64x300xf32>
  }
  return %r#0 : tensor<64x300xf32>
}

// The extents of what is carried are not known to stay.
func.func @changing(%x: tensor<64x300xf32>, %n: index) -> tensor<64x300xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  %first = tensor.cast %x : tensor<64x300xf32> to tensor<?x300xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %first) -> tensor<?x300xf32> {
    %rows = arith.maxsi %i, %c64 : index
    %least = arith.minsi %rows, %c64 : index
    %e = tensor.empty(%least) : tensor<?x300xf32>
    %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<?x300xf32>) outs(%e : tensor<?x300xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %one : f32
      linalg.yield %s : f32
    } -> tensor<?x300xf32>
    scf.yield %y : tensor<?x300xf32>
  }
  %last = tensor.cast %r : tensor<?x300xf32> to tensor<64x300xf32>
  return %last : tensor<64x300xf32>
}

// A temporary of a turn goes on the stack, once for all turns.
func.func @small(%x: tensor<64x300xf32>, %n: index) -> tensor<64x300xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %three = arith.constant 3.0 : f32
  %k = arith.constant dense<0.0> : tensor<2x16xf32>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%h = %k) -> tensor<2x16xf32> {
    %e = tensor.empty() : tensor<2x16xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (0, d1)>, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<2x16xf32>) outs(%e : tensor<2x16xf32>) {
    ^bb0(%a: f32, %o: f32):
      %s = arith.addf %a, %three : f32
      %t = arith.minimumf %s, %three : f32
      linalg.yield %t : f32
    } -> tensor<2x16xf32>
    scf.yield %y : tensor<2x16xf32>
  }
  %s = tensor.extract %l[%c1, %c1] : tensor<2x16xf32>
  %e = tensor.empty() : tensor<64x300xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<64x300xf32>) outs(%e : tensor<64x300xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<64x300xf32>
  return %r : tensor<64x300xf32>
}
