// <script>alert("1")</script> <img src=x onerror=alert(2)>
func.func @"<script>"(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %i = tensor.empty() : tensor<2x4xf32>
  %y = norm.rmsnorm ins(%x : tensor<2x4xf32>) outs(%i : tensor<2x4xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
