//--- dollar.mlir
func.func @a$b.c(%x: tensor<64xf32>) -> tensor<64xf32> {
  return %x : tensor<64xf32>
}
//--- dot.mlir
func.func @forward.1(%x: tensor<64xf32>) -> tensor<64xf32> {
  return %x : tensor<64xf32>
}
//--- space.mlir
func.func @"a b"(%x: tensor<64xf32>) -> tensor<64xf32> {
  return %x : tensor<64xf32>
}
//--- comment.mlir
func.func @"*/ int x; /*"(%x: tensor<64xf32>) -> tensor<64xf32> {
  return %x : tensor<64xf32>
}
//--- digit.mlir
func.func @"1st"(%x: tensor<64xf32>) -> tensor<64xf32> {
  return %x : tensor<64xf32>
}
//--- vector.mlir
func.func @f(%x: vector<4xf32>) -> vector<4xf32> {
  return %x : vector<4xf32>
}
//--- buffer.mlir
func.func @main(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}
//--- keyword.mlir
func.func @int(%x: tensor<64xf32>) -> tensor<64xf32> {
  return %x : tensor<64xf32>
}
func.func @class(%x: i32, %y: i1) -> (i32, i1) {
  return %x, %y : i32, i1
}
func.func @NULL(%x: i32) -> i32 {
  return %x : i32
}
//--- encoding.mlir
func.func @f(%x: tensor<4xf32, "*/ int x; /*">) {
  return
}
//--- empty.mlir
func.func @""(%x: tensor<64xf32>) -> tensor<64xf32> {
  return %x : tensor<64xf32>
}
