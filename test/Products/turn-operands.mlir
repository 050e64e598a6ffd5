// RUN: norm-opt %s --norm-tile-products --split-input-file | FileCheck %s
// RUN: norm-opt %S/Inputs/strided-pack.mlir --norm-vectorize-products | FileCheck %s --check-prefix=ELEMENTS
// RUN: norm-opt %s --norm-tile-products=threads=2 --split-input-file | FileCheck %s --check-prefix=THREADS

// Elements of a buffer whose strides are not known are copied one by one.
// ELEMENTS-LABEL: func @strided
// ELEMENTS-NOT: vector.load
// ELEMENTS: memref.load
// ELEMENTS: memref.store
// ELEMENTS-NOT: vector.load
// ELEMENTS: return

// A copy to other places, of which each block is turned in registers.
// CHECK-LABEL: func @copy
// CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %c777 step %c64
// CHECK: scf.for %[[J:.*]] = %c0{{.*}} to %c333 step %c64
// CHECK: %[[IN:.*]] = tensor.extract_slice %arg0[%[[J]], %[[I]]]
// CHECK: linalg.generic {{.*}} ins(%[[IN]] {{.*}} attrs = {norm.pack}
// CHECK: } {norm.loop = #norm.loop<product>}
// CHECK: } {norm.loop = #norm.loop<product>}
// THREADS-LABEL: func @copy
// THREADS: scf.forall
// THREADS: attrs = {norm.pack}
// THREADS: } {norm.loop = #norm.loop<product>}
func.func @copy(%x: tensor<333x777xf32>) -> tensor<777x333xf32> {
  %e = tensor.empty() : tensor<777x333xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<333x777xf32>) outs(%e : tensor<777x333xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<777x333xf32>
  return %r : tensor<777x333xf32>
}

// -----

// One that is written across is a copy in the order of the result.
// CHECK-DAG: #[[$READ:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$WRITE:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @scatter
// CHECK: linalg.generic {indexing_maps = [#[[$READ]], #[[$WRITE]]],
// CHECK-SAME: norm.pack
func.func @scatter(%x: tensor<333x777xf32>) -> tensor<777x333xf32> {
  %e = tensor.empty() : tensor<777x333xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<333x777xf32>) outs(%e : tensor<777x333xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<777x333xf32>
  return %r : tensor<777x333xf32>
}

// -----

// A block of what an op reads across is copied for the op's block; loops over others have one iteration in it.
// CHECK-LABEL: func @read
// CHECK: scf.for {{.*}} step %c64
// CHECK: scf.for {{.*}} step %c1
// CHECK: scf.for {{.*}} step %c64
// CHECK: %[[EMPTY:.*]] = tensor.empty(%{{.*}}) : tensor<?x1x64xbf16>
// CHECK: %[[TURNED:.*]] = linalg.generic {{.*}} outs(%[[EMPTY]] {{.*}} {norm.pack}
// CHECK: linalg.generic {indexing_maps = [#[[$ID:.*]], #[[$ID]], #[[$ID]]],
// CHECK-SAME: ins(%[[TURNED]], %{{.*}} :
// CHECK: arith.addf
func.func @read(%x: tensor<5x128x200xbf16>, %y: tensor<200x5x128xbf16>) -> tensor<200x5x128xbf16> {
  %e = tensor.empty() : tensor<200x5x128xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, b, j) -> (b, j, i)>, affine_map<(i, b, j) -> (i, b, j)>, affine_map<(i, b, j) -> (i, b, j)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y : tensor<5x128x200xbf16>, tensor<200x5x128xbf16>) outs(%e : tensor<200x5x128xbf16>) {
  ^bb0(%a: bf16, %c: bf16, %o: bf16):
    %s = arith.addf %a, %c : bf16
    linalg.yield %s : bf16
  } -> tensor<200x5x128xbf16>
  return %r : tensor<200x5x128xbf16>
}

// -----

// What it writes across is copied to its place afterwards.
// CHECK-LABEL: func @written
// CHECK: %[[OWN:.*]] = linalg.generic
// CHECK: arith.addf
// CHECK: linalg.generic {{.*}} ins(%[[OWN]] {{.*}} {norm.pack}
func.func @written(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// A result that the op reads, too, and parts of bytes are left, and so are less than 16 rows or columns.
// CHECK-LABEL: func @left
// CHECK-NOT: norm.pack
// CHECK: return
func.func @left(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>, %i: tensor<64x64xi4>, %s: tensor<64x15xf32>) -> (tensor<64x64xf32>, tensor<64x64xi4>, tensor<15x64xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x64xf32>) outs(%y : tensor<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.addf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  %ie = tensor.empty() : tensor<64x64xi4>
  %ir = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<64x64xi4>) outs(%ie : tensor<64x64xi4>) {
  ^bb0(%a: i4, %o: i4):
    linalg.yield %a : i4
  } -> tensor<64x64xi4>
  %se = tensor.empty() : tensor<15x64xf32>
  %sr = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<64x15xf32>) outs(%se : tensor<15x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<15x64xf32>
  return %r, %ir, %sr : tensor<64x64xf32>, tensor<64x64xi4>, tensor<15x64xf32>
}

// -----

// Rows whose elements a stride keeps apart in memory are left, too.
// CHECK-LABEL: func @strided
// CHECK-NOT: norm.pack
// CHECK: return
func.func @strided(%x: tensor<64x128xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x128xf32>) {
  %s = tensor.extract_slice %x[0, 1] [64, 64] [1, 2] : tensor<64x128xf32> to tensor<64x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<64x64xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<64x64xf32>) outs(%s : tensor<64x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<64x64xf32>
  %i = tensor.insert_slice %t into %x[0, 1] [64, 64] [1, 2] : tensor<64x64xf32> into tensor<64x128xf32>
  return %r, %i : tensor<64x64xf32>, tensor<64x128xf32>
}
