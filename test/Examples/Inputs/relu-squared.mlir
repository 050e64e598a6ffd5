// A norm and what a model does with it: max(y, 0)^2. docs: CONTRIBUTING.md.
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x1024xf32>, %w: tensor<1024xf32>, %init: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
  %y = norm.rmsnorm ins(%x, %w : tensor<?x1024xf32>, tensor<1024xf32>)
                    outs(%init : tensor<?x1024xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x1024xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x1024xf32>) outs(%init : tensor<?x1024xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %zero : f32
    %q = arith.mulf %r, %r : f32
    linalg.yield %q : f32
  } -> tensor<?x1024xf32>
  return %z : tensor<?x1024xf32>
}
