//===- NormalFormTest.cpp - what is equal as mathematics ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowExpressionTest.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::norm::row;

class NormalFormTest : public RowExpressionTest {
protected:
  /// The form of f32 scalar %0.
  std::string form(const Twine &ops) {
    parseScalars(ops, "%0 : f32");
    return formText(scalar());
  }
  /// Whether %0 and %1 have one form.
  bool haveOneForm(const Twine &ops) {
    parseScalars(ops, "%0, %1 : f32, f32");
    return haveOneForm(scalar(0), scalar(1));
  }
  /// Whether elements of the returned tensors have one form.
  bool haveOneForm(unsigned i, unsigned j) {
    return haveOneForm(element(i), element(j));
  }
  bool haveOneForm(const Node *a, const Node *b) {
    return normalize(*context, a).node == normalize(*context, b).node;
  }
  /// The form of scalar %0 where a row has n elements.
  std::string formInRow(int64_t n, const Twine &ops, StringRef type = "f32") {
    parseScalars(ops, ("%0 : " + type).str());
    return toText(*normalize(*context, scalar(), {n, nullptr}).node);
  }
  /// The form of %x * c for an f32 constant.
  std::string scaledInRow(int64_t n, double c) {
    return formInRow(n, llvm::formatv("%c = arith.constant {0:E20} : f32\n"
                                      "%0 = arith.mulf %x, %c : f32",
                                      static_cast<float>(c))
                            .str());
  }
  /// A symbol that varies along a row.
  const Node *symbol(StringRef name, unsigned variable) {
    return context->getSymbol(name, scalar()->getType(), Sign::Any,
                              context->getIndex(variable));
  }
  const Node *get(Kind kind, ArrayRef<const Node *> operands) {
    return context->get(kind, operands[0]->getType(), operands);
  }
};

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

TEST_F(NormalFormTest, ExactValuesOfConstants) {
  auto get = [](double value, const llvm::fltSemantics &semantics) {
    APFloat number(value);
    bool losesInfo;
    number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    return getFraction(number);
  };
  EXPECT_EQ(get(0.75, APFloat::IEEEsingle()), Fraction(3, 4));
  EXPECT_EQ(get(-6.0, APFloat::IEEEhalf()), Fraction(-6));
  EXPECT_EQ(get(0x1p-149, APFloat::IEEEsingle()) * Fraction(int64_t(1) << 60),
            get(0x1p-89, APFloat::IEEEdouble()));
  EXPECT_EQ(get(15.5, APFloat::Float8E3M4()), Fraction(31, 2));
  EXPECT_EQ(get(448.0, APFloat::Float8E4M3FN()), Fraction(448));
}

TEST_F(NormalFormTest, CoefficientsAreExact) {
  EXPECT_EQ(
      form("%c = arith.constant 2.0 : f32\n %e = arith.constant 0.5 : f32\n"
           "%a = arith.mulf %c, %x : f32\n %0 = arith.mulf %e, %a : f32"),
      "x");
  EXPECT_EQ(form("%c = arith.constant 3.0 : f32\n"
                 "%a = arith.divf %x, %c : f32\n %0 = arith.mulf %a, %c : f32"),
            "x");
  EXPECT_EQ(
      form("%c = arith.constant 3.0 : f32\n %0 = arith.divf %x, %c : f32"),
      "(1/3 * x)");
  EXPECT_EQ(
      form("%c = arith.constant 0.1 : f32\n %0 = arith.mulf %x, %c : f32"),
      "(1/10 * x)")
      << "0.1 is 1/10, rounded once";
}

TEST_F(NormalFormTest, ASummandOfZeroVanishes) {
  EXPECT_EQ(
      form("%c = arith.constant 0.0 : f32\n %0 = arith.addf %x, %c : f32"),
      "x");
  EXPECT_EQ(
      form("%c = arith.constant 0.0 : f32\n %0 = arith.divf %x, %c : f32"),
      "(x * 0^-1)");
}

TEST_F(NormalFormTest, LargePowersOfConstantsStay) {
  std::string ops = "%n = arith.constant 8.0 : f32\n"
                    "%a0 = arith.constant 3.0 : f32\n";
  for (int i = 0; i < 24; ++i)
    ops += llvm::formatv("%a{1} = math.powf %a{0}, %n : f32\n", i, i + 1);
  EXPECT_EQ(form(ops + "%0 = arith.mulf %a24, %x : f32"),
            "(x * 3^4722366482869645213696)");
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

TEST_F(NormalFormTest, TheOrderOfOperandsIsForgotten) {
  EXPECT_TRUE(haveOneForm("%a = arith.addf %x, %y : f32\n"
                          "%0 = arith.addf %a, %z : f32\n"
                          "%c = arith.addf %z, %y : f32\n"
                          "%1 = arith.addf %c, %x : f32"));
  EXPECT_TRUE(haveOneForm("%a = arith.mulf %x, %y : f32\n"
                          "%0 = arith.mulf %a, %z : f32\n"
                          "%c = arith.mulf %z, %y : f32\n"
                          "%1 = arith.mulf %c, %x : f32"));
  EXPECT_FALSE(haveOneForm("%0 = arith.addf %x, %y : f32\n"
                           "%1 = arith.mulf %x, %y : f32"));
}

TEST_F(NormalFormTest, EqualTermsAreJoined) {
  EXPECT_EQ(form("%a = arith.addf %x, %y : f32\n %0 = arith.addf %a, %x : f32"),
            "((2 * x) + y)");
}

TEST_F(NormalFormTest, TermsDoNotCancel) {
  EXPECT_EQ(form("%0 = arith.subf %x, %x : f32"), "(x + (-1 * x))")
      << "it is NaN for an infinite x";
  EXPECT_EQ(form("%a = arith.addf %x, %y : f32\n %0 = arith.subf %a, %x : f32"),
            "((x + (-1 * x)) + y)");
  EXPECT_EQ(form("%c = arith.constant 9.0 : f32\n"
                 "%e = arith.constant 8.0 : f32\n"
                 "%a = arith.mulf %x, %c : f32\n"
                 "%f = arith.mulf %x, %e : f32\n"
                 "%0 = arith.subf %a, %f : f32"),
            "((9 * x) + (-8 * x))");
}

TEST_F(NormalFormTest, FactorsThatMayBeZeroDoNotCancel) {
  EXPECT_EQ(form("%0 = arith.divf %x, %x : f32"), "(x * x^-1)");
  EXPECT_EQ(form("%c = arith.constant 0.0 : f32\n"
                 "%0 = arith.mulf %x, %c : f32"),
            "(0 * x)");
  EXPECT_EQ(form("%c = arith.constant 0.0 : f32\n"
                 "%a = arith.mulf %x, %c : f32\n"
                 "%0 = arith.addf %a, %x : f32"),
            "(x + (0 * x))")
      << "0 * x is NaN for an infinite x";
  EXPECT_EQ(form("%s = arith.mulf %x, %x : f32\n %r = math.rsqrt %s : f32\n"
                 "%a = arith.mulf %s, %r : f32\n"
                 "%0 = arith.mulf %a, %r : f32"),
            "(x^2 * (x^2)^-1)")
      << "where the base is a product, it is another factor";
  EXPECT_EQ(form("%a = math.absf %x : f32\n %r = math.rsqrt %a : f32\n"
                 "%c = arith.mulf %a, %r : f32\n"
                 "%0 = arith.mulf %c, %r : f32"),
            "1")
      << "powers of what is not negative join";
}

TEST_F(NormalFormTest, AProductWithASumIsDistributed) {
  EXPECT_TRUE(haveOneForm("%a = arith.addf %x, %y : f32\n"
                          "%0 = arith.mulf %a, %z : f32\n"
                          "%c = arith.mulf %x, %z : f32\n"
                          "%e = arith.mulf %z, %y : f32\n"
                          "%1 = arith.addf %e, %c : f32"));
  EXPECT_EQ(form("%a = arith.addf %x, %y : f32\n"
                 "%c = arith.subf %x, %y : f32\n"
                 "%0 = arith.mulf %a, %c : f32"),
            "((((x * y) + ((-1 * x) * y)) + x^2) + (-1 * y^2))");
  EXPECT_EQ(form("%a = arith.addf %x, %y : f32\n"
                 "%0 = arith.divf %a, %z : f32"),
            "((x * z^-1) + (y * z^-1))");
}

TEST_F(NormalFormTest, SumsThatDifferByAFactorHaveOneBase) {
  EXPECT_TRUE(haveOneForm("%c = arith.constant 4.0 : f32\n"
                          "%a = arith.addf %x, %y : f32\n"
                          "%s = arith.mulf %a, %c : f32\n"
                          "%0 = math.rsqrt %s : f32\n"
                          "%h2 = arith.constant 0.5 : f32\n"
                          "%r = math.rsqrt %a : f32\n"
                          "%1 = arith.mulf %r, %h2 : f32"));
  EXPECT_TRUE(haveOneForm("%c = arith.constant 3.0 : f32\n"
                          "%k = arith.constant 6.0 : f32\n"
                          "%a = arith.mulf %x, %c : f32\n"
                          "%e = arith.mulf %y, %k : f32\n"
                          "%s = arith.addf %a, %e : f32\n"
                          "%0 = arith.divf %z, %s : f32\n"
                          "%f = arith.addf %y, %y : f32\n"
                          "%t = arith.addf %x, %f : f32\n"
                          "%q = arith.divf %z, %t : f32\n"
                          "%1 = arith.divf %q, %c : f32"));
  EXPECT_FALSE(haveOneForm("%c = arith.constant 4.0 : f32\n"
                           "%a = arith.mulf %x, %c : f32\n"
                           "%s = arith.addf %a, %y : f32\n"
                           "%0 = math.rsqrt %s : f32\n"
                           "%h2 = arith.constant 0.5 : f32\n"
                           "%e = arith.addf %x, %y : f32\n"
                           "%r = math.rsqrt %e : f32\n"
                           "%1 = arith.mulf %r, %h2 : f32"));
}

TEST_F(NormalFormTest, ANegativeFactorStaysInARoot) {
  EXPECT_FALSE(haveOneForm("%a = arith.subf %x, %y : f32\n"
                           "%0 = math.sqrt %a : f32\n"
                           "%c = arith.subf %y, %x : f32\n"
                           "%1 = math.sqrt %c : f32"));
  EXPECT_EQ(form("%c = arith.constant -4.0 : f32\n"
                 "%a = arith.mulf %x, %c : f32\n %0 = math.sqrt %a : f32"),
            "(-4 * x)^1/2");
}

TEST_F(NormalFormTest, ASignIsACoefficient) {
  EXPECT_TRUE(haveOneForm("%a = arith.negf %x : f32\n"
                          "%0 = arith.mulf %a, %y : f32\n"
                          "%c = arith.mulf %x, %y : f32\n"
                          "%1 = arith.negf %c : f32"));
  EXPECT_EQ(form("%a = arith.subf %x, %y : f32\n %0 = arith.negf %a : f32"),
            "((-1 * x) + y)");
}

TEST_F(NormalFormTest, ASquareOfANegationIsASquare) {
  EXPECT_EQ(form("%a = arith.negf %x : f32\n %0 = arith.mulf %a, %a : f32"),
            "x^2");
}

TEST_F(NormalFormTest, PowersAreJoined) {
  EXPECT_TRUE(haveOneForm("%r = math.rsqrt %y : f32\n"
                          "%a = arith.mulf %x, %r : f32\n"
                          "%c = arith.mulf %a, %r : f32\n"
                          "%0 = arith.mulf %c, %r : f32\n"
                          "%n = arith.constant 3 : i64\n"
                          "%p = math.fpowi %r, %n : f32, i64\n"
                          "%1 = arith.mulf %p, %x : f32"));
  EXPECT_EQ(form("%r = math.rsqrt %y : f32\n %n = arith.constant 3 : i64\n"
                 "%p = math.fpowi %r, %n : f32, i64\n"
                 "%0 = arith.mulf %p, %x : f32"),
            "(x * y^-3/2)");
}

TEST_F(NormalFormTest, WaysToWriteAReciprocalRoot) {
  parseScalars(
      "%one = arith.constant 1.0 : f32\n"
      "%c = arith.constant -0.5 : f32\n %s = math.sqrt %y : f32\n"
      "%r = math.rsqrt %y : f32\n %p = math.powf %y, %c : f32\n"
      "%q = arith.divf %one, %s : f32\n %v = arith.divf %one, %y : f32\n"
      "%w = math.sqrt %v : f32\n"
      "%0 = arith.divf %x, %s : f32\n %1 = arith.mulf %x, %r : f32\n"
      "%2 = arith.mulf %x, %p : f32\n %3 = arith.mulf %q, %x : f32\n"
      "%4 = arith.mulf %w, %x : f32",
      "%0, %1, %2, %3, %4 : f32, f32, f32, f32, f32");
  for (unsigned i = 0; i < 5; ++i)
    EXPECT_EQ(formText(scalar(i)), "(x * y^-1/2)");
}

TEST_F(NormalFormTest, AProductAndASumWithFma) {
  EXPECT_TRUE(haveOneForm("%0 = math.fma %x, %y, %z : f32\n"
                          "%a = arith.mulf %x, %y : f32\n"
                          "%1 = arith.addf %z, %a : f32"));
  EXPECT_EQ(form("%c = arith.constant -0.0 : f32\n"
                 "%0 = math.fma %x, %x, %c : f32"),
            "x^2");
}

TEST_F(NormalFormTest, ASumToAPowerIsAFactor) {
  EXPECT_EQ(form("%a = arith.addf %x, %y : f32\n %r = math.rsqrt %a : f32\n"
                 "%0 = arith.mulf %z, %r : f32"),
            "(z * (x + y)^-1/2)");
  EXPECT_TRUE(haveOneForm("%a = arith.addf %x, %y : f32\n"
                          "%0 = math.rsqrt %a : f32\n"
                          "%c = arith.addf %y, %x : f32\n"
                          "%1 = math.rsqrt %c : f32"))
      << "what a root is taken of has a form too";
}

//===----------------------------------------------------------------------===//
// Roots and signs
//===----------------------------------------------------------------------===//

TEST_F(NormalFormTest, TheRootOfASquareIsNotTheBase) {
  EXPECT_EQ(form("%a = arith.mulf %x, %x : f32\n %0 = math.sqrt %a : f32"),
            "(x^2)^1/2");
  EXPECT_TRUE(haveOneForm("%a = arith.mulf %x, %x : f32\n"
                          "%0 = math.sqrt %a : f32\n"
                          "%c = arith.constant 2.0 : f32\n"
                          "%p = math.powf %x, %c : f32\n"
                          "%1 = math.sqrt %p : f32"));
}

TEST_F(NormalFormTest, TheSquareOfARootIsTheBaseWhereThatIsNotNegative) {
  StringRef square = "%n = arith.constant 2 : i64\n"
                     "%0 = math.fpowi %s, %n : f32, i64";
  EXPECT_EQ(form("%s = math.sqrt %x : f32\n" + square), "(x^1/2 * x^1/2)");
  EXPECT_EQ(
      form("%a = math.absf %x : f32\n %s = math.sqrt %a : f32\n" + square),
      "abs(x)");
}

TEST_F(NormalFormTest, AProductOfRootsIsTheirSquare) {
  EXPECT_NE(form("%s = math.sqrt %x : f32\n %0 = arith.mulf %s, %s : f32"),
            "x");
  EXPECT_NE(form("%s = math.sqrt %x : f32\n %0 = arith.divf %s, %s : f32"),
            "1");
  EXPECT_EQ(form("%a = math.absf %x : f32\n %s = math.sqrt %a : f32\n"
                 "%0 = arith.mulf %s, %s : f32"),
            "abs(x)");
  EXPECT_TRUE(haveOneForm("%s = math.sqrt %x : f32\n"
                          "%0 = arith.mulf %s, %s : f32\n"
                          "%n = arith.constant 2 : i64\n"
                          "%1 = math.fpowi %s, %n : f32, i64"));
}

TEST_F(NormalFormTest, ARootIsNotSplitBetweenUnknownSigns) {
  EXPECT_EQ(form("%a = arith.mulf %x, %y : f32\n %0 = math.sqrt %a : f32"),
            "(x * y)^1/2");
  EXPECT_EQ(form("%a = arith.divf %x, %y : f32\n %0 = math.sqrt %a : f32"),
            "(x * y^-1)^1/2");
  EXPECT_EQ(form("%p = math.absf %y : f32\n"
                 "%a = arith.mulf %x, %p : f32\n %0 = math.sqrt %a : f32"),
            "(x^1/2 * abs(y)^1/2)");
}

TEST_F(NormalFormTest, TheSquareOfAReciprocalRoot) {
  EXPECT_EQ(form("%r = math.rsqrt %x : f32\n %0 = arith.mulf %r, %r : f32"),
            "(x^-1/2 * x^-1/2)");
  EXPECT_FALSE(haveOneForm("%r = math.rsqrt %x : f32\n"
                           "%0 = arith.mulf %r, %r : f32\n"
                           "%s = math.sqrt %x : f32\n"
                           "%a = arith.mulf %s, %0 : f32\n"
                           "%1 = arith.mulf %a, %r : f32"))
      << "sqrt(0) * rsqrt(0)^3 is NaN";
  EXPECT_TRUE(haveOneForm("%r = math.rsqrt %x : f32\n"
                          "%0 = arith.mulf %r, %r : f32\n"
                          "%n = arith.constant -2 : i64\n"
                          "%s = math.sqrt %x : f32\n"
                          "%1 = math.fpowi %s, %n : f32, i64"));
}

TEST_F(NormalFormTest, FourthRoots) {
  EXPECT_EQ(form("%s = math.sqrt %x : f32\n %0 = math.sqrt %s : f32"), "x^1/4");
  EXPECT_TRUE(haveOneForm("%s = math.sqrt %x : f32\n %t = math.sqrt %s : f32\n"
                          "%a = arith.addf %s, %t : f32\n"
                          "%0 = arith.addf %a, %s : f32\n"
                          "%c = arith.addf %s, %s : f32\n"
                          "%1 = arith.addf %t, %c : f32"))
      << "roots of one base are ordered by their exponents";
}

//===----------------------------------------------------------------------===//
// Roots of numbers
//===----------------------------------------------------------------------===//

/// The root of a constant, as %s<c>.
static std::string root(int c) {
  return llvm::formatv("%c{0} = arith.constant {0}.0 : f32\n"
                       "%r{0} = arith.constant 0.5 : f32\n"
                       "%s{0} = math.powf %c{0}, %r{0} : f32\n",
                       c);
}

TEST_F(NormalFormTest, RootsOfNumbersAreExact) {
  EXPECT_EQ(form(root(48) + root(3) + "%0 = arith.mulf %s48, %s3 : f32"), "12");
  EXPECT_EQ(form(root(48) + "%0 = arith.mulf %s48, %x : f32"),
            "((4 * 3^1/2) * x)");
  EXPECT_EQ(form(root(48) + "%0 = arith.divf %x, %s48 : f32"),
            "((1/12 * 3^1/2) * x)");
  EXPECT_EQ(form(root(2) + root(3) + "%0 = arith.addf %s2, %s3 : f32"),
            "(2^1/2 + 3^1/2)")
      << "other roots are other terms";
  EXPECT_EQ(form(root(2) + root(8) + "%0 = arith.addf %s2, %s8 : f32"),
            "(3 * 2^1/2)");
}

TEST_F(NormalFormTest, ThePowersOfARootOfN) {
  double s = std::sqrt(48.0);
  EXPECT_EQ(scaledInRow(48, s), "((4 * 3^1/2) * x)");
  EXPECT_EQ(scaledInRow(48, 1 / s), "((1/12 * 3^1/2) * x)");
  StringRef cube = "%c = arith.constant 0.144337565 : f32\n"
                   "%a = arith.mulf %c, %c : f32\n"
                   "%n = arith.constant 3 : i64\n"
                   "%0 = math.fpowi %c, %n : f32, i64";
  EXPECT_EQ(formInRow(48, cube), "(1/576 * 3^1/2)") << "48^(-3/2)";
  EXPECT_EQ(formInRow(48, "%c = arith.constant 6.9282031 : f32\n"
                          "%n = arith.constant -3 : i64\n"
                          "%0 = math.fpowi %c, %n : f32, i64"),
            "(1/576 * 3^1/2)");
}

TEST_F(NormalFormTest, ARootOfNTimesAPowerOfTwo) {
  double s = std::sqrt(48.0);
  EXPECT_EQ(scaledInRow(48, 8 * s), "((32 * 3^1/2) * x)");
  EXPECT_EQ(scaledInRow(48, s / 64), "((0.0625 * 3^1/2) * x)");
  EXPECT_EQ(scaledInRow(48, 2 / s), "((1/6 * 3^1/2) * x)");
  EXPECT_NE(scaledInRow(48, 3 * s), "((12 * 3^1/2) * x)")
      << "that was rounded twice";
}

TEST_F(NormalFormTest, ALargePowerOfARootOfNTakesNoLongTime) {
  std::string ops = "%n = arith.constant 8.0 : f32\n"
                    "%a0 = arith.constant 6.9282031 : f32\n";
  for (int i = 0; i < 20; ++i)
    ops += llvm::formatv("%a{1} = math.powf %a{0}, %n : f32\n", i, i + 1);
  EXPECT_NE(formInRow(48, ops + "%0 = arith.mulf %a20, %x : f32"), "");
}

TEST_F(NormalFormTest, TheReciprocalOfALargeN) {
  // f32 has 2^25 for 2^25 + 1.
  constexpr int64_t kOdd = (int64_t(1) << 25) + 1;
  EXPECT_EQ(scaledInRow(kOdd, 0x1p-25), "(1/33554433 * x)");
  EXPECT_EQ(scaledInRow(kOdd - 1, 0x1p-25), "(2.98023224E-8 * x)");
  EXPECT_EQ(scaledInRow(10, 0.1), "(1/10 * x)");
}

TEST_F(NormalFormTest, ZeroIsNotTheReciprocalOfAnNThatOverflows) {
  EXPECT_EQ(formInRow(100000,
                      "%c = arith.constant 0.0 : f16\n"
                      "%0 = arith.mulf %h, %c : f16",
                      "f16"),
            "(0 * h)");
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

/// %a, %b = |x|, |y|, and the numbers 2 and 3 as %c2 and %c3.
static const std::string kPositive = "%a = math.absf %x : f32\n"
                                     "%e = math.absf %y : f32\n"
                                     "%c2 = arith.constant 2.0 : f32\n"
                                     "%c3 = arith.constant 3.0 : f32\n";

TEST_F(NormalFormTest, AMaximumIsScaled) {
  EXPECT_TRUE(haveOneForm(kPositive + "%s = arith.mulf %a, %c2 : f32\n"
                                      "%t = arith.mulf %e, %c3 : f32\n"
                                      "%0 = arith.maximumf %s, %t : f32\n"
                                      "%u = arith.divf %t, %c2 : f32\n"
                                      "%m = arith.maximumf %u, %a : f32\n"
                                      "%1 = arith.mulf %m, %c2 : f32"));
  EXPECT_FALSE(haveOneForm(kPositive + "%s = arith.mulf %a, %c2 : f32\n"
                                       "%0 = arith.maximumf %s, %e : f32\n"
                                       "%m = arith.maximumf %a, %e : f32\n"
                                       "%1 = arith.mulf %m, %c2 : f32"));
}

TEST_F(NormalFormTest, AMaximumIsNotScaledByANegativeNumber) {
  EXPECT_FALSE(haveOneForm("%c = arith.constant -2.0 : f32\n"
                           "%s = arith.mulf %x, %c : f32\n"
                           "%t = arith.mulf %y, %c : f32\n"
                           "%0 = arith.maximumf %s, %t : f32\n"
                           "%m = arith.maximumf %x, %y : f32\n"
                           "%1 = arith.mulf %m, %c : f32"));
  EXPECT_FALSE(haveOneForm("%0 = arith.maximumf %x, %y : f32\n"
                           "%1 = arith.minimumf %x, %y : f32"));
}

TEST_F(NormalFormTest, ARootIsTakenOfBothSidesOfAMaximum) {
  EXPECT_TRUE(haveOneForm(kPositive + "%m = arith.maximumf %a, %e : f32\n"
                                      "%0 = math.rsqrt %m : f32\n"
                                      "%one = arith.constant 1.0 : f32\n"
                                      "%s = math.sqrt %a : f32\n"
                                      "%t = math.sqrt %e : f32\n"
                                      "%n = arith.maximumf %s, %t : f32\n"
                                      "%1 = arith.divf %one, %n : f32"));
  EXPECT_TRUE(haveOneForm(kPositive + "%m = arith.maximumf %a, %e : f32\n"
                                      "%r = math.rsqrt %m : f32\n"
                                      "%q = arith.mulf %r, %r : f32\n"
                                      "%0 = arith.mulf %q, %r : f32\n"
                                      "%1 = math.powf %r, %c3 : f32"))
      << "the cube of a root";
  EXPECT_EQ(form("%s = arith.mulf %x, %x : f32\n"
                 "%t = arith.mulf %y, %y : f32\n"
                 "%m = arith.maximumf %s, %t : f32\n"
                 "%0 = math.sqrt %m : f32"),
            "max(x^2, y^2)^1/2")
      << "it is not max(x, y)";
}

TEST_F(NormalFormTest, AMinimumIsTheReciprocalOfAMaximum) {
  EXPECT_TRUE(haveOneForm(kPositive + "%m = arith.minimumf %a, %e : f32\n"
                                      "%0 = math.rsqrt %m : f32\n"
                                      "%s = math.rsqrt %a : f32\n"
                                      "%t = math.rsqrt %e : f32\n"
                                      "%1 = arith.maximumf %s, %t : f32"));
  EXPECT_TRUE(haveOneForm(kPositive + "%s = arith.mulf %a, %c2 : f32\n"
                                      "%t = arith.mulf %e, %c2 : f32\n"
                                      "%0 = arith.minimumf %s, %t : f32\n"
                                      "%m = arith.minimumf %e, %a : f32\n"
                                      "%1 = arith.mulf %m, %c2 : f32"));
  EXPECT_FALSE(haveOneForm(kPositive + "%0 = arith.minimumf %a, %e : f32\n"
                                       "%1 = arith.maximumf %a, %e : f32"));
}

TEST_F(NormalFormTest, AMaximumWithZero) {
  EXPECT_EQ(form(kPositive + "%z0 = arith.constant 0.0 : f32\n"
                             "%0 = arith.maximumf %a, %z0 : f32"),
            "abs(x)");
  EXPECT_EQ(form("%z0 = arith.constant 0.0 : f32\n"
                 "%0 = arith.maximumf %x, %z0 : f32"),
            "max(x, 0)");
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

TEST_F(NormalFormTest, ARoundingEndsAForm) {
  parseScalars("%a = arith.addf %x, %y : f32\n %c = arith.addf %y, %x : f32\n"
               "%0 = arith.truncf %a : f32 to f16\n"
               "%1 = arith.truncf %c : f32 to f16\n"
               "%e = arith.addf %0, %h : f16\n %g = arith.subf %e, %0 : f16",
               "%0, %1, %g : f16, f16, f16");
  EXPECT_EQ(formText(scalar(0)), "round<f16>((x + y))");
  EXPECT_EQ(formText(scalar(1)), "round<f16>((x + y))");
  EXPECT_EQ(formText(scalar(2)),
            "((h + round<f16>((x + y))) + (-1 * round<f16>((x + y))))");
}

TEST_F(NormalFormTest, AWideningIsNoFactor) {
  parseScalars("%a = arith.mulf %h, %h : f16\n"
               "%0 = arith.extf %a : f16 to f32\n"
               "%c = arith.extf %h : f16 to f32\n %1 = arith.mulf %c, %c : f32",
               "%0, %1 : f32, f32");
  EXPECT_EQ(formText(scalar(0)), "extend<f32>(h^2)");
  EXPECT_EQ(formText(scalar(1)), "extend<f32>(h)^2");
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Sums over rows of %x: tensor<4x8xf32>, and the mean in several ways.
static constexpr const char *kMeans = R"(
  func.func @f(%x: tensor<4x8xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) {
    %zero = arith.constant 0.0 : f32
    %n = arith.constant dense<8.0> : tensor<4xf32>
    %r = arith.constant dense<0.125> : tensor<4xf32>
    %rs = arith.constant dense<0.125> : tensor<4x8xf32>
    %e = tensor.empty() : tensor<4xf32>
    %es = tensor.empty() : tensor<4x8xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>)
        outs(%z : tensor<4xf32>) dimensions = [1]
    %0 = linalg.div ins(%sum, %n : tensor<4xf32>, tensor<4xf32>)
        outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %1 = linalg.mul ins(%r, %sum : tensor<4xf32>, tensor<4xf32>)
        outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %s = linalg.mul ins(%x, %rs : tensor<4x8xf32>, tensor<4x8xf32>)
        outs(%es : tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = linalg.reduce { arith.addf } ins(%s : tensor<4x8xf32>)
        outs(%z : tensor<4xf32>) dimensions = [1]
    %b = linalg.broadcast ins(%0 : tensor<4xf32>) outs(%es : tensor<4x8xf32>)
        dimensions = [1]
    %3 = linalg.sub ins(%x, %b : tensor<4x8xf32>, tensor<4x8xf32>)
        outs(%es : tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0, %1, %2, %3
        : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>
  })";

TEST_F(NormalFormTest, TheCountStandsBeforeOrAfterTheSum) {
  parse(kMeans);
  EXPECT_TRUE(haveOneForm(0, 1));
  EXPECT_EQ(formText(element(0)), "(0.125 * sum{d1}(x[d0, d1]))");
  // The other sum has a variable of its own.
  EXPECT_EQ(formText(element(2)), "(0.125 * sum{d2}(x[d0, d2]))");
}

TEST_F(NormalFormTest, TheDistanceFromTheMeanHasTwoTerms) {
  parse(kMeans);
  const Node *centered = element(3);
  Form form = normalize(*context, centered);
  ASSERT_EQ(form.terms.size(), 2u);
  EXPECT_EQ(toText(*form.node), "(x[d0, d1] + (-0.125 * sum{d2}(x[d0, d2])))");
}

TEST_F(NormalFormTest, ASumOfTermsIsTheTermsOfSums) {
  parseScalars("", "%x, %y : f32, f32");
  unsigned i = context->addVariable(4), j = context->addVariable(8);
  Type f32 = scalar()->getType();
  const Node *both = context->get(Kind::Add, f32, {scalar(0), scalar(1)});
  EXPECT_EQ(formText(context->getSum(both, i)),
            "((x * sum{d0}(1)) + (y * sum{d0}(1)))");
  EXPECT_TRUE(haveOneForm(context->getSum(scalar(), {i, j}),
                          context->getSum(scalar(), {j, i})));
}

TEST_F(NormalFormTest, AVariableThatIsFreeBesideItsSum) {
  parseScalars("", "%x : f32");
  unsigned j = context->addVariable(8);
  const Node *x = symbol("x", j), *y = symbol("y", j), *z = symbol("z", j);
  const Node *statistic = context->getSum(get(Kind::Mul, {x, x}), j);
  const Node *varies =
      get(Kind::Sqrt, get(Kind::Add, {get(Kind::Mul, {x, x}), statistic}));
  EXPECT_EQ(getDependentVariables(varies), ArrayRef<unsigned>(j));
  EXPECT_TRUE(getDependentVariables(context->getSum(varies, j)).empty());
  auto sumWith = [&](const Node *in, const Node *other) {
    return get(Kind::Mul, {context->getSum(get(Kind::Mul, {in, varies}), j),
                           context->getSum(other, j)});
  };
  EXPECT_FALSE(haveOneForm(sumWith(y, z), sumWith(z, y)));
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

TEST_F(NormalFormTest, WhatIsLargeTakesNoLongTime) {
  std::string ops = "%a0 = arith.addf %x, %y : f32\n";
  for (int i = 0; i < 64; ++i)
    ops += llvm::formatv("%m{0} = arith.mulf %a{0}, %z : f32\n"
                         "%r{0} = math.sqrt %m{0} : f32\n"
                         "%a{1} = arith.addf %m{0}, %r{0} : f32\n",
                         i, i + 1);
  parseScalars(ops, "%a64 : f32");
  EXPECT_FALSE(normalize(*context, scalar()).terms.empty());
}

TEST_F(NormalFormTest, ManyTimesTheDouble) {
  std::string ops = "%a0 = arith.addf %x, %x : f32\n";
  for (int i = 0; i < 100; ++i)
    ops += llvm::formatv("%a{1} = arith.addf %a{0}, %a{0} : f32\n", i, i + 1);
  parseScalars(ops, "%a100 : f32");
  EXPECT_FALSE(normalize(*context, scalar()).terms.empty());
}

TEST_F(NormalFormTest, ALongSum) {
  std::string ops = "%a0 = arith.addf %x, %y : f32\n";
  for (int i = 0; i < 20000; ++i)
    ops += llvm::formatv("%a{1} = arith.addf %a{0}, %y : f32\n", i, i + 1);
  parseScalars(ops, "%a20000 : f32");
  EXPECT_FALSE(normalize(*context, scalar()).terms.empty());
}
