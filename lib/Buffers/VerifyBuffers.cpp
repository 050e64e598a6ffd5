//===- VerifyBuffers.cpp - run-time checks of the caller's buffers --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/VectorInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "norm/Buffers/Passes.h"
#include "norm/Floats/Lanes.h"
#include "norm/IR/Norm.h"
#include "norm/Normalize/ElementStorage.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMVERIFYBUFFERS
#include "norm/Buffers/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using arith::CmpIPredicate;
using norm::Lanes;

namespace {
/// One argument as the caller has described it.
struct Buffer {
  unsigned number = 0;
  MemRefType type;
  int64_t bytes = 0; ///< of an element
  /// The ops that access the memory, also through views. Ops of unknown effects
  /// and calls count as both reads and writes.
  SmallVector<Operation *> reads, writes;
  Lanes pointer;  ///< aligned pointer of the descriptor
  Lanes offset;   ///< elements from it to the first element
  Lanes address;  ///< address of the first element
  Lanes low, end; ///< addresses of the first byte and past the last
  Lanes isEmpty;  ///< whether an extent is zero
  SmallVector<Lanes> sizes, strides;

  std::string getName() const { return "argument " + std::to_string(number); }
};
} // namespace

/// Collects the ops that access `buffer` through `view`.
static void collect(Value view, Buffer &buffer) {
  for (Operation *op : llvm::SmallSetVector<Operation *, 8>(view.user_begin(),
                                                            view.user_end())) {
    // Taken where buffers are apart, as it finds itself.
    if (norm::isStreamedVersion(op))
      continue;
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    bool isPassedOn =
        op->hasTrait<OpTrait::IsTerminator>() && !isa<func::ReturnOp>(op);
    bool isUnknown = !effects || isPassedOn;
    if (isUnknown || effects.getEffectOnValue<MemoryEffects::Read>(view))
      buffer.reads.push_back(op);
    if (isUnknown || effects.getEffectOnValue<MemoryEffects::Write>(view))
      buffer.writes.push_back(op);
    for (Value result : op->getResults())
      if (!isUnknown && isa<BaseMemRefType>(result.getType()))
        collect(result, buffer);
  }
}

/// Returns the ops in one block that are or contain `x` and `y`.
static std::pair<Operation *, Operation *> getSiblings(Operation *x,
                                                       Operation *y) {
  for (; x; x = x->getParentOp())
    if (Operation *other = x->getBlock()->findAncestorOpInBlock(*y))
      return {x, other};
  return {nullptr, nullptr};
}

static ValueRange getIndices(Operation *op) {
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    return transfer.getIndices();
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getIndices();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getIndices();
  return {};
}

static bool isAfter(Operation *read, Operation *write, const Buffer &output) {
  auto [first, second] = getSiblings(write, read);
  if (!first || first == second || !first->isBeforeInBlock(second))
    return false;
  // The remainder of a row is read after the loop that writes what precedes it.
  if (second == read && !getIndices(read).empty())
    return first == write && getIndices(read) == getIndices(write);
  Operation *later = second;
  return llvm::none_of(output.writes, [&](Operation *other) {
    return later->isAncestor(other);
  });
}

/// Returns true if `input` is read where `output`, if it is the same memory,
/// has been overwritten: in a later loop that does not write it itself, as the
/// next rows of a split loop would, or at the place that was just written. It
/// ignores other orders within a loop.
static bool isReadAfterWrite(const Buffer &input, const Buffer &output) {
  return llvm::any_of(input.reads, [&](Operation *read) {
    return llvm::any_of(output.writes, [&](Operation *write) {
      return isAfter(read, write, output);
    });
  });
}

namespace {
/// Builds the checks of one function on 64-bit integers.
class BufferChecks {
public:
  explicit BufferChecks(func::FuncOp func)
      : b(ImplicitLocOpBuilder::atBlockBegin(func.getLoc(), &func.front())),
        func(func) {}

  void run() {
    LLVMTypeConverter converter(func.getContext());
    std::vector<Buffer> buffers;
    for (BlockArgument argument : func.getArguments())
      if (auto type = dyn_cast<MemRefType>(argument.getType()))
        if (norm::getElementBytes(type.getElementType()) > 0 &&
            converter.convertType(type))
          buffers.push_back(describe(argument, type, converter));
    for (const Buffer &buffer : buffers)
      checkDescriptor(buffer);
    for (auto [i, first] : llvm::enumerate(buffers))
      for (const Buffer &second : ArrayRef(buffers).drop_front(i + 1))
        checkPair(first, second);
  }

private:
  /// A stride is irrelevant if its dimension has no second element.
  static Value isShort(Lanes size) { return size.is(CmpIPredicate::sle, 1); }
  static Value equal(Lanes x, Lanes y) { return x.is(CmpIPredicate::eq, y); }
  Lanes constant(bool value) {
    return {b, arith::ConstantIntOp::create(b, b.getI1Type(), value)};
  }
  void check(Value holds, const Twine &message) {
    cf::AssertOp::create(b, holds, (func.getName() + ": " + message).str());
  }

  /// Reads the fields directly: memref ops would fold what the type promises.
  Buffer describe(BlockArgument argument, MemRefType type,
                  const LLVMTypeConverter &converter) {
    Buffer buffer;
    buffer.number = argument.getArgNumber();
    buffer.type = type;
    buffer.bytes = norm::getElementBytes(type.getElementType());
    collect(argument, buffer);
    Value fields = UnrealizedConversionCastOp::create(
                       b, converter.convertType(type), argument)
                       .getResult(0);
    MemRefDescriptor descriptor(fields);
    buffer.pointer = {
        b, LLVM::PtrToIntOp::create(b, b.getI64Type(),
                                    descriptor.alignedPtr(b, b.getLoc()))};
    buffer.offset = {b, descriptor.offset(b, b.getLoc())};
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      buffer.sizes.emplace_back(b, descriptor.size(b, b.getLoc(), dim));
      buffer.strides.emplace_back(b, descriptor.stride(b, b.getLoc(), dim));
    }
    findRange(buffer);
    return buffer;
  }

  void findRange(Buffer &buffer) {
    Lanes low = buffer.offset, high = buffer.offset;
    buffer.isEmpty = constant(false);
    for (auto [size, stride] : llvm::zip(buffer.sizes, buffer.strides)) {
      buffer.isEmpty = buffer.isEmpty | size.is(CmpIPredicate::sle, 0);
      Lanes reach = (size - 1) * stride;
      low = low + reach.apply<arith::MinSIOp>(0);
      high = high + reach.apply<arith::MaxSIOp>(0);
    }
    buffer.address = buffer.pointer + buffer.offset * buffer.bytes;
    buffer.low = buffer.pointer + low * buffer.bytes;
    buffer.end = buffer.pointer + (high + 1) * buffer.bytes;
  }

  //===--------------------------------------------------------------------===//
  // One buffer
  //===--------------------------------------------------------------------===//

  void checkDescriptor(const Buffer &buffer) {
    std::string name = buffer.getName();
    check(buffer.isEmpty | buffer.pointer.is(CmpIPredicate::ne, 0),
          name + " is a null pointer");
    Lanes rest = buffer.address.apply<arith::RemUIOp>(buffer.bytes);
    check(buffer.isEmpty | rest.is(CmpIPredicate::eq, 0),
          name + " is not aligned to its elements of " + Twine(buffer.bytes) +
              " bytes");
    check(hasExtents(buffer),
          name + " has not the extents of " + debugString(buffer.type));
    check(buffer.isEmpty | hasLayout(buffer),
          name + " has not the strides and the offset of " +
              debugString(buffer.type));
  }

  Value hasExtents(const Buffer &buffer) {
    Lanes holds = constant(true);
    for (auto [size, extent] : llvm::zip(buffer.sizes, buffer.type.getShape()))
      holds = holds & (ShapedType::isDynamic(extent)
                           ? size.is(CmpIPredicate::sge, 0)
                           : size.is(CmpIPredicate::eq, extent));
    return holds;
  }

  Value hasLayout(const Buffer &buffer) {
    auto [strides, offset] = buffer.type.getStridesAndOffset();
    bool isRowMajor = buffer.type.getLayout().isIdentity();
    Lanes holds = constant(true), product = buffer.offset.like(1);
    if (!ShapedType::isDynamic(offset))
      holds = holds & buffer.offset.is(CmpIPredicate::eq, offset);
    for (int64_t dim = buffer.type.getRank() - 1; dim >= 0; --dim) {
      Lanes size = buffer.sizes[dim], stride = buffer.strides[dim];
      if (isRowMajor || !ShapedType::isDynamic(strides[dim])) {
        Lanes expected = isRowMajor ? product : stride.like(strides[dim]);
        holds = holds & (Lanes(b, isShort(size)) | equal(stride, expected));
      }
      product = product * size;
    }
    return holds;
  }

  //===--------------------------------------------------------------------===//
  // Two buffers
  //===--------------------------------------------------------------------===//

  void checkPair(const Buffer &first, const Buffer &second) {
    bool isSecond = !second.writes.empty();
    const Buffer &output = isSecond ? second : first;
    const Buffer &other = isSecond ? first : second;
    if (output.writes.empty())
      return;
    Lanes apart = output.isEmpty | other.isEmpty |
                  output.end.is(CmpIPredicate::ule, other.low) |
                  other.end.is(CmpIPredicate::ule, output.low);
    std::string message =
        output.getName() + ", which is written, overlaps " + other.getName();
    if (!other.writes.empty())
      return check(apart, message + ", which is written too");
    if (!canShare(output, other))
      return check(apart, message);
    if (isReadAfterWrite(other, output))
      return check(apart, message +
                              ", which is read again after that: not even the "
                              "same buffer will do");
    check(apart | areSame(output, other),
          message + " and is not the same buffer");
  }

  static bool canShare(const Buffer &x, const Buffer &y) {
    return x.type.getElementType() == y.type.getElementType() &&
           x.type.getRank() == y.type.getRank();
  }

  Value areSame(const Buffer &x, const Buffer &y) {
    Lanes same(b, equal(x.address, y.address));
    for (auto [i, size] : llvm::enumerate(x.sizes)) {
      Lanes isOne(b, isShort(size));
      same = same & equal(size, y.sizes[i]);
      same = same & (isOne | equal(x.strides[i], y.strides[i]));
    }
    return same;
  }

  ImplicitLocOpBuilder b;
  func::FuncOp func;
};

struct NormVerifyBuffers
    : norm::impl::NormVerifyBuffersBase<NormVerifyBuffers> {
  void runOnOperation() override {
    for (func::FuncOp func : norm::getExports(getOperation()))
      BufferChecks(func).run();
  }
};
} // namespace
