// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-vectorize-rows,canonicalize,cse))' | FileCheck %s

#row = affine_map<(d0) -> (d0)>

// What was widened only to be kept is kept narrow, also behind a view, and under
// a mask, whose other lanes are zeros of the narrow type.
// CHECK-LABEL: func @row
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : bf16
// CHECK: %[[ROW:.*]] = memref.alloc() : memref<1x4100xbf16>
// CHECK: %[[VIEW:.*]] = memref.subview %[[ROW]]{{.*}} : memref<1x4100xbf16> to memref<4100xbf16, strided<[1]>>
// CHECK: scf.for
// CHECK: %[[N:.*]] = arith.truncf %{{.*}} : vector<64xf32> to vector<64xbf16>
// CHECK-NOT: arith.extf
// CHECK: vector.transfer_write %[[N]], %[[VIEW]]{{.*}} : vector<64xbf16>
// CHECK: scf.for
// CHECK: %[[R:.*]] = vector.transfer_read %[[VIEW]]{{.*}} : memref<4100xbf16, strided<[1]>>, vector<64xbf16>
// CHECK: %[[W:.*]] = arith.extf %[[R]] : vector<64xbf16> to vector<64xf32>
// CHECK: arith.addf %[[W]], %[[W]]
func.func @row(%x: memref<4100xf32>, %y: memref<4100xf32>) {
  %t = memref.alloc() : memref<1x4100xf32>
  %v = memref.subview %t[0, 0] [1, 4100] [1, 1] : memref<1x4100xf32> to memref<4100xf32, strided<[1]>>
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : memref<4100xf32>) outs(%v : memref<4100xf32, strided<[1]>>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.truncf %a : f32 to bf16
    %w = arith.extf %n : bf16 to f32
    linalg.yield %w : f32
  }
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%v : memref<4100xf32, strided<[1]>>) outs(%y : memref<4100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  }
  return
}

// A value per row, and one that is read as scalars.
// CHECK-LABEL: func @scalar
// CHECK: %[[T:.*]] = memref.alloc() : memref<100xf16>
// CHECK: memref.store %{{.*}}, %[[T]]{{.*}} : memref<100xf16>
// CHECK: %[[S:.*]] = memref.load %[[T]]{{.*}} : memref<100xf16>
// CHECK: arith.extf %[[S]] : f16 to f32
func.func @scalar(%x: memref<100x1xf16>, %y: memref<100x64xf32>) {
  %t = memref.alloc() : memref<100xf32>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<100x1xf16>) outs(%t : memref<100xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    linalg.yield %w : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<100xf32>) outs(%y : memref<100x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// A row of one value is one of the narrow value.
// CHECK-LABEL: func @uniform
// CHECK: %[[S:.*]] = memref.load %{{.*}} : memref<f16>
// CHECK: %[[V:.*]] = vector.broadcast %[[S]] : f16 to vector<64xf16>
// CHECK: vector.transfer_write %[[V]]
func.func @uniform(%s: memref<f16>, %y: memref<4096xf32>) {
  %t = memref.alloc() : memref<4096xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, #row], iterator_types = ["parallel"]}
      ins(%s : memref<f16>) outs(%t : memref<4096xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    linalg.yield %w : f32
  }
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%t : memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// An f32 beside them, another narrow type, an 8-bit float, whose conversions cost
// more, a caller's buffer, and one that an op without a plan reads.
// CHECK-LABEL: func @others
// CHECK-NOT: memref.alloc() : memref<{{.*}}16>
// CHECK: return
func.func @others(%x: memref<4096xbf16>, %h: memref<4096xf16>, %e: memref<4096xf8E5M2>, %f: memref<4096xf32>, %y: memref<4096xf32>) -> memref<4096xf32> {
  %0 = memref.alloc() : memref<4096xf32>
  %1 = memref.alloc() : memref<4096xf32>
  %2 = memref.alloc() : memref<4096xf32>
  %3 = memref.alloc() : memref<4096xf32>
  linalg.generic {indexing_maps = [#row, #row, #row, #row, #row, #row, #row], iterator_types = ["parallel"]}
      ins(%x, %e : memref<4096xbf16>, memref<4096xf8E5M2>) outs(%0, %1, %2, %y, %3 : memref<4096xf32>, memref<4096xf32>, memref<4096xf32>, memref<4096xf32>, memref<4096xf32>) {
  ^bb0(%a: bf16, %c: f8E5M2, %o: f32, %p: f32, %q: f32, %r: f32, %s: f32):
    %w = arith.extf %a : bf16 to f32
    %z = arith.extf %c : f8E5M2 to f32
    linalg.yield %w, %w, %z, %w, %w : f32, f32, f32, f32, f32
  }
  linalg.generic {indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel"]}
      ins(%f, %h : memref<4096xf32>, memref<4096xf16>) outs(%0, %1 : memref<4096xf32>, memref<4096xf32>) {
  ^bb0(%a: f32, %b: f16, %o: f32, %p: f32):
    %w = arith.extf %b : f16 to f32
    linalg.yield %a, %w : f32, f32
  }
  linalg.generic {indexing_maps = [#row, #row, #row, #row], iterator_types = ["parallel"]}
      ins(%0, %1, %2 : memref<4096xf32>, memref<4096xf32>, memref<4096xf32>) outs(%y : memref<4096xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %c : f32
    linalg.yield %t : f32
  }
  return %3 : memref<4096xf32>
}
