// An open extent of the result that an operand says is 1, beside a map with a constant: upstream's
// linalg-fold-unit-extent-dims takes it for 0, and nothing was written.
// RUN: norm-run %s --function=f --input=1x1xi8=5 --input=1x1xi8=3 | FileCheck %s
// CHECK: result[0]: 1x1xi8=[2]
func.func @f(%x0: tensor<1x1xi8>, %y0: tensor<1x?xi8>) -> (tensor<?x1xi8>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x0, %c0 : tensor<1x1xi8>
  %e = tensor.empty(%d) : tensor<?x1xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,0)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %y0 : tensor<1x1xi8>, tensor<1x?xi8>) outs(%e : tensor<?x1xi8>) {
  ^bb0(%x: i8, %y: i8, %o: i8):
    %t = arith.subi %x, %y : i8
    linalg.yield %t : i8
  } -> tensor<?x1xi8>
  return %r : tensor<?x1xi8>
}
