//===- VectorDistributor.h - vectors of a row over threads ------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clones a body that works on 1-D vectors of one length into code for one of
// the threads that share them. Element (c*T + t)*V + v of a vector is element v
// of chunk c in thread t.
//
// Where rows begin at `shift` elements past an aligned address, it is element
// (c*T + t)*V + v - shift, modulo the length. The last V - 1 elements of the
// vectors are then masked in every transfer, so that no thread accesses both
// ends.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TARGET_GPU_VECTORDISTRIBUTOR_H
#define NORM_LIB_TARGET_GPU_VECTORDISTRIBUTOR_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "norm/Rows/Rows.h"

namespace mlir::norm {

/// Clones vector constants and the like into `body`, and returns the length of
/// its vectors, or 1 without any. Reports the first op that VectorDistributor
/// cannot clone.
FailureOr<int64_t> prepareDistribution(Block &body);

/// Threads that share a warp with those of other rows shuffle together: reports
/// a reduction that only some rows might reach.
LogicalResult verifyUniformReductions(Block &body);

/// Elements before which a transfer's mask is known to end.
int64_t getRowEnd(VectorTransferOpInterface op);

/// Combines neighbors until one value is left.
Value reducePairwise(ImplicitLocOpBuilder &b, vector::CombiningKind kind,
                     SmallVector<Value> values);

/// How one kernel shares the rows of a loop.
struct KernelPlan {
  int64_t lanes;       ///< length of the vectors
  int64_t threads = 1; ///< T, in all blocks of the row
  int64_t vector = 1;  ///< V
  int64_t cluster = 1; ///< blocks of the row
  /// Null, or whose rows decide the shift.
  VectorTransferOpInterface shiftReference = {};
};

class VectorDistributor {
public:
  struct Layout : KernelPlan {
    gpu::LaunchOp launch;
    Value thread; ///< t, index
    Value active; ///< i1, whether this thread may write; null: it may
    Value rank;   ///< number of the block in its row, if it has several
    /// Scalar stores that each thread of the row does.
    const llvm::DenseSet<Operation *> *readBack;
  };

  VectorDistributor(const ImplicitLocOpBuilder &b, const Layout &layout,
                    IRMapping &scalars)
      : b(b), layout(layout), scalars(scalars), chunks(getNumChunks()) {}

  /// Clones the ops of `body` but its terminator.
  void run(Block &body);

private:
  /// A mask at one chunk. Uniform: all V lanes agree, `pred` says on what; null
  /// pred: all on.
  struct ChunkMask {
    Value pred;
    Value lanes; ///< vector<Vxi1> where the lanes may differ
  };

  /// Where a transfer finds the elements of this thread.
  struct ChunkAccess {
    Value buffer;
    SmallVector<Value> indices; ///< of element 0 of chunk 0 in thread 0
    int64_t dim;                ///< of the buffer, along the row
    IntegerAttr alignment;      ///< of V elements
    Value rest; ///< elements from an aligned address to each vector; null: 0
  };

  int64_t getNumChunks() const {
    return layout.lanes / (layout.threads * layout.vector);
  }
  VectorType getChunkType(Type element) const {
    return VectorType::get(layout.vector, element);
  }
  /// What maps a value of this type: a scalar once, a vector for each chunk.
  MutableArrayRef<IRMapping> getMaps(Type type) {
    return isa<VectorType>(type) ? chunks : MutableArrayRef(scalars);
  }
  SmallVector<Type> getTypes(TypeRange types);
  SmallVector<Value> lookup(ValueRange values);
  void mapResults(ValueRange from, ValueRange to);
  Value index(int64_t value);
  /// [0, 1, .., V - 1], index.
  Value getLaneNumbers();
  /// Offset of a chunk's first lane in this thread from thread 0's chunk 0.
  Value getSlot(int64_t chunk);
  /// Element index of that lane, negative before the row.
  Value getBase(int64_t chunk);

  void distribute(Operation &op);
  void distributeElementwise(Operation &op);
  void distributeStep(vector::StepOp op);
  void distributeMask(Operation &op, Value limit);
  void distributeRead(vector::TransferReadOp op);
  void distributeWrite(vector::TransferWriteOp op);
  void distributeReduction(vector::ReductionOp op);
  void distributeRegions(Operation &op);
  void distributeScalar(Operation &op);

  /// `limit`: null for no mask.
  ChunkMask getChunkMask(Value limit, int64_t chunk, Value rest = Value());
  ChunkMask getShiftedChunkMask(int64_t end, int64_t chunk, Value rest);
  void computeShift();
  Value getLinearIndex(VectorTransferOpInterface op);
  bool hasRowsOfReference(VectorTransferOpInterface op);
  ChunkAccess getAccess(VectorTransferOpInterface op);
  SmallVector<Value> getAddress(const ChunkAccess &access, int64_t chunk,
                                int64_t lane = 0);
  Value loadChunk(const ChunkAccess &access, VectorType type, int64_t chunk);
  Value extractWindow(Value low, Value high, Value rest);
  Value loadLanes(const ChunkAccess &access, int64_t chunk, Value on,
                  Value padding);
  void storeChunk(const ChunkAccess &access, Value v, int64_t chunk);
  void storeLanes(const ChunkAccess &access, Value v, int64_t chunk, Value on);

  Value reduceInThread(vector::CombiningKind kind, Value v);
  Value reduceInWarp(vector::CombiningKind kind, Value v, int64_t threads);
  Value loadSlot(vector::CombiningKind kind, Value buffer, Value slot,
                 int64_t slots);
  Value reduceOverWarps(vector::CombiningKind kind, Value v, bool inLoop);
  /// Memory of a block that has not started cannot be written.
  void waitForClusterStart();
  /// The barrier of all threads of the row.
  void syncRow();
  Value shuffle(Value v, int64_t offset);

  ImplicitLocOpBuilder b;
  Layout layout;
  IRMapping &scalars;
  SmallVector<IRMapping> chunks;
  llvm::DenseMap<Value, Value> masks; // lanes below this are on
  Value shift;                        // index; null: none
  bool clusterStarted = false;
};

} // namespace mlir::norm

#endif // NORM_LIB_TARGET_GPU_VECTORDISTRIBUTOR_H
