// Indices out of bounds, and open extents that should be equal, end the program.
// RUN: norm-run %s --max-ulp=0 --function=scatter --input=2xf32=1,2 --input=2x1xi64=0,2 --input=3xf32=0 --expected-output=3xf32=1,0,2
// RUN: norm-run %s --max-ulp=0 --function=scatter --input=2xf32=1,2 --input=2x1xi64=0,-1 --input=3xf32=0 --expected-output=3xf32=1,0,2
// RUN: not norm-run %s --max-ulp=0 --function=scatter --input=2xf32=1,2 --input=2x1xi64=0,3 --input=3xf32=0 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not norm-run %s --max-ulp=0 --function=scatter --input=2xf32=1,2 --input=2x1xi64=0,-4 --input=3xf32=0 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not norm-run %s --max-ulp=0 --function=scatter --input=2xf32=1,2 --input=2x1xi64=0,9223372036854775807 --input=3xf32=0 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not norm-run %s --max-ulp=0 --function=scatter --input=2xf32=1,2 --input=2x1xi64=0,-4 --input=3xf32=0 --threads=2 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not norm-run %s --max-ulp=0 --function=scatter --input=2xf32=1,2 --input=2x1xi64=0,-4 --input=3xf32=0 --pipeline=upstream 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: norm-run %s --max-ulp=0 --function=window --input=1x2xf32=1,2 --input=1x1xi64=1 --input=3xf32=0 --expected-output=3xf32=0,1,2
// RUN: not norm-run %s --max-ulp=0 --function=window --input=1x2xf32=1,2 --input=1x1xi64=2 --input=3xf32=0 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: error: an assertion of function '{{.*}}' failed: tm_tensor.scatter: index out of bounds
// RUN: not norm-run %s --max-ulp=0 --function=scatter --input=2xf32=1,2 --input=3x1xi64=0 --input=3xf32=0 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: tm_tensor.scatter: extents of operands differ
// RUN: not norm-run %s --max-ulp=0 --function=wide --input=2x4xf32=1 --input=2x1xi64=0 --input=3x3xf32=0 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: tm_tensor.scatter: a window exceeds its destination
// RUN: norm-run %s --max-ulp=0 --function=sort --input=2xf32=2,1 --input=2xf32=1,2 --expected-output=2xf32=2,1
// RUN: not norm-run %s --max-ulp=0 --function=sort --input=2xf32=2,1 --input=3xf32=1,2,3 2>&1 | FileCheck %s --check-prefix=SORT
// SORT: tm_tensor.sort: extents of operands differ
// RUN: not norm-run %s --max-ulp=0 --function=scan --input=2x3xf32=1 --input=4xf32=0 2>&1 | FileCheck %s --check-prefix=SCAN
// SCAN: tm_tensor.scan: extents of operands differ
// RUN: not norm-run %s --max-ulp=0 --function=topk --input=2x3xf32=1 --input=3x1xf32=0 --input=3x1xi32=0 2>&1 | FileCheck %s --check-prefix=TOPK
// TOPK: tm_tensor.topk: extents of operands differ
// RUN: not norm-run %s --max-ulp=0 --function=attention --input=2x3xf32=1 --input=4x3xf32=0 --input=5x3xf32=0 --input=2x3xf32=0 2>&1 | FileCheck %s --check-prefix=ATTENTION
// ATTENTION: tm_tensor.attention: extents of operands differ

func.func @scatter(%u: tensor<?xf32>, %i: tensor<?x1xi64>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%u, %i : tensor<?xf32>, tensor<?x1xi64>) outs(%o : tensor<?xf32>) {
  ^bb0(%n: f32, %e: f32):
    tm_tensor.yield %n : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

func.func @window(%u: tensor<?x2xf32>, %i: tensor<?x1xi64>, %o: tensor<3xf32>) -> tensor<3xf32> {
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%u, %i : tensor<?x2xf32>, tensor<?x1xi64>) outs(%o : tensor<3xf32>) {
  ^bb0(%n: f32, %e: f32):
    tm_tensor.yield %n : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @wide(%u: tensor<?x?xf32>, %i: tensor<?x1xi64>, %o: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%u, %i : tensor<?x?xf32>, tensor<?x1xi64>) outs(%o : tensor<3x3xf32>) {
  ^bb0(%n: f32, %e: f32):
    tm_tensor.yield %n : f32
  } -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}

func.func @sort(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r:2 = tm_tensor.sort dimension(0) outs(%x, %y : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %l = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %l : i1
  } -> tensor<?xf32>, tensor<?xf32>
  return %r#1 : tensor<?xf32>
}

func.func @scan(%x: tensor<?x?xf32>, %a: tensor<?xf32>) -> tensor<?xf32> {
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<?x?xf32>) outs(%x, %a : tensor<?x?xf32>, tensor<?xf32>) {
  ^bb0(%s: f32, %e: f32):
    %t = arith.addf %s, %e : f32
    tm_tensor.yield %t : f32
  } -> tensor<?x?xf32>, tensor<?xf32>
  return %r#1 : tensor<?xf32>
}

func.func @topk(%x: tensor<?x?xf32>, %v: tensor<?x1xf32>, %i: tensor<?x1xi32>) -> tensor<?x1xf32> {
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<?x?xf32>) outs(%v, %i : tensor<?x1xf32>, tensor<?x1xi32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<?x1xf32>, tensor<?x1xi32>
  return %r#0 : tensor<?x1xf32>
}

func.func @attention(%q: tensor<?x3xf32>, %k: tensor<?x3xf32>, %v: tensor<?x3xf32>, %o: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %r = tm_tensor.attention ins(%q, %k, %v : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) outs(%o : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
