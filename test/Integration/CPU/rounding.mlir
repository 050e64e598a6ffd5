// Llama rounds to 16 bits before the weight, Gemma once at the end: both in f16
// and bf16, bit for bit what numpy gives in that order, and not each other.

// RUN: %python %S/rounding.py %t
// RUN: norm-run %s --function=llama_f16 --input=@%t.f16.x.npy --input=@%t.f16.w.npy --output=@%t.llama_f16.npy
// RUN: norm-run %s --function=gemma_f16 --input=@%t.f16.x.npy --input=@%t.f16.w.npy --output=@%t.gemma_f16.npy
// RUN: %python %S/rounding.py %t --check f16 | FileCheck %s
// RUN: norm-run %s --function=llama_bf16 --input=@%t.bf16.x.npy --input=@%t.bf16.w.npy --output=@%t.llama_bf16.npy
// RUN: norm-run %s --function=gemma_bf16 --input=@%t.bf16.x.npy --input=@%t.bf16.w.npy --output=@%t.gemma_bf16.npy
// RUN: %python %S/rounding.py %t --check bf16 | FileCheck %s
// CHECK: llama: {{[0-9]+}} of 16448 are neighbors, 0 further
// CHECK: gemma: {{[0-9]+}} of 16448 are neighbors, 0 further
// CHECK: the orders differ in {{[0-9]+}} of 16448

func.func @llama_f16(%x: tensor<64x257xf16>, %w: tensor<257xf16>) -> tensor<64x257xf16> {
  %i = tensor.empty() : tensor<64x257xf16>
  %y = norm.rmsnorm ins(%x, %w : tensor<64x257xf16>, tensor<257xf16>) outs(%i : tensor<64x257xf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = f16 -> tensor<64x257xf16>
  return %y : tensor<64x257xf16>
}

func.func @gemma_f16(%x: tensor<64x257xf16>, %w: tensor<257xf16>) -> tensor<64x257xf16> {
  %i = tensor.empty() : tensor<64x257xf16>
  %y = norm.rmsnorm ins(%x, %w : tensor<64x257xf16>, tensor<257xf16>) outs(%i : tensor<64x257xf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<64x257xf16>
  return %y : tensor<64x257xf16>
}

func.func @llama_bf16(%x: tensor<64x257xbf16>, %w: tensor<257xbf16>) -> tensor<64x257xbf16> {
  %i = tensor.empty() : tensor<64x257xbf16>
  %y = norm.rmsnorm ins(%x, %w : tensor<64x257xbf16>, tensor<257xbf16>) outs(%i : tensor<64x257xbf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = bf16 -> tensor<64x257xbf16>
  return %y : tensor<64x257xbf16>
}

func.func @gemma_bf16(%x: tensor<64x257xbf16>, %w: tensor<257xbf16>) -> tensor<64x257xbf16> {
  %i = tensor.empty() : tensor<64x257xbf16>
  %y = norm.rmsnorm ins(%x, %w : tensor<64x257xbf16>, tensor<257xbf16>) outs(%i : tensor<64x257xbf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<64x257xbf16>
  return %y : tensor<64x257xbf16>
}
