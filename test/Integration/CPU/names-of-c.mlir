// RUN: norm-run %s --function=log1p --input=f64=1 --expected-output=f64=0.6931471805599453 | FileCheck %s
// RUN: norm-run %s --function=expm1 --input=3xf32=1 --expected-output=3xf32=1.71828183 | FileCheck %s
// RUN: norm-run %s --function=erf --input=3xf64=1 --expected-output=3xf64=0.8427007929497149 | FileCheck %s
// RUN: norm-run %s --function=calls --input=3xf64=1 --expected-output=3xf64=1.1752011936438014 | FileCheck %s
// RUN: norm-run %s --function=calls --pipeline=upstream --input=3xf64=1 --expected-output=3xf64=1.1752011936438014 | FileCheck %s
// RUN: norm-run %s --function=calls --pipeline=simt --input=3xf64=1 --expected-output=3xf64=1.1752011936438014 | FileCheck %s
// RUN: norm-run %s --function=malloc --input=3x300xf32=1 --input=300x3xf32=1 --expected-output=3x3xf32=300 | FileCheck %s
// RUN: norm-run %s --function=memset --input=3xf32=1 --expected-output=3xf32=0 | FileCheck %s
// RUN: norm-compile %s --emit=shared -o %t.so
// RUN: nm -D %t.so | FileCheck %s --check-prefix=SYMBOLS

// Functions that have names of C's compute what they say, and the code calls C's.

// CHECK: max ulp {{[01](\.[0-9]+)?}} over

// SYMBOLS: T _mlir_ciface_abort
// SYMBOLS: T _mlir_ciface_log1p
// SYMBOLS: U abort
// SYMBOLS: U log1p
// SYMBOLS: U malloc{{(@|$)}}
// SYMBOLS-NOT: U malloc
// SYMBOLS: U write

func.func @log1p(%x: f64) -> f64 {
  %0 = math.log1p %x : f64
  return %0 : f64
}

func.func @expm1(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = math.expm1 %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @erf(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = math.erf %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}

// Another signature than that of C's function, which no caller sees.
func.func private @sinh(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = math.sinh %x : tensor<3xf64>
  return %0 : tensor<3xf64>
}

func.func @calls(%x: tensor<3xf64>) -> tensor<3xf64> {
  %0 = call @sinh(%x) : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

func.func @malloc(%x: tensor<?x300xf32>, %y: tensor<300x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x300xf32>
  %n = tensor.dim %y, %c1 : tensor<300x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%x, %y : tensor<?x300xf32>, tensor<300x?xf32>)
                     outs(%fill : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// LLVM makes a call of memset of its loop.
func.func @memset(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @sysconf(%name: i32) -> i64 {
  %c0 = arith.constant 0 : i64
  return %c0 : i64
}

func.func @abort(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %holds = arith.cmpi eq, %n, %c4 : index
  cf.assert %holds, "needs 4 elements"
  return %x : tensor<?xf32>
}

func.func @write(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
