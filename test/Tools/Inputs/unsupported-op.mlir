func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = ml_program.global_load @state : tensor<4xf32>
  return %y : tensor<4xf32>
}
ml_program.global private mutable @state : tensor<4xf32>
