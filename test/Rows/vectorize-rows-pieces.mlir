// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-vectorize-rows,canonicalize))' | FileCheck %s
// RUN: norm-compile %S/Inputs/odd-rows.mlir --emit=asm --mtriple=x86_64-linux-gnu --mcpu=x86-64-v3 -o - | FileCheck %s --check-prefix=ASM

// No masked store; of 16 bits no element goes alone but the last.
// ASM-LABEL: _mlir_ciface_f32:
// ASM-NOT: vmaskmovps %ymm{{.*}}(
// ASM-LABEL: _mlir_ciface_bf16:
// ASM-NOT: vpinsrw $1,
// ASM-NOT: vpinsrw $3,
// ASM-NOT: vpextrw $1,
// ASM-NOT: vpextrw $3,

#row = affine_map<(d0) -> (d0)>

// 15 elements are 8, 4, 2 and 1; the load keeps its mask.
// CHECK-LABEL: func @f32
// CHECK: vector.transfer_read %{{.*}}[%c96], %{{.*}}, %{{.*}} {in_bounds = [true]} : memref<111xf32>, vector<16xf32>
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [8], strides = [1]}
// CHECK: vector.transfer_write %{{.*}}[%c96] {in_bounds = [true]} : vector<8xf32>
// CHECK: vector.transfer_write %{{.*}}[%c104] {in_bounds = [true]} : vector<4xf32>
// CHECK: vector.transfer_write %{{.*}}[%c108] {in_bounds = [true]} : vector<2xf32>
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [14], sizes = [1], strides = [1]}
// CHECK: vector.transfer_write %{{.*}}[%c110] {in_bounds = [true]} : vector<1xf32>
// CHECK-NOT: transfer_write
func.func @f32(%x: memref<111xf32>, %y: memref<111xf32>) {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : memref<111xf32>) outs(%y : memref<111xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// Of 16 bits the read goes in pieces too.
// CHECK-LABEL: func @narrow
// CHECK: vector.transfer_read %{{.*}}[%c96]{{.*}} {in_bounds = [true]} : memref<110xi16>, vector<8xi16>
// CHECK: vector.insert_strided_slice %{{.*}} {offsets = [0], strides = [1]} : vector<8xi16> into vector<16xi16>
// CHECK: vector.transfer_read %{{.*}}[%c104]{{.*}} {in_bounds = [true]} : memref<110xi16>, vector<4xi16>
// CHECK: vector.transfer_read %{{.*}}[%c108]{{.*}} {in_bounds = [true]} : memref<110xi16>, vector<2xi16>
// CHECK: vector.insert_strided_slice %{{.*}} {offsets = [12], strides = [1]} : vector<2xi16> into vector<16xi16>
// CHECK-NOT: transfer_read
// CHECK: vector.transfer_write %{{.*}} {in_bounds = [true]} : vector<8xi16>
// CHECK: vector.transfer_write %{{.*}} {in_bounds = [true]} : vector<4xi16>
// CHECK: vector.transfer_write %{{.*}} {in_bounds = [true]} : vector<2xi16>
// CHECK-NOT: transfer_write
func.func @narrow(%x: memref<110xi16>, %y: memref<110xi16>) {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : memref<110xi16>) outs(%y : memref<110xi16>) {
  ^bb0(%a: i16, %o: i16):
    %s = arith.addi %a, %a : i16
    linalg.yield %s : i16
  }
  return
}

// A mask that is not known.
// CHECK-LABEL: func @unknown
// CHECK: vector.create_mask
// CHECK: vector.transfer_write %{{.*}}, %{{.*}} {in_bounds = [true]} : vector<16xf32>, memref<?xf32>
// CHECK-NOT: transfer_write
func.func @unknown(%x: memref<?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}

// One beside a stride.
// CHECK-LABEL: func @strided
// CHECK: vector.transfer_write %{{.*}}, %{{.*}} {in_bounds = [true]} : vector<16xf32>, memref<3xf32, strided<[2]>>
// CHECK-NOT: transfer_write
func.func @strided(%x: memref<3xf32>, %y: memref<3xf32, strided<[2]>>) {
  linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : memref<3xf32>) outs(%y : memref<3xf32, strided<[2]>>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  return
}
