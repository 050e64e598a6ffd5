func.func @f(%x: tensor<4xcomplex<f32>>) {
  return
}
