//===- CorrespondenceTest.cpp - one value at two places -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowExpression/Correspondence.h"
#include "RowExpressionTest.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::norm::row;

class CorrespondenceTest : public RowExpressionTest {
protected:
  /// `ops` on %x: tensor<4x32xf32>, %y: tensor<4x32xf32>, %i: index, %j: index,
  /// with %e to write to. The first of what is returned is at the root, the
  /// other one in a sum: each of its dimensions has a variable of its own.
  void parseTensors(const Twine &ops, StringRef returned, bool opens = false) {
    auto [values, types] = returned.split(" : ");
    parse(("#id = affine_map<(d0, d1) -> (d0, d1)>\n"
           "func.func @f(%x: tensor<4x32xf32>, %y: tensor<4x32xf32>,"
           " %i: index, %j: index) -> (" +
           types +
           ") {\n"
           "%e = tensor.empty() : tensor<4x32xf32>\n" +
           ops + "\nreturn " + returned + "\n}")
              .str(),
          opens);
  }
  bool match() {
    agreed.emplace(*reader);
    return agreed->match(read(0, atRoot), read(1, inSum));
  }
  /// Whether dimension `i` at the root is dimension `j` in the sum.
  bool isAgreed(unsigned i, unsigned j) {
    auto it = agreed->getVariables().find(atRoot[i]);
    return it != agreed->getVariables().end() && it->second == inSum[j];
  }
  const Node *read(unsigned i, SmallVector<unsigned> &variables) {
    Value tensor = program->getReturned(i);
    SmallVector<AffineExpr> indices;
    variables.clear();
    for (int64_t extent : cast<ShapedType>(tensor.getType()).getShape()) {
      variables.push_back(context->addVariable(extent));
      indices.push_back(context->getIndex(variables.back()));
    }
    return reader->read(tensor, indices);
  }
  /// A body of two inputs.
  static std::string generic(StringRef name, StringRef a, StringRef b,
                             StringRef body, StringRef yielded) {
    return llvm::formatv(
        "%{0} = linalg.generic {{indexing_maps = [#id, #id, #id],"
        " iterator_types = [\"parallel\", \"parallel\"]}"
        " ins(%{1}, %{2} : tensor<4x32xf32>, tensor<4x32xf32>)"
        " outs(%e : tensor<4x32xf32>) {{\n^bb0(%a: f32, %c: f32, %out: f32):\n"
        "{3}\n linalg.yield %{4} : f32\n} -> tensor<4x32xf32>\n",
        name, a, b, body, yielded);
  }

  std::optional<Correspondence> agreed;
  SmallVector<unsigned> atRoot, inSum;
};

static constexpr const char *kBoth =
    "%0, %1 : tensor<4x32xf32>, tensor<4x32xf32>";

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

TEST_F(CorrespondenceTest, OneTensorAtOtherVariables) {
  parseTensors("", "%x, %x : tensor<4x32xf32>, tensor<4x32xf32>");
  EXPECT_TRUE(match());
  EXPECT_TRUE(isAgreed(0, 0));
  EXPECT_TRUE(isAgreed(1, 1));
  EXPECT_FALSE(context->takeBeyondBound());
}

TEST_F(CorrespondenceTest, AnotherTensor) {
  parseTensors("", "%x, %y : tensor<4x32xf32>, tensor<4x32xf32>");
  EXPECT_FALSE(match());
}

TEST_F(CorrespondenceTest, AVariableIsOneVariable) {
  parseTensors("", "%x : tensor<4x32xf32>");
  agreed.emplace(*reader);
  AffineExpr a = context->getIndex(context->addVariable(8)),
             b = context->getIndex(context->addVariable(8)),
             c = context->getIndex(context->addVariable(8));
  EXPECT_TRUE(agreed->agree(a, b));
  EXPECT_TRUE(agreed->agree(a, b));
  EXPECT_FALSE(agreed->agree(a, c));
}

TEST_F(CorrespondenceTest, ConstantsAndSymbolsAreThemselves) {
  parseTensors("", "%x : tensor<4x32xf32>");
  agreed.emplace(*reader);
  AffineExpr zero = getAffineConstantExpr(0, program->getContext()),
             one = getAffineConstantExpr(1, program->getContext()),
             i = context->getSymbol(program->getArgument(2)),
             j = context->getSymbol(program->getArgument(3)),
             d = context->getIndex(context->addVariable(8));
  EXPECT_TRUE(agreed->agree(one, one));
  EXPECT_FALSE(agreed->agree(zero, one));
  EXPECT_TRUE(agreed->agree(i, i));
  EXPECT_FALSE(agreed->agree(i, j));
  EXPECT_FALSE(agreed->agree(d, zero));
  EXPECT_TRUE(agreed->agree(d + i, d + i));
  EXPECT_FALSE(agreed->agree(d + i, d + j));
  EXPECT_FALSE(agreed->agree(d + 1, d + 2));
}

TEST_F(CorrespondenceTest, DigitsOfTwoVariablesAreOne) {
  parseTensors("", "%x : tensor<4x32xf32>");
  unsigned whole = context->addVariable(32), high = context->addVariable(4),
           low = context->addVariable(8);
  AffineExpr w = context->getIndex(whole), h = context->getIndex(high),
             l = context->getIndex(low);
  agreed.emplace(*reader);
  EXPECT_TRUE(agreed->agree(w, h * 8 + l));
  EXPECT_TRUE(agreed->agree(w.floorDiv(8), h));
  EXPECT_TRUE(agreed->agree(w % 8, l));
  EXPECT_FALSE(agreed->agree(w % 4, l));
  auto split = agreed->getSplitVariables();
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->atRoot, SmallVector<unsigned>{whole});
  EXPECT_EQ(split->inSum, (SmallVector<unsigned>{high, low}));
}

TEST_F(CorrespondenceTest, ADigitThatIsLeftOver) {
  parseTensors("", "%x : tensor<4x32xf32>");
  AffineExpr w = context->getIndex(context->addVariable(32)),
             h = context->getIndex(context->addVariable(4));
  agreed.emplace(*reader);
  EXPECT_TRUE(agreed->agree(w.floorDiv(8), h));
  EXPECT_FALSE(agreed->getSplitVariables().has_value());
}

TEST_F(CorrespondenceTest, GroupsOfAVariable) {
  parseTensors("", "%x : tensor<4x32xf32>");
  unsigned whole = context->addVariable(32), low = context->addVariable(8);
  AffineExpr w = context->getIndex(whole), l = context->getIndex(low);
  agreed.emplace(*reader);
  EXPECT_TRUE(agreed->agree(w, w.floorDiv(8) * 8 + l));
  auto split = agreed->getSplitVariables();
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->group, (IndexDigit{whole, 1, 8}));
  EXPECT_EQ(split->atRoot, SmallVector<unsigned>{whole});
  EXPECT_EQ(split->inSum, SmallVector<unsigned>{low});
}

TEST_F(CorrespondenceTest, HighDigitsAreNoGroups) {
  parseTensors("", "%x : tensor<4x32xf32>");
  AffineExpr w = context->getIndex(context->addVariable(32)),
             l = context->getIndex(context->addVariable(4));
  agreed.emplace(*reader);
  EXPECT_TRUE(agreed->agree(w, l * 8 + w % 8));
  EXPECT_FALSE(agreed->getSplitVariables().has_value());
}

TEST_F(CorrespondenceTest, OtherStrides) {
  parseTensors("", "%x : tensor<4x32xf32>");
  AffineExpr w = context->getIndex(context->addVariable(32)),
             h = context->getIndex(context->addVariable(4)),
             l = context->getIndex(context->addVariable(8));
  agreed.emplace(*reader);
  EXPECT_FALSE(agreed->agree(w, h * 4 + l)) << "they overlap";
  EXPECT_FALSE(agreed->agree(w, h * 16 + l)) << "there are gaps";
  EXPECT_FALSE(agreed->agree(w, l * 2)) << "it has fewer values";
  EXPECT_TRUE(agreed->agree(w, l * 4 + h)) << "what failed left nothing";
}

TEST_F(CorrespondenceTest, ADynamicVariableHasNoDigits) {
  parseTensors("", "%x : tensor<4x32xf32>");
  AffineExpr w = context->getIndex(context->addVariable(32)),
             d = context->getIndex(context->addVariable(ShapedType::kDynamic)),
             l = context->getIndex(context->addVariable(8));
  agreed.emplace(*reader);
  EXPECT_FALSE(agreed->agree(w, d * 8 + l));
  EXPECT_TRUE(agreed->agree(d * 8 + l, d * 8 + l)) << "the same formula";
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

TEST_F(CorrespondenceTest, ATransposition) {
  parseTensors("%t = tensor.empty() : tensor<32x4xf32>\n"
               "%1 = linalg.transpose ins(%x : tensor<4x32xf32>)"
               " outs(%t : tensor<32x4xf32>) permutation = [1, 0]",
               "%x, %1 : tensor<4x32xf32>, tensor<32x4xf32>");
  EXPECT_TRUE(match());
  EXPECT_TRUE(isAgreed(0, 1));
  EXPECT_TRUE(isAgreed(1, 0));
}

TEST_F(CorrespondenceTest, AReshape) {
  parseTensors("%1 = tensor.expand_shape %x [[0], [1, 2]]"
               " output_shape [4, 4, 8]"
               " : tensor<4x32xf32> into tensor<4x4x8xf32>",
               "%x, %1 : tensor<4x32xf32>, tensor<4x4x8xf32>");
  EXPECT_TRUE(match());
  EXPECT_TRUE(isAgreed(0, 0));
  auto split = agreed->getSplitVariables();
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->atRoot, SmallVector<unsigned>{atRoot[1]});
  EXPECT_EQ(split->inSum, (SmallVector<unsigned>{inSum[1], inSum[2]}));
}

TEST_F(CorrespondenceTest, TwoReshapes) {
  parseTensors("%0 = tensor.expand_shape %x [[0], [1, 2]]"
               " output_shape [4, 2, 16]"
               " : tensor<4x32xf32> into tensor<4x2x16xf32>\n"
               "%1 = tensor.expand_shape %x [[0], [1, 2]]"
               " output_shape [4, 8, 4]"
               " : tensor<4x32xf32> into tensor<4x8x4xf32>",
               "%0, %1 : tensor<4x2x16xf32>, tensor<4x8x4xf32>");
  EXPECT_TRUE(match());
  ASSERT_TRUE(agreed->getSplitVariables().has_value());
  EXPECT_EQ(agreed->getSplitVariables()->atRoot.size(), 2u);
  EXPECT_EQ(agreed->getSplitVariables()->inSum.size(), 2u);
}

TEST_F(CorrespondenceTest, AReshapeThatCrossesRows) {
  parseTensors("%0 = tensor.collapse_shape %x [[0, 1]]"
               " : tensor<4x32xf32> into tensor<128xf32>\n"
               "%1 = tensor.expand_shape %0 [[0, 1]] output_shape [8, 16]"
               " : tensor<128xf32> into tensor<8x16xf32>",
               "%x, %1 : tensor<4x32xf32>, tensor<8x16xf32>");
  EXPECT_TRUE(match());
  ASSERT_TRUE(agreed->getSplitVariables().has_value());
  EXPECT_EQ(agreed->getSplitVariables()->atRoot.size(), 2u)
      << "4 * 32 is 8 * 16 only together";
}

TEST_F(CorrespondenceTest, SlicesAtOneOffsetAndAtAnother) {
  StringRef ops = "%0 = tensor.extract_slice %x[0, %i] [4, 8] [1, 1]"
                  " : tensor<4x32xf32> to tensor<4x8xf32>\n"
                  "%1 = tensor.extract_slice %x[0, %{0}] [4, 8] [1, 1]"
                  " : tensor<4x32xf32> to tensor<4x8xf32>";
  StringRef returned = "%0, %1 : tensor<4x8xf32>, tensor<4x8xf32>";
  parseTensors(llvm::formatv(ops.data(), "i").str(), returned);
  EXPECT_TRUE(match());
  parseTensors(llvm::formatv(ops.data(), "j").str(), returned);
  EXPECT_FALSE(match());
}

TEST_F(CorrespondenceTest, BehindManyViews) {
  std::string ops;
  for (int i = 0; i < 10; ++i)
    ops += llvm::formatv("%t{0} = linalg.transpose ins(%s{0} : {1})"
                         " outs(%e{0} : {2}) permutation = [1, 0]\n",
                         i, i % 2 ? "tensor<32x4xf32>" : "tensor<4x32xf32>",
                         i % 2 ? "tensor<4x32xf32>" : "tensor<32x4xf32>");
  std::string chain;
  StringRef rest = ops;
  for (int i = 0; i < 10; ++i) {
    auto [line, after] = rest.split('\n');
    rest = after;
    std::string text = line.str(), source = "%s" + std::to_string(i) + " ";
    text.replace(text.find(source), source.size(),
                 i == 0 ? "%x " : "%t" + std::to_string(i - 1) + " ");
    chain += llvm::formatv("%e{0} = tensor.empty() : {1}\n", i,
                           i % 2 ? "tensor<4x32xf32>" : "tensor<32x4xf32>")
                 .str() +
             text + "\n";
  }
  parseTensors(chain, "%x, %t9 : tensor<4x32xf32>, tensor<4x32xf32>");
  EXPECT_TRUE(match());
  EXPECT_TRUE(isAgreed(0, 0));
  EXPECT_TRUE(isAgreed(1, 1));
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

TEST_F(CorrespondenceTest, ASumInTwoBodies) {
  parseTensors(generic("0", "x", "y", "%s = arith.addf %a, %c : f32", "s") +
                   generic("1", "x", "y", "%s = arith.addf %a, %c : f32", "s"),
               kBoth);
  EXPECT_TRUE(match());
  EXPECT_TRUE(isAgreed(1, 1));
}

TEST_F(CorrespondenceTest, ASumTheOtherWayRound) {
  parseTensors(generic("0", "x", "y", "%s = arith.addf %a, %c : f32", "s") +
                   generic("1", "x", "y", "%s = arith.addf %c, %a : f32", "s"),
               kBoth);
  EXPECT_TRUE(match());
  parseTensors(generic("0", "x", "y", "%s = arith.subf %a, %c : f32", "s") +
                   generic("1", "x", "y", "%s = arith.subf %c, %a : f32", "s"),
               kBoth);
  EXPECT_FALSE(match());
}

TEST_F(CorrespondenceTest, ATensorAndTheBodyThatItWasFusedInto) {
  parseTensors(generic("0", "x", "y", "%s = arith.addf %a, %c : f32", "s") +
                   generic("1", "0", "y",
                           "%s = arith.mulf %a, %a : f32\n"
                           "%r = math.exp %s : f32",
                           "r") +
                   generic("2", "x", "y",
                           "%t = arith.addf %a, %c : f32\n"
                           "%s = arith.mulf %t, %t : f32\n"
                           "%r = math.exp %s : f32",
                           "r"),
               "%1, %2 : tensor<4x32xf32>, tensor<4x32xf32>");
  EXPECT_TRUE(match());
}

TEST_F(CorrespondenceTest, AnotherOpInTheBody) {
  parseTensors(
      generic("0", "x", "y", "%s = arith.maximumf %a, %c : f32", "s") +
          generic("1", "x", "y", "%s = arith.maxnumf %a, %c : f32", "s"),
      kBoth);
  EXPECT_FALSE(match());
}

TEST_F(CorrespondenceTest, AnotherRounding) {
  StringRef body = "%t = arith.truncf %a : f32 to {0}\n"
                   "%s = arith.extf %t : {0} to f32";
  parseTensors(
      generic("0", "x", "y", llvm::formatv(body.data(), "f16").str(), "s") +
          generic("1", "x", "y", llvm::formatv(body.data(), "bf16").str(), "s"),
      kBoth);
  EXPECT_FALSE(match());
}

TEST_F(CorrespondenceTest, OneSumIsItselfAtItsOwnVariables) {
  parse("func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {\n"
        "%c = arith.constant dense<0.0> : tensor<4xf32>\n"
        "%0 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>)"
        " outs(%c : tensor<4xf32>) dimensions = [1]\n"
        "return %0 : tensor<4xf32>\n}");
  const Node *sum = element();
  agreed.emplace(*reader);
  EXPECT_TRUE(agreed->match(sum, sum));
  AffineExpr row = context->getIndex(context->getVariable(0, 4)),
             other = context->getIndex(context->addVariable(4));
  EXPECT_TRUE(agreed->agree(row, row));
  EXPECT_FALSE(agreed->agree(row, other)) << "it depends on the row";
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

TEST_F(CorrespondenceTest, ManyTensorsAreBeyondABound) {
  std::string ops;
  for (int i = 0; i < 80; ++i)
    for (char way : {'a', 'c'})
      ops += llvm::formatv("%{2}{1} = linalg.exp ins(%{3} : tensor<4x32xf32>)"
                           " outs(%e : tensor<4x32xf32>) -> tensor<4x32xf32>\n",
                           i, i + 1, way,
                           i == 0 ? std::string("x")
                                  : std::string(1, way) + std::to_string(i));
  parseTensors(ops, "%a80, %c80 : tensor<4x32xf32>, tensor<4x32xf32>");
  EXPECT_FALSE(match());
  EXPECT_TRUE(context->takeBeyondBound());
  parseTensors(ops, "%a20, %c20 : tensor<4x32xf32>, tensor<4x32xf32>");
  EXPECT_TRUE(match());
}

TEST_F(CorrespondenceTest, AVeryLongBodyIsBeyondABound) {
  auto getBody = [](int length) {
    std::string ops = "%s0 = arith.addf %a, %c : f32\n";
    for (int i = 0; i < length; ++i)
      ops += llvm::formatv("%s{1} = arith.mulf %s{0}, %a : f32\n", i, i + 1);
    return ops;
  };
  parseTensors(generic("0", "x", "y", getBody(20000), "s20000") +
                   generic("1", "x", "y", getBody(20000), "s20000"),
               kBoth);
  EXPECT_FALSE(match());
  EXPECT_TRUE(context->takeBeyondBound());
  parseTensors(generic("0", "x", "y", getBody(5000), "s5000") +
                   generic("1", "x", "y", getBody(5000), "s5000"),
               kBoth);
  EXPECT_TRUE(match());
}

TEST_F(CorrespondenceTest, WhatIsDoubledManyTimes) {
  std::string ops = "%s0 = arith.addf %a, %c : f32\n";
  for (int i = 0; i < 64; ++i)
    ops += llvm::formatv("%s{1} = arith.addf %s{0}, %s{0} : f32\n", i, i + 1);
  parseTensors(generic("0", "x", "y", ops, "s64") +
                   generic("1", "x", "y", ops, "s64"),
               kBoth);
  EXPECT_TRUE(match());
}
