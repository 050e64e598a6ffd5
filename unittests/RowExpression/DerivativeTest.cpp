//===- DerivativeTest.cpp - the backward law is the forward one's ---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The law of norm.rmsnorm is differentiated here by the rules of calculus, as
// docs/Norm.md derives the backward pass, and its form is compared with that of
// the law of norm.rmsnorm_backward. All types are f64, so that no rounding
// stands between the two.
//
//===----------------------------------------------------------------------===//

#include "Recognition/Law.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/IR/Norm.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

namespace {
/// The derivative of an expression by a leaf or a sum, where all other leaves
/// and sums are constants. Null is zero.
class Derivative {
public:
  Derivative(Context &context, const Node *variable)
      : context(context), variable(variable), type(variable->getType()) {}

  const Node *get(const Node *node) {
    if (node == variable)
      return context.getNumber(Fraction(1), type);
    if (node->is(Kind::Sum) || node->getOperands().empty())
      return nullptr;
    const Node *a = node->getOperand(0);
    switch (node->getKind()) {
    case Kind::Neg:
      return scale(Fraction(-1), get(a));
    case Kind::Add:
      return add(get(a), get(node->getOperand(1)));
    case Kind::Mul:
      return getOfProduct(a, node->getOperand(1));
    case Kind::Div:
      return getOfProduct(
          a, context.getPower(node->getOperand(1), Fraction(-1), type));
    case Kind::Sqrt:
      return getOfPower(a, Fraction(1, 2));
    case Kind::Rsqrt:
      return getOfPower(a, Fraction(-1, 2));
    case Kind::Power: {
      auto *power = cast<PowerNode>(node);
      return getOfPower(a, power->getExponent());
    }
    default:
      ADD_FAILURE() << "no rule for " << node->describe();
      return nullptr;
    }
  }

private:
  const Node *add(const Node *a, const Node *b) {
    return a && b ? context.get(Kind::Add, type, {a, b}) : a ? a : b;
  }
  const Node *multiply(const Node *a, const Node *b) {
    return a && b ? context.get(Kind::Mul, type, {a, b}) : nullptr;
  }
  const Node *scale(const Fraction &number, const Node *node) {
    return multiply(context.getNumber(number, type), node);
  }
  const Node *getOfProduct(const Node *a, const Node *b) {
    return add(multiply(get(a), b), multiply(a, get(b)));
  }
  const Node *getOfPower(const Node *base, const Fraction &exponent) {
    Fraction less = exponent - Fraction(1);
    const Node *power = context.getPower(base, less, type);
    return scale(exponent, multiply(power, get(base)));
  }

  Context &context;
  const Node *variable;
  Type type;
};

/// Where clamp has its epsilon: max(s, e) is s or e.
enum class Branch { Above, Below };

/// Whether an op has a weight.
enum class Weight { None, Vector };

class DerivativeTest : public testing::Test {
protected:
  DerivativeTest() {
    mlir.loadDialect<NormDialect, arith::ArithDialect, linalg::LinalgDialect,
                     math::MathDialect, tensor::TensorDialect>();
    type = Float64Type::get(&mlir);
    norm.computeType = cast<FloatType>(type);
    norm.epsilon = APFloat(1e-6);
  }

  const Node *getLaw(LawBook::Result result, Weight weight) {
    LawBook::Types types;
    types.x = types.result = type;
    if (weight == Weight::Vector)
      types.weight = type;
    PlannedNorm planned = norm;
    if (result != LawBook::Result::Norm) {
      types.dy = type;
      planned.gradient.emplace();
    }
    return laws.getLaw(result, planned, types, terms);
  }

  /// Takes one branch of clamp, which has a derivative on each side of e.
  const Node *takeBranch(const Node *node, Branch branch) {
    return Rewriter([&](const Node *each,
                        ArrayRef<const Node *> operands) -> const Node * {
             auto *opaque = dyn_cast<OpaqueNode>(each);
             if (opaque && opaque->getName() == "arith.select")
               return operands[branch == Branch::Below ? 1 : 2];
             if (each->is(Kind::Max)) {
               bool isFirst = operands[0] == laws.getEpsilon(type);
               return operands[isFirst == (branch == Branch::Below) ? 0 : 1];
             }
             // Forms keep 0 * x, which is NaN for an infinite x.
             if (each->is(Kind::Mul))
               for (const Node *operand : operands)
                 if (isConstant(operand, 0.0))
                   return operand;
             return context.rebuild(each, operands);
           })
        .run(node);
  }

  /// Replaces the elements at one place of the row by those at another.
  const Node *move(const Node *node, Place from, Place to) {
    return Rewriter([&](const Node *each, ArrayRef<const Node *> operands) {
             for (StringRef name : {"x", "dy", "w"})
               if (each == laws.getElement(name, type, from))
                 return laws.getElement(name, type, to);
             // A sum has an index of its own.
             return each->is(Kind::Sum) ? each
                                        : context.rebuild(each, operands);
           })
        .run(node);
  }

  static const SumNode *findSum(const Node *node) {
    if (auto *sum = dyn_cast<SumNode>(node))
      return sum;
    for (const Node *operand : node->getOperands())
      if (const SumNode *sum = findSum(operand))
        return sum;
    return nullptr;
  }

  const Node *multiply(const Node *a, const Node *b) {
    return context.get(Kind::Mul, type, {a, b});
  }

  /// The sum over j of dy_j * dy_j/dx_i. y_j depends on x_i where j is i, and
  /// by the statistic.
  const Node *differentiate(const Node *y) {
    const SumNode *statistic = findSum(y);
    const Node *dy = laws.getElement("dy", type, Place::Result);
    const Node *own = multiply(
        dy,
        Derivative(context, laws.getElement("x", type, Place::Result)).get(y));
    const Node *byStatistic =
        statistic ? Derivative(context, statistic).get(y) : nullptr;
    if (!byStatistic)
      return own;
    const Node *every = context.getSum(
        move(multiply(dy, byStatistic), Place::Result, Place::Sum),
        laws.getSummed());
    const Node *ofTerm =
        Derivative(context, laws.getElement("x", type, Place::Sum))
            .get(statistic->getTerm());
    return context.get(
        Kind::Add, type,
        {own, multiply(every, move(ofTerm, Place::Sum, Place::Result))});
  }

  const Node *getForm(const Node *node) {
    return normalize(context, node, {terms, nullptr}).node;
  }

  void expectInputGradient(Branch branch = Branch::Above) {
    for (RootForm form :
         {RootForm::Reciprocal, RootForm::Rsqrt, RootForm::Quotient})
      for (Weight weight : {Weight::None, Weight::Vector})
        for (std::optional<int64_t> n :
             {std::optional<int64_t>(), std::optional<int64_t>(48)}) {
          norm.rootForm = form;
          terms = n;
          const Node *y =
              takeBranch(getLaw(LawBook::Result::Norm, weight), branch);
          const Node *dx = takeBranch(
              getLaw(LawBook::Result::InputGradient, weight), branch);
          const Node *derived = getForm(differentiate(y)),
                     *expected = getForm(dx);
          EXPECT_EQ(derived, expected) << derived->describe() << "\n"
                                       << expected->describe();
        }
  }

  MLIRContext mlir{MLIRContext::Threading::DISABLED};
  Context context{&mlir};
  LawBook laws{context};
  Type type;
  PlannedNorm norm;
  std::optional<int64_t> terms;
};
} // namespace

TEST_F(DerivativeTest, EpsilonInsideOfTheRoot) {
  norm.mode = EpsilonMode::Inside;
  expectInputGradient();
}

TEST_F(DerivativeTest, WithoutEpsilon) {
  norm.epsilon = APFloat(0.0);
  expectInputGradient();
}

TEST_F(DerivativeTest, EpsilonOutsideOfTheRoot) {
  norm.mode = EpsilonMode::Outside;
  expectInputGradient();
}

TEST_F(DerivativeTest, ARootAboveItsBound) {
  norm.mode = EpsilonMode::Clamp;
  expectInputGradient(Branch::Above);
}

TEST_F(DerivativeTest, ARootBelowItsBound) {
  norm.mode = EpsilonMode::Clamp;
  expectInputGradient(Branch::Below);
}

TEST_F(DerivativeTest, TheGradientOfTheWeight) {
  for (EpsilonMode mode : {EpsilonMode::Inside, EpsilonMode::Outside}) {
    norm.mode = mode;
    const Node *y = getLaw(LawBook::Result::Norm, Weight::Vector);
    const Node *dw = getLaw(LawBook::Result::WeightGradient, Weight::Vector);
    const Node *weight = laws.getElement("w", type, Place::Result),
               *dy = laws.getElement("dy", type, Place::Result);
    EXPECT_EQ(getForm(multiply(dy, Derivative(context, weight).get(y))),
              getForm(dw));
  }
}

TEST_F(DerivativeTest, TheGradientOfAnotherModeIsAnother) {
  norm.mode = EpsilonMode::Inside;
  const Node *inside = getLaw(LawBook::Result::Norm, Weight::Vector);
  norm.mode = EpsilonMode::Outside;
  const Node *outside = getLaw(LawBook::Result::InputGradient, Weight::Vector);
  EXPECT_NE(getForm(differentiate(inside)), getForm(outside));
}

TEST_F(DerivativeTest, AGradientWithoutItsProjectionIsAnother) {
  const Node *y = getLaw(LawBook::Result::Norm, Weight::Vector);
  const Node *own =
      Derivative(context, laws.getElement("x", type, Place::Result)).get(y);
  EXPECT_NE(getForm(multiply(laws.getElement("dy", type, Place::Result), own)),
            getForm(getLaw(LawBook::Result::InputGradient, Weight::Vector)));
}
