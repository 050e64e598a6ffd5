//===- Rewrite.cpp - carry out a plan -------------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitBody.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::norm;
using row::Kind;

namespace {
class Rewrite {
public:
  Rewrite(RewriterBase &rewriter, ArrayRef<PlannedNorm> plan)
      : rewriter(rewriter), plan(plan) {}
  SmallVector<RMSNormOpInterface> run();

private:
  /// The norms whose results one op computes: scalars of its body, or a dw that
  /// is a result.
  struct Members {
    linalg::LinalgOp op;
    unsigned place;
    SmallVector<size_t> scalars, dws;
  };
  std::vector<Members> collectMembers();
  Value getTensor(Value value, Operation *op);
  Value getInput(const PlannedInput &input, Operation *op);
  Value getWeight(const PlannedNorm &norm, const PlannedWeight &weight,
                  ArrayRef<int64_t> dims, Value input);
  RMSNormOp createNormAt(PlannedNorm norm);
  Value getRoot(const PlannedNorm &norm, Value input);
  RMSNormBackwardOp createGradientAt(const PlannedNorm &norm);
  void create(size_t i, linalg::LinalgOp op);
  void replace(const Members &members);
  void replaceScalars(const Members &members);
  void replaceWeightGradient(size_t i);
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

Value norm::createEmpty(RewriterBase &rewriter, Location loc,
                        ArrayRef<OpFoldResult> sizes, RankedTensorType type) {
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  return rewriter.createOrFold<tensor::CastOp>(loc, type, empty);
}

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

/// Adds unit dimensions at these positions of the result.
static Value addUnits(RewriterBase &rewriter, Location loc, Value tensor,
                      ArrayRef<int64_t> units) {
  if (units.empty())
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups(type.getRank());
  int64_t next = 0; // the dimension of `tensor` that follows
  for (int64_t i = 0, e = type.getRank() + units.size(); i < e; ++i) {
    bool isUnit = llvm::is_contained(units, i);
    shape.push_back(isUnit ? 1 : type.getDimSize(next++));
    if (type.getRank() > 0)
      groups[std::max<int64_t>(next - 1, 0)].push_back(i);
  }
  return tensor::ExpandShapeOp::create(rewriter, loc, type.clone(shape), tensor,
                                       groups);
}

Value Rewrite::getInput(const PlannedInput &input, Operation *op) {
  if (!input.op)
    return addUnits(rewriter, op->getLoc(), getTensor(input.value, op),
                    input.units);
  Held &held = heldOf[input.op];
  if (HeldValue found = held.lookup(input.value); found.map == input.map)
    return found.tensor;
  Value tensor = outline(rewriter, input, held);
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

/// Returns the weight or null; one op computes a weight that is not a tensor.
Value Rewrite::getWeight(const PlannedNorm &norm, const PlannedWeight &weight,
                         ArrayRef<int64_t> dims, Value input) {
  if (!weight.expression)
    return getTensor(weight.tensor, norm.op);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const WeightElement &element : weight.elements) {
    inputs.push_back(getTensor(element.tensor, norm.op));
    maps.push_back(element.map);
  }
  Location loc = norm.op->getLoc();
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : dims)
    sizes.push_back(tensor::getMixedSize(rewriter, loc, input, dim));
  Value init = tensor::EmptyOp::create(rewriter, loc, sizes,
                                       weight.expression->getType());
  maps.push_back(rewriter.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange(init), inputs, init, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        llvm::DenseMap<const row::Node *, Value> known;
        for (auto [element, arg] : llvm::zip(weight.elements, args))
          known[element.node] = arg;
        linalg::YieldOp::create(b, loc, emit(b, loc, weight.expression, known));
      });
  return generic.getResult(0);
}

/// Returns the groups in which dimension `dim` of `rank` becomes two.
static SmallVector<ReassociationIndices> getGroups(int64_t rank, int64_t dim) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i)
    groups.push_back({i > dim ? i + 1 : i});
  groups[dim].push_back(dim + 1);
  return groups;
}

/// Splits dimension `dim` of `tensor` into groups of `size`.
static Value expandGroups(RewriterBase &rewriter, Location loc, Value tensor,
                          int64_t dim, int64_t size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (!type.isDynamicDim(dim))
    shape[dim] /= size;
  shape.insert(shape.begin() + dim + 1, size);
  return tensor::ExpandShapeOp::create(rewriter, loc, type.clone(shape), tensor,
                                       getGroups(type.getRank(), dim));
}

/// Splits the dimension of groups, because the op normalizes whole dimensions.
static void splitGroups(RewriterBase &rewriter, PlannedNorm &norm, Value &input,
                        Value &weight) {
  Location loc = norm.op->getLoc();
  int64_t dim = norm.dims.front(), size = *norm.groupSize;
  input = expandGroups(rewriter, loc, input, dim, size);
  SmallVector<int64_t> weightDims;
  for (auto [i, weightDim] : llvm::enumerate(norm.weightDims)) {
    weightDims.push_back(weightDim > dim ? weightDim + 1 : weightDim);
    if (weightDim != dim)
      continue;
    weight = expandGroups(rewriter, loc, weight, i, size);
    weightDims.push_back(dim + 1);
  }
  norm.weightDims = weightDims;
  norm.dims = {dim + 1};
}

static TypeAttr typeAttr(FloatType type) {
  return type ? TypeAttr::get(type) : TypeAttr();
}

RMSNormOp norm::createNorm(OpBuilder &b, Location loc, const PlannedNorm &norm,
                           Value input, Value weight, Value init) {
  SmallVector<Type> types;
  if (isa<RankedTensorType>(init.getType()))
    types.push_back(init.getType());
  auto op = RMSNormOp::create(
      b, loc, types, input, weight, init, /*inv_rms_init=*/Value(),
      b.getDenseI64ArrayAttr(norm.dims),
      FloatAttr::get(norm.computeType, norm.epsilon),
      EpsilonModeAttr::get(b.getContext(), norm.mode),
      typeAttr(norm.computeType), typeAttr(norm.scaleType),
      typeAttr(norm.normalizedType), /*weight_dims=*/DenseI64ArrayAttr(),
      norm.count ? b.getI64IntegerAttr(*norm.count) : IntegerAttr(),
      RootFormAttr::get(b.getContext(), norm.rootForm), typeAttr(norm.sumType));
  if (norm.computeType == op.getDefaultComputeType())
    op.removeComputeTypeAttr();
  if (weight && norm.weightDims != norm.dims)
    op.setWeightDims(norm.weightDims);
  return op;
}

RMSNormOp Rewrite::createNormAt(PlannedNorm norm) {
  Location loc = norm.op->getLoc();
  Value input = getInput(norm.input, norm.op);
  Value weight = getWeight(norm, norm.weight, norm.weightDims, input);
  if (norm.groupSize)
    splitGroups(rewriter, norm, input, weight);
  auto shape = cast<RankedTensorType>(input.getType()).getShape();
  auto type = RankedTensorType::get(shape, norm.scalar.getType());
  Value init = createEmpty(rewriter, loc,
                           tensor::getMixedSizes(rewriter, loc, input), type);
  return createNorm(rewriter, loc, norm, input, weight, init);
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// Returns the saved root in x's shape without `dims`, or null.
Value Rewrite::getRoot(const PlannedNorm &norm, Value input) {
  const PlannedWeight &root = norm.gradient->root;
  if (!root.exists())
    return {};
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> batch, shape;
  for (int64_t dim = 0, e = type.getRank(); dim < e; ++dim)
    if (!llvm::is_contained(norm.dims, dim)) {
      batch.push_back(dim);
      shape.push_back(type.getDimSize(dim));
    }
  Value tensor = getWeight(norm, root, batch, input);
  auto found = cast<RankedTensorType>(tensor.getType());
  auto wanted = RankedTensorType::get(shape, norm.computeType);
  if (found.getRank() == wanted.getRank())
    return rewriter.createOrFold<tensor::CastOp>(norm.op->getLoc(), wanted,
                                                 tensor);
  return reshapeStatistic(rewriter, norm.op->getLoc(), tensor, wanted);
}

RMSNormBackwardOp norm::createGradient(OpBuilder &b, Location loc,
                                       const PlannedNorm &norm, Value dy,
                                       Value input, Value weight, Value root,
                                       Value dx, Value dw) {
  SmallVector<Type> types;
  for (Value init : {dx, dw})
    if (init)
      types.push_back(init.getType());
  bool isRms = norm.gradient->isRootBeforeEpsilon;
  bool needsEpsilon = !root || isRms;
  auto op = RMSNormBackwardOp::create(
      b, loc, types, dy, input, weight, isRms ? Value() : root,
      isRms ? root : Value(), dx, dw, b.getDenseI64ArrayAttr(norm.dims),
      needsEpsilon ? FloatAttr::get(norm.computeType, norm.epsilon)
                   : FloatAttr(),
      EpsilonModeAttr::get(b.getContext(), norm.mode),
      typeAttr(norm.computeType), typeAttr(norm.scaleType),
      typeAttr(norm.normalizedType), /*weight_dims=*/DenseI64ArrayAttr(),
      /*count=*/IntegerAttr(), RootFormAttr::get(b.getContext(), norm.rootForm),
      typeAttr(norm.sumType));
  if (norm.computeType == op.getDefaultComputeType())
    op.removeComputeTypeAttr();
  if ((weight || dw) && norm.weightDims != norm.dims)
    op.setWeightDims(norm.weightDims);
  return op;
}

RMSNormBackwardOp Rewrite::createGradientAt(const PlannedNorm &norm) {
  const PlannedGradient &gradient = *norm.gradient;
  Location loc = norm.op->getLoc();
  Value dy = getInput(gradient.dy, norm.op);
  Value input = getInput(norm.input, norm.op);
  Value weight = getWeight(norm, norm.weight, norm.weightDims, input);
  Value root = getRoot(norm, input);
  auto shape = cast<RankedTensorType>(input.getType()).getShape();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, input);
  Value dx, dw;
  if (norm.scalar)
    dx = createEmpty(rewriter, loc, sizes,
                     RankedTensorType::get(shape, norm.scalar.getType()));
  if (gradient.dw) {
    SmallVector<int64_t> dwShape;
    SmallVector<OpFoldResult> dwSizes;
    for (int64_t dim : norm.weightDims) {
      dwShape.push_back(shape[dim]);
      dwSizes.push_back(sizes[dim]);
    }
    dw = createEmpty(rewriter, loc, dwSizes,
                     RankedTensorType::get(dwShape, gradient.dwType));
  }
  return createGradient(rewriter, loc, norm, dy, input, weight, root, dx, dw);
}

Value Rewrite::addResidual(Value residual, Value dx) {
  auto type = cast<RankedTensorType>(dx.getType());
  Location loc = dx.getLoc();
  SmallVector<AffineMap> maps(3,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  Value init = createEmpty(rewriter, loc,
                           tensor::getMixedSizes(rewriter, loc, dx), type);
  auto sum = linalg::GenericOp::create(
      rewriter, loc, TypeRange(type), ValueRange{residual, dx}, init, maps,
      iterators, [](OpBuilder &b, Location loc, ValueRange args) {
        Value added = arith::AddFOp::create(b, loc, args[0], args[1]);
        linalg::YieldOp::create(b, loc, added);
      });
  return sum.getResult(0);
}

/// Replaces the sum that is dw, which may have unit dimensions, by the result.
void Rewrite::replaceWeightGradient(size_t i) {
  OpResult sum = plan[i].gradient->dw;
  Value dw = cast<RMSNormBackwardOp>(norms[i].getOperation()).getDw();
  Location loc = sum.getLoc();
  auto type = cast<RankedTensorType>(sum.getType());
  dw = cast<RankedTensorType>(dw.getType()).getRank() == type.getRank()
           ? rewriter.createOrFold<tensor::CastOp>(loc, type, dw)
           : reshapeStatistic(rewriter, loc, dw, type);
  replaced.map(sum, dw);
  rewriter.replaceAllUsesWith(sum, dw);
  if (sum.getOwner()->use_empty())
    done.insert(sum.getOwner());
}

//===----------------------------------------------------------------------===//
// Replacement
//===----------------------------------------------------------------------===//

/// Creates norm `i`, unless it exists, before `op`.
void Rewrite::create(size_t i, linalg::LinalgOp op) {
  if (norms[i])
    return;
  PlannedNorm norm = plan[i];
  norm.op = op;
  if (norm.gradient)
    norms[i] = createGradientAt(norm);
  else
    norms[i] = createNormAt(norm);
}

/// Moves the norms out of an op, which stays without uses. They are in body
/// order, because one may be part of another's input.
void Rewrite::replaceScalars(const Members &members) {
  linalg::LinalgOp op = members.op;
  for (size_t i : members.scalars) {
    create(i, op);
    const PlannedNorm &norm = plan[i];
    SmallVector<unsigned> order(norm.order.begin(), norm.order.end());
    Value result = norms[i]->getResult(0);
    if (norm.gradient && norm.gradient->residual.value)
      result = addResidual(getInput(norm.gradient->residual, op), result);
    if (norm.groupSize)
      result = tensor::CollapseShapeOp::create(
          rewriter, op->getLoc(), result,
          getGroups(order.size(), norm.dims.front()));
    heldOf[op][norm.scalar] = {result, norm.space.getSubMap(order)};
  }
  const Held &held = heldOf[op];
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Value whole = getHeldResult(rewriter, op, held);
  ValueRange values = whole;
  if (!whole)
    values = createBodyPart(rewriter, op, BodyPart::Rest, held,
                            op.getBlock()->getTerminator()->getOperands(),
                            op.getDpsInits(),
                            ArrayRef(maps).take_back(op.getNumDpsInits()))
                 ->getResults();
  replaced.map(op->getResults(), values);
  rewriter.replaceAllUsesWith(op->getResults(), values);
  done.insert(op);
}

void Rewrite::replace(const Members &members) {
  rewriter.setInsertionPoint(members.op);
  if (!members.scalars.empty())
    replaceScalars(members);
  for (size_t i : members.dws) {
    create(i, members.op);
    replaceWeightGradient(i);
  }
}

/// Collects the norms by the op that computes them, in program order.
std::vector<Rewrite::Members> Rewrite::collectMembers() {
  llvm::MapVector<Operation *, Members> byOp;
  auto get = [&](linalg::LinalgOp op, unsigned place) -> Members & {
    Members &members = byOp[op];
    members.op = op;
    members.place = place;
    return members;
  };
  for (auto [i, norm] : llvm::enumerate(plan)) {
    if (norm.scalar)
      get(norm.op, norm.place).scalars.push_back(i);
    if (norm.gradient && norm.gradient->dw)
      get(cast<linalg::LinalgOp>(norm.gradient->dw.getOwner()),
          norm.gradient->dwPlace)
          .dws.push_back(i);
  }
  std::vector<Members> sorted;
  for (auto &[op, members] : byOp) {
    llvm::stable_sort(members.scalars, [&](size_t a, size_t b) {
      return plan[a].scalar.getDefiningOp()->isBeforeInBlock(
          plan[b].scalar.getDefiningOp());
    });
    sorted.push_back(std::move(members));
  }
  llvm::stable_sort(sorted, [](const Members &a, const Members &b) {
    return a.place < b.place;
  });
  return sorted;
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

SmallVector<RMSNormOpInterface> Rewrite::run() {
  norms.resize(plan.size());
  for (const Members &members : collectMembers())
    replace(members);
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
                                              ArrayRef<PlannedNorm> plan) {
  return Rewrite(rewriter, plan).run();
}
