func.func @two(%x: tensor<4xf32>) -> (i64, bf16) {
  %one = arith.constant 1 : i64
  %c = arith.constant 2.5 : bf16
  return %one, %c : i64, bf16
}
func.func @square(%x: complex<f32>) -> (tensor<1xf32>, complex<f32>) {
  %y = complex.mul %x, %x : complex<f32>
  %r = complex.re %y : complex<f32>
  %t = tensor.from_elements %r : tensor<1xf32>
  return %t, %y : tensor<1xf32>, complex<f32>
}
func.func @half(%x: f16) -> f16 {
  return %x : f16
}
func.func @flags(%x: i32, %y: i32) -> (i1, i8, index) {
  %less = arith.cmpi slt, %x, %y : i32
  %byte = arith.trunci %x : i32 to i8
  %place = arith.index_cast %y : i32 to index
  return %less, %byte, %place : i1, i8, index
}
