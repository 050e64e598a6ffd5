// More than 2^31 elements: the row's number, its offset and its bytes are 64 bits,
// in one dimension of rows, in several, and where rows begin anywhere.
// RUN: norm-compile %s --target=nvvm --emit=ptx -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx

// CHECK-LABEL: .entry rows_kernel0(
// CHECK: mov.u32 [[ROW:%r[0-9]+]], %ctaid.x;
// CHECK-NOT: {{(mul.lo.s32|mad.lo.s32|shl.b32).*}}[[ROW]],
// CHECK: mul.wide.u32 [[FIRST:%rd[0-9]+]], [[ROW]], 4096;
// CHECK: or.b64 [[ELEMENT:%rd[0-9]+]], %rd{{[0-9]+}}, [[FIRST]];
// CHECK: shl.b64 [[BYTES:%rd[0-9]+]], [[ELEMENT]], 1;
// CHECK: add.s64 [[AT:%rd[0-9]+]], %rd{{[0-9]+}}, [[BYTES]];
// CHECK: ld.global.v4.b32 {{.*}}, [[[AT]]];
func.func @rows(%x: tensor<1048576x4096xbf16>, %i: tensor<1048576x4096xbf16>) -> tensor<1048576x4096xbf16> {
  %y = norm.rmsnorm ins(%x : tensor<1048576x4096xbf16>) outs(%i : tensor<1048576x4096xbf16>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<1048576x4096xbf16>
  return %y : tensor<1048576x4096xbf16>
}

// Sixteen rows per block: the number of a row may need more than 32 bits.
// CHECK-LABEL: .entry small_rows_kernel0(
// CHECK: mov.u32 [[BLOCK:%r[0-9]+]], %ctaid.x;
// CHECK: mul.wide.u32 [[FIRST:%rd[0-9]+]], [[BLOCK]], 16;
// CHECK: or.b64 %rd{{[0-9]+}}, [[FIRST]], %rd
// CHECK-NOT: {{div|rem}}.
// CHECK: ld.global.v4.b32
func.func @small_rows(%x: tensor<?x64xbf16>, %i: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %y = norm.rmsnorm ins(%x : tensor<?x64xbf16>) outs(%i : tensor<?x64xbf16>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// Rows that begin anywhere.
// CHECK-LABEL: .entry odd_rows_kernel0(
// CHECK: mov.u32 [[ODD:%r[0-9]+]], %ctaid.x;
// CHECK: mul.wide.u32 %rd{{[0-9]+}}, [[ODD]], 4095;
// CHECK: ld.global.v4.b32
func.func @odd_rows(%x: tensor<?x4095xbf16>, %i: tensor<?x4095xbf16>) -> tensor<?x4095xbf16> {
  %y = norm.rmsnorm ins(%x : tensor<?x4095xbf16>) outs(%i : tensor<?x4095xbf16>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<?x4095xbf16>
  return %y : tensor<?x4095xbf16>
}

// Heads of 128 in [batch, sequence, head]: one division, in 32 bits, of the row's
// number; its parts are widened before they are scaled.
// CHECK-LABEL: .entry heads_kernel0(
// CHECK-NOT: {{div|rem}}.{{[us]}}64
// CHECK: div.u32
// CHECK-NOT: {{div|rem}}.
// CHECK: mul.lo.s64
// CHECK: mul.wide.u32
// CHECK: ld.global.v4.b32
// CHECK-NOT: {{div|rem}}.{{[us]}}64
// CHECK-LABEL: .entry heads_kernel0_unaligned(
func.func @heads(%x: tensor<?x?x32x128xbf16>, %i: tensor<?x?x32x128xbf16>) -> tensor<?x?x32x128xbf16> {
  %y = norm.rmsnorm ins(%x : tensor<?x?x32x128xbf16>) outs(%i : tensor<?x?x32x128xbf16>) dims = [3] epsilon = 1.0e-5 : f32 -> tensor<?x?x32x128xbf16>
  return %y : tensor<?x?x32x128xbf16>
}
