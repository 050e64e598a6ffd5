// Inline assembly of the program is parsed by the target's own parser, also
// where the output is machine code; what that does not know is an error.
// RUN: split-file %s %t
// RUN: norm-compile %t/move.mlir --mtriple=x86_64-linux-gnu --emit=asm -o - | FileCheck %s
// RUN: norm-compile %t/move.mlir --mtriple=x86_64-linux-gnu --emit=obj -o %t/move.o
// RUN: llvm-objdump -d %t/move.o | FileCheck %s
// CHECK: bswapl
// RUN: not norm-compile %t/unknown.mlir --mtriple=x86_64-linux-gnu --emit=obj -o %t/unknown.o 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown.mlir:{{[0-9]+:[0-9]+}}: error: {{.*}}invalid instruction mnemonic 'nonsense'
// RUN: not ls %t/unknown.o

//--- move.mlir
func.func @f(%a: i32) -> i32 {
  %r = llvm.inline_asm "bswap $0", "=r,0" %a : (i32) -> i32
  return %r : i32
}

//--- unknown.mlir
func.func @f(%a: i32) -> i32 {
  %r = llvm.inline_asm "nonsense $0", "=r,0" %a : (i32) -> i32
  return %r : i32
}
