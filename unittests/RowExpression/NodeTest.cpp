//===- NodeTest.cpp - unique nodes and what folds -------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowExpressionTest.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::norm::row;

using NodeTest = RowExpressionTest;

//===----------------------------------------------------------------------===//
// Unique nodes
//===----------------------------------------------------------------------===//

TEST_F(NodeTest, EqualExpressionsAreOneNode) {
  parseScalars("%0 = arith.addf %x, %y : f32\n %1 = math.sqrt %0 : f32\n"
               "%2 = arith.addf %x, %y : f32\n %3 = math.sqrt %2 : f32\n"
               "%4 = arith.addf %y, %x : f32",
               "%1, %3, %0, %4 : f32, f32, f32, f32");
  EXPECT_EQ(scalar(0), scalar(1));
  EXPECT_NE(scalar(2), scalar(3)) << "the operands are in another order";
  EXPECT_EQ(scalarText(0), "sqrt((x + y))");
}

TEST_F(NodeTest, TheTypeIsAPartOfANode) {
  parseScalars("%0 = arith.truncf %x : f32 to f16\n"
               "%1 = arith.truncf %x : f32 to bf16\n"
               "%c = arith.constant 1.0 : f32\n %e = arith.constant 1.0 : f64",
               "%0, %1, %c, %e : f16, bf16, f32, f64");
  EXPECT_NE(scalar(0), scalar(1));
  EXPECT_EQ(scalarText(0), "round<f16>(x)");
  EXPECT_EQ(scalarText(1), "round<bf16>(x)");
  EXPECT_NE(scalar(2), scalar(3));
}

TEST_F(NodeTest, ZerosOfBothSignsAreTwoConstants) {
  parseScalars("%p = arith.constant 0.0 : f32\n %n = arith.constant -0.0 : f32",
               "%p, %n : f32, f32");
  EXPECT_NE(scalar(0), scalar(1));
}

TEST_F(NodeTest, AttributesAreAPartOfAnOp) {
  parseScalars("%0 = arith.truncf %x downward : f32 to f16\n"
               "%1 = arith.truncf %x upward : f32 to f16\n"
               "%2 = arith.truncf %x to_nearest_even : f32 to f16\n"
               "%3 = arith.truncf %x : f32 to f16",
               "%0, %1, %2, %3 : f16, f16, f16, f16");
  EXPECT_TRUE(scalar(0)->is(Kind::Opaque));
  EXPECT_NE(scalar(0), scalar(1));
  EXPECT_EQ(scalar(2), scalar(3));
}

TEST_F(NodeTest, SubtractionIsTheSumWithANegation) {
  parseScalars("%0 = arith.subf %x, %y : f32\n"
               "%1 = arith.negf %y : f32\n %2 = arith.addf %x, %1 : f32",
               "%0, %2 : f32, f32");
  EXPECT_EQ(scalar(0), scalar(1));
  EXPECT_EQ(scalarText(0), "(x + -(y))");
}

TEST_F(NodeTest, ASumOfSumsIsOne) {
  parseScalars("", "%x : f32");
  unsigned i = context->addVariable(4), j = context->addVariable(8);
  const Node *inner = context->getSum(scalar(), j);
  EXPECT_EQ(context->getSum(inner, i), context->getSum(scalar(), {i, j}));
  EXPECT_NE(inner, context->getSum(scalar(), i));
}

TEST_F(NodeTest, WhatReduces) {
  parseScalars("", "%x, %y : f32, f32");
  unsigned i = context->addVariable(4);
  Type f32 = scalar()->getType();
  const Node *sum = context->getSum(scalar(), i);
  const Node *root = context->get(Kind::Sqrt, f32, sum);
  const Node *scaled = context->get(Kind::Mul, f32, {scalar(), root});
  EXPECT_TRUE(root->isStatistic());
  EXPECT_TRUE(scaled->hasReduction());
  EXPECT_FALSE(scaled->isStatistic());
  EXPECT_FALSE(scalar()->hasReduction());
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

TEST_F(NodeTest, OnlyMinusZeroIsNeutralInASum) {
  parseScalars(
      "%p = arith.constant 0.0 : f32\n %n = arith.constant -0.0 : f32\n"
      "%0 = arith.addf %x, %p : f32\n %1 = arith.addf %p, %x : f32\n"
      "%2 = arith.addf %x, %n : f32\n %3 = arith.addf %n, %x : f32\n"
      "%4 = arith.subf %x, %p : f32\n %5 = arith.subf %x, %n : f32",
      "%0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f32");
  EXPECT_EQ(scalarText(0), "(x + 0)") << "-0 + 0.0 is +0";
  EXPECT_EQ(scalarText(1), "(0 + x)");
  EXPECT_EQ(scalarText(2), "x");
  EXPECT_EQ(scalarText(3), "x");
  EXPECT_EQ(scalarText(4), "x") << "x - 0.0 is x + -0.0";
  EXPECT_EQ(scalarText(5), "(x + 0)");
}

TEST_F(NodeTest, OneIsNeutralInAProduct) {
  parseScalars(
      "%1 = arith.constant 1.0 : f32\n %m = arith.constant -1.0 : f32\n"
      "%2 = arith.mulf %x, %1 : f32\n %3 = arith.mulf %1, %x : f32\n"
      "%4 = arith.divf %x, %1 : f32\n %5 = arith.divf %1, %x : f32\n"
      "%6 = arith.mulf %x, %m : f32",
      "%2, %3, %4, %5, %6 : f32, f32, f32, f32, f32");
  for (unsigned i : {0, 1, 2})
    EXPECT_EQ(scalarText(i), "x");
  EXPECT_EQ(scalarText(3), "(1 / x)");
  EXPECT_EQ(scalarText(4), "(x * -1)") << "a NaN keeps its sign";
}

TEST_F(NodeTest, ZeroAbsorbsNothing) {
  parseScalars("%0 = arith.constant 0.0 : f32\n"
               "%1 = arith.mulf %x, %0 : f32\n %2 = arith.subf %x, %x : f32\n"
               "%3 = arith.divf %x, %x : f32",
               "%1, %2, %3 : f32, f32, f32");
  EXPECT_EQ(scalarText(0), "(x * 0)");
  EXPECT_EQ(scalarText(1), "(x + -(x))");
  EXPECT_EQ(scalarText(2), "(x / x)");
}

TEST_F(NodeTest, Signs) {
  parseScalars("%n = arith.negf %x : f32\n %0 = arith.negf %n : f32\n"
               "%a = math.absf %x : f32\n %1 = math.absf %a : f32\n"
               "%2 = math.absf %n : f32\n %3 = arith.negf %a : f32",
               "%0, %1, %2, %3 : f32, f32, f32, f32");
  EXPECT_EQ(scalarText(0), "x");
  EXPECT_EQ(scalarText(1), "abs(x)");
  EXPECT_EQ(scalar(2), scalar(1));
  EXPECT_EQ(scalarText(3), "-(abs(x))");
}

TEST_F(NodeTest, WideningAndBack) {
  parseScalars("%0 = arith.extf %h : f16 to f32\n"
               "%1 = arith.truncf %0 : f32 to f16\n"
               "%2 = arith.truncf %0 : f32 to bf16\n"
               "%3 = arith.extf %0 : f32 to f64\n"
               "%4 = arith.truncf %3 : f64 to f32\n"
               "%5 = arith.truncf %x : f32 to f16\n"
               "%6 = arith.extf %5 : f16 to f32",
               "%1, %2, %3, %4, %6 : f16, bf16, f64, f32, f32");
  EXPECT_EQ(scalarText(0), "h");
  EXPECT_EQ(scalarText(1), "round<bf16>(extend<f32>(h))");
  EXPECT_EQ(scalarText(2), "extend<f64>(h)") << "two widenings are one";
  EXPECT_EQ(scalarText(3), "round<f32>(extend<f64>(h))");
  EXPECT_EQ(scalarText(4), "extend<f32>(round<f16>(x))");
}

TEST_F(NodeTest, TwoRoundingsStay) {
  parseScalars("%0 = arith.truncf %d : f64 to f32\n"
               "%1 = arith.truncf %0 : f32 to f16",
               "%1 : f16");
  EXPECT_EQ(scalarText(), "round<f16>(round<f32>(d))");
}

TEST_F(NodeTest, ConstantsAreComputedInTheirType) {
  parseScalars(
      "%a = arith.constant 2048.0 : f16\n %o = arith.constant 1.0 : f16\n"
      "%0 = arith.addf %a, %o : f16\n"
      "%c = arith.constant 2.0 : f32\n %1 = math.sqrt %c : f32\n"
      "%e = arith.constant 1.0e-5 : f64\n"
      "%2 = arith.truncf %e : f64 to bf16\n"
      "%o0 = arith.constant 0.0 : f32\n %3 = arith.divf %c, %o0 : f32",
      "%0, %1, %2, %3 : f16, f32, bf16, f32");
  EXPECT_TRUE(isConstant(scalar(0), 2048.0));
  EXPECT_TRUE(isConstant(scalar(1), 1.41421353816986083984375));
  EXPECT_TRUE(isConstant(scalar(2), 0x1.5p-17));
  EXPECT_TRUE(cast<ConstantNode>(scalar(3))->getValue().isInfinity());
}

TEST_F(NodeTest, RootsOfNegativeConstantsAreNotComputed) {
  parseScalars("%c = arith.constant -2.0 : f32\n %0 = math.sqrt %c : f32\n"
               "%n = arith.constant -0.0 : f32\n %1 = math.sqrt %n : f32",
               "%0, %1 : f32, f32");
  EXPECT_EQ(scalarText(0), "sqrt(-2)");
  EXPECT_TRUE(scalar(1)->is(Kind::Sqrt));
}

//===----------------------------------------------------------------------===//
// The larger of two
//===----------------------------------------------------------------------===//

class SpellingsTest : public NodeTest {
protected:
  /// Two ops on %x and %y and four selections: six nodes, all printed alike.
  void expectSixNodes(StringRef propagates, StringRef ignores,
                      ArrayRef<StringRef> predicates, StringRef printed) {
    std::string ops = llvm::formatv("%0 = {0} %x, %y : f32\n"
                                    "%1 = {1} %x, %y : f32\n",
                                    propagates, ignores);
    for (auto [i, predicate] : llvm::enumerate(predicates))
      ops += llvm::formatv("%c{0} = arith.cmpf {1}, %x, %y : f32\n"
                           "%{0} = arith.select %c{0}, %x, %y : f32\n",
                           i + 2, predicate);
    parseScalars(ops, "%0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f32");
    llvm::DenseSet<const Node *> nodes;
    for (unsigned i = 0; i < 6; ++i) {
      EXPECT_EQ(scalarText(i), printed);
      nodes.insert(scalar(i));
    }
    EXPECT_EQ(nodes.size(), 6u);
  }
};

TEST_F(SpellingsTest, OfTheLargerDiffer) {
  expectSixNodes("arith.maximumf", "arith.maxnumf",
                 {"ogt", "oge", "ugt", "uge"}, "max(x, y)");
}

TEST_F(SpellingsTest, OfTheSmallerDiffer) {
  expectSixNodes("arith.minimumf", "arith.minnumf",
                 {"olt", "ole", "ult", "ule"}, "min(x, y)");
}

TEST_F(NodeTest, ASelectionTheOtherWayRound) {
  parseScalars("%c = arith.cmpf olt, %x, %y : f32\n"
               "%0 = arith.select %c, %y, %x : f32\n"
               "%e = arith.cmpf ogt, %x, %y : f32\n"
               "%1 = arith.select %e, %y, %x : f32",
               "%0, %1 : f32, f32");
  EXPECT_EQ(scalarText(0), "max(y, x)");
  EXPECT_EQ(scalarText(1), "min(y, x)");
}

TEST_F(NodeTest, OtherSelectionsAreNoExtremum) {
  parseScalars("%c = arith.cmpf oeq, %x, %y : f32\n"
               "%0 = arith.select %c, %x, %y : f32\n"
               "%e = arith.cmpf ogt, %x, %y : f32\n"
               "%1 = arith.select %e, %x, %z : f32",
               "%0, %1 : f32, f32");
  EXPECT_TRUE(scalar(0)->is(Kind::Opaque));
  EXPECT_TRUE(scalar(1)->is(Kind::Opaque));
}

TEST_F(NodeTest, WhereANaNIsKept) {
  parseScalars("%0 = arith.maximumf %x, %y : f32\n"
               "%1 = arith.minnumf %x, %y : f32\n"
               "%c = arith.cmpf ogt, %x, %y : f32\n"
               "%2 = arith.select %c, %x, %y : f32\n"
               "%e = arith.cmpf ult, %x, %y : f32\n"
               "%3 = arith.select %e, %x, %y : f32\n"
               "%g = arith.cmpf ult, %y, %x : f32\n"
               "%4 = arith.select %g, %x, %y : f32",
               "%0, %1, %2, %3, %4 : f32, f32, f32, f32, f32");
  auto keeps = [&](unsigned i) {
    auto *node = cast<ExtremumNode>(scalar(i));
    return std::make_pair(node->keepsNaN(0), node->keepsNaN(1));
  };
  EXPECT_EQ(keeps(0), std::make_pair(true, true));
  EXPECT_EQ(keeps(1), std::make_pair(false, false));
  EXPECT_EQ(keeps(2), std::make_pair(false, true)) << "NaN > y takes y";
  EXPECT_EQ(keeps(3), std::make_pair(true, false)) << "unordered takes x";
  EXPECT_EQ(keeps(4), std::make_pair(true, false)) << "unordered takes x";
}

TEST_F(NodeTest, ComparedAsItIsOrWidened) {
  parseScalars("%a = arith.extf %h : f16 to f32\n"
               "%e = arith.constant 1.0e-5 : f32\n"
               "%s = arith.constant 1.0e-5 : f16\n"
               "%t = arith.constant 2.0e-5 : f16\n"
               "%c = arith.cmpf ogt, %a, %e : f32\n"
               "%0 = arith.select %c, %h, %s : f16\n"
               "%1 = arith.select %c, %h, %t : f16",
               "%0, %1 : f16, f16");
  EXPECT_TRUE(scalar(0)->is(Kind::Max));
  EXPECT_TRUE(scalar(1)->is(Kind::Opaque)) << "another constant is chosen";
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

TEST_F(NodeTest, IntegersAsNumbers) {
  parseScalars("%s = arith.constant -56 : i8\n %u = arith.constant 200 : i64\n"
               "%0 = arith.sitofp %s : i8 to f32\n"
               "%1 = arith.uitofp %s : i8 to f32\n"
               "%2 = arith.sitofp %u : i64 to f32\n"
               "%e = arith.extui %s : i8 to i32\n"
               "%3 = arith.sitofp %e : i32 to f32\n"
               "%g = arith.extsi %s : i8 to i32\n"
               "%4 = arith.sitofp %g : i32 to f32\n"
               "%5 = arith.uitofp %g : i32 to f64",
               "%0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f64");
  EXPECT_TRUE(isConstant(scalar(0), -56.0));
  EXPECT_TRUE(isConstant(scalar(1), 200.0));
  EXPECT_EQ(scalar(2), scalar(1));
  EXPECT_EQ(scalar(3), scalar(1));
  EXPECT_EQ(scalar(4), scalar(0));
  EXPECT_TRUE(isConstant(scalar(5), 4294967240.0));
}

TEST_F(NodeTest, IntegersOf128Bits) {
  parseScalars("%n = arith.constant -1 : i128\n %t = arith.constant 3 : i128\n"
               "%w = arith.constant 36893488147419103232 : i128\n"
               "%0 = arith.sitofp %n : i128 to f32\n"
               "%1 = arith.uitofp %n : i128 to f32\n"
               "%2 = arith.uitofp %t : i128 to f32\n"
               "%3 = arith.uitofp %w : i128 to f32\n"
               "%l = arith.constant -1 : i64\n"
               "%4 = arith.uitofp %l : i64 to f32",
               "%0, %1, %2, %3, %4 : f32, f32, f32, f32, f32");
  EXPECT_TRUE(isConstant(scalar(0), -1.0));
  EXPECT_TRUE(scalar(1)->is(Kind::Opaque));
  EXPECT_TRUE(isConstant(scalar(2), 3.0));
  EXPECT_TRUE(scalar(3)->is(Kind::Opaque)) << "64 bits do not hold it";
  EXPECT_TRUE(scalar(4)->is(Kind::Opaque));
}

TEST_F(NodeTest, ACountIsRoundedOnce) {
  parseScalars("%n = arith.constant 16777217 : i64\n"
               "%0 = arith.sitofp %n : i64 to f32\n"
               "%m = arith.constant 2049 : i32\n"
               "%1 = arith.sitofp %m : i32 to f16",
               "%0, %1 : f32, f16");
  EXPECT_TRUE(isConstant(scalar(0), 16777216.0));
  EXPECT_TRUE(isConstant(scalar(1), 2048.0));
}

TEST_F(NodeTest, ConditionsOfConstants) {
  parseScalars("%a = arith.constant 1.0 : f32\n %e = arith.constant 2.0 : f32\n"
               "%c = arith.cmpf olt, %a, %e : f32\n"
               "%0 = arith.select %c, %x, %y : f32\n"
               "%g = arith.cmpf ogt, %a, %e : f32\n"
               "%1 = arith.select %g, %x, %y : f32",
               "%0, %1 : f32, f32");
  EXPECT_EQ(scalarText(0), "x");
  EXPECT_EQ(scalarText(1), "y");
}

TEST_F(NodeTest, ATrueBitIsMinusOneWhereItIsSigned) {
  parseScalars("%a = arith.constant 1.0 : f32\n %e = arith.constant 2.0 : f32\n"
               "%c = arith.cmpf olt, %a, %e : f32\n"
               "%0 = arith.sitofp %c : i1 to f32\n"
               "%1 = arith.uitofp %c : i1 to f32\n"
               "%s = arith.extsi %c : i1 to i32\n"
               "%2 = arith.sitofp %s : i32 to f32\n"
               "%u = arith.extui %c : i1 to i32\n"
               "%3 = arith.sitofp %u : i32 to f32",
               "%0, %1, %2, %3 : f32, f32, f32, f32");
  EXPECT_FALSE(isConstant(scalar(0), 1.0)) << scalarText(0);
  EXPECT_FALSE(isConstant(scalar(1), -1.0)) << scalarText(1);
  EXPECT_FALSE(isConstant(scalar(2), 1.0)) << scalarText(2);
  EXPECT_FALSE(isConstant(scalar(3), -1.0)) << scalarText(3);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

TEST_F(NodeTest, RationalPowers) {
  parseScalars(
      "%h0 = arith.constant -0.5 : f32\n %t = arith.constant 1.3 : f32\n"
      "%n = arith.constant 3 : i64\n %w = arith.constant 9.0 : f32\n"
      "%0 = math.powf %x, %h0 : f32\n %1 = math.powf %x, %t : f32\n"
      "%2 = math.fpowi %x, %n : f32, i64\n %3 = math.powf %x, %w : f32",
      "%0, %1, %2, %3 : f32, f32, f32, f32");
  EXPECT_EQ(scalarText(0), "x^-1/2");
  EXPECT_TRUE(scalar(1)->is(Kind::Opaque));
  EXPECT_EQ(scalarText(2), "x^3");
  EXPECT_TRUE(scalar(3)->is(Kind::Opaque)) << "a large power";
}

TEST_F(NodeTest, ExponentialOfALogarithm) {
  parseScalars("%l = math.log %x : f32\n %c = arith.constant -0.5 : f32\n"
               "%0 = arith.mulf %c, %l : f32\n %1 = math.exp %0 : f32\n"
               "%e = math.exp2 %0 : f32\n"
               "%t = arith.constant 2.0 : f32\n %2 = arith.mulf %t, %l : f32\n"
               "%3 = math.exp %2 : f32",
               "%1, %e, %3 : f32, f32, f32");
  EXPECT_EQ(scalarText(0), "x^-1/2");
  EXPECT_EQ(cast<PowerNode>(scalar(0))->getSpelling(),
            PowerNode::Spelling::ExpOfLog);
  EXPECT_TRUE(scalar(1)->is(Kind::Opaque)) << "another base";
  EXPECT_TRUE(scalar(2)->is(Kind::Opaque)) << "x^2 is a number where x < 0";
}

TEST_F(NodeTest, WhatIsNotNegative) {
  parseScalars(
      "%0 = arith.mulf %x, %x : f32\n %1 = arith.mulf %x, %y : f32\n"
      "%a = math.absf %y : f32\n %2 = arith.addf %0, %a : f32\n"
      "%3 = arith.divf %0, %a : f32\n %c = arith.constant 4.0 : f32\n"
      "%4 = arith.divf %0, %c : f32\n %5 = arith.maximumf %x, %c : f32\n"
      "%6 = arith.maximumf %x, %a : f32",
      "%0, %1, %2, %3, %4, %5, %6 : f32, f32, f32, f32, f32, f32, f32");
  EXPECT_TRUE(isNonNegative(scalar(0)));
  EXPECT_FALSE(isNonNegative(scalar(1)));
  EXPECT_TRUE(isNonNegative(scalar(2)));
  EXPECT_FALSE(isNonNegative(scalar(3))) << "by -0";
  EXPECT_TRUE(isNonNegative(scalar(4)));
  EXPECT_TRUE(isNonNegative(scalar(5)));
  EXPECT_FALSE(isNonNegative(scalar(6))) << "x may be what is asked for";
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

TEST_F(NodeTest, WhatIsLargeIsPrintedInPart) {
  std::string ops = "%0 = arith.addf %x, %x : f32\n";
  for (int i = 0; i < 64; ++i)
    ops += llvm::formatv("%{1} = arith.addf %{0}, %{0} : f32\n", i, i + 1);
  parseScalars(ops, "%64 : f32");
  std::string text = scalarText();
  EXPECT_NE(text.find("..."), std::string::npos);
  EXPECT_LT(text.size(), 10000u);
}
