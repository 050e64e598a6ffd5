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
  SmallVector<RMSNormOp> run();

private:
  Value getTensor(Value value, Operation *op);
  Value getInput(const PlannedNorm &norm);
  Value getWeight(const PlannedNorm &norm, Value input);
  RMSNormOp createNorm(PlannedNorm norm);
  void replace(linalg::LinalgOp op, ArrayRef<PlannedNorm> members);
  void eraseDead(SmallVector<Operation *> worklist);

  RewriterBase &rewriter;
  ArrayRef<PlannedNorm> plan;
  SmallVector<RMSNormOp> norms;
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

Value Rewrite::getInput(const PlannedNorm &norm) {
  const PlannedInput &input = norm.input;
  if (!input.op)
    return getTensor(input.value, norm.op);
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
Value Rewrite::getWeight(const PlannedNorm &norm, Value input) {
  const PlannedWeight &weight = norm.weight;
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
  for (int64_t dim : norm.weightDims)
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

RMSNormOp Rewrite::createNorm(PlannedNorm norm) {
  auto typeAttr = [](FloatType t) { return t ? TypeAttr::get(t) : TypeAttr(); };
  Location loc = norm.op->getLoc();
  Value input = getInput(norm);
  Value weight = getWeight(norm, input);
  if (norm.groupSize)
    splitGroups(rewriter, norm, input, weight);
  auto shape = cast<RankedTensorType>(input.getType()).getShape();
  auto type = RankedTensorType::get(shape, norm.scalar.getType());
  Value init = createEmpty(rewriter, loc,
                           tensor::getMixedSizes(rewriter, loc, input), type);
  auto op = RMSNormOp::create(
      rewriter, loc, TypeRange(type), input, weight, init,
      /*inv_rms_init=*/Value(), rewriter.getDenseI64ArrayAttr(norm.dims),
      FloatAttr::get(norm.computeType, norm.epsilon),
      EpsilonModeAttr::get(rewriter.getContext(), norm.mode),
      typeAttr(norm.computeType), typeAttr(norm.scaleType),
      typeAttr(norm.normalizedType), /*weight_dims=*/DenseI64ArrayAttr(),
      norm.count ? rewriter.getI64IntegerAttr(*norm.count) : IntegerAttr(),
      RootFormAttr::get(rewriter.getContext(), norm.rootForm),
      typeAttr(norm.sumType));
  if (norm.computeType == op.getDefaultComputeType())
    op.removeComputeTypeAttr();
  if (weight && norm.weightDims != norm.dims)
    op.setWeightDims(norm.weightDims);
  return op;
}

/// Moves the norms out of `op`, which stays without uses. They are in body
/// order, because one may be part of another's input.
void Rewrite::replace(linalg::LinalgOp op, ArrayRef<PlannedNorm> members) {
  rewriter.setInsertionPoint(op);
  for (const PlannedNorm &norm : members) {
    norms.push_back(createNorm(norm));
    SmallVector<unsigned> order(norm.order.begin(), norm.order.end());
    Value result = norms.back().getResult(0);
    if (norm.groupSize)
      result = tensor::CollapseShapeOp::create(
          rewriter, op->getLoc(), result,
          getGroups(order.size(), norm.dims.front()));
    heldOf[op][norm.scalar] = {result, norm.space.getSubMap(order)};
  }
  const Held &held = heldOf[op];
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Value whole = getWhole(rewriter, op, held);
  ValueRange values = whole;
  if (!whole)
    values = createPart(rewriter, op, Part::Rest, held,
                        op.getBlock()->getTerminator()->getOperands(),
                        op.getDpsInits(),
                        ArrayRef(maps).take_back(op.getNumDpsInits()))
                 ->getResults();
  replaced.map(op->getResults(), values);
  rewriter.replaceAllUsesWith(op->getResults(), values);
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
  for (RMSNormOp &norm : norms)
    if (erased.contains(norm.getOperation()))
      norm = {};
  for (SmallVector<Value> &tensors : inverseRoots)
    llvm::erase_if(tensors, [&](Value tensor) {
      return erased.contains(tensor.getAsOpaquePointer());
    });
}

SmallVector<RMSNormOp> Rewrite::run() {
  for (ArrayRef<PlannedNorm> rest = plan; !rest.empty();) {
    linalg::LinalgOp op = rest.front().op;
    ArrayRef<PlannedNorm> members =
        rest.take_while([&](const PlannedNorm &norm) { return norm.op == op; });
    replace(op, members);
    rest = rest.drop_front(members.size());
  }
  for (const PlannedNorm &norm : plan)
    inverseRoots.push_back(
        llvm::map_to_vector(norm.inverseRoots, [&](Value tensor) {
          return replaced.lookupOrDefault(tensor);
        }));
  eraseDead(llvm::to_vector(done));
  done.clear(); // other ops may have their addresses now
  // This is last, because a later norm may also use the statistic.
  for (auto [norm, tensors] : llvm::zip_equal(norms, inverseRoots)) {
    llvm::erase_if(tensors, [&](Value tensor) {
      forwardExtents(rewriter, tensor.getDefiningOp());
      return tensor.use_empty();
    });
    if (!norm || tensors.empty())
      continue;
    RMSNormOp before =
        std::exchange(norm, reuseStatistic(rewriter, norm, tensors));
    if (norm == before)
      continue;
    auto dead = llvm::map_to_vector(
        tensors, [](Value tensor) { return tensor.getDefiningOp(); });
    dead.push_back(before);
    eraseDead(std::move(dead));
  }
  return std::move(norms);
}

SmallVector<RMSNormOp> norm::rewrite(RewriterBase &rewriter,
                                     ArrayRef<PlannedNorm> plan) {
  return Rewrite(rewriter, plan).run();
}
