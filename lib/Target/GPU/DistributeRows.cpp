//===- DistributeRows.cpp - row loops to gpu.launch -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterOps.h"
#include "DistributeVectors.h"
#include "PrepareRows.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "norm/Floats/Lanes.h"
#include "norm/IR/Missed.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Rows.h"
#include "norm/Rows/Vectors.h"
#include "norm/Target/GPU/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMDISTRIBUTEROWSTOGPU
#include "norm/Target/GPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using norm::KernelPlan;
using norm::Lanes;

static constexpr int64_t kMaxSmallCount = std::numeric_limits<uint32_t>::max();

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

/// Whether an index is a multiple of `factor` by its form.
static bool isMultipleOf(OpFoldResult index, int64_t factor) {
  if (auto constant = getConstantIntValue(index))
    return *constant % factor == 0;
  auto v = cast<Value>(index);
  if (auto apply = v.getDefiningOp<affine::AffineApplyOp>())
    return apply.getAffineMap().getResult(0).isMultipleOf(factor);
  auto loop = dyn_cast<LoopLikeOpInterface>(v.getParentBlock()->getParentOp());
  if (!loop || !loop.getLoopInductionVars())
    return false;
  for (auto [iv, from, step] :
       llvm::zip(*loop.getLoopInductionVars(), *loop.getLoopLowerBounds(),
                 *loop.getLoopSteps()))
    if (iv == v)
      return isMultipleOf(from, factor) && isMultipleOf(step, factor);
  return false;
}

/// Whether each access of a transfer is aligned where its buffer is.
static bool hasAlignedRows(VectorTransferOpInterface transfer, int64_t vector) {
  auto type = cast<MemRefType>(transfer.getShapedType());
  int64_t inner = type.getShape().back();
  return isMultipleOf(transfer.getIndices().back(), vector) &&
         (type.getRank() == 1 || ShapedType::isDynamic(inner) ||
          inner % vector == 0);
}

/// Elements before which a transfer's mask is known to end.
static int64_t getRowEnd(VectorTransferOpInterface transfer) {
  return norm::getMaskedLength(transfer.getMask())
      .value_or(transfer.getVectorType().getDimSize(0));
}

/// The buffers whose accesses are V elements wide when the host finds them
/// aligned; nothing: some cannot be. `reach`: how far before the row shifted
/// threads may begin; 0: not at all.
static std::optional<llvm::SetVector<Value>> collectWideBuffers(Operation *loop,
                                                                int64_t lanes,
                                                                int64_t vector,
                                                                int64_t reach) {
  llvm::SetVector<Value> buffers;
  bool hasOthers = norm::anyIn(loop, [&](VectorTransferOpInterface transfer) {
    Value buffer = transfer.getBase();
    auto type = cast<MemRefType>(buffer.getType());
    buffers.insert(buffer);
    bool rowsFit = reach > 0 ? getRowEnd(transfer) + reach <= lanes
                             : hasAlignedRows(transfer, vector);
    return !rowsFit || !type.getLayout().isIdentity() ||
           !transfer.getPermutationMap().isMinorIdentity() ||
           loop->isAncestor(buffer.getParentRegion()->getParentOp());
  });
  return hasOthers ? std::nullopt : std::optional(buffers);
}

/// The transfer whose rows the threads are aligned to: the first of several
/// rows whose place is known before the body runs.
static VectorTransferOpInterface findShiftReference(Operation *loop) {
  VectorTransferOpInterface reference;
  norm::anyIn(loop, [&](VectorTransferOpInterface transfer) {
    bool isKnown = llvm::none_of(transfer.getIndices(), [&](Value v) {
      return v.getDefiningOp() && loop->isAncestor(v.getDefiningOp());
    });
    if (isKnown && transfer.getShapedType().getRank() >= 2)
      reference = transfer;
    return bool(reference);
  });
  return reference;
}

/// i1: every buffer starts at a multiple of its access, and so does each row
/// unless threads are shifted to where it starts.
static Value buildIsAligned(ImplicitLocOpBuilder &b, ArrayRef<Value> buffers,
                            int64_t vector, bool shifted) {
  Value aligned = arith::ConstantIntOp::create(b, 1, 1);
  auto require = [&](Value v, int64_t modulus) {
    Lanes rest = Lanes(b, v).apply<arith::RemUIOp>(modulus);
    aligned = Lanes(b, aligned) & rest.is(arith::CmpIPredicate::eq, 0);
  };
  for (Value buffer : buffers) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    require(memref::ExtractAlignedPointerAsIndexOp::create(b, buffer),
            std::min<int64_t>(16, vector * bytes));
    if (!shifted && type.getRank() > 1 &&
        ShapedType::isDynamic(type.getShape().back()))
      require(memref::DimOp::create(b, buffer, type.getRank() - 1), vector);
  }
  return aligned;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// The iterations of a parallel loop, numbered by one index.
struct IterationSpace {
  SmallVector<Value> lower, steps, sizes;
  Value count;
  Value number; ///< stands in the body for that of an iteration

  std::optional<int64_t> getStaticCount() const {
    return getConstantIntValue(count);
  }
  /// Whether 32 bits are known to hold each iteration's number.
  bool isSmall() const {
    std::optional<int64_t> constant = getStaticCount();
    return sizes.size() == 1 || (constant && *constant <= kMaxSmallCount);
  }
};

/// Replaces the parallel loops of one function.
class LaunchBuilder {
public:
  explicit LaunchBuilder(func::FuncOp func)
      : b(func.getLoc(), func.getContext()), func(func) {}

  LogicalResult replace(LoopLikeOpInterface loop) {
    this->loop = loop;
    b.setLoc(loop.getLoc());
    norm::GPUScheduleAttr schedule = norm::getSchedule(loop);
    // Folding may have left no vector, as of a product with zero.
    bool isVectorized = norm::anyIn(loop, norm::hasVectors),
         isPlanned = schedule && isVectorized;
    if (isVectorized && !schedule)
      norm::missed(loop, norm::Missed::NoSchedule);
    if (failed(norm::serializeBody(loop)))
      return failure();
    b.setInsertionPoint(loop);
    buildSpace();
    auto guard = scf::IfOp::create(
        b, Lanes(b, space.count).is(arith::CmpIPredicate::sgt, 0));
    b.setInsertionPoint(guard.thenYield());
    FailureOr<SmallVector<Value>> buffers =
        norm::placeBuffers(b, loop, space.count, space.number,
                           /*isShared=*/isPlanned);
    if (failed(buffers))
      return failure();
    LogicalResult result = isPlanned ? buildPlanned(schedule) : buildScalar();
    b.setInsertionPoint(guard.thenYield());
    for (Value buffer : *buffers)
      memref::DeallocOp::create(b, buffer);
    if (succeeded(result))
      loop.erase();
    return result;
  }

  /// One thread that runs `op`.
  void wrap(Operation *op) {
    b.setLoc(op->getLoc());
    b.setInsertionPoint(op);
    gpu::LaunchOp launch = createLaunch(index(1), index(1), index(1), "");
    op->moveBefore(launch.getBody().front().getTerminator());
  }

private:
  Block &getBody() { return loop->getRegion(0).front(); }
  Value index(int64_t v) { return arith::ConstantIndexOp::create(b, v); }

  void buildSpace() {
    space = IterationSpace();
    SmallVector<OpFoldResult> lower = *loop.getLoopLowerBounds(),
                              upper = *loop.getLoopUpperBounds(),
                              steps = *loop.getLoopSteps();
    space.lower = getValueOrCreateConstantIndexOp(b, b.getLoc(), lower);
    space.steps = getValueOrCreateConstantIndexOp(b, b.getLoc(), steps);
    space.count = index(1);
    space.number = index(0);
    for (auto [i, end] : llvm::enumerate(
             getValueOrCreateConstantIndexOp(b, b.getLoc(), upper))) {
      Value range = b.createOrFold<arith::SubIOp>(end, space.lower[i]);
      space.sizes.push_back(
          b.createOrFold<arith::CeilDivSIOp>(range, space.steps[i]));
      space.count =
          b.createOrFold<arith::MulIOp>(space.count, space.sizes.back());
    }
  }

  gpu::LaunchOp createLaunch(Value blocks, Value x, Value y, StringRef suffix,
                             int64_t cluster = 1) {
    Value one = index(1);
    std::string name =
        (func.getName() + "_kernel" + Twine(numKernels) + suffix).str();
    if (suffix.empty())
      ++numKernels;
    auto symbol = [&](StringRef name) {
      return FlatSymbolRefAttr::get(b.getContext(), name);
    };
    auto launch = gpu::LaunchOp::create(
        b, blocks, one, one, x, y, one,
        /*dynamicSharedMemorySize=*/Value(),
        /*asyncTokenType=*/Type(), /*asyncDependencies=*/ValueRange(),
        /*workgroupAttributions=*/TypeRange(),
        /*privateAttributions=*/TypeRange(),
        cluster > 1 ? index(cluster) : Value(), cluster > 1 ? one : Value(),
        cluster > 1 ? one : Value(), symbol("norm_kernels"), symbol(name));
    // Upstream: LLVM 22.1: the builder leaves out the arguments of a cluster;
    // goes when it adds them.
    Block &body = launch.getBody().front();
    while (body.getNumArguments() < launch.getNumConfigRegionAttributes())
      body.addArgument(b.getIndexType(), b.getLoc());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&launch.getBody().front());
    gpu::TerminatorOp::create(b);
    return launch;
  }

  /// Divides `number`, in 32 bits where they hold it: a division of 64 bits is
  /// a call of some hundred instructions.
  std::pair<Value, Value> divide(Value number, Value size, bool small) {
    auto change = [&](Value v, Type type) {
      return small ? Lanes(b, arith::IndexCastUIOp::create(b, type, v))
                   : Lanes(b, v);
    };
    Lanes narrow = change(number, b.getI32Type());
    Value by = change(size, b.getI32Type());
    return {change(narrow.apply<arith::DivUIOp>(by), b.getIndexType()),
            change(narrow.apply<arith::RemUIOp>(by), b.getIndexType())};
  }

  /// Maps the loop's indices to those of iteration `number`; `small`: 32 bits
  /// hold it.
  void mapIndices(Value number, IRMapping &map, bool small) {
    map.map(space.number, number);
    SmallVector<Value> ivs = *loop.getLoopInductionVars();
    for (int64_t i = ivs.size() - 1; i >= 0; --i) {
      Value position = number;
      if (i != 0)
        std::tie(number, position) = divide(number, space.sizes[i], small);
      Lanes scaled = Lanes(b, position) * space.steps[i];
      map.map(ivs[i], Lanes(b, space.lower[i]) + scaled);
    }
  }

  Value isInside(Value number) {
    return Lanes(b, number).is(arith::CmpIPredicate::slt, space.count);
  }

  /// Opens `if (number < count)`.
  void enterIfInside(Value number) {
    auto branch = scf::IfOp::create(b, isInside(number));
    b.setInsertionPoint(branch.thenYield());
  }

  /// A thread an iteration.
  LogicalResult buildScalar() {
    Value size = index(norm::getRowTarget(loop).threadsPerBlock);
    Value blocks = arith::CeilDivUIOp::create(b, space.count, size);
    gpu::LaunchOp launch = createLaunch(blocks, size, index(1), "");
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&launch.getBody().front());
    Value number =
        Lanes(b, launch.getBlockIds().x) * size + launch.getThreadIds().x;
    enterIfInside(number);
    IRMapping map;
    mapIndices(number, map, space.isSmall());
    for (Operation &op : getBody().without_terminator())
      b.clone(op, map);
    return success();
  }

  LogicalResult verifySplit(int64_t lanes, int64_t threads, int64_t vector,
                            int64_t cluster) {
    int64_t each = threads / cluster;
    bool areWarps = each % norm::kWarpSize == 0;
    if (!llvm::isPowerOf2_64(cluster) || cluster > norm::kWarpSize ||
        threads % cluster != 0 || (cluster > 1 && !areWarps))
      return loop->emitError("norm-distribute-rows-to-gpu: ")
             << threads << " threads cannot be " << cluster
             << " blocks of whole warps";
    bool arePart = each < norm::kWarpSize && llvm::isPowerOf2_64(each);
    if (each > norm::kMaxBlockThreads || !(areWarps || arePart) ||
        lanes % (threads * vector) != 0)
      return loop->emitError("norm-distribute-rows-to-gpu: vectors of ")
             << lanes << " elements cannot be split over " << threads
             << " threads by " << vector;
    return success();
  }

  /// A thread a row: nothing has to wait for another one.
  LogicalResult buildSerial(int64_t lanes, Operation *access) {
    if (lanes > norm::getRowTarget(loop).serialElements)
      return access->emitError("cannot distribute a row loop that reads back a "
                               "buffer that it writes");
    norm::missed(access, norm::Missed::ReadBack);
    buildRows({lanes}, "");
    return success();
  }

  LogicalResult buildPlanned(norm::GPUScheduleAttr schedule) {
    int64_t threads = schedule.getThreads(), vector = schedule.getVector(),
            cluster = schedule.getCluster(), lanes = schedule.getLanes();
    if (failed(norm::prepareDistribution(getBody(), lanes)) ||
        failed(verifySplit(lanes, threads, vector, cluster)))
      return failure();
    if (Operation *access = norm::findUnorderedAccess(getBody(), readBack))
      return buildSerial(lanes, access);
    if (threads < norm::kWarpSize &&
        failed(norm::verifyUniformReductions(getBody())))
      return failure();
    KernelPlan narrow{lanes, threads, /*vector=*/1, cluster};
    KernelPlan wide{lanes, threads, vector, cluster};
    if (schedule.getShifted())
      wide.shiftReference = findShiftReference(loop);
    auto buffers = collectWideBuffers(loop, lanes, vector,
                                      wide.shiftReference ? vector - 1 : 0);
    if (vector == 1 || !buffers) {
      buildRows(narrow, "");
      return success();
    }
    Value fits = buildIsAligned(b, buffers->getArrayRef(), vector,
                                bool(wide.shiftReference));
    if (!space.isSmall())
      fits =
          Lanes(b, fits) &
          Lanes(b, space.count).is(arith::CmpIPredicate::ule, kMaxSmallCount);
    auto version = scf::IfOp::create(b, fits, /*withElseRegion=*/true);
    b.setInsertionPoint(version.elseYield());
    buildRows(narrow, "_unaligned");
    b.setInsertionPoint(version.thenYield());
    buildRows(wide, "");
    return success();
  }

  /// The row of a thread in a block of `rows`. Threads without one have left,
  /// or take part in the shuffles of their warp with another row: then `active`
  /// says who may write.
  Value buildRowNumber(gpu::LaunchOp launch, int64_t threads, int64_t rows,
                       Value &active) {
    if (rows == 1)
      return launch.getBlockIds().x;
    Lanes number =
        Lanes(b, launch.getBlockIds().x) * rows + launch.getThreadIds().y;
    std::optional<int64_t> count = space.getStaticCount();
    if (count && *count % rows == 0)
      return number;
    int64_t rowsPerWarp = norm::kWarpSize / threads;
    if (rowsPerWarp == 1) {
      enterIfInside(number);
      return number;
    }
    // Rows of a block are a multiple of those of a warp, so masking finds the
    // first one of the warp.
    enterIfInside(number & -rowsPerWarp);
    active = isInside(number);
    return number.apply<arith::MinUIOp>(Lanes(b, space.count) - 1);
  }

  /// The number of a thread among those of its row.
  Value buildThreadNumber(gpu::LaunchOp launch, const KernelPlan &plan) {
    Value thread = launch.getThreadIds().x;
    if (plan.cluster == 1)
      return thread;
    norm::arriveAtClusterBarrier(b);
    Lanes rank(b, gpu::ClusterBlockIdOp::create(b, gpu::Dimension::x));
    return rank * (plan.threads / plan.cluster) + thread;
  }

  void buildRows(const KernelPlan &plan, StringRef suffix) {
    OpBuilder::InsertionGuard guard(b);
    int64_t rows =
        norm::getRowsPerBlock(norm::getRowTarget(loop), plan.threads);
    Value blocks = arith::CeilDivUIOp::create(b, space.count, index(rows));
    if (plan.cluster > 1)
      blocks = Lanes(b, blocks) * plan.cluster;
    gpu::LaunchOp launch =
        createLaunch(blocks, index(plan.threads / plan.cluster), index(rows),
                     suffix, plan.cluster);
    b.setInsertionPointToStart(&launch.getBody().front());
    Value active;
    Value thread = buildThreadNumber(launch, plan);
    Value number = plan.cluster > 1
                       ? launch.getClusterIds()->x
                       : buildRowNumber(launch, plan.threads, rows, active);
    IRMapping map;
    // The host launches no wide kernel where they do not.
    mapIndices(number, map, space.isSmall() || plan.vector > 1);
    norm::distributeRow(b, {plan, launch, thread, active, &readBack}, map,
                        getBody());
  }

  ImplicitLocOpBuilder b;
  func::FuncOp func;
  LoopLikeOpInterface loop;
  IterationSpace space;
  llvm::DenseSet<Operation *> readBack; // stores, see findUnorderedAccess
  int64_t numKernels = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is left on the host
//===----------------------------------------------------------------------===//

static bool isInParallel(Operation *op) {
  while ((op = op->getParentOp()))
    if (isa<gpu::LaunchOp, scf::ForallOp, scf::ParallelOp, linalg::LinalgOp>(
            op))
      return true;
  return false;
}

/// Makes loops of linalg ops and of copies in kernels. Those of one without a
/// parallel loop would be host code on device memory, so one thread runs it.
static void convertLinalg(LaunchBuilder &builder, func::FuncOp func) {
  IRRewriter rewriter(func.getContext());
  func.walk([&](Operation *op) {
    rewriter.setInsertionPoint(op);
    bool isParallel = isInParallel(op);
    if (auto copy = dyn_cast<memref::CopyOp>(op); copy && isParallel) {
      op = linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                                    copy.getTarget());
      rewriter.eraseOp(copy);
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !linalgOp.hasPureBufferSemantics())
      return;
    if (linalgOp.getNumParallelLoops() == 0 && !isParallel)
      builder.wrap(op);
    rewriter.setInsertionPoint(op);
    if (succeeded(linalg::linalgOpToParallelLoops(rewriter, linalgOp)))
      rewriter.eraseOp(op);
  });
}

/// Accesses memory itself; allocation and copies are norm-device-memory's.
static bool accessesElements(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp, vector::TransferReadOp,
             vector::TransferWriteOp>(op);
}

static void wrapHostAccesses(LaunchBuilder &builder, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool accesses = norm::anyIn(&op, accessesElements);
    bool launches = norm::anyIn(&op, [](gpu::LaunchOp) { return true; });
    if (launches && !isa<gpu::LaunchOp>(op)) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          wrapHostAccesses(builder, inner);
    } else if (accesses && !launches && op.use_empty()) {
      builder.wrap(&op);
    }
  }
}

namespace {
struct NormDistributeRowsToGPU
    : norm::impl::NormDistributeRowsToGPUBase<NormDistributeRowsToGPU> {
  void runOnOperation() override {
    LaunchBuilder builder(getOperation());
    convertLinalg(builder, getOperation());
    getOperation().walk(norm::writeRowsEarly);
    SmallVector<LoopLikeOpInterface> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::LaunchOp>(op))
        return WalkResult::skip();
      auto parallel = dyn_cast<scf::ParallelOp>(op);
      if (!isa<scf::ForallOp>(op) && !(parallel && parallel.getInits().empty()))
        return WalkResult::advance();
      loops.push_back(cast<LoopLikeOpInterface>(op));
      return WalkResult::skip();
    });
    for (LoopLikeOpInterface loop : loops)
      if (failed(builder.replace(loop)))
        return signalPassFailure();
    for (Block &block : getOperation().getBody())
      wrapHostAccesses(builder, block);
  }
};
} // namespace
