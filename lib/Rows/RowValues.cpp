//===- RowValues.cpp - what ops of a row leave in registers ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowValues.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "norm/IR/Norm.h"

using namespace mlir;
using linalg::LinalgOp;
using norm::Place;
using norm::RowValues;

/// Returns true for a global that is never written.
static bool isConstant(Value v) {
  auto get = v.getDefiningOp<memref::GetGlobalOp>();
  auto global = get ? SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
                          get, get.getNameAttr())
                    : memref::GlobalOp();
  return global && global.getConstant();
}

/// Returns the buffer that `v` is a view of; null if it is not known.
static Value getRoot(Value v) {
  while (auto view = v.getDefiningOp<ViewLikeOpInterface>())
    v = view.getViewSource();
  auto arg = dyn_cast<BlockArgument>(v);
  bool isParameter = arg && isa<func::FuncOp>(arg.getOwner()->getParentOp());
  bool isKnown =
      isParameter || v.getDefiningOp<memref::AllocOp>() || isConstant(v);
  return isKnown ? v : Value();
}

bool norm::mayOverlap(Value x, Value y) {
  if (!isa<MemRefType>(x.getType()) || !isa<MemRefType>(y.getType()))
    return false;
  Value root = getRoot(x), other = getRoot(y);
  return !root || !other || root == other;
}

bool norm::mayAccess(Operation *scope, Value buffer, bool reads) {
  auto isApart = [&](Operation *op) {
    if (isMemoryEffectFree(op) ||
        isa<LoopLikeOpInterface, memref::AllocOp>(op) ||
        (!reads && isa<memref::LoadOp, vector::TransferReadOp>(op)))
      return true;
    return isa<LinalgOp, memref::LoadOp, memref::StoreOp,
               VectorTransferOpInterface>(op) &&
           llvm::none_of(op->getOperands(),
                         [&](Value v) { return mayOverlap(v, buffer); });
  };
  return anyIn(scope, [&](Operation *op) { return !isApart(op); });
}

bool norm::readsWhatItWrites(LinalgOp op) {
  return llvm::any_of(op.getRegionOutputArgs(),
                      [](BlockArgument out) { return !out.use_empty(); }) ||
         llvm::any_of(op.getDpsInputs(), [&](Value input) {
           return llvm::any_of(op.getDpsInits(), [&](Value init) {
             return mayOverlap(init, input);
           });
         });
}

bool norm::isNotWritten(Value buffer, Operation *scope) {
  return isa<MemRefType>(buffer.getType()) &&
         !mayAccess(scope, buffer, /*reads=*/false);
}

static OpFoldResult getLength(const Place &place) {
  return place.mask
             ? OpFoldResult(
                   place.mask.getDefiningOp<vector::CreateMaskOp>().getOperand(
                       0))
             : Builder(place.buffer.getContext()).getIndexAttr(place.width);
}

bool Place::operator==(const Place &other) const {
  return buffer == other.buffer && width == other.width &&
         isEqualConstantIntOrValue(getLength(*this), getLength(other)) &&
         isEqualConstantIntOrValueArray(getAsOpFoldResult(at),
                                        getAsOpFoldResult(other.at));
}

void RowValues::note(const Place &place, Value v) {
  if (getRoot(place.buffer))
    known.push_back({place, v});
}

Value RowValues::lookup(const Place &place) const {
  for (const Known &entry : known)
    if (entry.place == place)
      return entry.v;
  return {};
}

void RowValues::forget(Value buffer) {
  llvm::erase_if(known, [&](const Known &entry) {
    return mayOverlap(entry.place.buffer, buffer);
  });
}

void RowValues::forgetWrites(Operation *op) {
  llvm::erase_if(known, [&](const Known &entry) {
    return !isNotWritten(entry.place.buffer, op);
  });
}
