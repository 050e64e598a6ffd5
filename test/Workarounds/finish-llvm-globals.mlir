// RUN: norm-opt %s --norm-finish-llvm | FileCheck %s

// One row of elements, whatever spells them.
// CHECK: llvm.mlir.global private constant @dense(dense<[1.0{{.*}}, 2.0{{.*}}, 3.0{{.*}}, 4.0{{.*}}]> : tensor<4xf32>){{.*}} : !llvm.array<4 x f32>
llvm.mlir.global private constant @dense(dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>) {addr_space = 0 : i32} : !llvm.array<2 x array<2 x f32>>
// CHECK: @splat(dense<7> : tensor<24xi8>){{.*}} : !llvm.array<24 x i8>
llvm.mlir.global private constant @splat(dense<7> : tensor<2x3x4xi8>) {addr_space = 0 : i32} : !llvm.array<2 x array<3 x array<4 x i8>>>
// CHECK: @index(dense<[1, 2]> : tensor<2xindex>){{.*}} : !llvm.array<2 x i64>
llvm.mlir.global private constant @index(dense<[[1], [2]]> : tensor<2x1xindex>) {addr_space = 0 : i32} : !llvm.array<2 x array<1 x i64>>
// CHECK: @resource(dense_resource<r> : tensor<4xf32>){{.*}} : !llvm.array<4 x f32>
llvm.mlir.global private constant @resource(dense_resource<r> : tensor<2x1x2xf32>) {addr_space = 0 : i32} : !llvm.array<2 x array<1 x array<2 x f32>>>

// These stay: they are flat, structs, or have no value.
// CHECK: @flat({{.*}} : tensor<2xf32>){{.*}} : !llvm.array<2 x f32>
llvm.mlir.global private constant @flat(dense<[1.0, 2.0]> : tensor<2xf32>) {addr_space = 0 : i32} : !llvm.array<2 x f32>
// CHECK: @complex({{.*}} : tensor<1x2xcomplex<f32>>){{.*}} : !llvm.array<1 x array<2 x struct<(f32, f32)>>>
llvm.mlir.global private constant @complex(dense<[[(1.0, 2.0), (3.0, 4.0)]]> : tensor<1x2xcomplex<f32>>) {addr_space = 0 : i32} : !llvm.array<1 x array<2 x struct<(f32, f32)>>>
// CHECK: @uninitialized(){{.*}} : !llvm.array<2 x array<2 x f32>>
llvm.mlir.global private @uninitialized() {addr_space = 0 : i32} : !llvm.array<2 x array<2 x f32>>

{-#
  dialect_resources: {
    builtin: {
      r: "0x040000000000803f000000400000404000008040"
    }
  }
#-}
