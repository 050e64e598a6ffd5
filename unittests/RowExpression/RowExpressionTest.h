//===- RowExpressionTest.h - what the values of a program are ---*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_UNITTESTS_ROWEXPRESSION_ROWEXPRESSIONTEST_H
#define NORM_UNITTESTS_ROWEXPRESSION_ROWEXPRESSIONTEST_H

#include "Program.h"
#include "RowExpression/NormalForm.h"
#include "RowExpression/Reader.h"
#include <gtest/gtest.h>

namespace mlir::norm::row {

/// A program and what its returned values are. Arguments are printed by the
/// names below, which a test gives them too.
class RowExpressionTest : public testing::Test {
protected:
  /// `opens`: whether tensors are read through.
  void parse(StringRef text, bool opens = true) {
    reader.reset(); // before what it refers to
    context.reset();
    program.emplace(text);
    context.emplace(program->getContext());
    reader.emplace(*context, [opens](Value) { return opens; });
  }

  /// `ops` on %x, %y, %z: f32, %h: f16, %b: bf16, %d: f64, and what of them is
  /// returned, as in "%0, %1 : f32, f16".
  void parseScalars(const Twine &ops, StringRef returned) {
    auto [values, types] = returned.split(" : ");
    parse(("func.func @f(%x: f32, %y: f32, %z: f32, %h: f16, %b: bf16,"
           " %d: f64) -> (" +
           types + ") {\n" + ops + "\nreturn " + returned + "\n}")
              .str());
    // Forms are in the order in which nodes are made.
    for (Value argument : program->getFunction().getArguments())
      reader->readScalar(argument);
  }

  /// The scalar that is returned at position `i`.
  const Node *scalar(unsigned i = 0) {
    return reader->readScalar(program->getReturned(i));
  }
  /// The element [d0, d1, ...] of the tensor that is returned at position `i`.
  const Node *element(unsigned i = 0) {
    Value tensor = program->getReturned(i);
    SmallVector<AffineExpr> indices;
    for (auto [dim, extent] :
         llvm::enumerate(cast<ShapedType>(tensor.getType()).getShape())) {
      unsigned variable = ShapedType::isDynamic(extent)
                              ? context->addVariable(extent)
                              : context->getVariable(dim, extent);
      if (ShapedType::isDynamic(extent))
        context->getInfo(variable).sources.push_back(
            context->getExtents().getExtent(tensor, dim));
      indices.push_back(context->getIndex(variable));
    }
    return reader->read(tensor, indices);
  }

  std::string toText(const Node &node) {
    static constexpr const char *kNames[] = {"x", "y", "z", "h", "b", "d"};
    std::string text;
    llvm::raw_string_ostream os(text);
    node.print(os);
    for (auto [i, name] : llvm::enumerate(kNames)) {
      std::string written = "%arg" + std::to_string(i);
      for (size_t at; (at = text.find(written)) != std::string::npos;)
        text.replace(at, written.size(), name);
    }
    return text;
  }
  std::string scalarText(unsigned i = 0) { return toText(*scalar(i)); }
  std::string elementText(unsigned i = 0) { return toText(*element(i)); }
  std::string formText(const Node *node) {
    return toText(*normalize(*context, node).node);
  }

  std::optional<Program> program;
  std::optional<Context> context;
  std::optional<Reader> reader;
};

} // namespace mlir::norm::row

#endif // NORM_UNITTESTS_ROWEXPRESSION_ROWEXPRESSIONTEST_H
