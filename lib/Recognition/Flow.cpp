//===- Flow.cpp - what values have to do with reductions ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow.h"
#include "../RowExpression/Reader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/IR/Norm.h"

using namespace mlir;
using namespace mlir::norm;
using row::isView;
using Role = Flow::Role;

FlowAnalysis::FlowAnalysis(Operation *scope) {
  scope->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // There, the order of sums is the program's (norm-split-sums).
    if (op->hasAttr(sumPartsAttrName))
      return WalkResult::skip();
    visit(op);
    // The bodies are visited with their op.
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
}

/// Returns the flow; a scalar outside of bodies is one value for all elements.
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
  return flow.isNeutral() || flow.isStatistic() || flow.isSquare;
}

Value norm::getYielded(Value result) {
  auto op = result.getDefiningOp<linalg::LinalgOp>();
  OpOperand *init =
      op.getDpsInitOperand(cast<OpResult>(result).getResultNumber());
  return op.getMatchingYieldValue(init)->get();
}

/// Returns the tensor of which an argument of a body is an element, else null.
static Value getOuter(Value scalar) {
  auto argument = dyn_cast<BlockArgument>(scalar);
  auto op = dyn_cast_or_null<linalg::LinalgOp>(
      argument ? argument.getOwner()->getParentOp() : nullptr);
  return op ? op.getMatchingOpOperand(argument)->get() : Value();
}

SmallVector<Value> norm::getSources(Value value) {
  if (Value tensor = getOuter(value))
    return {tensor};
  if (isa<BlockArgument>(value))
    return {};
  if (value.getDefiningOp<linalg::LinalgOp>())
    return {getYielded(value)};
  return llvm::to_vector(value.getDefiningOp()->getOperands());
}

llvm::SetVector<Value>
norm::collectSources(Value value, llvm::function_ref<bool(Value)> follows) {
  llvm::SetVector<Value> sources;
  SmallVector<Value> worklist{value};
  while (!worklist.empty())
    for (Value source : getSources(worklist.pop_back_val()))
      if (follows(source) && sources.insert(source))
        worklist.push_back(source);
  return sources;
}

/// Returns the tensor behind views and TOSA broadcasts, which is what the
/// branch for an extent other than 1 yields.
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

/// Returns true for a root, x^p and exp(p * log(x)).
static bool takesRoot(Operation *op, const Flow &flow) {
  return isa<math::SqrtOp, math::RsqrtOp, math::PowFOp, math::CbrtOp>(op) ||
         (flow.hasLogarithm && isa<math::ExpOp, math::Exp2Op>(op));
}

/// Returns the tensor of which a scalar, widened or not, is an element.
static Value getTensor(Value scalar) {
  if (auto extend = scalar.getDefiningOp<arith::ExtFOp>())
    scalar = extend.getIn();
  Value tensor = getOuter(scalar);
  return tensor ? skipViews(tensor) : Value();
}

/// Returns true for x * x, also of two views of one tensor, and for x to a
/// constant power; the reader decides whether it is a square.
static bool mayBeSquare(Operation *op, const Flow &second) {
  if (isa<math::PowFOp, math::FPowIOp>(op))
    return second.isNeutral();
  if (!isa<arith::MulFOp>(op))
    return false;
  Value a = op->getOperand(0), b = op->getOperand(1), tensor = getTensor(a);
  return a == b || (tensor && tensor == getTensor(b));
}

/// Joins flows; the result is plain unless all are statistics or constants.
static Flow join(ArrayRef<Flow> operands) {
  Flow flow;
  flow.role = Role::Neutral;
  for (const Flow &other : operands) {
    if (other.isNeutral())
      continue;
    if (!other.isStatistic())
      return Flow();
    flow.role = Role::Statistic;
    flow.hasRoot |= other.hasRoot;
    flow.hasSquares |= other.hasSquares;
    flow.hasLogarithm |= other.hasLogarithm;
    // Among several reductions, one of squares or else the last one is kept.
    if (!flow.reduction || other.hasSquares)
      flow.reduction = other.reduction;
  }
  return flow;
}

/// Joins the flows of a product or a quotient that scales by a statistic.
static Flow multiply(const Flow &a, const Flow &b) {
  constexpr unsigned kMaxFactors = 16; // per product with a statistic
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
  // A weight is not a statistic of another reduction.
  if (a.isScaled() == b.isScaled() || a.isStatistic() || b.isStatistic())
    return Flow();
  return scale(a.isScaled() ? a : b, std::max(a.numFactors, b.numFactors));
}

static Flow getScalar(Operation *op, ArrayRef<Flow> operands) {
  Flow flow = join(operands), first = operands.front(),
       second = operands.back();
  bool multiplies = isa<arith::MulFOp, arith::DivFOp>(op);
  // x may be a sum too: of two statistics, the one with a root scales.
  bool scalesSum = multiplies && first.isStatistic() && second.isStatistic() &&
                   first.reduction != second.reduction &&
                   first.hasRoot != second.hasRoot;
  if (flow.role != Role::Plain && !scalesSum) {
    flow.hasRoot |= takesRoot(op, flow) && flow.isStatistic();
    flow.hasLogarithm |= isa<math::LogOp, math::Log2Op>(op);
    return flow;
  }
  flow = Flow();
  flow.isSquare = mayBeSquare(op, second);
  if (flow.isSquare)
    return flow;
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::NegFOp>(op))
    return first;
  if (multiplies) {
    flow = multiply(first, second);
    flow.isSquare = (first.isSquare && second.isNeutral()) ||
                    (second.isSquare && first.isNeutral());
  } else if (isa<arith::AddFOp, arith::MaximumFOp, arith::MaxNumFOp>(op)) {
    // An epsilon that is not constant is a reason for rejection.
    for (const Flow &each : operands)
      if (each.isStatistic() && each.isCandidate())
        flow = each;
  }
  return flow;
}

/// Passes on the last sum that the operands of an elementwise op depend on.
static void addSum(Operation *op, ArrayRef<Flow> operands, Flow &flow) {
  for (const Flow &each : operands) {
    flow.isAdded |= each.isAdded;
    if (each.sumNumber > flow.sumNumber) {
      flow.sum = each.sum;
      flow.sumNumber = each.sumNumber;
    }
  }
  if (flow.sum && isa<arith::AddFOp, arith::SubFOp, math::FmaOp>(op))
    flow.isAdded |= llvm::any_of(operands, [](const Flow &each) {
      return !each.isStatistic() && !each.isNeutral();
    });
}

void FlowAnalysis::visit(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return visitLinalg(linalgOp);
  if (auto branch = dyn_cast_or_null<scf::IfOp>(op->getParentOp()))
    if (isa<scf::YieldOp>(op))
      for (auto [result, value] :
           llvm::zip_equal(branch.getResults(), op->getOperands()))
        flows[result] = lookup(value); // of the last branch, a broadcast or not
  if (op->getNumResults() != 1)
    return;
  Value result = op->getResult(0);
  ElementsAttr elements;
  if (matchPattern(op, m_Constant(&elements)) && !elements.isSplat())
    return;
  auto operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return lookup(operand); });
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<tensor::EmptyOp, tensor::DimOp>(op))
    flows[result].role = Role::Neutral;
  else if (operands.empty())
    return;
  else if (isView(op) || isa<tensor::ExtractOp>(op) ||
           (isa<tensor::FromElementsOp, tensor::SplatOp>(op) &&
            llvm::all_equal(op->getOperands())))
    flows[result] = operands.front();
  else if (op->getNumRegions() == 0 && isPure(op)) {
    Flow flow = result.getType().isIntOrIndexOrFloat() ? getScalar(op, operands)
                                                       : Flow();
    addSum(op, operands, flow);
    flows[result] = flow;
  }
}

//===----------------------------------------------------------------------===//
// Linalg
//===----------------------------------------------------------------------===//

/// Returns true for a matrix product or a convolution of two tensors. It is not
/// a statistic, and later norms do not depend on what is behind it. A product
/// of a row with itself or with ones is a statistic.
static bool isProductOfTwo(const FlowAnalysis &flows, linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) &&
      !linalg::isaConvolutionOpInterface(op))
    return false;
  Value a = op.getDpsInputOperand(0)->get(),
        b = op.getDpsInputOperand(1)->get();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return skipViews(a) != skipViews(b) && maps[0] != maps[1] &&
         !flows.lookup(a).isNeutral() && !flows.lookup(b).isNeutral();
}

/// Returns the flow of a reduction; a sum of sums of squares is one of squares,
/// and a sum of single elements depends on the sum that these depend on.
Flow FlowAnalysis::getReduction(OpResult result) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
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
  auto inputs = llvm::map_to_vector(op.getDpsInputs(),
                                    [&](Value input) { return lookup(input); });
  Flow inner;
  addSum(op, inputs, inner);
  for (auto [type, extent] :
       llvm::zip_equal(op.getIteratorTypesArray(), op.getStaticLoopRanges()))
    if (type == utils::IteratorType::reduction && extent != 1)
      inner = {};
  if (!inner.sum && !flow.hasSquares) {
    sums.push_back(result);
    inner.sum = result;
    inner.sumNumber = sums.size();
  }
  flow.sum = inner.sum;
  flow.sumNumber = inner.sumNumber;
  flow.isAdded = inner.isAdded;
  return flow;
}

/// Visits the scalars of a body on tensors.
void FlowAnalysis::visitBody(linalg::LinalgOp op) {
  bool reduces = op.getNumReductionLoops() > 0;
  std::optional<Flow> root;
  for (Operation &each : op.getBlock()->without_terminator()) {
    visit(&each);
    for (Value scalar : each.getResults()) {
      Flow flow = lookup(scalar);
      if (flow.isScaled())
        candidates.push_back(scalar);
      if (!reduces && flow.isAdded && !flow.isStatistic() &&
          isa<FloatType>(scalar.getType()))
        gradients.push_back(scalar);
      bool isRoot = isa<math::RsqrtOp, math::SqrtOp>(each) && !flow.isNeutral();
      if (!root && (isRoot || (flow.isStatistic() && flow.hasRoot)))
        root = flow;
    }
  }
  if (root)
    roots.push_back({op, *root});
}

/// Returns true if an op squares `scalar`, widened or not.
static bool isSquared(Value scalar) {
  return llvm::any_of(scalar.getUsers(), [&](Operation *user) {
    if (isa<math::PowFOp, math::FPowIOp>(user))
      return user->getOperand(0) == scalar;
    return isa<arith::ExtFOp>(user) ? isSquared(user->getResult(0))
                                    : isa<arith::MulFOp>(user) &&
                                          llvm::all_equal(user->getOperands());
  });
}

/// Returns true if an op squares elements of `tensor`, also of views: it is
/// what a norm may scale, such as a sum over experts.
static bool isSquaredLater(Value tensor) {
  return llvm::any_of(tensor.getUses(), [](OpOperand &use) {
    if (isView(use.getOwner()))
      return isSquaredLater(use.getOwner()->getResult(0));
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return op && op.hasPureTensorSemantics() && op.isDpsInput(&use) &&
           isSquared(op.getMatchingBlockArgument(&use));
  });
}

/// Returns the flow of a result; what a norm scales is no statistic.
static Flow getResult(Flow flow, Value result) {
  if (!flow.isStatistic() || flow.hasSquares || flow.hasRoot ||
      !isSquaredLater(result))
    return flow;
  Flow plain;
  plain.sum = flow.sum;
  plain.sumNumber = flow.sumNumber;
  plain.isAdded = flow.isAdded;
  return plain;
}

void FlowAnalysis::visitLinalg(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics()) {
    if (llvm::any_of(*op.getBlock(),
                     llvm::IsaPred<math::RsqrtOp, math::SqrtOp>))
      rootsOnBuffers.push_back(op);
    return;
  }
  bool reduces = op.getNumReductionLoops() > 0;
  for (OpOperand &operand : op->getOpOperands())
    if (!reduces || !op.isDpsInit(&operand))
      flows[op.getMatchingBlockArgument(&operand)] = lookup(operand.get());
  visitBody(op);
  for (OpResult result : op->getResults())
    if (!reduces)
      flows[result] = getResult(lookup(getYielded(result)), result);
    else if (!isProductOfTwo(*this, op))
      flows[result] = getResult(getReduction(result), result);
}
