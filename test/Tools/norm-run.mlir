// Printing, values on the command line, numpy files in and out, ulp limits.
// RUN: norm-run %s --function=norm '--input=1x4xf32=1 2 3 4' | FileCheck %s
// RUN: norm-run %s --function=norm --pipeline=upstream '--input=1x4xf32=1 2 3 4' | FileCheck %s
// RUN: norm-run %s --function=norm --pipeline=simt '--input=1x4xf32=1 2 3 4' | FileCheck %s
// CHECK: result[0]: 1x4xf32=[0.365148 0.730297 1.09545 1.46059]
// RUN: norm-run %s --function=norm '--input=1x4xf32=1 2 3 4' --output=@%t.npy
// RUN: norm-run %s --function=norm '--input=1x4xf32=1 2 3 4' --expected-output=@%t.npy --max-ulp=0 | FileCheck %s --check-prefix=SAME
// SAME: result[0]: max ulp 0 over 4 elements
// RUN: not norm-run %s --function=norm '--input=1x4xf32=1 2 3 4' '--expected-output=1x4xf32=0.365148 0.730297 1.09545 2' | FileCheck %s --check-prefix=OVER
// OVER: over the limit of 4, worst at 3: 1.46059346, expected 2
// RUN: norm-run %s --function=dynamic '--input=2x3xbf16=2' | FileCheck %s --check-prefix=DYN
// RUN: norm-run %s --function=dynamic --pipeline=simt '--input=2x3xbf16=2' | FileCheck %s --check-prefix=DYN
// DYN: result[0]: 3x2xbf16=[2 2][2 2][2 2]
// DYN: result[1]: f32=7
// Buffers are written in place, and are results after the function's own.
// RUN: norm-run %s --function=buffers '--input=3xf32=1 2 3' --input=3xf32=5 | FileCheck %s --check-prefix=BUFFERS
// RUN: norm-run %s --function=buffers '--input=3xf32=1 2 3' --input=3xf32=5 --expected-output=f32=1 '--expected-output=3xf32=1 2 3' '--expected-output=3xf32=6 7 8'
// BUFFERS: result[0]: f32=1
// BUFFERS-NEXT: result[1]: 3xf32=1 2 3
// BUFFERS-NEXT: result[2]: 3xf32=6 7 8

// One diagnostic each, exit 1.
// RUN: not norm-run %t.missing.mlir 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: {{.*}}missing.mlir
// RUN: not norm-run %s --function=nope 2>&1 | FileCheck %s --check-prefix=NOFUNC
// NOFUNC: error: {{.*}}norm-run.mlir: no public function 'nope'
// RUN: not norm-run %s --function=norm 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: function 'norm' takes 1 inputs, got 0
// RUN: not norm-run %s --function=norm --input=@%t.none.npy 2>&1 | FileCheck %s --check-prefix=NONPY
// NONPY: error: {{.*}}none.npy: No such file
// RUN: not norm-run %s --function=norm --input=@%s 2>&1 | FileCheck %s --check-prefix=NOTNPY
// NOTNPY: error: {{.*}}norm-run.mlir: not a .npy file
// RUN: not norm-run %s --function=dynamic --input=@%t.npy 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: {{.*}}.npy: has type '<f4', expected '<u2' for tensor<?x3xbf16>
// RUN: not norm-run %s --function=wide --input=@%t.npy 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: {{.*}}.npy: has shape [1x4], expected tensor<1x8xf32>
// RUN: not norm-run %s --function=norm '--input=1x4xf32=1 2' 2>&1 | FileCheck %s --check-prefix=VALUES
// VALUES: error: input '1x4xf32' has 4 elements, got 2 values
// RUN: not norm-run %s --function=norm '--input=1x4xf32=' 2>&1 | FileCheck %s --check-prefix=NOVALUES
// NOVALUES: error: input '1x4xf32' has 4 elements, got 0 values
// What is printed of no elements can be read back.
// RUN: norm-run %s --function=many --input=0x8xf32= | FileCheck %s --check-prefix=EMPTY
// EMPTY: result[0]: 0x8xf32={{$}}
// RUN: not norm-run %s --function=norm '--input=1x4xf32=a' 2>&1 | FileCheck %s --check-prefix=BADVALUE
// BADVALUE: error: input '1x4xf32': bad value 'a'
// RUN: not norm-run %s --function=norm '--input=1x4xf32=1e' 2>&1 | FileCheck %s --check-prefix=EXPONENT
// EXPONENT: error: input '1x4xf32': bad value '1e'
// RUN: not norm-run %s --function=norm '--input=1x4xf32=[1' 2>&1 | FileCheck %s --check-prefix=BRACKETS
// RUN: not norm-run %s --function=norm '--input=1x4xf32=[1 2 3 4]]' 2>&1 | FileCheck %s --check-prefix=BRACKETS
// RUN: not norm-run %s --function=norm '--input=1x4xf32=]1[' 2>&1 | FileCheck %s --check-prefix=BRACKETS
// BRACKETS: error: input '1x4xf32': brackets do not match
// RUN: not norm-run %s --function=norm --input=1x4xf32=1 --expected-output=1x4xf32=a 2>&1 | FileCheck %s --check-prefix=EXPECTED
// EXPECTED: error: expected output '1x4xf32': bad value 'a'
// RUN: not norm-run %s --function=norm --input=x.npy 2>&1 | FileCheck %s --check-prefix=NEITHER
// NEITHER: error: input 'x.npy' is neither @file.npy nor SHAPExTYPE=VALUES
// RUN: not norm-run %s --function=norm --input=1x4xf32=1 --output=%t.plain.npy 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: --output '{{.*}}.plain.npy' is not @file.npy
// RUN: not ls %t.plain.npy
// RUN: not norm-run %s --function=norm --input=1x4xf32=1 --pipeline=foo 2>&1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not norm-run %s --function=norm --input=1x4xf32=1 --pipeline=nvvm 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: error: unknown --pipeline '{{foo|nvvm}}', expected one of cpu, simt, upstream
// Integers are not cut off.
// RUN: not norm-run %S/Inputs/scalars.mlir --function=flags --input=i32=1.5 --input=i32=1 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not norm-run %S/Inputs/scalars.mlir --function=flags --input=i32=4294967296 --input=i32=1 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not norm-run %S/Inputs/scalars.mlir --function=flags --input=i32=-2147483649 --input=i32=1 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: not norm-run %S/Inputs/scalars.mlir --function=flags --input=i32=nan --input=i32=1 2>&1 | FileCheck %s --check-prefix=INTEGER
// INTEGER: error: input 'i32': bad value '{{1.5|4294967296|-2147483649|nan}}'
// RUN: norm-run %S/Inputs/scalars.mlir --function=flags --input=i32=2e3 --input=i32=-2147483648 | FileCheck %s --check-prefix=RANGE
// RANGE: result[2]: index=-2147483648
// They are printed and compared exactly.
// RUN: norm-run %s --function=long '--input=3xi64=9223372036854775807 1234567890123456789 -5' | FileCheck %s --check-prefix=LONG
// LONG: result[0]: 3xi64=9223372036854775807 1234567890123456789 -5{{$}}
// RUN: norm-run %s --function=unsigned '--input=2xui64=18446744073709551615 5' | FileCheck %s --check-prefix=UNSIGNED
// UNSIGNED: result[0]: 2xui64=18446744073709551615 5{{$}}
// RUN: not norm-run %s --function=long '--input=3xi64=9007199254740993 5 5' '--expected-output=3xi64=9007199254740992 5 5' --max-ulp=0 | FileCheck %s --check-prefix=EXACT
// EXACT: result[0]: max ulp 1 over 3 elements, 1 over the limit of 0, worst at 0: 9007199254740993, expected 9007199254740992
// RUN: not norm-run %s --function=unsigned '--input=2xui64=18446744073709551615 5' '--expected-output=2xui64=0 5' | FileCheck %s --check-prefix=FAR
// FAR: result[0]: max ulp 1.84e+19 over 2 elements, 1 over the limit of 4, worst at 0: 18446744073709551615, expected 0
// RUN: not norm-run %s --function=norm '--input=1x4xf16=1' 2>&1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: error: input '1x4xf16' has element type 'f16', the function takes 'f32'
// RUN: not norm-run %s --function=norm --input=1x4xf32=1 --mcpu=nonsense 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: unknown --mcpu 'nonsense'
// RUN: not norm-run %s --function=cplx --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=CPLX
// CPLX: error: function 'cplx' has unsupported type tensor<4xcomplex<f32>>
// RUN: not norm-run %s --function=strided --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=STRIDED
// STRIDED: error: function 'strided' has unsupported type memref<4xf32, strided<[2]>>
// RUN: not norm-run %s --function=negative --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: there cannot be a tensor of [-1] of f32
// RUN: not norm-run %s --function=many --input=4611686018427387904x8xf32=1 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: no memory for a tensor of [4611686018427387904x8] of f32
// Assertions of the program.
// RUN: not norm-run %s --function=asserts --input=5xf32=1 2>&1 | FileCheck %s --check-prefix=ASSERT --implicit-check-not=PLEASE
// RUN: not norm-run %s --function=asserts --input=5xf32=1 --pipeline=simt 2>&1 | FileCheck %s --check-prefix=ASSERT --implicit-check-not=PLEASE
// RUN: not norm-run %s --function=asserts --input=5xf32=1 --pipeline=upstream 2>&1 | FileCheck %s --check-prefix=ASSERT --implicit-check-not=PLEASE
// ASSERT: error: an assertion of function 'asserts' failed: needs 4 elements, % d
// Open extents have to fit each other.
// RUN: not norm-run %s --function=add --input=4x64xf32=1 --input=2x64xf32=1 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: not norm-run %s --function=add --input=4x64xf32=1 --input=2x64xf32=1 --pipeline=simt 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: not norm-run %s --function=add --input=4x64xf32=1 --input=2x64xf32=1 --pipeline=upstream 2>&1 | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: error: an assertion of function 'add' failed: {{.*}}
// EXTENTS: dimension #0 of input/output operand #1 is incompatible with inferred dimension size
// RUN: norm-run %s --function=add --input=2x64xf32=1 --input=2x64xf32=1 --expected-output=2x64xf32=2
// RUN: not norm-run %s --function=sum --input=4xf32=1 --input=2xf32=1 2>&1 | FileCheck %s --check-prefix=FITS
// FITS: dimension #0 of input/output operand #1 is incompatible with inferred dimension size
// RUN: norm-run %s --function=sum --input=4xf32=1 --input=4xf32=1 --expected-output=1xf32=4
// Numbers that would let everything pass, and inputs without an end.
// RUN: not norm-run %s --function=norm --input=1x4xf32=1 --expected-output=1x4xf32=9 --max-ulp=nan 2>&1 | FileCheck %s --check-prefix=MAXULP
// RUN: not norm-run %s --function=norm --input=1x4xf32=1 --expected-output=1x4xf32=9 --max-ulp=inf 2>&1 | FileCheck %s --check-prefix=MAXULP
// RUN: not norm-run %s --function=norm --input=1x4xf32=1 --expected-output=1x4xf32=9 --max-ulp=-1 2>&1 | FileCheck %s --check-prefix=MAXULP
// MAXULP: error: --max-ulp must be a number from 0
// RUN: not norm-run %s --function=norm --input=1x4xf32=1 --max-ulp=4x 2>&1 | FileCheck %s --check-prefix=GARBAGE
// GARBAGE: '4x' value invalid for floating point argument!
// RUN: not norm-run %s --function=norm --input=1x4xf32=1 --precision=-1 2>&1 | FileCheck %s --check-prefix=PRECISION
// RUN: not norm-run %s --function=norm --input=1x4xf32=1 --precision=1000000000 2>&1 | FileCheck %s --check-prefix=PRECISION
// PRECISION: error: --precision must be from 1 to 17
// RUN: not norm-run %s --function=norm --input=1x4xf32=1 --threads=0 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: --threads must be from 1 to 1024
// RUN: not norm-run %s --function=norm --input=@/dev/zero 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: /dev/zero: is a device, not a file
// RUN: not norm-run %s --function=norm --input=@%S 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: {{.*}}Tools: is a directory
// RUN: rm -f %t.pipe && mkfifo %t.pipe
// RUN: sh -c 'cat %t.npy > %t.pipe & norm-run %s --function=norm --input=@%t.pipe' | FileCheck %s --check-prefix=PIPE
// PIPE: result[0]: 1x4xf32=[0.365148 0.730297 1.09545 1.46059]
// RUN: not sh -c 'cat %t.npy /dev/zero > %t.pipe & norm-run %s --function=norm --input=@%t.pipe' 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: error: {{.*}}pipe: has 17 bytes of data, its header says 16
// RUN: not sh -c 'yes > %t.pipe & norm-run %s --function=norm --input=@%t.pipe' 2>&1 | FileCheck %s --check-prefix=YES
// YES: error: {{.*}}pipe: not a .npy file
// RUN: not norm-run %s --no-such-option 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: Unknown command line argument '--no-such-option'

func.func @norm(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %i = tensor.empty() : tensor<1x4xf32>
  %y = norm.rmsnorm ins(%x : tensor<1x4xf32>) outs(%i : tensor<1x4xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

func.func @wide(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  return %x : tensor<1x8xf32>
}

func.func @buffers(%x: memref<3xf32>, %y: memref<3xf32>) -> f32 {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<3xf32>) outs(%y : memref<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  %c0 = arith.constant 0 : index
  %first = memref.load %x[%c0] : memref<3xf32>
  return %first : f32
}

func.func @strided(%x: memref<4xf32, strided<[2]>>) {
  return
}

func.func @cplx(%x: tensor<4xcomplex<f32>>) {
  return
}

func.func @dynamic(%x: tensor<?x3xbf16>) -> (tensor<3x?xbf16>, f32) {
  %c0 = arith.constant 0 : index
  %seven = arith.constant 7.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x3xbf16>
  %e = tensor.empty(%d) : tensor<3x?xbf16>
  %t = linalg.transpose ins(%x : tensor<?x3xbf16>) outs(%e : tensor<3x?xbf16>) permutation = [1, 0]
  return %t, %seven : tensor<3x?xbf16>, f32
}

func.func @negative(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.subi %m, %c5 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}
func.func @asserts(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %ok = arith.cmpi eq, %d, %c4 : index
  cf.assert %ok, "needs 4 elements, % d"
  %0 = arith.addf %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @add(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = arith.addf %x, %y : tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
func.func @sum(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<1xf32> {
  %z = arith.constant dense<0.0> : tensor<1xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>],
      iterator_types = ["reduction"]} ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%z : tensor<1xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %p = arith.mulf %a, %b : f32
    %r = arith.addf %p, %s : f32
    linalg.yield %r : f32
  } -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
func.func @long(%x: tensor<3xi64>) -> tensor<3xi64> {
  return %x : tensor<3xi64>
}
func.func @unsigned(%x: tensor<2xui64>) -> tensor<2xui64> {
  return %x : tensor<2xui64>
}
func.func @many(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  return %x : tensor<?x8xf32>
}
// The example of docs/Norm.md.
func.func @backward(%dy: tensor<1x4xf32>, %x: tensor<1x4xf32>, %w: tensor<4xf32>) -> (tensor<1x4xf32>, tensor<4xf32>) {
  %i = tensor.empty() : tensor<1x4xf32>
  %j = tensor.empty() : tensor<4xf32>
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<1x4xf32>, tensor<1x4xf32>) weight(%w : tensor<4xf32>)
      dx(%i : tensor<1x4xf32>) dw(%j : tensor<4xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<1x4xf32>, tensor<4xf32>
  return %dx, %dw : tensor<1x4xf32>, tensor<4xf32>
}
