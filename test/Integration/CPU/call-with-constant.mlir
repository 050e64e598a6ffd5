// A call whose argument is a constant that deallocation adds too.
// RUN: norm-run %s --function=f --input=4xf32=1,2,3,4 --expected-output=4xf32=1,2,3,4

func.func private @choose(%x: tensor<4xf32>, %k: i1) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  %z = arith.select %k, %y, %x : tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %false = arith.constant false
  %y = func.call @choose(%x, %false) : (tensor<4xf32>, i1) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
