//===- Flow.cpp - what values have to do with reductions ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow.h"
#include "../RowExpression/Reader.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::norm;
using row::isView;
using Role = Flow::Role;

FlowAnalysis::FlowAnalysis(Operation *scope) {
  scope->walk<WalkOrder::PreOrder>([&](Operation *op) {
    visit(op);
    // Bodies are visited with their op.
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
}

/// A scalar that no body computes is one value for all elements.
Flow FlowAnalysis::lookup(Value value) const {
  if (auto it = flows.find(value); it != flows.end())
    return it->second;
  Flow flow;
  if (value.getType().isIntOrIndexOrFloat() &&
      !isa<linalg::LinalgOp>(value.getParentBlock()->getParentOp()))
    flow.role = Role::Neutral;
  return flow;
}

bool FlowAnalysis::isOpen(Value tensor) const {
  Flow flow = lookup(tensor);
  return flow.role == Role::Neutral || flow.isStatistic() || flow.isSquare;
}

/// The tensor behind views, and behind TOSA's broadcasts: what the branch of an
/// extent other than 1 yields.
static Value skipViews(Value tensor) {
  for (unsigned i = 0; i < 16; ++i) {
    Operation *op = tensor.getDefiningOp();
    if (auto branch = dyn_cast_or_null<scf::IfOp>(op))
      tensor = branch.elseYield()->getOperand(
          cast<OpResult>(tensor).getResultNumber());
    else if (op && isView(op))
      tensor = op->getOperand(0);
  }
  return tensor;
}

void FlowAnalysis::visit(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return visitLinalg(linalgOp);
  if (auto branch = dyn_cast_or_null<scf::IfOp>(op->getParentOp()))
    if (isa<scf::YieldOp>(op))
      for (auto [result, value] :
           llvm::zip_equal(branch.getResults(), op->getOperands()))
        flows[result] = lookup(value); // of the last branch, a broadcast or not
  if (op->getNumResults() == 0)
    return;
  Value result = op->getResult(0);
  ElementsAttr elements;
  if (matchPattern(op, m_Constant(&elements)) && !elements.isSplat())
    return;
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<tensor::EmptyOp, tensor::DimOp>(op)) {
    flows[result].role = Role::Neutral;
  } else if (isView(op) || isa<tensor::ExtractOp>(op)) {
    flows[result] = lookup(op->getOperand(0));
  } else if (isa<tensor::FromElementsOp, tensor::SplatOp>(op)) {
    if (op->getNumOperands() > 0 && llvm::all_equal(op->getOperands()))
      flows[result] = lookup(op->getOperand(0));
  } else if (op->getNumRegions() == 0 && op->getNumResults() == 1 &&
             result.getType().isIntOrIndexOrFloat()) {
    if (op->getNumOperands() > 0 && isPure(op))
      flows[result] = getScalar(op);
  }
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// A root, or what may be one: x^p, and exp(p * log(x)).
static bool takesRoot(Operation *op, const Flow &flow) {
  return isa<math::SqrtOp, math::RsqrtOp, math::PowFOp, math::CbrtOp>(op) ||
         (flow.hasLogarithm && isa<math::ExpOp, math::Exp2Op>(op));
}

/// The tensor that a scalar of a body is an element of, widened or not.
static Value getTensor(Value scalar) {
  if (auto extend = scalar.getDefiningOp<arith::ExtFOp>())
    scalar = extend.getIn();
  auto argument = dyn_cast<BlockArgument>(scalar);
  auto op = argument
                ? dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp())
                : nullptr;
  return op ? skipViews(op.getMatchingOpOperand(argument)->get()) : Value();
}

/// x * x, also of two operands that are views of one tensor, or x to a constant
/// power: what is read tells which.
bool FlowAnalysis::mayBeSquare(Operation *op) const {
  if (isa<math::PowFOp, math::FPowIOp>(op))
    return lookup(op->getOperand(1)).role == Role::Neutral;
  if (!isa<arith::MulFOp>(op))
    return false;
  Value a = op->getOperand(0), b = op->getOperand(1), tensor = getTensor(a);
  return a == b || (tensor && tensor == getTensor(b));
}

/// Plain but for operands that are all statistics or constants.
Flow FlowAnalysis::join(Operation *op) const {
  Flow flow;
  flow.role = Role::Neutral;
  for (Value operand : op->getOperands()) {
    Flow other = lookup(operand);
    if (other.role == Role::Neutral)
      continue;
    if (!other.isStatistic())
      return Flow();
    flow.role = Role::Statistic;
    flow.hasRoot |= other.hasRoot;
    flow.hasSquares |= other.hasSquares;
    flow.hasLogarithm |= other.hasLogarithm;
    // Of several, the one of squares, and else the last.
    if (!flow.reduction || other.hasSquares)
      flow.reduction = other.reduction;
  }
  return flow;
}

/// A product or quotient that scales: a statistic times anything.
Flow FlowAnalysis::multiply(const Flow &a, const Flow &b) const {
  constexpr unsigned kMaxFactors = 16; // of one product with a statistic
  auto scale = [](Flow flow, unsigned numFactors) {
    flow.role = Role::Scaled;
    flow.isSquare = false;
    flow.numFactors = numFactors + 1;
    return flow.numFactors <= kMaxFactors ? flow : Flow();
  };
  for (auto [statistic, other] : {std::pair(a, b), std::pair(b, a)})
    if (statistic.isStatistic() && statistic.isCandidate() &&
        (statistic.hasRoot || !other.hasRoot))
      return scale(statistic, other.reduction == statistic.reduction
                                  ? other.numFactors
                                  : 0);
  // A weight is no statistic of another reduction.
  if (a.isScaled() == b.isScaled() || a.isStatistic() || b.isStatistic())
    return Flow();
  return scale(a.isScaled() ? a : b, std::max(a.numFactors, b.numFactors));
}

/// x may be a sum itself: two statistics of which one has a root scale.
bool FlowAnalysis::scalesSum(Operation *op) const {
  if (!isa<arith::MulFOp, arith::DivFOp>(op))
    return false;
  Flow a = lookup(op->getOperand(0)), b = lookup(op->getOperand(1));
  return a.isStatistic() && b.isStatistic() && a.reduction != b.reduction &&
         a.hasRoot != b.hasRoot;
}

Flow FlowAnalysis::getScalar(Operation *op) const {
  Flow flow = join(op);
  if (flow.role != Role::Plain && !scalesSum(op)) {
    flow.hasRoot |= takesRoot(op, flow) && flow.isStatistic();
    flow.hasLogarithm |= isa<math::LogOp, math::Log2Op>(op);
    return flow;
  }
  flow = Flow();
  if (mayBeSquare(op)) {
    flow.isSquare = true;
    return flow;
  }
  Flow first = lookup(op->getOperand(0));
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::NegFOp>(op))
    return first;
  if (op->getNumOperands() != 2)
    return flow;
  Flow second = lookup(op->getOperand(1));
  if (isa<arith::MulFOp, arith::DivFOp>(op)) {
    flow = multiply(first, second);
    flow.isSquare = (first.isSquare && second.role == Role::Neutral) ||
                    (second.isSquare && first.role == Role::Neutral);
  } else if (isa<arith::AddFOp, arith::MaximumFOp, arith::MaxNumFOp>(op)) {
    // An epsilon that is no constant is the reason of a refusal.
    for (const Flow &each : {first, second})
      if (each.isStatistic() && each.isCandidate())
        flow = each;
  }
  return flow;
}

//===----------------------------------------------------------------------===//
// Linalg
//===----------------------------------------------------------------------===//

/// A matrix product or a convolution of two tensors: no statistic, and what
/// lies behind it does not matter to a norm after it. A row times itself, or
/// times ones, is one.
bool FlowAnalysis::isProductOfTwo(linalg::LinalgOp op) const {
  if (!linalg::isaContractionOpInterface(op) &&
      !linalg::isaConvolutionOpInterface(op))
    return false;
  Value a = op.getDpsInputOperand(0)->get(),
        b = op.getDpsInputOperand(1)->get();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return skipViews(a) != skipViews(b) && maps[0] != maps[1] &&
         lookup(a).role != Role::Neutral && lookup(b).role != Role::Neutral;
}

/// A sum of sums of squares, scaled or not, has squares too.
Flow FlowAnalysis::getReduction(linalg::LinalgOp op, OpResult result) const {
  Flow flow;
  flow.role = Role::Statistic;
  flow.reduction = result;
  Value argument = op.getRegionOutputArgs()[result.getResultNumber()];
  for (Operation *user : argument.getUsers()) {
    flow.hasSquares |=
        isa<math::FmaOp>(user) && user->getOperand(0) == user->getOperand(1);
    for (Value operand : user->getOperands()) {
      Flow added = lookup(operand);
      flow.hasSquares |=
          added.isSquare || (added.isStatistic() && added.hasSquares);
      flow.hasRoot |= added.isStatistic() && added.hasRoot;
    }
  }
  return flow;
}

void FlowAnalysis::visitLinalg(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  if (!op.hasPureTensorSemantics()) {
    if (llvm::any_of(*body, [](Operation &each) {
          return isa<math::RsqrtOp, math::SqrtOp>(each);
        }))
      onBuffers.push_back(op);
    return;
  }
  bool reduces = op.getNumReductionLoops() > 0;
  for (OpOperand &operand : op->getOpOperands())
    if (!reduces || !op.isDpsInit(&operand))
      flows[op.getMatchingBlockArgument(&operand)] = lookup(operand.get());
  bool hasRoot = false;
  Flow root;
  for (Operation &each : body->without_terminator()) {
    visit(&each);
    for (Value scalar : each.getResults()) {
      Flow flow = lookup(scalar);
      if (flow.isScaled())
        candidates[op].push_back(scalar);
      bool isRoot =
          isa<math::RsqrtOp, math::SqrtOp>(each) && flow.role != Role::Neutral;
      if ((isRoot || (flow.isStatistic() && flow.hasRoot)) && !hasRoot) {
        hasRoot = true;
        root = flow;
      }
    }
  }
  if (hasRoot)
    roots.push_back({op, root});
  for (OpResult result : op->getResults()) {
    if (reduces) {
      if (!isProductOfTwo(op))
        flows[result] = getReduction(op, result);
      continue;
    }
    Value yielded = body->getTerminator()->getOperand(result.getResultNumber());
    flows[result] = lookup(yielded);
  }
}
