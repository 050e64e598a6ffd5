// A function takes rows one behind the other: every other row, or a part of each, is copied
// for a call, and a result of such rows too.
// RUN: norm-run %s --function=call --input=4x3xi32=1,2,3,4,5,6,7,8,9,10,11,12 --input=index=2 --input=index=3 --expected-output=2x3xi32=1,2,3,7,8,9
// RUN: norm-run %s --function=call --input=4x3xi32=1,2,3,4,5,6,7,8,9,10,11,12 --input=index=2 --input=index=2 --expected-output=2x2xi32=1,2,7,8
// RUN: norm-run %s --function=result --input=4x3xi32=1,2,3,4,5,6,7,8,9,10,11,12 --input=index=2 --input=index=3 --expected-output=2x3xi32=2,4,6,14,16,18
// RUN: norm-opt %s --norm-separate-destinations | FileCheck %s

func.func private @same(%p: tensor<?x?xi32>) -> tensor<?x?xi32> {
  return %p : tensor<?x?xi32>
}
// CHECK-LABEL: func @call
// CHECK: %[[S:.*]] = tensor.extract_slice
// CHECK: %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[S]])
// CHECK: call @same(%[[COPY]])
func.func @call(%a: tensor<?x?xi32>, %n: index, %m: index) -> tensor<?x?xi32> {
  %s = tensor.extract_slice %a[0, 0] [%n, %m] [2, 1] : tensor<?x?xi32> to tensor<?x?xi32>
  %r = func.call @same(%s) : (tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// CHECK-LABEL: func @whole
// CHECK-NOT: alloc_tensor
// CHECK: call @same(%arg0)
func.func @whole(%a: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = func.call @same(%a) : (tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

func.func private @rows(%a: tensor<?x?xi32>, %n: index, %m: index) -> tensor<?x?xi32> {
  %s = tensor.extract_slice %a[0, 0] [%n, %m] [2, 1] : tensor<?x?xi32> to tensor<?x?xi32>
  return %s : tensor<?x?xi32>
}
func.func @result(%a: tensor<?x?xi32>, %n: index, %m: index) -> tensor<?x?xi32> {
  %r = func.call @rows(%a, %n, %m) : (tensor<?x?xi32>, index, index) -> tensor<?x?xi32>
  %e = tensor.empty(%n, %m) : tensor<?x?xi32>
  %s = linalg.add ins(%r, %r : tensor<?x?xi32>, tensor<?x?xi32>) outs(%e : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %s : tensor<?x?xi32>
}
