//===- Rewrite.cpp - carry out a plan -------------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "norm/IR/SplitBody.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::norm;
using row::Kind;

namespace {
class Rewrite {
public:
  Rewrite(RewriterBase &rewriter, ArrayRef<PlannedNorm> plan)
      : rewriter(rewriter), plan(plan), norms(plan.size()) {}
  SmallVector<RMSNormOpInterface> run(Operation *scope);

private:
  /// The norms whose results one op computes: scalars of its body, or a dw that
  /// is a result.
  struct Members {
    SmallVector<size_t> scalars, dws;
  };
  llvm::MapVector<Operation *, Members> collectMembers(Operation *scope);
  Value getTensor(Value value, Operation *op);
  Value getInput(const PlannedInput &input, Operation *op);
  Value getWeight(const PlannedWeight &weight, ArrayRef<int64_t> dims,
                  Value input, Operation *op);
  Value getRoot(const PlannedNorm &norm, Value input, Operation *op);
  RMSNormOpInterface create(size_t i, linalg::LinalgOp op);
  void replaceScalars(linalg::LinalgOp op, ArrayRef<size_t> scalars);
  void replaceWeightGradient(linalg::LinalgOp op, size_t i);
  Value addResidual(Value residual, Value dx);
  void reuseStatistics();
  void eraseDead(SmallVector<Operation *> worklist);

  RewriterBase &rewriter;
  ArrayRef<PlannedNorm> plan;
  SmallVector<RMSNormOpInterface> norms;        // null until they exist
  SmallVector<SmallVector<Value>> inverseRoots; // per norm
  llvm::SetVector<Operation *> done;            // ops whose norms exist
  llvm::DenseMap<Operation *, Held> heldOf;
  IRMapping replaced; // original values to current ones
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Returns a tensor with the original `value` before `op`; the planner has
/// checked that it can be computed there.
Value Rewrite::getTensor(Value value, Operation *op) {
  Value tensor = replaced.lookupOrDefault(value);
  Operation *producer = tensor ? tensor.getDefiningOp() : nullptr;
  if (producer && producer->getBlock() == op->getBlock() &&
      op->isBeforeInBlock(producer))
    (void)moveValueDefinitions(rewriter, tensor, op);
  return tensor;
}

/// Returns the groups of dimensions in a result that has new ones at
/// `positions`, each with the one before it.
static SmallVector<ReassociationIndices>
getGroups(int64_t rank, ArrayRef<int64_t> positions) {
  SmallVector<ReassociationIndices> groups(rank);
  int64_t next = 0; // the dimension that follows
  for (int64_t i = 0, e = rank + positions.size(); i < e && rank > 0; ++i) {
    next += !llvm::is_contained(positions, i);
    groups[std::max<int64_t>(next - 1, 0)].push_back(i);
  }
  return groups;
}

/// Splits `size` off the dimensions before these positions of the result; with
/// size 1, adds unit dimensions.
static Value expand(RewriterBase &rewriter, Location loc, Value tensor,
                    ArrayRef<int64_t> positions, int64_t size) {
  if (positions.empty())
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t i : positions) {
    if (i > 0 && !ShapedType::isDynamic(shape[i - 1]))
      shape[i - 1] /= size;
    shape.insert(shape.begin() + i, size);
  }
  return tensor::ExpandShapeOp::create(rewriter, loc, type.clone(shape), tensor,
                                       getGroups(type.getRank(), positions));
}

Value Rewrite::getInput(const PlannedInput &input, Operation *op) {
  if (!input.op) {
    Value tensor = getTensor(input.value, op);
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!input.surplus.empty())
      tensor = reshape(rewriter, op->getLoc(), tensor,
                       type.clone(getWholeShape(input)));
    return expand(rewriter, op->getLoc(), tensor, input.units, 1);
  }
  Held &held = heldOf[input.op];
  if (HeldValue found = held.lookup(input.value); found.map == input.map)
    return found.tensor;
  Value tensor =
      outline(rewriter, input.op, input.value, input.map, held).front();
  held.insert({input.value, {tensor, input.map}});
  return tensor;
}

/// Emits operands first. The planner bounds the number of nodes and thus the
/// recursion.
static Value emit(OpBuilder &b, Location loc, const row::Node *node,
                  llvm::DenseMap<const row::Node *, Value> &known) {
  if (Value value = known.lookup(node))
    return value;
  SmallVector<Value> args;
  for (const row::Node *operand : node->getOperands())
    args.push_back(emit(b, loc, operand, known));
  auto create = [&]() -> Value {
    switch (node->getKind()) {
    case Kind::Constant:
      return arith::ConstantOp::create(
          b, loc, cast<row::ConstantNode>(node)->getAttr());
    case Kind::Add:
      return arith::AddFOp::create(b, loc, args[0], args[1]);
    case Kind::Mul:
      return arith::MulFOp::create(b, loc, args[0], args[1]);
    case Kind::Div:
      return arith::DivFOp::create(b, loc, args[0], args[1]);
    case Kind::Neg:
      return arith::NegFOp::create(b, loc, args[0]);
    case Kind::Round:
      return arith::TruncFOp::create(b, loc, node->getType(), args[0]);
    case Kind::Extend:
      return arith::ExtFOp::create(b, loc, node->getType(), args[0]);
    default:
      llvm_unreachable("the planner plans no other node as a weight");
    }
  };
  return known[node] = create();
}

/// Creates one op that computes the elements of `init` from those of tensors.
static Value
createElementwise(RewriterBase &rewriter, Location loc, ValueRange tensors,
                  SmallVector<AffineMap> maps, Value init,
                  function_ref<Value(OpBuilder &, ValueRange)> body) {
  int64_t rank = cast<RankedTensorType>(init.getType()).getRank();
  maps.push_back(rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange(init), tensors, init, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        linalg::YieldOp::create(b, loc, body(b, args));
      });
  return generic.getResult(0);
}

/// Returns the weight or null; one op computes a weight that is not a tensor.
Value Rewrite::getWeight(const PlannedWeight &weight, ArrayRef<int64_t> dims,
                         Value input, Operation *op) {
  if (!weight.expression)
    return getTensor(weight.tensor, op);
  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (const WeightElement &element : weight.elements) {
    tensors.push_back(getTensor(element.tensor, op));
    maps.push_back(element.map);
  }
  Location loc = op->getLoc();
  auto sizes = llvm::map_to_vector(dims, [&](int64_t dim) {
    return tensor::getMixedSize(rewriter, loc, input, dim);
  });
  Value init = tensor::EmptyOp::create(rewriter, loc, sizes,
                                       weight.expression->getType());
  return createElementwise(
      rewriter, loc, tensors, maps, init, [&](OpBuilder &b, ValueRange args) {
        llvm::DenseMap<const row::Node *, Value> known;
        for (auto [element, arg] : llvm::zip(weight.elements, args))
          known[element.node] = arg;
        return emit(b, loc, weight.expression, known);
      });
}

/// Returns the saved root in x's shape without `dims`, or null.
Value Rewrite::getRoot(const PlannedNorm &norm, Value input, Operation *op) {
  if (!norm.gradient || !norm.gradient->root.exists())
    return {};
  auto type = cast<RankedTensorType>(input.getType());
  auto batch = llvm::filter_to_vector(
      llvm::seq<int64_t>(type.getRank()),
      [&](int64_t dim) { return !llvm::is_contained(norm.dims, dim); });
  return reshape(rewriter, op->getLoc(),
                 getWeight(norm.gradient->root, batch, input, op),
                 selectDims(type, batch, norm.computeType));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Creates an op of a plan; operands and inits may be null.
template <typename Op>
static RMSNormOpInterface
createAs(OpBuilder &b, Location loc, const PlannedNorm &norm, FloatAttr epsilon,
         ArrayRef<Value> operands, ArrayRef<Value> inits) {
  auto getTypeAttr = [](FloatType type) {
    return type ? TypeAttr::get(type) : TypeAttr();
  };
  typename Op::Properties properties;
  SmallVector<Type> types;
  SmallVector<Value> present;
  for (auto [size, value] :
       llvm::zip_equal(properties.operandSegmentSizes,
                       llvm::concat<const Value>(operands, inits))) {
    size = value ? 1 : 0;
    if (value)
      present.push_back(value);
  }
  for (Value init : inits)
    if (init)
      types.push_back(init.getType());
  properties.dims = b.getDenseI64ArrayAttr(norm.dims);
  properties.epsilon = epsilon;
  properties.epsilon_mode = EpsilonModeAttr::get(b.getContext(), norm.mode);
  properties.root_form = RootFormAttr::get(b.getContext(), norm.rootForm);
  properties.scale_type = getTypeAttr(norm.scaleType);
  properties.normalized_type = getTypeAttr(norm.normalizedType);
  properties.sum_type = getTypeAttr(norm.sumType);
  if (norm.count)
    properties.count = b.getI64IntegerAttr(*norm.count);
  auto op = Op::create(b, loc, types, present, properties);
  if (norm.computeType != op.getDefaultComputeType())
    op.setComputeType(norm.computeType);
  if (op.hasWeightDims() && norm.weightDims != norm.dims)
    op.setWeightDims(norm.weightDims);
  return op;
}

RMSNormOpInterface norm::createOp(OpBuilder &b, Location loc,
                                  const PlannedNorm &norm,
                                  const NormOperands &v) {
  auto epsilon = FloatAttr::get(norm.computeType, norm.epsilon);
  if (!norm.gradient)
    return createAs<RMSNormOp>(b, loc, norm, epsilon, {v.x, v.weight},
                               {v.result, Value()});
  bool isRms = norm.gradient->isRootBeforeEpsilon;
  return createAs<RMSNormBackwardOp>(
      b, loc, norm, v.root && !isRms ? FloatAttr() : epsilon,
      {v.dy, v.x, v.weight, isRms ? Value() : v.root, isRms ? v.root : Value()},
      {v.result, v.dw});
}

/// Splits the dimension of groups, because the op normalizes whole dimensions.
static void splitGroups(RewriterBase &rewriter, Location loc, PlannedNorm &norm,
                        NormOperands &operands) {
  int64_t dim = norm.dims.front(), size = *norm.groupSize;
  operands.x = expand(rewriter, loc, operands.x, dim + 1, size);
  SmallVector<int64_t> weightDims;
  for (auto [i, weightDim] : llvm::enumerate(norm.weightDims)) {
    weightDims.push_back(weightDim > dim ? weightDim + 1 : weightDim);
    if (weightDim != dim)
      continue;
    operands.weight = expand(rewriter, loc, operands.weight, i + 1, size);
    weightDims.push_back(dim + 1);
  }
  norm.weightDims = weightDims;
  norm.dims = {dim + 1};
}

/// Returns the op of norm `i`, which is created before `op` unless it exists.
RMSNormOpInterface Rewrite::create(size_t i, linalg::LinalgOp op) {
  if (norms[i])
    return norms[i];
  PlannedNorm norm = plan[i];
  Location loc = op->getLoc();
  NormOperands operands;
  if (norm.gradient)
    operands.dy = getInput(norm.gradient->dy, op);
  operands.x = getInput(norm.input, op);
  operands.weight = getWeight(norm.weight, norm.weightDims, operands.x, op);
  operands.root = getRoot(norm, operands.x, op);
  if (norm.groupSize)
    splitGroups(rewriter, loc, norm, operands);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, operands.x);
  if (norm.scalar)
    operands.result =
        tensor::EmptyOp::create(rewriter, loc, sizes, norm.scalar.getType());
  if (norm.gradient && norm.gradient->dw)
    operands.dw = tensor::EmptyOp::create(
        rewriter, loc,
        llvm::map_to_vector(norm.weightDims,
                            [&](int64_t dim) { return sizes[dim]; }),
        norm.gradient->dwType);
  return norms[i] = createOp(rewriter, loc, norm, operands);
}

//===----------------------------------------------------------------------===//
// Replacement
//===----------------------------------------------------------------------===//

Value Rewrite::addResidual(Value residual, Value dx) {
  auto type = cast<RankedTensorType>(dx.getType());
  Location loc = dx.getLoc();
  Value init = tensor::EmptyOp::create(rewriter, loc,
                                       tensor::getMixedSizes(rewriter, loc, dx),
                                       type.getElementType());
  AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
  return createElementwise(rewriter, loc, {residual, dx}, {map, map}, init,
                           [&](OpBuilder &b, ValueRange args) -> Value {
                             return arith::AddFOp::create(b, loc, args[0],
                                                          args[1]);
                           });
}

/// Moves the norms out of an op, which stays without uses. They are in body
/// order, because one may be part of another's input.
void Rewrite::replaceScalars(linalg::LinalgOp op, ArrayRef<size_t> scalars) {
  for (size_t i : scalars) {
    const PlannedNorm &norm = plan[i];
    SmallVector<unsigned> order(norm.order.begin(), norm.order.end());
    Value result = create(i, op)->getResult(0);
    if (norm.gradient && norm.gradient->residual.value)
      result = addResidual(getInput(norm.gradient->residual, op), result);
    if (norm.groupSize)
      result = tensor::CollapseShapeOp::create(
          rewriter, op->getLoc(), result,
          getGroups(order.size(), norm.dims.front() + 1));
    heldOf[op][norm.scalar] = {result, norm.space.getSubMap(order)};
  }
  SmallVector<Value> values = createRest(rewriter, op, heldOf[op]);
  replaced.map(op->getResults(), values);
  rewriter.replaceAllUsesWith(op->getResults(), values);
  done.insert(op);
}

/// Replaces the sum that is dw, which may have unit dimensions, by the result.
void Rewrite::replaceWeightGradient(linalg::LinalgOp op, size_t i) {
  OpResult sum = plan[i].gradient->dw;
  Value dw =
      reshape(rewriter, sum.getLoc(),
              cast<RMSNormBackwardOp>(create(i, op).getOperation()).getDw(),
              cast<RankedTensorType>(sum.getType()));
  replaced.map(sum, dw);
  rewriter.replaceAllUsesWith(sum, dw);
  if (op->use_empty())
    done.insert(op);
}

/// Redirects ops that only ask for an extent of a result of `op` to its init.
static void forwardExtents(RewriterBase &rewriter, Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    for (auto [result, init] :
         llvm::zip(op->getResults(), linalgOp.getDpsInits()))
      rewriter.replaceUsesWithIf(result, init, [](OpOperand &use) {
        return isa<tensor::DimOp>(use.getOwner());
      });
}

/// Erases dead ops of `worklist`, and then producers that only they used.
void Rewrite::eraseDead(SmallVector<Operation *> worklist) {
  llvm::DenseSet<void *> erased; // ops and values
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (erased.contains(next))
      continue;
    // Producers are followed only from linalg ops, not from extents.
    if (isa<linalg::LinalgOp>(next) &&
        llvm::all_of(next->getUsers(), llvm::IsaPred<tensor::DimOp>))
      forwardExtents(rewriter, next);
    // The effects of a replaced op are kept by the op of its rest.
    if (!isOpTriviallyDead(next) && !done.contains(next))
      continue;
    // Captured values, as in tensor.extract, have producers too.
    next->walk([&](Operation *each) {
      for (Value operand : each->getOperands())
        if (Operation *producer = operand.getDefiningOp())
          worklist.push_back(producer);
      erased.insert(each);
      for (Value result : each->getResults())
        erased.insert(result.getAsOpaquePointer());
    });
    rewriter.eraseOp(next);
  }
  for (RMSNormOpInterface &norm : norms)
    if (norm && erased.contains(norm.getOperation()))
      norm = {};
  for (SmallVector<Value> &tensors : inverseRoots)
    llvm::erase_if(tensors, [&](Value tensor) {
      return erased.contains(tensor.getAsOpaquePointer());
    });
}

/// Gives r of each norm to its other users. This is last, because a later norm
/// may also use the statistic.
void Rewrite::reuseStatistics() {
  for (auto [norm, tensors] : llvm::zip_equal(norms, inverseRoots)) {
    llvm::erase_if(tensors, [&](Value tensor) {
      forwardExtents(rewriter, tensor.getDefiningOp());
      return tensor.use_empty();
    });
    if (!norm || tensors.empty())
      continue;
    auto before = cast<RMSNormOp>(norm.getOperation());
    RMSNormOp after = reuseStatistic(rewriter, before, tensors);
    norm = after;
    if (after == before)
      continue;
    auto dead = llvm::map_to_vector(
        tensors, [](Value tensor) { return tensor.getDefiningOp(); });
    dead.push_back(before);
    eraseDead(std::move(dead));
  }
}

/// Collects the norms by the op that computes them, in program order.
llvm::MapVector<Operation *, Rewrite::Members>
Rewrite::collectMembers(Operation *scope) {
  llvm::DenseMap<Operation *, Members> byOp;
  for (auto [i, norm] : llvm::enumerate(plan)) {
    if (norm.scalar)
      byOp[norm.op].scalars.push_back(i);
    if (norm.gradient && norm.gradient->dw)
      byOp[norm.gradient->dw.getOwner()].dws.push_back(i);
  }
  llvm::MapVector<Operation *, Members> sorted;
  scope->walk<WalkOrder::PreOrder>([&](linalg::LinalgOp op) {
    auto it = byOp.find(op);
    if (it == byOp.end())
      return;
    llvm::sort(it->second.scalars, [&](size_t a, size_t b) {
      return plan[a].scalar.getDefiningOp()->isBeforeInBlock(
          plan[b].scalar.getDefiningOp());
    });
    sorted.insert({op, std::move(it->second)});
  });
  return sorted;
}

SmallVector<RMSNormOpInterface> Rewrite::run(Operation *scope) {
  for (const auto &[each, members] : collectMembers(scope)) {
    auto op = cast<linalg::LinalgOp>(each);
    rewriter.setInsertionPoint(op);
    if (!members.scalars.empty())
      replaceScalars(op, members.scalars);
    for (size_t i : members.dws)
      replaceWeightGradient(op, i);
  }
  for (const PlannedNorm &norm : plan)
    inverseRoots.push_back(
        llvm::map_to_vector(norm.inverseRoots, [&](Value tensor) {
          return replaced.lookupOrDefault(tensor);
        }));
  eraseDead(llvm::to_vector(done));
  done.clear(); // other ops may have their addresses now
  // The forward norm of a gradient may have had no other user.
  if (llvm::any_of(plan, [](const PlannedNorm &norm) {
        return norm.gradient.has_value();
      }))
    for (RMSNormOpInterface norm : SmallVector<RMSNormOpInterface>(norms))
      if (norm && norm->use_empty())
        eraseDead({norm.getOperation()});
  reuseStatistics();
  return std::move(norms);
}

SmallVector<RMSNormOpInterface> norm::rewrite(RewriterBase &rewriter,
                                              Operation *scope,
                                              ArrayRef<PlannedNorm> plan) {
  return Rewrite(rewriter, plan).run(scope);
}
