// TOSA with control flow, quantization and scattered rows, which upstream lowers
// by passes and options of their own.
// RUN: norm-run %s --function=rescale '--input=6xi32=64 100 -100 8000 100000 -32' | FileCheck %s --check-prefix=RESCALE
// RUN: norm-run %s --function=cond_if --input=i1=1 '--input=3xf32=1 2 3' | FileCheck %s --check-prefix=TWICE
// RUN: norm-run %s --function=cond_if --input=i1=0 '--input=3xf32=1 2 3' | FileCheck %s --check-prefix=ONCE
// RUN: norm-run %s --function=while_loop --input=i32=3 --input=3xf32=1 | FileCheck %s --check-prefix=LOOP
// RUN: norm-run %s --function=scatter '--input=1x3x2xf32=1 2 3 4 5 6' '--input=1x2xi32=2 0' '--input=1x2x2xf32=7 8 9 10' | FileCheck %s --check-prefix=SCATTER
// RESCALE: result[0]: 6xi8=1 2 -2 125 127 0
// TWICE: result[0]: 3xf32=2 4 6
// ONCE: result[0]: 3xf32=1 2 3
// LOOP: result[1]: 3xf32=8 8 8
// SCATTER: result[0]: 1x3x2xf32={{\[\[}}9 10][3 4][7 8]]

func.func @rescale(%a: tensor<6xi32>) -> tensor<6xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<36> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %zo = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %r = tosa.rescale %a, %m, %s, %zi, %zo {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<6xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<6xi8>
  return %r : tensor<6xi8>
}

func.func @cond_if(%c: tensor<i1>, %a: tensor<3xf32>) -> tensor<3xf32> {
  %r = tosa.cond_if %c (%p = %a) : tensor<i1> (tensor<3xf32>) -> tensor<3xf32> {
  ^bb0(%p: tensor<3xf32>):
    %s = tosa.add %p, %p : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    tosa.yield %s : tensor<3xf32>
  } else {
  ^bb0(%p: tensor<3xf32>):
    tosa.yield %p : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

func.func @while_loop(%n: tensor<i32>, %a: tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>) {
  %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %zero = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = tosa.while_loop (%i = %n, %x = %a) : (tensor<i32>, tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>) {
    %c = tosa.greater %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %c : tensor<i1>
  } do {
  ^bb0(%i: tensor<i32>, %x: tensor<3xf32>):
    %next = tosa.sub %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %y = tosa.add %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    tosa.yield %next, %y : tensor<i32>, tensor<3xf32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<3xf32>
}

func.func @scatter(%a: tensor<1x3x2xf32>, %i: tensor<1x2xi32>, %u: tensor<1x2x2xf32>) -> tensor<1x3x2xf32> {
  %r = tosa.scatter %a, %i, %u : (tensor<1x3x2xf32>, tensor<1x2xi32>, tensor<1x2x2xf32>) -> tensor<1x3x2xf32>
  return %r : tensor<1x3x2xf32>
}
