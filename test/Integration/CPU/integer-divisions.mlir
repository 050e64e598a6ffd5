// A vector at the end of a row has lanes that are no elements: they divide by 1,
// because a divisor of 0 is undefined behavior of the whole vector and may trap.
// RUN: norm-compile %s --emit=vector -o - | FileCheck %s
// RUN: %S/Inputs/integer_divisions.sh %s native
// RUN: %if x86_64 %{ %S/Inputs/integer_divisions.sh %s x86-64-v2 %}
// RUN: %if x86_64-v3 %{ %S/Inputs/integer_divisions.sh %s x86-64-v3 %}

// CHECK-LABEL: func.func @quotient
// CHECK: %[[MASK:.*]] = vector.create_mask
// CHECK: %[[X:.*]] = vector.transfer_read %arg0[%{{.*}}], %{{.*}}, %[[MASK]]
// CHECK: %[[Y:.*]] = vector.transfer_read %arg1[%{{.*}}], %{{.*}}, %[[MASK]]
// CHECK: %[[DIVISOR:.*]] = arith.select %[[MASK]], %[[Y]], %{{.*}}
// CHECK: arith.divsi %[[X]], %[[DIVISOR]]
func.func @quotient(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %r = arith.divsi %a, %b : tensor<?xi32>
  return %r : tensor<?xi32>
}

// What a divisor of the program is does not need that.
// CHECK-LABEL: func.func @by_constant
// CHECK: arith.remui
// CHECK-NOT: arith.select
// CHECK: return
func.func @by_constant(%a: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?xi32>
  %e = tensor.empty(%d) : tensor<?xi32>
  %r = linalg.map ins(%a : tensor<?xi32>) outs(%e : tensor<?xi32>) (%x: i32, %o: i32) {
    %c7 = arith.constant 7 : i32
    %q = arith.remui %x, %c7 : i32
    linalg.yield %q : i32
  }
  return %r : tensor<?xi32>
}

func.func @remainder(%a: tensor<?xi64>, %b: tensor<?xi64>) -> tensor<?xi64> {
  %r = arith.remui %a, %b : tensor<?xi64>
  return %r : tensor<?xi64>
}

// The divisor is a result, too, which the vector is read back from.
func.func @read_back(%a: tensor<29xi7>) -> (tensor<29xi7>, tensor<29xi7>) {
  %six = arith.constant dense<6> : tensor<29xi7>
  %one = arith.constant dense<1> : tensor<29xi7>
  %seven = arith.ori %six, %one : tensor<29xi7>
  %r = arith.remui %a, %seven : tensor<29xi7>
  return %r, %seven : tensor<29xi7>, tensor<29xi7>
}

func.func @sum(%a: tensor<1x29xi32>, %b: tensor<1x29xi32>) -> tensor<1xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1xi32>) -> tensor<1xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a, %b : tensor<1x29xi32>, tensor<1x29xi32>) outs(%f : tensor<1xi32>) {
  ^bb0(%x: i32, %y: i32, %o: i32):
    %q = arith.floordivsi %x, %y : i32
    %s = arith.addi %q, %o : i32
    linalg.yield %s : i32
  } -> tensor<1xi32>
  return %r : tensor<1xi32>
}
