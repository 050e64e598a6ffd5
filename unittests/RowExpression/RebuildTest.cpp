//===- RebuildTest.cpp - which spellings give the same bits ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowExpressionTest.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::norm::row;

class RebuildTest : public RowExpressionTest {
protected:
  const Node *rebuild(const Node *node) {
    SmallVector<const Node *> operands;
    for (const Node *operand : node->getOperands())
      operands.push_back(rebuild(operand));
    return operands.empty() ? node : context->rebuildRounded(node, operands);
  }
  /// Whether %0 and %1 are one node, once every rounding is one.
  bool areOne(const Twine &ops, StringRef type = "f32") {
    parseScalars(ops, llvm::formatv("%0, %1 : {0}, {0}", type).str());
    return rebuild(scalar(0)) == rebuild(scalar(1));
  }
  std::string text(const Twine &ops, StringRef type = "f32") {
    parseScalars(ops, ("%0 : " + type).str());
    return toText(*rebuild(scalar()));
  }
  /// Whether `op` in f64 of values that f32 has is that in f32, once rounded.
  bool isNarrowed(StringRef op) {
    return areOne("%a = arith.extf %x : f32 to f64\n"
                  "%c = arith.extf %y : f32 to f64\n%w = " +
                  op + (op.contains("sqrt") ? " %a" : " %a, %c") +
                  " : f64\n%0 = arith.truncf %w : f64 to f32\n%1 = " + op +
                  (op.contains("sqrt") ? " %x" : " %x, %y") + " : f32");
  }
  /// The same for f16 and f32.
  bool isWidened(StringRef op) {
    return areOne("%g = arith.truncf %x : f32 to f16\n"
                  "%a = arith.extf %h : f16 to f32\n"
                  "%c = arith.extf %g : f16 to f32\n%w = " +
                      op + (op.contains("sqrt") ? " %a" : " %a, %c") +
                      " : f32\n%0 = arith.truncf %w : f32 to f16\n%1 = " + op +
                      (op.contains("sqrt") ? " %h" : " %h, %g") + " : f16",
                  "f16");
  }
};

//===----------------------------------------------------------------------===//
// Operands and signs
//===----------------------------------------------------------------------===//

TEST_F(RebuildTest, TheOrderOfTwoOperandsIsForgotten) {
  EXPECT_TRUE(areOne("%0 = arith.mulf %x, %y : f32\n"
                     "%1 = arith.mulf %y, %x : f32"));
  EXPECT_TRUE(areOne("%0 = arith.addf %x, %y : f32\n"
                     "%1 = arith.addf %y, %x : f32"));
  EXPECT_TRUE(areOne("%0 = math.fma %x, %y, %z : f32\n"
                     "%1 = math.fma %y, %x, %z : f32"));
  EXPECT_FALSE(areOne("%0 = math.fma %x, %y, %z : f32\n"
                      "%1 = math.fma %x, %z, %y : f32"));
  EXPECT_FALSE(areOne("%0 = arith.divf %x, %y : f32\n"
                      "%1 = arith.divf %y, %x : f32"));
}

TEST_F(RebuildTest, TheOrderOfRoundingsIsNot) {
  EXPECT_FALSE(areOne("%a = arith.mulf %x, %y : f32\n"
                      "%0 = arith.mulf %a, %z : f32\n"
                      "%c = arith.mulf %y, %z : f32\n"
                      "%1 = arith.mulf %x, %c : f32"));
  EXPECT_FALSE(areOne("%a = arith.addf %x, %y : f32\n"
                      "%0 = arith.addf %a, %z : f32\n"
                      "%c = arith.addf %y, %z : f32\n"
                      "%1 = arith.addf %x, %c : f32"));
  EXPECT_FALSE(areOne("%a = arith.mulf %x, %y : f32\n"
                      "%0 = arith.addf %a, %z : f32\n"
                      "%1 = math.fma %x, %y, %z : f32"))
      << "a fused one rounds once";
}

TEST_F(RebuildTest, OtherOpsRoundOtherwise) {
  EXPECT_FALSE(areOne("%one = arith.constant 1.0 : f32\n"
                      "%s = math.sqrt %x : f32\n"
                      "%0 = arith.divf %one, %s : f32\n"
                      "%1 = math.rsqrt %x : f32"));
  EXPECT_FALSE(areOne("%n = arith.constant 3.0 : f32\n"
                      "%r = arith.constant 0.333333343 : f32\n"
                      "%0 = arith.divf %x, %n : f32\n"
                      "%1 = arith.mulf %x, %r : f32"));
}

TEST_F(RebuildTest, ASignMovesOutOfProductsAndQuotients) {
  EXPECT_EQ(text("%a = arith.negf %x : f32\n %0 = arith.mulf %a, %y : f32"),
            "-((x * y))");
  EXPECT_EQ(text("%a = arith.negf %y : f32\n %0 = arith.divf %x, %a : f32"),
            "-((x / y))");
  EXPECT_EQ(text("%a = arith.negf %x : f32\n %c = arith.negf %y : f32\n"
                 "%0 = arith.mulf %a, %c : f32"),
            "(x * y)");
  EXPECT_FALSE(areOne("%a = arith.negf %x : f32\n"
                      "%0 = arith.addf %a, %y : f32\n"
                      "%c = arith.subf %x, %y : f32\n"
                      "%1 = arith.negf %c : f32"))
      << "x - x is +0, and so is -x + x";
}

TEST_F(RebuildTest, ASquareIsAProduct) {
  EXPECT_EQ(text("%c = arith.constant 2.0 : f32\n"
                 "%0 = math.powf %x, %c : f32"),
            "(x * x)");
  EXPECT_FALSE(areOne("%c = arith.constant 3.0 : f32\n"
                      "%0 = math.powf %x, %c : f32\n"
                      "%a = arith.mulf %x, %x : f32\n"
                      "%1 = arith.mulf %a, %x : f32"));
  EXPECT_FALSE(areOne("%c = arith.constant 2.0 : f32\n"
                      "%p = math.absf %x : f32\n"
                      "%l = math.log %p : f32\n"
                      "%a = arith.mulf %l, %c : f32\n"
                      "%0 = math.exp %a : f32\n"
                      "%1 = arith.mulf %p, %p : f32"))
      << "a logarithm rounds";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

TEST_F(RebuildTest, ArithmeticIn16BitsIsThatInF32) {
  for (StringRef op : {"arith.addf", "arith.subf", "arith.mulf", "arith.divf",
                       "math.sqrt", "math.rsqrt"})
    EXPECT_TRUE(isWidened(op)) << op.str();
  EXPECT_EQ(text("%0 = arith.mulf %b, %b : bf16", "bf16"),
            "round<bf16>((extend<f32>(b) * extend<f32>(b)))");
}

TEST_F(RebuildTest, TwoOpsIn16BitsRoundTwice) {
  StringRef ops = "%a = arith.mulf %h, %h : f16\n"
                  "%0 = arith.mulf %a, %h : f16\n"
                  "%e = arith.extf %h : f16 to f32\n"
                  "%s = arith.mulf %e, %e : f32\n"
                  "{0}\n"
                  "%p = arith.mulf %{1}, %e : f32\n"
                  "%1 = arith.truncf %p : f32 to f16";
  EXPECT_FALSE(areOne(llvm::formatv(ops.data(), "", "s").str(), "f16"));
  EXPECT_TRUE(areOne(llvm::formatv(ops.data(),
                                   "%n = arith.truncf %s : f32 to f16\n"
                                   "%t = arith.extf %n : f16 to f32",
                                   "t")
                         .str(),
                     "f16"));
}

TEST_F(RebuildTest, OneOpInF64OfF32IsThatInF32) {
  for (StringRef op :
       {"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "math.sqrt"})
    EXPECT_TRUE(isNarrowed(op)) << op.str();
  EXPECT_FALSE(isNarrowed("math.rsqrt")) << "it may be two roundings in f32";
  EXPECT_TRUE(areOne("%a = arith.extf %x : f32 to f64\n"
                     "%c = arith.constant 0.5 : f64\n"
                     "%w = arith.mulf %a, %c : f64\n"
                     "%0 = arith.truncf %w : f64 to f32\n"
                     "%e = arith.constant 0.5 : f32\n"
                     "%1 = arith.mulf %x, %e : f32"));
  EXPECT_TRUE(areOne("%a = arith.extf %x : f32 to f64\n"
                     "%c = arith.extf %h : f16 to f64\n"
                     "%w = arith.mulf %a, %c : f64\n"
                     "%0 = arith.truncf %w : f64 to f32\n"
                     "%e = arith.extf %h : f16 to f32\n"
                     "%1 = arith.mulf %x, %e : f32"));
}

TEST_F(RebuildTest, ArithmeticOfF64ValuesStays) {
  EXPECT_FALSE(areOne("%a = arith.extf %x : f32 to f64\n"
                      "%w = arith.mulf %a, %d : f64\n"
                      "%0 = arith.truncf %w : f64 to f32\n"
                      "%c = arith.truncf %d : f64 to f32\n"
                      "%1 = arith.mulf %x, %c : f32"));
  EXPECT_FALSE(areOne("%a = arith.extf %x : f32 to f64\n"
                      "%c = arith.constant 0.1 : f64\n"
                      "%w = arith.mulf %a, %c : f64\n"
                      "%0 = arith.truncf %w : f64 to f32\n"
                      "%e = arith.constant 0.1 : f32\n"
                      "%1 = arith.mulf %x, %e : f32"))
      << "f32 does not have 0.1 of f64";
  EXPECT_FALSE(areOne("%a = arith.extf %x : f32 to f64\n"
                      "%s = arith.mulf %a, %a : f64\n"
                      "%w = arith.mulf %s, %a : f64\n"
                      "%0 = arith.truncf %w : f64 to f32\n"
                      "%t = arith.mulf %x, %x : f32\n"
                      "%1 = arith.mulf %t, %x : f32"))
      << "the square was not rounded to f32";
}

TEST_F(RebuildTest, CastsMoveInside) {
  EXPECT_EQ(text("%a = arith.negf %x : f32\n"
                 "%0 = arith.truncf %a : f32 to f16",
                 "f16"),
            "-(round<f16>(x))");
  EXPECT_EQ(text("%a = math.absf %h : f16\n %0 = arith.extf %a : f16 to f32"),
            "abs(extend<f32>(h))");
  EXPECT_TRUE(areOne("%g = arith.truncf %x : f32 to f16\n"
                     "%m = arith.maximumf %h, %g : f16\n"
                     "%0 = arith.extf %m : f16 to f32\n"
                     "%a = arith.extf %h : f16 to f32\n"
                     "%c = arith.extf %g : f16 to f32\n"
                     "%1 = arith.maximumf %a, %c : f32"));
}

TEST_F(RebuildTest, OperandsAreInOneOrderWhereACastHasMoved) {
  parseScalars("%g = arith.truncf %x : f32 to f16\n"
               "%c = arith.extf %g : f16 to f32\n"
               "%a = arith.extf %h : f16 to f32\n"
               "%0 = arith.maximumf %a, %c : f32\n"
               "%m = arith.maximumf %h, %g : f16\n"
               "%1 = arith.extf %m : f16 to f32",
               "%c, %a, %0, %1 : f32, f32, f32, f32");
  ASSERT_LT(scalar(0)->getNumber(), scalar(1)->getNumber())
      << "in another order than h and g";
  EXPECT_EQ(rebuild(scalar(2)), rebuild(scalar(3)));
}

//===----------------------------------------------------------------------===//
// What is not negative
//===----------------------------------------------------------------------===//

TEST_F(RebuildTest, ZeroBesideWhatIsNotNegative) {
  std::string square = "%z0 = arith.constant 0.0 : f32\n"
                       "%s = arith.mulf %x, %x : f32\n";
  EXPECT_EQ(text(square + "%0 = math.absf %s : f32"), "(x * x)");
  EXPECT_EQ(text(square + "%0 = arith.addf %s, %z0 : f32"), "(x * x)");
  EXPECT_EQ(text(square + "%0 = arith.addf %z0, %s : f32"), "(x * x)");
  EXPECT_EQ(text(square + "%0 = arith.maximumf %s, %z0 : f32"), "(x * x)");
  EXPECT_EQ(text(square + "%c = arith.constant -1.0 : f32\n"
                          "%0 = arith.maximumf %c, %s : f32"),
            "(x * x)");
  EXPECT_EQ(text(square + "%0 = arith.minimumf %s, %z0 : f32"),
            "min(0, (x * x))");
  EXPECT_EQ(text(square + "%0 = arith.maximumf %x, %z0 : f32"), "max(x, 0)");
}

TEST_F(RebuildTest, TheRootOfNegativeZeroStays) {
  std::string root = "%z0 = arith.constant 0.0 : f32\n"
                     "%s = math.sqrt %x : f32\n";
  EXPECT_FALSE(areOne(root + "%0 = math.absf %s : f32\n"
                             "%m = arith.constant -0.0 : f32\n"
                             "%1 = arith.addf %s, %m : f32"));
  EXPECT_EQ(text(root + "%0 = arith.addf %s, %z0 : f32"), "(0 + sqrt(x))");
  EXPECT_EQ(text(root + "%0 = arith.maximumf %s, %z0 : f32"),
            "max(0, sqrt(x))");
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

/// max(%x, %c) or the minimum with a select.
static std::string select(StringRef predicate, StringRef name,
                          StringRef bound = "%c") {
  return llvm::formatv("%p{0} = arith.cmpf {1}, %x, {2} : f32\n"
                       "%{0} = arith.select %p{0}, %x, {2} : f32\n",
                       name, predicate, bound);
}

TEST_F(RebuildTest, AMaximumThatKeepsEveryNaNIsOne) {
  std::string c = "%c = arith.constant 0.5 : f32\n";
  EXPECT_TRUE(areOne(c + "%0 = arith.maximumf %x, %c : f32\n"
                         "%1 = arith.maximumf %c, %x : f32"));
  EXPECT_TRUE(
      areOne(c + "%0 = arith.maximumf %x, %c : f32\n" + select("ugt", "1")));
  EXPECT_TRUE(areOne(c + select("uge", "0") + select("ugt", "1")));
  EXPECT_TRUE(
      areOne(c + "%0 = arith.minimumf %x, %c : f32\n" + select("ult", "1")));
}

TEST_F(RebuildTest, AMaximumThatDropsANaNIsAnother) {
  std::string c = "%c = arith.constant 0.5 : f32\n";
  EXPECT_FALSE(
      areOne(c + "%0 = arith.maximumf %x, %c : f32\n" + select("ogt", "1")));
  EXPECT_FALSE(areOne(c + "%0 = arith.maximumf %x, %c : f32\n"
                          "%1 = arith.maxnumf %x, %c : f32"));
  EXPECT_FALSE(
      areOne("%0 = arith.maximumf %x, %y : f32\n" + select("ugt", "1", "%y")))
      << "it drops the NaN of y";
  EXPECT_EQ(text("%c = arith.constant 0.0 : f32\n"
                 "%s = arith.mulf %x, %x : f32\n"
                 "%0 = arith.maxnumf %s, %c : f32"),
            "max((x * x), 0)")
      << "it is 0 for NaN";
}

TEST_F(RebuildTest, AMaximumWithZeroHasTheZeroOfItsSpelling) {
  EXPECT_FALSE(areOne("%c = arith.constant 0.0 : f32\n"
                      "%0 = arith.maximumf %x, %c : f32\n" +
                      select("uge", "1")))
      << "-0 is at least 0";
}
