//===- ReadTensor.cpp - read tensors and linalg into row expressions ------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::norm::row;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Returns true if a tensor is a view, a broadcast, a transposition or a copy
/// of another one. These are never leaves.
static bool isMoved(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return false;
  if (isView(op) || isa<scf::IfOp>(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  return linalgOp &&
         isa<BlockArgument>(
             linalgOp.getBlock()->getTerminator()->getOperand(number)) &&
         linalgOp.getNumReductionLoops() == 0;
}

const Node *Reader::read(Value tensor, SmallVector<AffineExpr> indices) {
  AffineExpr zero = getAffineConstantExpr(0, context.getContext());
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [index, extent] : llvm::zip(indices, type.getShape())) {
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (extent == 1 || (dim && context.getExtent(dim.getPosition()) == 1))
      index = zero;
  }
  const Node *element = context.getElement(tensor, indices);
  if (!opens(tensor) && !isMoved(tensor))
    return element;
  const Node *value = open(cast<ElementNode>(element));
  return value ? value : element;
}

const Node *Reader::open(const ElementNode *element) {
  if (closed && closed->contains(element->getValue()))
    return nullptr;
  auto [it, inserted] = opened.try_emplace(element, nullptr);
  if (!inserted)
    return it->second;
  if (!context.mayRead(depth)) {
    opened.erase(it); // a nearer reader may open it
    return nullptr;
  }
  llvm::SaveAndRestore deeper(depth, depth + 1);
  const Node *value = openUncached(element);
  if (value == element)
    value = nullptr;
  if (value)
    holders[value].push_back(element);
  return opened[element] = value;
}

SmallVector<const ElementNode *> Reader::getOccurrences(const Node *node) {
  SmallVector<const ElementNode *> chain;
  while (auto *element = dyn_cast_or_null<ElementNode>(node)) {
    // A cycle, in an unreachable block, has no end.
    if (!context.mayRead(chain.size()))
      break;
    chain.push_back(element);
    node = open(element);
  }
  // The value computed first has the most users and is usually an argument.
  llvm::SmallSetVector<const ElementNode *, 8> found(chain.rbegin(),
                                                     chain.rend());
  auto addHolders = [&](const Node *held) {
    if (auto it = holders.find(held); it != holders.end())
      found.insert_range(it->second);
  };
  if (node)
    addHolders(node);
  for (size_t i = 0; i < found.size(); ++i)
    addHolders(found[i]);
  return found.takeVector();
}

ArrayRef<BodyOccurrence> Reader::getBodyOccurrences(const Node *node) const {
  auto it = inBodies.find(node);
  return it == inBodies.end() ? ArrayRef<BodyOccurrence>() : it->second;
}

/// Reads a constant with one value everywhere. One-bit integers and values
/// beyond 64 bits are not counts.
static const Node *readSplat(Context &context, Value tensor) {
  DenseElementsAttr dense;
  if (!matchPattern(tensor, m_Constant(&dense)) || !dense.isSplat())
    return nullptr;
  Type type = dense.getElementType();
  if (isa<FloatType>(type))
    return context.getConstant(dense.getSplatValue<APFloat>(), type);
  if (!type.isIntOrIndex() || type.isInteger(1))
    return nullptr;
  auto count = getSigned(dense.getSplatValue<APInt>());
  return count ? context.getCount(*count, type) : nullptr;
}

const Node *Reader::openUncached(const ElementNode *element) {
  Value value = element->getValue();
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()))
    return nullptr;
  if (const Node *constant = readSplat(context, value))
    return constant;
  // One scalar is put into a tensor.
  if (isa<tensor::FromElementsOp, tensor::SplatOp>(op) &&
      op->getNumOperands() > 0 && llvm::all_equal(op->getOperands()))
    return readScalar(op->getOperand(0));
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureTensorSemantics()
               ? openLinalg(cast<OpResult>(value), element->getIndices())
               : nullptr;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return openBroadcast(branch, cast<OpResult>(value), element->getIndices());
  if (auto source = reindex(op, element->getIndices()))
    return read(op->getOperand(0), std::move(*source));
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Linalg
//===----------------------------------------------------------------------===//

const Loops &Reader::getLoops(linalg::LinalgOp op) {
  std::unique_ptr<Loops> &loops = nests[op];
  if (!loops) {
    loops.reset(new Loops{op.getIndexingMapsArray(),
                          op.getStaticLoopRanges(),
                          unsigned(op.getNumDpsInputs()),
                          {}});
    op.getReductionDims(loops->reduced);
  }
  return *loops;
}

/// Returns the indices at which an operand is read in one iteration.
SmallVector<AffineExpr> Reader::getIndicesAt(OpOperand &operand,
                                             const Body &body) {
  return llvm::map_to_vector(
      getLoops(body.op).maps[operand.getOperandNumber()].getResults(),
      [&](AffineExpr expr) { return expr.replaceDims(body.loops); });
}

/// Returns the indices of the loops of the op that computes `result` at
/// `indices`, where reductions have variables of their own; nullopt if
/// `indices` do not determine the other loops.
std::optional<SmallVector<AffineExpr>>
Reader::enterLoops(OpResult result, ArrayRef<AffineExpr> indices) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  const Loops &nest = getLoops(op);
  SmallVector<AffineExpr> loops(nest.ranges.size());
  AffineMap map = nest.getMap(result);
  for (auto [expr, index] : llvm::zip(map.getResults(), indices)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    AffineExpr written = dim ? loops[dim.getPosition()] : expr;
    // Elements that the op does not write keep the value of its init.
    if (written && written != index)
      return std::nullopt;
    if (dim)
      loops[dim.getPosition()] = index;
  }
  for (auto [i, loop] : llvm::enumerate(loops)) {
    // A parallel loop that the result does not see has one iteration.
    bool isReduced = llvm::is_contained(nest.reduced, i);
    if (isReduced ? loop != nullptr : !loop && nest.ranges[i] != 1)
      return std::nullopt;
    if (!loop)
      loop = isReduced ? getLoopIndex(op, i)
                       : getAffineConstantExpr(0, context.getContext());
  }
  return loops;
}

/// Returns a shared variable for a static parallel loop, so that ops read the
/// same elements; any other loop gets a variable of its own.
AffineExpr Reader::getLoopIndex(linalg::LinalgOp op, unsigned loop) {
  const Loops &nest = getLoops(op);
  int64_t extent = nest.ranges[loop];
  if (!ShapedType::isDynamic(extent) && !llvm::is_contained(nest.reduced, loop))
    return context.getIndex(context.getVariable(loop, extent));
  auto [it, inserted] = loopVariables.try_emplace({op, loop}, 0);
  if (inserted) {
    it->second = context.addVariable(extent);
    addSources(op, loop, it->second);
  }
  return context.getIndex(it->second);
}

/// Returns the dimension that becomes `dim` of `tensor` and unit dimensions, so
/// that both have one extent; nullopt if there is none.
static std::optional<std::pair<Value, int64_t>> getExpanded(Value tensor,
                                                            int64_t dim) {
  auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>();
  if (!expand)
    return std::nullopt;
  int64_t source = expand.getCorrespondingSourceDim(dim);
  auto groups = expand.getReassociationIndices();
  bool isAlone = llvm::all_of(groups[source], [&](int64_t each) {
    return each == dim || expand.getResultType().getDimSize(each) == 1;
  });
  return isAlone ? std::optional(std::pair(Value(expand.getSrc()), source))
                 : std::nullopt;
}

/// Adds the extents of all operands that a loop iterates over.
void Reader::addSources(linalg::LinalgOp op, unsigned loop, unsigned variable) {
  Variable &info = context.getInfo(variable);
  if (!ShapedType::isDynamic(info.extent))
    return;
  auto add = [&](Value tensor, int64_t dim) {
    SymbolicCount extent = context.getExtents().getExtent(tensor, dim);
    if (info.sources.size() == Context::kMaxRead ||
        llvm::is_contained(info.sources, extent))
      return;
    info.sources.push_back(extent);
    if (extent.isConstant()) // a cast lost the static extent
      info.extent = extent.factor;
  };
  AffineExpr wanted = getAffineDimExpr(loop, context.getContext());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [i, expr] : llvm::enumerate(
             getLoops(op).maps[operand.getOperandNumber()].getResults())) {
      if (expr != wanted)
        continue;
      add(operand.get(), i);
      if (auto source = getExpanded(operand.get(), i))
        add(source->first, source->second);
    }
}

/// Adds sources where the result is as long as an index variable: then its
/// loop's other operands are too.
void Reader::addSources(OpResult result, ArrayRef<AffineExpr> indices) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  AffineMap map = getLoops(op).getMap(result);
  for (auto [i, expr, index] : llvm::enumerate(map.getResults(), indices)) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (loop && dim && context.isExtentOf(dim.getPosition(), result, i))
      addSources(op, loop.getPosition(), dim.getPosition());
  }
}

const Node *Reader::openLinalg(OpResult result, ArrayRef<AffineExpr> indices) {
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  auto loops = enterLoops(result, indices);
  if (!loops)
    return nullptr;
  addSources(result, indices);
  const Body *body = readBody(op, *loops);
  if (!getLoops(op).reduced.empty()) {
    const Node *whole = joinParts(result, indices);
    return whole ? whole : readReduction(result, *body, *loops);
  }
  Value yielded =
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber());
  return readOperand(yielded, body);
}

const Body *Reader::readBody(linalg::LinalgOp op) {
  SmallVector<AffineExpr> loops;
  for (unsigned loop = 0; loop < getLoops(op).ranges.size(); ++loop)
    loops.push_back(getLoopIndex(op, loop));
  return readBody(op, loops);
}

/// Reads a body in the order of its ops, because a chain may be long.
const Body *Reader::readBody(linalg::LinalgOp op, ArrayRef<AffineExpr> loops) {
  auto made = std::make_unique<Body>(Body{op, SmallVector<AffineExpr>(loops)});
  for (AffineExpr &loop : made->loops)
    if (auto dim = dyn_cast<AffineDimExpr>(loop))
      if (context.getExtent(dim.getPosition()) == 1)
        loop = getAffineConstantExpr(0, context.getContext());
  Body *body = made.get();
  auto [it, inserted] = bodies.try_emplace({op, body->loops}, std::move(made));
  if (!inserted)
    return it->second.get();
  readOperands(*body);
  for (Operation &each : op.getBlock()->without_terminator())
    for (Value scalar : each.getResults()) {
      const Node *node = readOp(each, scalar, body);
      body->values[scalar] = node;
      if (isa<FloatType>(scalar.getType()))
        inBodies[node].push_back({body, scalar});
    }
  return body;
}

void Reader::readOperands(Body &body) {
  linalg::LinalgOp op = body.op;
  const Loops &nest = getLoops(op);
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    const Node *node;
    bool isInit = operand.getOperandNumber() >= nest.numInputs;
    if (isInit && !nest.reduced.empty()) { // the value of the accumulator
      node = context.getElement(argument, body.loops);
    } else if (!isa<RankedTensorType>(operand.get().getType())) {
      node = readScalar(operand.get());
    } else {
      node = read(operand.get(), getIndicesAt(operand, body));
    }
    body.values[argument] = node;
  }
}

/// Returns the term of a sum, or of a reduction by the named op; the term is
/// null if the reduction is not one op.
std::pair<const Node *, StringRef> Reader::readTerm(OpResult result,
                                                    const Body &body) {
  linalg::LinalgOp op = body.op;
  unsigned number = result.getResultNumber();
  Value accumulator = op.getRegionOutputArgs()[number];
  Value yielded = op.getBlock()->getTerminator()->getOperand(number);
  auto fma = yielded.getDefiningOp<math::FmaOp>();
  if (fma && fma.getC() == accumulator && accumulator.hasOneUse()) {
    // The term of acc + x * y, rounded once, is x * y.
    const Node *a = readOperand(fma.getA(), &body),
               *b = readOperand(fma.getB(), &body);
    auto zero = APFloat::getZero(a->getFloatType().getFloatSemantics(),
                                 /*Negative=*/true);
    return {context.get(Kind::Fma, a->getType(),
                        {a, b, context.getConstant(zero, a->getType())}),
            ""};
  }
  SmallVector<Operation *> combiners;
  Value value = matchReduction(op.getRegionOutputArgs(), number, combiners);
  if (!value || combiners.size() != 1)
    return {nullptr, "a reduction that is not one op"};
  bool adds = isa<arith::AddFOp>(combiners[0]);
  return {readOperand(value, &body),
          adds ? "" : combiners[0]->getName().getStringRef()};
}

/// Returns the initial value of a reduction.
const Node *Reader::readInit(OpResult result, const Body &body) {
  OpOperand &init = getLoops(body.op).getInit(result);
  const Node *start = read(init.get(), getIndicesAt(init, body));
  auto *element = dyn_cast<ElementNode>(start);
  const Node *inner = element ? open(element) : nullptr;
  return inner ? inner : start;
}

/// Returns true for zeros of both signs: only a sum of zeros shows the sign,
/// and neither its root nor its mean does.
static bool isZero(const Node *node) {
  return isConstant(node, 0.0) || isConstant(node, -0.0);
}

const Node *Reader::readReduction(OpResult result, const Body &body,
                                  ArrayRef<AffineExpr> loops) {
  SmallVector<unsigned> reduced;
  for (unsigned loop : getLoops(body.op).reduced)
    reduced.push_back(cast<AffineDimExpr>(loops[loop]).getPosition());
  auto [term, combiner] = readTerm(result, body);
  const Node *start = nullptr;
  if (term && combiner.empty()) {
    start = readInit(result, body);
    if (isZero(start))
      return context.getSum(term, reduced);
    combiner = "a sum that does not start at 0";
  }
  SmallVector<const Node *, 2> operands;
  for (const Node *operand : {start, term})
    if (operand)
      operands.push_back(operand);
  return context.getOpaque(combiner, {}, getElementTypeOrSelf(result.getType()),
                           operands, reduced);
}

/// Joins sums that start from each other and run along parts of one row, each
/// from the end of the one before, to the sum over all parts.
const Node *Reader::joinParts(OpResult result, ArrayRef<AffineExpr> indices) {
  struct Part {
    OpResult sum;
    SmallVector<AffineExpr> loops;
    unsigned loop; // the reduction loop
  };
  SmallVector<Part> parts; // in reverse order
  int64_t extent = 0;
  for (OpResult sum = result; sum && context.mayRead(parts.size());) {
    auto op = dyn_cast<linalg::LinalgOp>(sum.getOwner());
    if (!op || getLoops(op).reduced.size() != 1)
      break;
    auto loops = enterLoops(sum, indices);
    if (!loops)
      break;
    unsigned reduced = getLoops(op).reduced.front();
    int64_t range = getLoops(op).ranges[reduced];
    if (ShapedType::isDynamic(range))
      return nullptr;
    extent += range;
    parts.push_back({sum, *loops, reduced});
    sum = dyn_cast<OpResult>(getLoops(op).getInit(sum).get());
  }
  if (parts.size() < 2)
    return nullptr;
  unsigned variable = context.addVariable(extent);
  AffineExpr index = context.getIndex(variable);
  const Node *common = nullptr;
  for (auto [sum, loops, loop] : llvm::reverse(parts)) {
    auto op = cast<linalg::LinalgOp>(sum.getOwner());
    loops[loop] = index;
    index = index - getLoops(op).ranges[loop];
    const Body *body = readBody(op, loops);
    auto [term, combiner] = readTerm(sum, *body);
    bool starts = common || (term && isZero(readInit(sum, *body)));
    if (!starts || !combiner.empty() || (common && term != common))
      return nullptr;
    common = term;
  }
  return context.getSum(common, variable);
}
