// int8 with one scale a row: reads x, writes a quarter of its bytes.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#vec = affine_map<(d0) -> (d0)>

func.func @main(%x: tensor<ROWSxCOLSxf32>, %w: tensor<COLSxf32>) -> (tensor<ROWSxCOLSxi8>, tensor<ROWSxf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 1.0e-30 : f32
  %top = arith.constant 127.0 : f32
  %bottom = arith.constant -127.0 : f32
  %i = tensor.empty() : tensor<ROWSxCOLSxf32>
  %j = tensor.empty() : tensor<ROWSxf32>
  %k = tensor.empty() : tensor<ROWSxCOLSxi8>
  %y = norm.rmsnorm ins(%x, %w : tensor<ROWSxCOLSxf32>, tensor<COLSxf32>) outs(%i : tensor<ROWSxCOLSxf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<ROWSxCOLSxf32>
  %z = linalg.fill ins(%zero : f32) outs(%j : tensor<ROWSxf32>) -> tensor<ROWSxf32>
  %amax = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<ROWSxCOLSxf32>) outs(%z : tensor<ROWSxf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = math.absf %a : f32
    %t = arith.maximumf %o, %b : f32
    linalg.yield %t : f32
  } -> tensor<ROWSxf32>
  %scale = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]} ins(%amax : tensor<ROWSxf32>) outs(%j : tensor<ROWSxf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.divf %a, %top : f32
    %t = arith.maximumf %b, %least : f32
    linalg.yield %t : f32
  } -> tensor<ROWSxf32>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %scale : tensor<ROWSxCOLSxf32>, tensor<ROWSxf32>) outs(%k : tensor<ROWSxCOLSxi8>) {
  ^bb0(%a: f32, %s: f32, %o: i8):
    %d = arith.divf %a, %s : f32
    %r = math.roundeven %d : f32
    %u = arith.minimumf %r, %top : f32
    %v = arith.maximumf %u, %bottom : f32
    %b = arith.fptosi %v : f32 to i8
    linalg.yield %b : i8
  } -> tensor<ROWSxCOLSxi8>
  return %q, %scale : tensor<ROWSxCOLSxi8>, tensor<ROWSxf32>
}
