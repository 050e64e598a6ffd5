//===- Program.cpp - unfused programs to measure --------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

// One op a generic, as torch-mlir's linalg route emits them.
static constexpr const char *kTemplate = R"(
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<{0}x{1}x{2}>, %w: tensor<{1}x{2}>) -> tensor<{0}x{1}x{2}> {{
  %zero = arith.constant 0.0 : f32
  %n = arith.constant {3} : f32
  %eps = arith.constant 1.0e-6 : f32
  %one = arith.constant 1.0 : {2}
  %e = tensor.empty() : tensor<{0}x{1}xf32>
  %e1 = tensor.empty() : tensor<{0}x1xf32>
  %ey = tensor.empty() : tensor<{0}x{1}x{2}>
  %ew = tensor.empty() : tensor<{1}x{2}>
  %f = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<{0}x{1}x{2}>) outs(%e : tensor<{0}x{1}xf32>) {{
  ^bb0(%in: {2}, %out: f32):
    {4}
    linalg.yield %v : f32
  } -> tensor<{0}x{1}xf32>
  %sq = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%f : tensor<{0}x{1}xf32>) outs(%e : tensor<{0}x{1}xf32>) {{
  ^bb0(%in: f32, %out: f32):
    %v = arith.mulf %in, %in : f32
    linalg.yield %v : f32
  } -> tensor<{0}x{1}xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<{0}x1xf32>) -> tensor<{0}x1xf32>
  %s = linalg.generic {{indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%sq : tensor<{0}x{1}xf32>) outs(%z : tensor<{0}x1xf32>) {{
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %out : f32
    linalg.yield %v : f32
  } -> tensor<{0}x1xf32>
  %m = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<{0}x1xf32>) outs(%e1 : tensor<{0}x1xf32>) {{
  ^bb0(%in: f32, %out: f32):
    %d = arith.divf %in, %n : f32
    %a = arith.addf %d, %eps : f32
    %v = math.rsqrt %a : f32
    linalg.yield %v : f32
  } -> tensor<{0}x1xf32>
  %h = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%f, %m : tensor<{0}x{1}xf32>, tensor<{0}x1xf32>) outs(%e : tensor<{0}x{1}xf32>) {{
  ^bb0(%in: f32, %r: f32, %out: f32):
    %v = arith.mulf %in, %r : f32
    linalg.yield %v : f32
  } -> tensor<{0}x{1}xf32>
  {5}
}
)";

static std::string printTail(StringRef variant, StringRef type, int64_t rows,
                             int64_t cols) {
  std::string y = llvm::formatv("tensor<{0}x{1}x{2}>", rows, cols, type);
  std::string f = llvm::formatv("tensor<{0}x{1}xf32>", rows, cols);
  std::string w = llvm::formatv("tensor<{0}x{1}>", cols, type);
  bool narrow = type != "f32";
  auto extend = [&](StringRef from, StringRef to) {
    return narrow
               ? llvm::formatv("%{0} = arith.extf %{1} : {2} to f32", to, from,
                               type)
                     .str()
               : llvm::formatv("%{0} = arith.mulf %{1}, %one : f32", to, from)
                     .str();
  };
  std::string body;
  if (variant == "llama")
    body = (narrow ? "%t = arith.truncf %in : f32 to " + type.str() + "\n    "
                   : std::string("%t = arith.mulf %in, %one : f32\n    ")) +
           "%v = arith.mulf %t, %g : " + type.str();
  else
    body = extend("g", "gf") +
           "\n    %onef = arith.constant 1.0 : f32\n    "
           "%g1 = arith.addf %gf, %onef : f32\n    %p = arith.mulf %in, %g1 : "
           "f32\n    " +
           (narrow ? "%v = arith.truncf %p : f32 to " + type.str()
                   : std::string("%v = arith.mulf %p, %one : f32"));
  return llvm::formatv(
      "%y = linalg.generic {{indexing_maps = [#id, #col, #id], iterator_types "
      "= [\"parallel\", \"parallel\"]} ins(%h, %w : {0}, {1}) outs(%ey : {2}) "
      "{{\n  ^bb0(%in: f32, %g: {3}, %out: {3}):\n    {4}\n    linalg.yield "
      "%v : {3}\n  } -> {2}\n  return %y : {2}",
      f, w, y, type, body);
}

std::string norm::printProgram(StringRef variant, StringRef type, int64_t rows,
                               int64_t cols) {
  std::string widen = type == "f32"
                          ? "%v = arith.mulf %in, %one : f32"
                          : ("%v = arith.extf %in : " + type + " to f32").str();
  return llvm::formatv(kTemplate, rows, cols, type,
                       llvm::formatv("{0:e}", static_cast<double>(cols)).str(),
                       widen, printTail(variant, type, rows, cols));
}
