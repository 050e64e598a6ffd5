//===- PrintShardingRules.cpp - rules in Shardy's notation ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The notation is that of Shardy's #sdy.op_sharding_rule: a letter, from i on,
// for each loop; the letters of each operand and result; the letters' extents.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/Interfaces/ShardingInterface.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/IR/Norm.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMPRINTSHARDINGRULES
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using shard::ShardingInterface;

/// i to z, then z_1, z_2...
static std::string getFactor(unsigned loop) {
  constexpr unsigned kLetters = 'z' - 'i' + 1;
  if (loop < kLetters)
    return std::string(1, static_cast<char>('i' + loop));
  return "z_" + std::to_string(loop - kLetters + 1);
}

static void printTensors(raw_ostream &os, ArrayRef<AffineMap> maps) {
  os << "(";
  llvm::interleaveComma(maps, os, [&](AffineMap map) {
    os << "[";
    llvm::interleaveComma(map.getResults(), os, [&](AffineExpr expr) {
      os << getFactor(cast<AffineDimExpr>(expr).getPosition());
    });
    os << "]";
  });
  os << ")";
}

/// Returns the extents of the loops; nullopt where one is not known.
static std::optional<SmallVector<int64_t>>
findExtents(Operation *op, ArrayRef<AffineMap> maps, unsigned numLoops) {
  SmallVector<int64_t> extents(numLoops, ShapedType::kDynamic);
  for (auto [value, map] : llvm::zip(op->getOperands(), maps))
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (int64_t extent = cast<ShapedType>(value.getType()).getDimSize(dim);
          !ShapedType::isDynamic(extent))
        extents[cast<AffineDimExpr>(expr).getPosition()] = extent;
  if (ShapedType::isDynamicShape(extents))
    return std::nullopt;
  return extents;
}

static LogicalResult printRule(raw_ostream &os, ShardingInterface op) {
  SmallVector<AffineMap> maps = op.getIndexingMaps();
  unsigned numLoops = op.getLoopIteratorTypes().size();
  auto extents = findExtents(op, maps, numLoops);
  if (!extents)
    return op->emitOpError("has dynamic extents, for which Shardy has no rule");
  os << op->getName() << ": #sdy.op_sharding_rule<";
  printTensors(os, ArrayRef(maps).take_front(op->getNumOperands()));
  os << "->";
  printTensors(os, ArrayRef(maps).drop_front(op->getNumOperands()));
  os << " {";
  llvm::interleaveComma(llvm::seq(numLoops), os, [&](unsigned loop) {
    os << getFactor(loop) << "=" << (*extents)[loop];
  });
  os << "}>\n";
  return success();
}

namespace {
struct NormPrintShardingRules
    : norm::impl::NormPrintShardingRulesBase<NormPrintShardingRules> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](norm::RMSNormOpInterface op) {
      auto sharded = dyn_cast<ShardingInterface>(op.getOperation());
      return sharded && failed(printRule(llvm::outs(), sharded))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
