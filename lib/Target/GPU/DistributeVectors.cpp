//===- DistributeVectors.cpp - vectors of a row over threads --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DistributeVectors.h"
#include "ClusterOps.h"
#include "PrepareRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "norm/Floats/Lanes.h"
#include "norm/Floats/ValueOrigins.h"
#include "norm/IR/Norm.h"
#include "norm/Rows/Vectors.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::norm;

namespace {
/// A mask at one chunk. Uniform: all V lanes agree, `pred` says on what; null
/// pred: all on.
struct ChunkMask {
  Value pred;
  Value lanes; ///< vector<Vxi1> where the lanes may differ
};

/// Where a transfer finds the elements of a thread.
struct ChunkAccess {
  Value buffer;
  SmallVector<Value> indices; ///< of element 0 of chunk 0 in thread 0
  int64_t dim;                ///< of the buffer, along the row
  IntegerAttr alignment;      ///< of V elements
  Value rest; ///< elements from an aligned address to each vector; null: 0
};

/// What distributeRow does, op by op.
class VectorDistributor {
public:
  VectorDistributor(const ImplicitLocOpBuilder &builder,
                    const ThreadLayout &layout, IRMapping &scalars)
      : b(builder), layout(layout), scalars(scalars),
        chunks(layout.lanes / (layout.threads * layout.vector)) {
    if (layout.shiftReference)
      shift =
          Lanes(b, getLinearIndex(layout.shiftReference)) & (layout.vector - 1);
  }

  /// Clones the ops of `body` but its terminator.
  void run(Block &body) {
    for (Operation &op : body.without_terminator()) {
      b.setLoc(op.getLoc());
      // Memory of a block that has not started cannot be written. Waits once,
      // and so before a loop rather than in it.
      if (layout.cluster > 1 && !clusterStarted &&
          norm::anyIn(&op, [](vector::ReductionOp) { return true; })) {
        waitAtClusterBarrier(b);
        clusterStarted = true;
      }
      distribute(op);
    }
  }

private:
  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  VectorType getChunkType(Type element) const {
    return VectorType::get(layout.vector, element);
  }

  /// What maps a value of this type: a scalar once, a vector for each chunk.
  MutableArrayRef<IRMapping> getMaps(Type type) {
    return isa<VectorType>(type) ? chunks : MutableArrayRef(scalars);
  }

  SmallVector<Type> getTypes(TypeRange types) {
    SmallVector<Type> result;
    for (Type type : types)
      result.append(getMaps(type).size(),
                    isa<VectorType>(type)
                        ? getChunkType(getElementTypeOrSelf(type))
                        : type);
    return result;
  }

  Value lookupScalar(Value v) { return scalars.lookupOrDefault(v); }

  SmallVector<Value> lookup(ValueRange values) {
    SmallVector<Value> result;
    for (Value v : values)
      for (IRMapping &map : getMaps(v.getType()))
        result.push_back(map.lookupOrDefault(v));
    return result;
  }

  void mapResults(ValueRange from, ValueRange to) {
    for (Value v : from)
      for (IRMapping &map : getMaps(v.getType())) {
        map.map(v, to.front());
        to = to.drop_front();
      }
  }

  /// Offset of a chunk's first lane in this thread from thread 0's chunk 0.
  Value getSlot(int64_t chunk) {
    Lanes slot(b, layout.thread);
    if (layout.vector != 1)
      slot = slot * layout.vector;
    return chunk == 0 ? slot : slot + chunk * layout.threads * layout.vector;
  }

  /// Element index of that lane, negative before the row.
  Value getBase(int64_t chunk) {
    Lanes slot(b, getSlot(chunk));
    return shift ? slot - shift : slot;
  }

  /// [0, 1, .., V - 1], index.
  Value getLaneNumbers() {
    return arith::ConstantOp::create(
        b, b.getIndexVectorAttr(
               llvm::to_vector(llvm::seq<int64_t>(0, layout.vector))));
  }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  void distribute(Operation &op) {
    llvm::TypeSwitch<Operation *>(&op)
        .Case<scf::ForOp, scf::IfOp>([&](auto) { distributeRegions(op); })
        .Case([&](vector::TransferReadOp read) { distributeRead(read); })
        .Case([&](vector::TransferWriteOp write) { distributeWrite(write); })
        .Case([&](vector::ReductionOp reduction) {
          distributeReduction(reduction);
        })
        .Case([&](vector::StepOp step) { distributeStep(step); })
        .Case([&](vector::CreateMaskOp mask) {
          distributeMask(op, lookupScalar(mask.getOperand(0)));
        })
        .Case([&](vector::ConstantMaskOp mask) {
          distributeMask(op, arith::ConstantIndexOp::create(
                                 b, mask.getMaskDimSizes().front()));
        })
        .Default([&](Operation *) {
          hasVectors(&op) ? distributeElementwise(op) : distributeScalar(op);
        });
  }

  void distributeElementwise(Operation &op) {
    for (IRMapping &chunk : chunks) {
      SmallVector<Value> operands;
      for (Value operand : op.getOperands())
        operands.push_back(isa<VectorType>(operand.getType())
                               ? chunk.lookup(operand)
                               : lookupScalar(operand));
      chunk.map(op.getResults(),
                cloneAtWidth(b, &op, layout.vector, operands)->getResults());
    }
  }

  void distributeReduction(vector::ReductionOp op) {
    vector::CombiningKind kind = op.getKind();
    bool inLoop = op->getParentOfType<scf::ForOp>() != nullptr;
    Value v = reduceOverRow(b, layout, kind, lookup(op.getVector()), inLoop);
    if (op.getAcc())
      v = vector::makeArithReduction(b, b.getLoc(), kind, v,
                                     lookupScalar(op.getAcc()));
    scalars.map(op.getDest(), v);
  }

  void distributeStep(vector::StepOp op) {
    VectorType type = getChunkType(b.getIndexType());
    Value step = getLaneNumbers();
    for (auto [c, chunk] : llvm::enumerate(chunks)) {
      Lanes base(b, vector::BroadcastOp::create(b, type, getBase(c)));
      Lanes number = base + step;
      // Lanes before the row are the last ones.
      if (shift && c == 0)
        number = select(number.is(arith::CmpIPredicate::slt, 0),
                        number + layout.lanes, number);
      chunk.map(op.getResult(), number);
    }
  }

  /// A loop or a branch.
  void distributeRegions(Operation &op) {
    OperationState state(op.getLoc(), op.getName(), lookup(op.getOperands()),
                         getTypes(op.getResultTypes()));
    for (Region &region : op.getRegions()) {
      Region *inner = state.addRegion();
      if (region.empty())
        continue;
      OpBuilder::InsertionGuard guard(b);
      SmallVector<Type> types = getTypes(region.getArgumentTypes());
      Block *block = b.createBlock(
          inner, {}, types, SmallVector<Location>(types.size(), op.getLoc()));
      mapResults(region.getArguments(), block->getArguments());
      run(region.front());
      scf::YieldOp::create(
          b, lookup(region.front().getTerminator()->getOperands()));
    }
    mapResults(op.getResults(), b.create(state)->getResults());
  }

  /// A scalar effect of the row happens in one of its threads, or in each where
  /// they read it back.
  void distributeScalar(Operation &op) {
    Value writes; // null: in each
    if (!isMemoryEffectFree(&op) &&
        !isa<memref::LoadOp, memref::AllocaOp>(op)) {
      auto store = dyn_cast<memref::StoreOp>(op);
      bool isPrivate =
          store &&
          getRootBuffer(store.getMemRef()).getDefiningOp<memref::AllocaOp>();
      writes = isPrivate ? Value() : layout.active;
      if (!layout.readBack->contains(&op)) {
        Lanes isFirst(b,
                      Lanes(b, layout.thread).is(arith::CmpIPredicate::eq, 0));
        writes = writes ? isFirst & writes : isFirst;
      }
    }
    if (!writes) {
      b.clone(op, scalars);
      return;
    }
    scf::IfOp::create(b, writes, [&](OpBuilder &, Location) {
      b.clone(op, scalars);
      scf::YieldOp::create(b);
    });
  }

  //===--------------------------------------------------------------------===//
  // Masks
  //===--------------------------------------------------------------------===//

  /// `limit`: null for no mask.
  ChunkMask getChunkMask(Value limit, int64_t chunk, Value rest = Value()) {
    if (!limit)
      return {};
    std::optional<int64_t> end = getConstantIntValue(limit);
    if (shift && end)
      return getShiftedChunkMask(*end, chunk, rest);
    if (end && (chunk + 1) * layout.threads * layout.vector <= *end)
      return {};
    ChunkMask result;
    Lanes base(b, getBase(chunk));
    bool uniform = layout.vector == 1 || (end && *end % layout.vector == 0);
    Lanes last = uniform ? base : base + (layout.vector - 1);
    result.pred = last.is(arith::CmpIPredicate::slt, limit);
    if (!uniform) {
      VectorType type = getChunkType(b.getIndexType());
      Value left =
          vector::BroadcastOp::create(b, type, base.like(limit) - base);
      result.lanes =
          Lanes(b, getLaneNumbers()).is(arith::CmpIPredicate::slt, left);
    }
    return result;
  }

  /// One unsigned comparison a lane finds both ends: a lane before the row has
  /// a negative number. 32 bits hold the numbers of a row in registers.
  ///
  /// A transfer whose vectors begin `rest` elements past an aligned address
  /// accesses both aligned vectors around each, which must be inside as well.
  ChunkMask getShiftedChunkMask(int64_t end, int64_t chunk, Value rest) {
    int64_t reach = rest ? layout.vector : 0;
    int64_t chunkEnd = (chunk + 1) * layout.threads * layout.vector;
    if (chunk > 0 && chunkEnd + reach <= end)
      return {};
    auto narrow = [&](Value v) {
      return Lanes(b, arith::IndexCastOp::create(b, b.getI32Type(), v));
    };
    ChunkMask result;
    Lanes base = narrow(getBase(chunk));
    int64_t last = end - layout.vector - reach;
    Lanes limit = base.like(std::max<int64_t>(0, last + 1));
    if (rest && last >= 0)
      limit = limit + narrow(rest);
    result.pred = base.is(arith::CmpIPredicate::ult, limit);
    auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, layout.vector));
    Lanes first(
        b, vector::BroadcastOp::create(b, getChunkType(b.getI32Type()), base));
    Value number = arith::ConstantOp::create(b, b.getI32VectorAttr(numbers));
    result.lanes = (first + number).is(arith::CmpIPredicate::ult, end);
    return result;
  }

  void distributeMask(Operation &op, Value limit) {
    VectorType type = getChunkType(b.getI1Type());
    for (auto [c, chunk] : llvm::enumerate(chunks)) {
      ChunkMask mask = getChunkMask(limit, c);
      if (!mask.pred)
        mask.lanes =
            arith::ConstantOp::create(b, DenseElementsAttr::get(type, true));
      else if (!mask.lanes)
        mask.lanes = vector::BroadcastOp::create(b, type, mask.pred);
      chunk.map(op.getResult(0), mask.lanes);
    }
    masks[op.getResult(0)] = limit;
  }

  //===--------------------------------------------------------------------===//
  // Addresses
  //===--------------------------------------------------------------------===//

  /// The number of a transfer's first element in its buffer.
  Value getLinearIndex(VectorTransferOpInterface op) {
    Value buffer = lookupScalar(op.getBase());
    Value linear;
    for (auto [dim, position] : llvm::enumerate(op.getIndices())) {
      Value at = lookupScalar(position);
      if (linear) {
        Value extent = b.createOrFold<memref::DimOp>(buffer, dim);
        at = Lanes(b, linear) * extent + at;
      }
      linear = at;
    }
    return linear;
  }

  /// Whether a transfer begins as far past an aligned address as the reference,
  /// by its form.
  bool hasRowsOfReference(VectorTransferOpInterface op) {
    VectorTransferOpInterface reference = layout.shiftReference;
    ArrayRef<int64_t> shape = op.getShapedType().getShape().drop_front();
    bool haveSameRows =
        op.getBase() == reference.getBase() ||
        (shape == reference.getShapedType().getShape().drop_front() &&
         !ShapedType::isDynamicShape(shape));
    return haveSameRows && op.getIndices() == reference.getIndices();
  }

  ChunkAccess getAccess(VectorTransferOpInterface op) {
    ChunkAccess access;
    access.buffer = lookupScalar(op.getBase());
    access.dim = op.getPermutationMap().getDimPosition(0);
    int64_t bytes = op.getVectorType().getElementTypeBitWidth() / 8;
    if (layout.vector != 1)
      access.alignment =
          b.getI64IntegerAttr(std::min<int64_t>(16, layout.vector * bytes));
    if (!shift) {
      access.indices = lookup(op.getIndices());
      return access;
    }
    // On the buffer as one row: no index of a lane that exists is negative
    // there.
    int64_t rank = op.getShapedType().getRank();
    if (rank > 1) {
      ReassociationIndices all =
          llvm::to_vector<2>(llvm::seq<int64_t>(0, rank));
      access.buffer = memref::CollapseShapeOp::create(
          b, access.buffer, ArrayRef<ReassociationIndices>{all});
    }
    Lanes first = Lanes(b, getLinearIndex(op)) - shift;
    access.indices.push_back(first);
    access.dim = 0;
    if (!hasRowsOfReference(op))
      access.rest = first & (layout.vector - 1);
    return access;
  }

  SmallVector<Value> getAddress(const ChunkAccess &access, int64_t chunk,
                                int64_t lane = 0) {
    SmallVector<Value> address = access.indices;
    Value &along = address[access.dim];
    Value slot = getSlot(chunk);
    along = matchPattern(along, m_Zero()) ? slot : Lanes(b, along) + slot;
    if (lane != 0)
      along = Lanes(b, along) + lane;
    return address;
  }

  //===--------------------------------------------------------------------===//
  // Reads
  //===--------------------------------------------------------------------===//

  Value loadChunk(const ChunkAccess &access, VectorType type, int64_t chunk) {
    auto load = [&](ValueRange at) -> Value {
      return vector::LoadOp::create(b, type, access.buffer, at,
                                    /*nontemporal=*/BoolAttr(),
                                    access.alignment);
    };
    SmallVector<Value> at = getAddress(access, chunk);
    if (!access.rest)
      return load(at);
    Value &along = at[access.dim];
    along = Lanes(b, along) - access.rest;
    Value low = load(at);
    along = Lanes(b, along) + layout.vector;
    return extractWindow(low, load(at), access.rest);
  }

  /// The vector that begins `rest` elements after `low` begins, which `high`
  /// follows: by 32-bit words, halving the ways, then by bits within them.
  Value extractWindow(Value low, Value high, Value rest) {
    auto type = cast<VectorType>(low.getType());
    int64_t bits = type.getElementTypeBitWidth();
    int64_t count = type.getNumElements() * bits / 32;
    Type i32 = b.getI32Type();
    auto wordType = VectorType::get(count, i32);
    SmallVector<Value> words;
    for (Value half : {low, high}) {
      half = vector::BitCastOp::create(b, wordType, half);
      for (int64_t i = 0; i < count; ++i)
        words.push_back(vector::ExtractOp::create(b, half, i));
    }
    Lanes offset = Lanes(b, arith::IndexCastOp::create(b, i32, rest)) * bits;
    for (int64_t step = count / 2; step > 0; step /= 2) {
      Value isFar = (offset & 32 * step).is(arith::CmpIPredicate::ne, 0);
      SmallVector<Value> next;
      for (size_t i = 0; i + step < words.size(); ++i)
        next.push_back(
            arith::SelectOp::create(b, isFar, words[i + step], words[i]));
      words = std::move(next);
    }
    // One word more than needed is left, for the bits.
    for (int64_t i = 0; bits < 32 && i < count; ++i)
      words[i] = LLVM::FshrOp::create(b, i32, words[i + 1], words[i], offset);
    words.truncate(count);
    Value window = vector::FromElementsOp::create(b, wordType, words);
    return vector::BitCastOp::create(b, type, window);
  }

  /// The lanes that are on; the others are padding.
  Value loadLanes(const ChunkAccess &access, int64_t chunk, Value on,
                  Value padding) {
    auto type = cast<VectorType>(padding.getType());
    if (!shift)
      return vector::MaskedLoadOp::create(
          b, type, access.buffer, getAddress(access, chunk), on, padding);
    // A masked load would first form the address of a lane that does not exist.
    SmallVector<Value> elements;
    for (int64_t v = 0; v < layout.vector; ++v) {
      Value isOn = vector::ExtractOp::create(b, on, v);
      auto branch = scf::IfOp::create(
          b, isOn,
          [&](OpBuilder &, Location) {
            Value element = memref::LoadOp::create(
                b, access.buffer, getAddress(access, chunk, v));
            scf::YieldOp::create(b, element);
          },
          [&](OpBuilder &, Location) {
            Value element = vector::ExtractOp::create(b, padding, v);
            scf::YieldOp::create(b, element);
          });
      elements.push_back(branch.getResult(0));
    }
    return vector::FromElementsOp::create(b, type, elements);
  }

  void distributeRead(vector::TransferReadOp op) {
    VectorType type = getChunkType(op.getVectorType().getElementType());
    ChunkAccess access = getAccess(op);
    for (size_t c = 0; c < chunks.size(); ++c) {
      ChunkMask mask = getChunkMask(masks.lookup(op.getMask()), c, access.rest);
      if (!mask.pred) {
        chunks[c].map(op.getResult(), loadChunk(access, type, c));
        continue;
      }
      Value padding =
          vector::BroadcastOp::create(b, type, lookupScalar(op.getPadding()));
      auto branch = scf::IfOp::create(
          b, mask.pred,
          [&](OpBuilder &, Location) {
            scf::YieldOp::create(b, loadChunk(access, type, c));
          },
          [&](OpBuilder &, Location) {
            scf::YieldOp::create(
                b, mask.lanes ? loadLanes(access, c, mask.lanes, padding)
                              : padding);
          });
      chunks[c].map(op.getResult(), branch.getResult(0));
    }
  }

  //===--------------------------------------------------------------------===//
  // Writes
  //===--------------------------------------------------------------------===//

  void storeChunk(const ChunkAccess &access, Value v, int64_t chunk) {
    // Elements, where rows do not begin as the threads do.
    IntegerAttr alignment = access.rest ? IntegerAttr() : access.alignment;
    vector::StoreOp::create(b, v, access.buffer, getAddress(access, chunk),
                            /*nontemporal=*/BoolAttr(), alignment);
  }

  void storeLanes(const ChunkAccess &access, Value v, int64_t chunk, Value on) {
    if (!shift) {
      vector::MaskedStoreOp::create(b, access.buffer, getAddress(access, chunk),
                                    on, v);
      return;
    }
    for (int64_t lane = 0; lane < layout.vector; ++lane) {
      Value isOn = vector::ExtractOp::create(b, on, lane);
      scf::IfOp::create(b, isOn, [&](OpBuilder &, Location) {
        Value element = vector::ExtractOp::create(b, v, lane);
        memref::StoreOp::create(b, element, access.buffer,
                                getAddress(access, chunk, lane));
        scf::YieldOp::create(b);
      });
    }
  }

  void distributeWrite(vector::TransferWriteOp op) {
    OpBuilder::InsertionGuard guard(b);
    if (layout.active)
      b.setInsertionPoint(scf::IfOp::create(b, layout.active).thenYield());
    ChunkAccess access = getAccess(op);
    for (auto [c, chunk] : llvm::enumerate(chunks)) {
      Value v = chunk.lookup(op.getValueToStore());
      ChunkMask mask = getChunkMask(masks.lookup(op.getMask()), c);
      if (!mask.pred) {
        storeChunk(access, v, c);
        continue;
      }
      auto branch = scf::IfOp::create(b, mask.pred,
                                      /*withElseRegion=*/bool(mask.lanes));
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPoint(branch.thenYield());
      storeChunk(access, v, c);
      if (!mask.lanes)
        continue;
      b.setInsertionPoint(branch.elseYield());
      storeLanes(access, v, c, mask.lanes);
    }
  }

  ImplicitLocOpBuilder b;
  const ThreadLayout &layout;
  IRMapping &scalars;
  SmallVector<IRMapping> chunks;
  llvm::DenseMap<Value, Value> masks; // lanes below this are on
  Value shift;                        // index; null: none
  bool clusterStarted = false;
};
} // namespace

void norm::distributeRow(const ImplicitLocOpBuilder &b,
                         const ThreadLayout &layout, IRMapping &scalars,
                         Block &body) {
  VectorDistributor(b, layout, scalars).run(body);
}
