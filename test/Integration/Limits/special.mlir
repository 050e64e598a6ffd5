// NaN, infinities, overflow, underflow, subnormal numbers and zeros: each row gives
// what f32 arithmetic gives, within 4 ulp (1 in 16 bits), signs of zeros included,
// and leaves no trace in other rows: blocks of 4, 8 and 16 short rows, masked tails,
// two threads, streamed rows, in place. The unfused program and the emulated GPU do
// the same.
// REQUIRES: linux, x86_64

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/special.py %t native x86-64-v2 | FileCheck %s --check-prefix=PLAIN
// PLAIN: 32 of 32 as f32 arithmetic says, row by row
// RUN: %if x86_64-v3 %{ %python %S/Inputs/special.py %t native x86-64-v3 %llvm_lib_dir | FileCheck %s %}
// CHECK: 110 of 110 as f32 arithmetic says, row by row
// RUN: %python %S/Inputs/special.py %t upstream | FileCheck %s --check-prefix=OTHER
// RUN: %python %S/Inputs/special.py %t simt | FileCheck %s --check-prefix=OTHER
// OTHER: 32 of 32 as f32 arithmetic says, row by row
