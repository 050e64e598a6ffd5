// Globals of booleans are bytes, as all tensors of them in memory.
// RUN: norm-run %s --function=f --input=4xi1=0,1,0,0 --expected-output=4xi1=1,0,1,1

ml_program.global private mutable @g(dense<[true, false, true, true]> : tensor<4xi1>) : tensor<4xi1>
func.func @f(%x: tensor<4xi1>) -> tensor<4xi1> {
  %old = ml_program.global_load @g : tensor<4xi1>
  ml_program.global_store @g = %x : tensor<4xi1>
  return %old : tensor<4xi1>
}
