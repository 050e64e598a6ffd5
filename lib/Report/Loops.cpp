//===- Loops.cpp - what a loop over rows does -----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Rows/Rows.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::norm;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Returns the buffer of which `value` is another shape, with all elements.
static Value skipReshapes(Value value) {
  while (isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Returns the buffer of which `value` is a view made inside of `loop`; null
/// for memory that is allocated inside.
static Value getOuterBuffer(Value value, Operation *loop) {
  while (Operation *op = value.getDefiningOp()) {
    if (!loop->isAncestor(op))
      return skipReshapes(value);
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      return {};
    value = view.getViewSource();
  }
  bool isInside = loop->isAncestor(value.getParentBlock()->getParentOp());
  return isInside ? Value() : value;
}

static std::string nameBuffer(Value value, unsigned numInputs) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return "a temporary";
  unsigned number = argument.getArgNumber();
  return number < numInputs ? "arg" + std::to_string(number)
                            : "result" + std::to_string(number - numInputs);
}

static Volume::Term getBytes(Value buffer, StringRef name) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes = norm::getElementBytes(type.getElementType());
  Volume::Term term{bytes > 0 ? double(bytes) : 8.0, "", 0, false};
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(extent)) {
      term.amount *= extent;
      term.hasRow |= extent > 1;
      continue;
    }
    term.extents += (term.numDynamic++ ? "*" : "") +
                    llvm::formatv("{0}.d{1}", name, dim).str();
  }
  return term;
}

namespace {
/// The outer buffers that a loop reads and writes, each counted once, because a
/// row loop keeps what it has read.
struct Accesses {
  llvm::SmallSetVector<Value, 4> read, written;

  void add(Operation *loop) {
    loop->walk([&](Operation *op) {
      note(op, loop);
      // Loads that are equal for all rows are hoisted out of the loop.
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp())
          if (!loop->isAncestor(def))
            note(def, def);
    });
  }

private:
  void note(Operation *op, Operation *loop) {
    // Upstream lets a prefetch write, so that it stays where it is.
    auto access = dyn_cast<MemoryEffectOpInterface>(op);
    if (!access || isa<memref::PrefetchOp>(op))
      return;
    SmallVector<MemoryEffects::EffectInstance> effects;
    access.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      note(effect, loop);
  }

  void note(const MemoryEffects::EffectInstance &effect, Operation *loop) {
    Value value = effect.getValue();
    if (!value || !isa<MemRefType>(value.getType()))
      return;
    Value buffer = getOuterBuffer(value, loop);
    if (!buffer || !isa<MemRefType>(buffer.getType()))
      return;
    if (isa<MemoryEffects::Read>(effect.getEffect()))
      read.insert(buffer);
    if (isa<MemoryEffects::Write>(effect.getEffect()))
      written.insert(buffer);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool isLoop(Operation *op) {
  return isa<scf::ForOp, scf::ForallOp, scf::ParallelOp>(op);
}

static SmallVector<Operation *> getOutermostLoops(Operation *function) {
  SmallVector<Operation *> loops;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A linalg op outside of loops becomes a loop of its own, as does a copy.
    if (!isLoop(op) && !isa<linalg::LinalgOp, memref::CopyOp>(op))
      return WalkResult::advance();
    if (!isStreamedVersion(op))
      loops.push_back(op);
    return WalkResult::skip();
  });
  return loops;
}

static std::string describeVector(VectorType type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type.getNumElements() << " x " << type.getElementType();
  return text;
}

static void noteOps(Operation *loop, StringRef file, RowLoop &row) {
  loop->walk([&](Operation *op) {
    op->getLoc()->walk([&](Location loc) {
      if (auto line = getSourceLine(file, loc))
        row.sourceLines.insert(*line);
      return WalkResult::advance();
    });
    if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
      if (transfer.getVectorType().getNumElements() > 1)
        row.vectors.insert(describeVector(transfer.getVectorType()));
  });
}

static void noteBuffers(const llvm::SmallSetVector<Value, 4> &buffers,
                        unsigned numInputs, std::set<std::string> &names,
                        Volume &bytes) {
  for (Value buffer : buffers) {
    std::string name = nameBuffer(buffer, numInputs);
    names.insert(name);
    bytes.add(getBytes(buffer, name));
  }
}

/// The schedule of a loop over rows on buffers, before it becomes a kernel;
/// nullopt for a loop without one.
static std::optional<KernelSchedule> describeSchedule(Operation *loop) {
  GPUScheduleAttr schedule = norm::getSchedule(loop);
  if (!schedule)
    return std::nullopt;
  return KernelSchedule{
      schedule,
      norm::getRowsPerBlock(getRowTarget(loop),
                            schedule.getThreads() / schedule.getCluster())};
}

/// The plan of a loop over rows, whose innermost dimension has the rows of an
/// iteration as its step; nullopt for a loop without one.
static std::optional<LoopPlan> describePlan(Operation *loop) {
  auto plan = loop->getAttrOfType<RowPlanAttr>(planAttrName);
  if (!plan)
    return std::nullopt;
  auto steps = cast<LoopLikeOpInterface>(loop).getLoopSteps();
  return LoopPlan{plan,
                  steps ? getConstantIntValue(steps->back()).value_or(0) : 0};
}

/// Describes loops that run the same operations on different rows; `parts` are,
/// for example, whole blocks of rows and the remainder.
static RowLoop describeLoop(ArrayRef<Operation *> parts, unsigned numInputs,
                            StringRef file) {
  RowLoop row(parts.front()->getLoc());
  Accesses accesses;
  for (Operation *loop : parts) {
    noteOps(loop, file, row);
    accesses.add(loop);
    row.isParallel |= isa<scf::ForallOp, scf::ParallelOp>(loop);
    row.isStreamed |= hasStreamedVersion(loop);
    if (!row.schedule)
      row.schedule = describeSchedule(loop);
    if (!row.plan)
      row.plan = describePlan(loop);
  }
  row.isCopy = llvm::all_of(parts, llvm::IsaPred<memref::CopyOp>);
  noteBuffers(accesses.read, numInputs, row.read, row.readBytes);
  noteBuffers(accesses.written, numInputs, row.written, row.writtenBytes);
  // LLVM drops the streamed version of buffers that are never large.
  Volume bytes = row.readBytes;
  bytes.add(row.writtenBytes);
  if (bytes.isStatic() &&
      bytes.getStatic() < getRowTarget(parts.front()).leastStreamedBytes)
    row.isStreamed = false;
  return row;
}

std::vector<RowLoop> norm::describeLoops(FunctionOpInterface function,
                                         unsigned numInputs, StringRef file) {
  llvm::MapVector<Location, SmallVector<Operation *>> byLocation;
  for (Operation *loop : getOutermostLoops(function))
    byLocation[loop->getLoc()].push_back(loop);
  std::vector<RowLoop> rows;
  for (auto &[loc, parts] : byLocation)
    rows.push_back(describeLoop(parts, numInputs, file));
  return rows;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static bool isFloatArithmetic(Operation &op) {
  if (!isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) ||
      op.getNumResults() != 1 || isa<CastOpInterface>(op) ||
      op.hasTrait<OpTrait::ConstantLike>())
    return false;
  return isa<FloatType>(op.getResult(0).getType());
}

/// Returns an operation for each iteration along `dims`.
static Volume::Term countIterations(ArrayRef<int64_t> extents,
                                    const llvm::SmallBitVector &dims) {
  Volume::Term term{1, "", 0, false};
  for (unsigned dim : dims.set_bits()) {
    if (!ShapedType::isDynamic(extents[dim]))
      term.amount *= extents[dim];
    else
      term.extents += term.numDynamic++ ? "*n" : "n";
  }
  return term;
}

/// Counts what depends on the row alone, such as its root, once a row.
static void countOperations(linalg::LinalgOp op, Volume &sum) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  llvm::DenseMap<Value, llvm::SmallBitVector> dims;
  for (OpOperand &operand : op->getOpOperands()) {
    auto &ofOperand = dims[op.getMatchingBlockArgument(&operand)];
    ofOperand.resize(extents.size());
    for (unsigned dim = 0; dim < extents.size(); ++dim)
      ofOperand[dim] = op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim);
  }
  for (Operation &inner : op.getBlock()->without_terminator()) {
    llvm::SmallBitVector ofResult(extents.size());
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      ofResult.set(index.getDim());
    for (Value operand : inner.getOperands())
      if (auto known = dims.find(operand); known != dims.end())
        ofResult |= known->second;
    if (isFloatArithmetic(inner))
      sum.add(countIterations(extents, ofResult));
    for (Value result : inner.getResults())
      dims[result] = ofResult;
  }
}

Volume norm::countOperations(FunctionOpInterface function) {
  Volume sum;
  function->walk([&](linalg::LinalgOp op) { ::countOperations(op, sum); });
  return sum;
}
