//===- TurnOperands.cpp - what loops go across in memory is turned --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductTensors.h"
#include "TileProducts.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "norm/IR/Norm.h"
#include "llvm/Support/DebugLog.h"

using namespace mlir;
using linalg::GenericOp;

/// Rows and columns of a block, which level 1 keeps beside its copy.
static constexpr int64_t kBlock = 4 * norm::amxRows;

/// Returns true for elements that vectors are loaded and stored of.
static bool areWholeBytes(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8 &&
         llvm::isPowerOf2_64(type.getIntOrFloatBitWidth());
}

/// Returns true if the innermost loop of `op` goes across the rows of an
/// operand, and another one along them.
static bool isAcross(GenericOp op, OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isProjectedPermutation() || map.getNumResults() < 2 ||
      !areWholeBytes(getElementTypeOrSelf(operand.get())))
    return false;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  unsigned along = map.getDimPosition(map.getNumResults() - 1),
           innermost = op.getNumLoops() - 1;
  auto hasSquares = [&](unsigned loop) {
    return ShapedType::isDynamic(extents[loop]) ||
           extents[loop] >= norm::amxRows;
  };
  return along != innermost && map.isFunctionOfDim(innermost) &&
         hasSquares(along) && hasSquares(innermost) &&
         norm::hasNeighbors(operand.get());
}

/// Returns the dimensions of an operand in the order of the loops.
static SmallVector<int64_t> sortDims(AffineMap map) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, map.getNumResults()));
  llvm::sort(dims, [&](int64_t a, int64_t b) {
    return map.getDimPosition(a) < map.getDimPosition(b);
  });
  return dims;
}

/// Returns true if `op` only copies elements to other places.
static bool isCopy(GenericOp op) {
  return op.getNumDpsInputs() == 1 && op->getNumResults() == 1 &&
         op.getBody()->getTerminator()->getOperand(0) ==
             op.getBody()->getArgument(0) &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isPermutation(); });
}

/// Returns true if `op` reads or writes an operand by its innermost loop across
/// its rows, which a copy of it need not.
static bool isTurned(GenericOp op, OpOperand &operand) {
  return isAcross(op, operand) &&
         (op.isDpsInput(&operand) || !op.payloadUsesValueFromOperand(&operand));
}

/// Returns the numbers of the operands that are turned.
static SmallVector<unsigned> findTurned(GenericOp op) {
  SmallVector<unsigned> turned;
  for (OpOperand &operand : op->getOpOperands())
    if (isTurned(op, operand))
      turned.push_back(operand.getOperandNumber());
  return turned;
}

/// Returns the tiles that have blocks of the operands `turned`.
static SmallVector<OpFoldResult> getBlockSizes(OpBuilder &b, GenericOp op,
                                               ArrayRef<unsigned> turned) {
  SmallVector<OpFoldResult> sizes(op.getNumLoops(), b.getIndexAttr(1));
  sizes.back() = b.getIndexAttr(kBlock);
  for (unsigned operand : turned) {
    AffineMap map = op.getIndexingMapsArray()[operand];
    sizes[map.getDimPosition(map.getNumResults() - 1)] = sizes.back();
  }
  return sizes;
}

/// Returns a copy of `from` in `dest`, whose dimensions are those of `from` in
/// that order.
static Value createCopy(IRRewriter &b, Value from, Value dest,
                        ArrayRef<int64_t> order) {
  auto copy = linalg::TransposeOp::create(b, dest.getLoc(), from, dest, order);
  GenericOp loops = *linalg::generalizeNamedOp(b, copy);
  loops->setAttr(norm::packAttrName, b.getUnitAttr());
  return loops.getResult(0);
}

/// Returns a tensor that is like `v`, but has its dimensions in that order.
static Value createEmpty(OpBuilder &b, Value v, ArrayRef<int64_t> order) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, v.getLoc(), v);
  applyPermutationToVector(sizes, order);
  return tensor::EmptyOp::create(b, v.getLoc(), sizes, getElementTypeOrSelf(v));
}

/// Lets `op` read a copy of `operand`, or write what is copied to it then, in
/// the order of its loops.
static void turn(IRRewriter &b, GenericOp op, OpOperand &operand) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[operand.getOperandNumber()];
  SmallVector<int64_t> order = sortDims(map);
  map = map.getSubMap(llvm::to_vector_of<unsigned>(order));
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  Value v = operand.get();
  b.setInsertionPoint(op);
  Value turned = createEmpty(b, v, order);
  if (op.isDpsInput(&operand)) {
    operand.set(createCopy(b, v, turned, order));
    return;
  }
  operand.set(turned);
  OpResult result = op.getTiedOpResult(&operand);
  result.setType(cast<RankedTensorType>(turned.getType()));
  b.setInsertionPointAfter(op);
  Value copy = createCopy(b, result, v, invertPermutationVector(order));
  b.replaceAllUsesExcept(result, copy, copy.getDefiningOp());
}

/// Replaces a copy by one in the order of its result.
static void turnCopy(IRRewriter &b, GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto order = llvm::map_to_vector(maps[1].getResults(),
                                   [&](AffineExpr loop) -> int64_t {
                                     return *maps[0].getResultPosition(loop);
                                   });
  b.setInsertionPoint(op);
  b.replaceOp(op,
              createCopy(b, op.getDpsInputs()[0], op.getDpsInits()[0], order));
}

LogicalResult norm::turnOperands(IRRewriter &b, Operation *scope,
                                 unsigned threads) {
  SmallVector<GenericOp> ops;
  scope->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    if (isa<LoopLikeOpInterface>(nested) &&
        getRole(nested) == LoopRole::Product)
      return WalkResult::skip();
    auto op = dyn_cast<GenericOp>(nested);
    if (op && op.hasPureTensorSemantics() && op.isAllParallelLoops())
      ops.push_back(op);
    return WalkResult::advance();
  });
  for (GenericOp op : ops) {
    SmallVector<unsigned> turned = findTurned(op);
    if (turned.empty())
      continue;
    LDBG("norm-tile-products", 1) << "turns operands of " << op;
    FailureOr<scf::SCFTilingResult> tiled =
        tileLoops(b, op, getBlockSizes(b, op, turned), threads);
    if (failed(tiled))
      return failure();
    auto tile = cast<GenericOp>(tiled->tiledOps.front());
    if (isCopy(tile)) {
      turnCopy(b, tile);
      continue;
    }
    for (unsigned operand : turned)
      turn(b, tile, tile->getOpOperand(operand));
  }
  return success();
}
