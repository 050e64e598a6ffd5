//===- LowerTMTensor.cpp - norm-lower-tm-tensor ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lower.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "norm/IR/Norm.h"
#include "norm/TMTensor/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMLOWERTMTENSOR
#include "norm/TMTensor/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::tm_tensor;

/// Builds `x predicate y` where NaN equals NaN and is greater than all else.
static Value buildTotalOrder(OpBuilder &b, arith::CmpFOp op, Value x, Value y) {
  using Predicate = arith::CmpFPredicate;
  Location loc = op.getLoc();
  auto compare = [&](Predicate predicate, Value p, Value q) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, p, q);
  };
  Value xIsNaN = compare(Predicate::UNO, x, x);
  Value yIsNaN = compare(Predicate::UNO, y, y);
  switch (op.getPredicate()) {
  case Predicate::OLT:
  case Predicate::ULT:
    return arith::AndIOp::create(b, loc, compare(Predicate::ULT, x, y),
                                 compare(Predicate::ORD, x, x));
  case Predicate::OLE:
  case Predicate::ULE:
    return arith::OrIOp::create(b, loc, compare(Predicate::OLE, x, y), yIsNaN);
  case Predicate::OGT:
  case Predicate::UGT:
    return arith::AndIOp::create(b, loc, compare(Predicate::UGT, x, y),
                                 compare(Predicate::ORD, y, y));
  case Predicate::OGE:
  case Predicate::UGE:
    return arith::OrIOp::create(b, loc, compare(Predicate::OGE, x, y), xIsNaN);
  case Predicate::OEQ:
  case Predicate::UEQ:
    return arith::OrIOp::create(b, loc, compare(Predicate::OEQ, x, y),
                                arith::AndIOp::create(b, loc, xIsNaN, yIsNaN));
  case Predicate::ONE:
  case Predicate::UNE:
    return arith::OrIOp::create(b, loc, compare(Predicate::ONE, x, y),
                                arith::XOrIOp::create(b, loc, xIsNaN, yIsNaN));
  default:
    return compare(op.getPredicate(), x, y);
  }
}

Value tm_tensor::buildBody(OpBuilder &b, Region &region, ValueRange arguments,
                           NaNOrder order) {
  Block &body = region.front();
  IRMapping map;
  map.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator()) {
    auto compare = dyn_cast<arith::CmpFOp>(op);
    if (compare && order == NaNOrder::Greatest &&
        isa<FloatType>(compare.getLhs().getType()))
      map.map(compare.getResult(),
              buildTotalOrder(b, compare, map.lookupOrDefault(compare.getLhs()),
                              map.lookupOrDefault(compare.getRhs())));
    else
      b.clone(op, map);
  }
  return map.lookupOrDefault(body.getTerminator()->getOperand(0));
}

Value tm_tensor::createIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value tm_tensor::getExtent(ImplicitLocOpBuilder &b, Value tensor, int64_t dim) {
  int64_t extent = getTensorType(tensor).getDimSize(dim);
  if (ShapedType::isStatic(extent))
    return createIndex(b, extent);
  return b.createOrFold<tensor::DimOp>(tensor, dim);
}

SmallVector<Value> tm_tensor::readElements(ImplicitLocOpBuilder &b,
                                           ValueRange tensors,
                                           ValueRange place) {
  return llvm::map_to_vector(tensors, [&](Value tensor) -> Value {
    return tensor::ExtractOp::create(b, tensor, place);
  });
}

SmallVector<Value> tm_tensor::writeElements(ImplicitLocOpBuilder &b,
                                            ValueRange tensors,
                                            ValueRange place,
                                            ValueRange values) {
  SmallVector<Value> written;
  for (auto [tensor, value] : llvm::zip_equal(tensors, values))
    written.push_back(tensor::InsertOp::create(b, value, tensor, place));
  return written;
}

SmallVector<Value> tm_tensor::buildLoop(
    ImplicitLocOpBuilder &b, Value from, Value to, Value step,
    ValueRange values,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Value, ValueRange)>
        body) {
  auto build = [&](OpBuilder &nested, Location loc, Value iv, ValueRange args) {
    ImplicitLocOpBuilder inner(loc, nested);
    scf::YieldOp::create(inner, body(inner, iv, args));
  };
  return scf::ForOp::create(b, from, to, step, values, build).getResults();
}

void tm_tensor::buildAssert(ImplicitLocOpBuilder &b, Operation *op,
                            Value condition, StringRef message) {
  cf::AssertOp::create(b, condition,
                       (op->getName().getStringRef() + message).str());
}

bool tm_tensor::isEmpty(Value tensor) {
  return llvm::is_contained(getTensorType(tensor).getShape(), 0);
}

SmallVector<int64_t> tm_tensor::getAllDims(Value tensor) {
  int64_t rank = getTensorType(tensor).getRank();
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

void tm_tensor::requireExtents(ImplicitLocOpBuilder &b, Operation *op,
                               Value tensor, ArrayRef<int64_t> dims,
                               Value other, ArrayRef<int64_t> others) {
  for (auto [first, second] : llvm::zip_equal(dims, others)) {
    auto isOpen = [](Value value, int64_t dim) {
      return getTensorType(value).isDynamicDim(dim);
    };
    if (tensor == other || (!isOpen(tensor, first) && !isOpen(other, second)))
      continue;
    Value equal = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        getExtent(b, tensor, first),
                                        getExtent(b, other, second));
    buildAssert(b, op, equal, ": extents of operands differ");
  }
}

/// Returns the part of `tensor`, without the dimensions of one element.
static Value extractPart(ImplicitLocOpBuilder &b, Value tensor,
                         const Part &part) {
  auto type = getTensorType(tensor);
  SmallVector<int64_t> shape;
  for (int64_t dim : part.kept)
    shape.push_back(
        getConstantIntValue(part.sizes[dim]).value_or(ShapedType::kDynamic));
  SmallVector<OpFoldResult> steps(part.sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(
      b, RankedTensorType::get(shape, type.getElementType()), tensor,
      part.offsets, part.sizes, steps);
}

SmallVector<Value> tm_tensor::buildParallel(
    ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> bounds,
    ArrayRef<OpFoldResult> steps, ValueRange ins, ValueRange outs,
    function_ref<Part(ImplicitLocOpBuilder &, unsigned, ValueRange)> part,
    PartBody body) {
  if (bounds.empty())
    return body(b, ins, outs);
  auto build = [&](OpBuilder &nested, Location loc, ValueRange args) {
    ImplicitLocOpBuilder inner(loc, nested);
    ValueRange ivs = args.take_front(bounds.size());
    ValueRange shared = args.drop_front(bounds.size());
    SmallVector<Part> parts;
    SmallVector<Value> values(ins);
    llvm::append_range(values, shared);
    for (auto [index, value] : llvm::enumerate(values)) {
      parts.push_back(part(inner, index, ivs));
      value = extractPart(inner, value, parts.back());
    }
    ArrayRef<Value> all(values);
    SmallVector<Value> results =
        body(inner, all.take_front(ins.size()), all.drop_front(ins.size()));
    auto end = scf::InParallelOp::create(inner);
    inner.setInsertionPointToStart(end.getBody());
    for (auto [index, result] : llvm::enumerate(results)) {
      const Part &target = parts[ins.size() + index];
      SmallVector<OpFoldResult> ones(target.sizes.size(), b.getIndexAttr(1));
      tensor::ParallelInsertSliceOp::create(inner, result, shared[index],
                                            target.offsets, target.sizes, ones);
    }
  };
  SmallVector<OpFoldResult> zeros(bounds.size(), b.getIndexAttr(0));
  return scf::ForallOp::create(b, zeros, bounds, steps, outs, std::nullopt,
                               build)
      .getResults();
}

namespace {
struct NormLowerTMTensor
    : norm::impl::NormLowerTMTensorBase<NormLowerTMTensor> {
  void runOnOperation() override {
    for (Operation *op : norm::collect<Operation *>(
             getOperation(),
             llvm::IsaPred<ScanOp, ScatterOp, SortOp, TopkOp, AttentionOp>)) {
      ImplicitLocOpBuilder b(op->getLoc(), op);
      SmallVector<Value> results =
          TypeSwitch<Operation *, SmallVector<Value>>(op)
              .Case([&](ScanOp scan) { return lowerScan(b, scan); })
              .Case([&](ScatterOp scatter) { return lowerScatter(b, scatter); })
              .Case([&](SortOp sort) { return lowerSort(b, sort); })
              .Case([&](TopkOp topk) { return lowerTopk(b, topk); })
              .Case([&](AttentionOp op) { return lowerAttention(b, op); });
      op->replaceAllUsesWith(results);
      op->erase();
    }
  }
};
} // namespace
