// RUN: norm-opt %s --norm-lower-tensor-ops | FileCheck %s
// RUN: norm-compile %s --emit=header -o %t.h
// RUN: norm-compile %s --emit=obj -o %t.o
// RUN: clang-22 -include %t.h %S/Inputs/globals.c %t.o -o %t.exe
// RUN: %t.exe | FileCheck %s --check-prefix=OUT

// What a program reads from a global stays as it was read, and what it writes is written.
ml_program.global private mutable @seed(dense<7> : tensor<i64>) : tensor<i64>
ml_program.global private mutable @state(dense<1.0> : tensor<4xf32>) : tensor<4xf32>

// CHECK-LABEL: func @next
// CHECK: %[[S:.*]] = ml_program.global_load @seed
// CHECK: %[[OLD:.*]] = bufferization.alloc_tensor() copy(%[[S]])
// CHECK: %[[NEW:.*]] = tensor.insert
// CHECK: %[[STORED:.*]] = bufferization.alloc_tensor() copy(%[[NEW]])
// CHECK: ml_program.global_store @seed = %[[STORED]]
// CHECK: return %[[OLD]]
// OUT: next: 7 22 67
func.func @next() -> tensor<i64> {
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %s = ml_program.global_load @seed : tensor<i64>
  %e = tensor.extract %s[] : tensor<i64>
  %m = arith.muli %e, %c3 : i64
  %x = arith.addi %m, %c1 : i64
  %i = tensor.insert %x into %s[] : tensor<i64>
  ml_program.global_store @seed = %i : tensor<i64>
  return %s : tensor<i64>
}

// OUT: add: 1 2 3 4, 1 3 5 7, 1 4 7 10
func.func @add(%a: tensor<4xf32>) -> tensor<4xf32> {
  %s = ml_program.global_load @state : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %m = linalg.add ins(%a, %s : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  ml_program.global_store @state = %m : tensor<4xf32>
  return %m : tensor<4xf32>
}

// OUT: swap: 1 4 7 10, 0 1 2 3
func.func @swap(%a: tensor<4xf32>) -> tensor<4xf32> {
  %s = ml_program.global_load @state : tensor<4xf32>
  ml_program.global_store @state = %a : tensor<4xf32>
  return %s : tensor<4xf32>
}

// What never changes is read where it is, and a tensor that starts from it is a copy.
ml_program.global private @weight(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>) : tensor<4xf32>
// CHECK-LABEL: func @first
// CHECK: ml_program.global_load @weight
// CHECK-NOT: alloc_tensor
// RUN: norm-run %s --function=first --input=f32=9 --expected-output=4xf32=9,2,3,4 --expected-output=4xf32=1,2,3,4
func.func @first(%x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %w = ml_program.global_load @weight : tensor<4xf32>
  %y = tensor.insert %x into %w[%c0] : tensor<4xf32>
  return %y, %w : tensor<4xf32>, tensor<4xf32>
}
