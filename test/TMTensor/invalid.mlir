// Each rule of the verifiers has one message.
// RUN: norm-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<2x3xf32>, %o: tensor<2x3xf32>, %a: tensor<2xf32>) {
  // expected-error @below {{expects 1 ins and 2 outs, got 2 and 2}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x, %x : tensor<2x3xf32>, tensor<2x3xf32>) outs(%o, %a : tensor<2x3xf32>, tensor<2xf32>) {
  ^bb0(%s: f32, %e: f32):
    tm_tensor.yield %s : f32
  } -> tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %o: tensor<2x3xf32>, %a: tensor<2xf32>) {
  // expected-error @below {{expects the types of its outs as results}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<2x3xf32>) outs(%o, %a : tensor<2x3xf32>, tensor<2xf32>) {
  ^bb0(%s: f32, %e: f32):
    tm_tensor.yield %s : f32
  } -> tensor<2x3xf32>, tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %o: tensor<2x3xf32>, %a: tensor<2xf32>) {
  // expected-error @below {{expects a dimension of 'tensor<2x3xf32>', got 2}}
  %r:2 = tm_tensor.scan dimension(2) inclusive(true) ins(%x : tensor<2x3xf32>) outs(%o, %a : tensor<2x3xf32>, tensor<2xf32>) {
  ^bb0(%s: f32, %e: f32):
    tm_tensor.yield %s : f32
  } -> tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %o: tensor<2x3xf32>, %a: tensor<2xf32>) {
  // expected-error @below {{expects a dimension of 'tensor<2x3xf32>', got -1}}
  %r:2 = tm_tensor.scan dimension(-1) inclusive(true) ins(%x : tensor<2x3xf32>) outs(%o, %a : tensor<2x3xf32>, tensor<2xf32>) {
  ^bb0(%s: f32, %e: f32):
    tm_tensor.yield %s : f32
  } -> tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %o: tensor<2x4xf32>, %a: tensor<2xf32>) {
  // expected-error @below {{expects a result of type 'tensor<2x3xf32>', got 'tensor<2x4xf32>'}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<2x3xf32>) outs(%o, %a : tensor<2x4xf32>, tensor<2xf32>) {
  ^bb0(%s: f32, %e: f32):
    tm_tensor.yield %s : f32
  } -> tensor<2x4xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %o: tensor<2x3xf64>, %a: tensor<2xf32>) {
  // expected-error @below {{expects a result of type 'tensor<2x3xf32>', got 'tensor<2x3xf64>'}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<2x3xf32>) outs(%o, %a : tensor<2x3xf64>, tensor<2xf32>) {
  ^bb0(%s: f32, %e: f32):
    tm_tensor.yield %s : f32
  } -> tensor<2x3xf64>, tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %o: tensor<2x3xf32>, %a: tensor<3xf32>) {
  // expected-error @below {{expects an accumulator of type 'tensor<2xf32>', got 'tensor<3xf32>'}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<2x3xf32>) outs(%o, %a : tensor<2x3xf32>, tensor<3xf32>) {
  ^bb0(%s: f32, %e: f32):
    tm_tensor.yield %s : f32
  } -> tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %o: tensor<2x3xf32>, %a: tensor<2x3xf32>) {
  // expected-error @below {{expects an accumulator of type 'tensor<2xf32>', got 'tensor<2x3xf32>'}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<2x3xf32>) outs(%o, %a : tensor<2x3xf32>, tensor<2x3xf32>) {
  ^bb0(%s: f32, %e: f32):
    tm_tensor.yield %s : f32
  } -> tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %o: tensor<2x3xf32>, %a: tensor<2xf32>) {
  // expected-error @below {{expects a region with arguments ('f32', 'f32'), got ('f32')}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<2x3xf32>) outs(%o, %a : tensor<2x3xf32>, tensor<2xf32>) {
  ^bb0(%s: f32):
    tm_tensor.yield %s : f32
  } -> tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %o: tensor<2x3xf32>, %a: tensor<2xf32>) {
  // expected-error @below {{expects a region that yields 'f32', got ('f32', 'f32')}}
  %r:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<2x3xf32>) outs(%o, %a : tensor<2x3xf32>, tensor<2xf32>) {
  ^bb0(%s: f32, %e: f32):
    tm_tensor.yield %s, %e : f32, f32
  } -> tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @f(%u: tensor<5x8xf32>, %i: tensor<5x1xf32>, %o: tensor<10x8xf32>) {
  // expected-error @below {{expects integer indices of shape n x 1, got 'tensor<5x1xf32>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<5x8xf32>, tensor<5x1xf32>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f32, %c: f32):
    tm_tensor.yield %n : f32
  } -> tensor<10x8xf32>
  return
}

// -----

func.func @f(%u: tensor<5x8xf32>, %i: tensor<5xi64>, %o: tensor<10x8xf32>) {
  // expected-error @below {{expects integer indices of shape n x 1, got 'tensor<5xi64>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<5x8xf32>, tensor<5xi64>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f32, %c: f32):
    tm_tensor.yield %n : f32
  } -> tensor<10x8xf32>
  return
}

// -----

func.func @f(%u: tensor<5x8xf32>, %i: tensor<5x?xi64>, %o: tensor<10x8xf32>) {
  // expected-error @below {{expects integer indices of shape n x 1, got 'tensor<5x?xi64>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<5x8xf32>, tensor<5x?xi64>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f32, %c: f32):
    tm_tensor.yield %n : f32
  } -> tensor<10x8xf32>
  return
}

// -----

func.func @f(%u: tensor<5x1x1x8xf32>, %i: tensor<5x1xi64>, %o: tensor<10x8xf32>) {
  // expected-error @below {{expects updates of rank 1 to 3, got 'tensor<5x1x1x8xf32>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<5x1x1x8xf32>, tensor<5x1xi64>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f32, %c: f32):
    tm_tensor.yield %n : f32
  } -> tensor<10x8xf32>
  return
}

// -----

func.func @f(%u: tensor<5x8xf32>, %i: tensor<5x1xi64>, %o: tensor<10x8xf32>) {
  // expected-error @below {{expects dimension_map to name dimensions of 'tensor<10x8xf32>' once, got [2]}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 2>} unique_indices(false) ins(%u, %i : tensor<5x8xf32>, tensor<5x1xi64>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f32, %c: f32):
    tm_tensor.yield %n : f32
  } -> tensor<10x8xf32>
  return
}

// -----

func.func @f(%u: tensor<5x8xf32>, %i: tensor<5x2xi64>, %o: tensor<10x8xf32>) {
  // expected-error @below {{expects dimension_map to name dimensions of 'tensor<10x8xf32>' once, got [0, 0]}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0, 0>} unique_indices(false) ins(%u, %i : tensor<5x8xf32>, tensor<5x2xi64>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f32, %c: f32):
    tm_tensor.yield %n : f32
  } -> tensor<10x8xf32>
  return
}

// -----

func.func @f(%u: tensor<5x8xf32>, %i: tensor<5x1xi64>, %o: tensor<10x8xf32>) {
  // expected-error @below {{expects dimension_map to have dimension 0, which the window of an update has not}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 1>} unique_indices(false) ins(%u, %i : tensor<5x8xf32>, tensor<5x1xi64>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f32, %c: f32):
    tm_tensor.yield %n : f32
  } -> tensor<10x8xf32>
  return
}

// -----

func.func @f(%u: tensor<5x9xf32>, %i: tensor<5x1xi64>, %o: tensor<10x8xf32>) {
  // expected-error @below {{expects windows within 'tensor<10x8xf32>', got 'tensor<5x9xf32>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<5x9xf32>, tensor<5x1xi64>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f32, %c: f32):
    tm_tensor.yield %n : f32
  } -> tensor<10x8xf32>
  return
}

// -----

func.func @f(%u: tensor<6x8xf32>, %i: tensor<5x1xi64>, %o: tensor<10x8xf32>) {
  // expected-error @below {{expects updates of type 'tensor<5x8xf32>', got 'tensor<6x8xf32>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<6x8xf32>, tensor<5x1xi64>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f32, %c: f32):
    tm_tensor.yield %n : f32
  } -> tensor<10x8xf32>
  return
}

// -----

func.func @f(%u: tensor<5x8xf64>, %i: tensor<5x1xi64>, %o: tensor<10x8xf32>) {
  // expected-error @below {{expects updates of type 'tensor<5x8xf32>', got 'tensor<5x8xf64>'}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<5x8xf64>, tensor<5x1xi64>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f32, %c: f32):
    tm_tensor.yield %n : f32
  } -> tensor<10x8xf32>
  return
}

// -----

func.func @f(%u: tensor<5x8xf32>, %i: tensor<5x1xi64>, %o: tensor<10x8xf32>) {
  // expected-error @below {{expects a region with arguments ('f32', 'f32'), got ('f64', 'f64')}}
  %r = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%u, %i : tensor<5x8xf32>, tensor<5x1xi64>) outs(%o : tensor<10x8xf32>) {
  ^bb0(%n: f64, %c: f64):
    tm_tensor.yield %n : f64
  } -> tensor<10x8xf32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>, %i: tensor<3x4xi64>, %c: i1) {
  // expected-error @below {{expects a dimension of 'tensor<3x4xf32>', got 2}}
  %r:2 = tm_tensor.sort dimension(2) outs(%x, %i : tensor<3x4xf32>, tensor<3x4xi64>) {
  ^bb0(%a: f32, %b: f32, %j: i64, %k: i64):
    tm_tensor.yield %c : i1
  } -> tensor<3x4xf32>, tensor<3x4xi64>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>, %i: tensor<3x5xi64>, %c: i1) {
  // expected-error @below {{expects an out of type 'tensor<3x4xi64>', got 'tensor<3x5xi64>'}}
  %r:2 = tm_tensor.sort dimension(1) outs(%x, %i : tensor<3x4xf32>, tensor<3x5xi64>) {
  ^bb0(%a: f32, %b: f32, %j: i64, %k: i64):
    tm_tensor.yield %c : i1
  } -> tensor<3x4xf32>, tensor<3x5xi64>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>, %i: tensor<3x4xi64>, %c: i1) {
  // expected-error @below {{expects a region with arguments ('f32', 'f32', 'i64', 'i64'), got ('f32', 'f32')}}
  %r:2 = tm_tensor.sort dimension(1) outs(%x, %i : tensor<3x4xf32>, tensor<3x4xi64>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %c : i1
  } -> tensor<3x4xf32>, tensor<3x4xi64>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>, %i: tensor<3x4xi64>, %c: i1) {
  // expected-error @below {{expects a region that yields 'i1', got ('f32')}}
  %r:2 = tm_tensor.sort dimension(1) outs(%x, %i : tensor<3x4xf32>, tensor<3x4xi64>) {
  ^bb0(%a: f32, %b: f32, %j: i64, %k: i64):
    tm_tensor.yield %a : f32
  } -> tensor<3x4xf32>, tensor<3x4xi64>
  return
}

// -----

func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{expects 0 ins and 1 outs, got 1 and 1}}
  %r = tm_tensor.sort dimension(0) ins(%x : tensor<3xf32>) outs(%x : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ole, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{expects at least one tensor to sort}}
  "tm_tensor.sort"() <{dimension = 0 : i64, operandSegmentSizes = array<i32: 0, 0>}> ({
    %c = arith.constant true
    "tm_tensor.yield"(%c) : (i1) -> ()
  }) : () -> ()
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>, %j: tensor<i32>, %v: tensor<3x2xf32>, %i: tensor<3x2xi32>, %c: i1) {
  // expected-error @below {{expects a dimension of 'tensor<3x4xf32>', got 2}}
  %r:2 = tm_tensor.topk dimension(2) ins(%x : tensor<3x4xf32>) outs(%v, %i : tensor<3x2xf32>, tensor<3x2xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %c : i1
  } -> tensor<3x2xf32>, tensor<3x2xi32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>, %j: tensor<i32>, %v: tensor<3x2xf32>, %i: tensor<3x2xf32>, %c: i1) {
  // expected-error @below {{expects indices of an integer type, got 'f32'}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<3x4xf32>) outs(%v, %i : tensor<3x2xf32>, tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %c : i1
  } -> tensor<3x2xf32>, tensor<3x2xf32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>, %j: tensor<3x4xi64>, %v: tensor<3x2xf32>, %i: tensor<3x2xi32>, %c: i1) {
  // expected-error @below {{expects indices of type 'tensor<3x4xi32>', got 'tensor<3x4xi64>'}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x, %j : tensor<3x4xf32>, tensor<3x4xi64>) outs(%v, %i : tensor<3x2xf32>, tensor<3x2xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %c : i1
  } -> tensor<3x2xf32>, tensor<3x2xi32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>, %j: tensor<i32>, %v: tensor<4x2xf32>, %i: tensor<3x2xi32>, %c: i1) {
  // expected-error @below {{expects values of type 'tensor<3x2xf32>', got 'tensor<4x2xf32>'}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<3x4xf32>) outs(%v, %i : tensor<4x2xf32>, tensor<3x2xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %c : i1
  } -> tensor<4x2xf32>, tensor<3x2xi32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>, %j: tensor<i32>, %v: tensor<3xf32>, %i: tensor<3x2xi32>, %c: i1) {
  // expected-error @below {{expects values of type 'tensor<3x4xf32>', got 'tensor<3xf32>'}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<3x4xf32>) outs(%v, %i : tensor<3xf32>, tensor<3x2xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %c : i1
  } -> tensor<3xf32>, tensor<3x2xi32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>, %j: tensor<i32>, %v: tensor<3x2xf32>, %i: tensor<3x3xi32>, %c: i1) {
  // expected-error @below {{expects indices of type 'tensor<3x2xi32>', got 'tensor<3x3xi32>'}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<3x4xf32>) outs(%v, %i : tensor<3x2xf32>, tensor<3x3xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %c : i1
  } -> tensor<3x2xf32>, tensor<3x3xi32>
  return
}

// -----

func.func @f(%x: tensor<3x4xf32>, %j: tensor<i32>, %v: tensor<3x2xf32>, %i: tensor<3x2xi32>, %c: i1) {
  // expected-error @below {{expects a region that yields 'i1', got ('f32')}}
  %r:2 = tm_tensor.topk dimension(1) ins(%x : tensor<3x4xf32>) outs(%v, %i : tensor<3x2xf32>, tensor<3x2xi32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<3x2xf32>, tensor<3x2xi32>
  return
}

// -----

func.func @f(%q: tensor<2x3x4xi32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %m: tensor<2x3x5xf32>, %o: tensor<2x3x6xf32>) {
  // expected-error @below {{expects float queries of at least two dimensions, and values of as many, got 'tensor<2x3x4xi32>' and 'tensor<2x5x6xf32>'}}
  %r = tm_tensor.attention ins(%q, %k, %v, %m : tensor<2x3x4xi32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>, tensor<2x3x5xf32>) outs(%o : tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @f(%q: tensor<4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %m: tensor<2x3x5xf32>, %o: tensor<2x3x6xf32>) {
  // expected-error @below {{expects float queries of at least two dimensions, and values of as many, got 'tensor<4xf32>' and 'tensor<2x5x6xf32>'}}
  %r = tm_tensor.attention ins(%q, %k, %v, %m : tensor<4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>, tensor<2x3x5xf32>) outs(%o : tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3x4xf32>, %k: tensor<1x5x4xf32>, %v: tensor<2x5x6xf32>, %m: tensor<2x3x5xf32>, %o: tensor<2x3x6xf32>) {
  // expected-error @below {{expects keys of type 'tensor<2x5x4xf32>', got 'tensor<1x5x4xf32>'}}
  %r = tm_tensor.attention ins(%q, %k, %v, %m : tensor<2x3x4xf32>, tensor<1x5x4xf32>, tensor<2x5x6xf32>, tensor<2x3x5xf32>) outs(%o : tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf64>, %m: tensor<2x3x5xf32>, %o: tensor<2x3x6xf32>) {
  // expected-error @below {{expects values of type 'tensor<2x5x6xf32>', got 'tensor<2x5x6xf64>'}}
  %r = tm_tensor.attention ins(%q, %k, %v, %m : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf64>, tensor<2x3x5xf32>) outs(%o : tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %m: tensor<2x3x5xf32>, %o: tensor<2x3x7xf32>) {
  // expected-error @below {{expects an out of type 'tensor<2x3x6xf32>', got 'tensor<2x3x7xf32>'}}
  %r = tm_tensor.attention ins(%q, %k, %v, %m : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>, tensor<2x3x5xf32>) outs(%o : tensor<2x3x7xf32>) -> tensor<2x3x7xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %m: tensor<2x3x5xf64>, %o: tensor<2x3x6xf32>) {
  // expected-error @below {{expects a mask of i1 or 'f32', got 'f64'}}
  %r = tm_tensor.attention ins(%q, %k, %v, %m : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>, tensor<2x3x5xf64>) outs(%o : tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %v: tensor<2x5x6xf32>, %m: tensor<1x3x5xf32>, %o: tensor<2x3x6xf32>) {
  // expected-error @below {{expects a mask of type 'tensor<2x3x5xf32>', got 'tensor<1x3x5xf32>'}}
  %r = tm_tensor.attention ins(%q, %k, %v, %m : tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x6xf32>, tensor<1x3x5xf32>) outs(%o : tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @f(%q: tensor<2x3x4xf32>) {
  // expected-error @below {{expects 3 or 4 ins and 1 outs, got 2 and 1}}
  %r = tm_tensor.attention ins(%q, %q : tensor<2x3x4xf32>, tensor<2x3x4xf32>) outs(%q : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}
