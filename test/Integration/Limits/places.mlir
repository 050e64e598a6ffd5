// Buffers that begin at any element, whose rows or columns are strided, transposed or
// backwards, and outputs in the place of inputs: short rows in blocks, rows beyond the
// caches, one thread, two, and streamed stores. Nothing outside is written, nor read
// where that would fault. The first build checks its buffers, which must find nothing.
// REQUIRES: linux, x86_64-v3

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/places.py %t x86-64-v3 %llvm_lib_dir | FileCheck %s
// CHECK: test_unaligned one thread: 0 wrong
// CHECK-NEXT: test_fences one thread: 0 wrong
// CHECK-NEXT: test_large one thread: 0 wrong
// CHECK-NEXT: test_strided one thread: 0 wrong
// CHECK-NEXT: test_in_place one thread: 0 wrong
// CHECK-NEXT: test_residual one thread: 0 wrong
// CHECK-NEXT: test_unaligned two threads: 0 wrong
// CHECK: test_residual two threads: 0 wrong
// CHECK-NEXT: test_unaligned streamed: 0 wrong
// CHECK: test_residual streamed: 0 wrong
// CHECK-NOT: {{.}}
