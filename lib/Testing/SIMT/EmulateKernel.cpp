//===- EmulateKernel.cpp - the kernels' half of norm-emulate-gpu ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulateGPU.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "norm/Testing/SIMT/Runtime.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::norm::simt;

// NVVM's address spaces.
static constexpr unsigned sharedSpace = 3;
static constexpr unsigned sharedClusterSpace = 7;

static bool isWorkgroup(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.getMemorySpace())
    return false;
  if (auto space = dyn_cast<IntegerAttr>(memref.getMemorySpace()))
    return space.getInt() == sharedSpace;
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref);
}

static std::optional<unsigned> getSharedSpace(Type type) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  if (pointer && (pointer.getAddressSpace() == sharedSpace ||
                  pointer.getAddressSpace() == sharedClusterSpace))
    return pointer.getAddressSpace();
  return std::nullopt;
}

/// "gpu.barrier at k.mlir:3:5".
static std::string describe(Operation *op) {
  std::string text = op->getName().getStringRef().str() + " at ";
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return text + place.getFilename().str() + ":" +
           std::to_string(place.getLine()) + ":" +
           std::to_string(place.getColumn());
  return text + "an unknown place";
}

/// Returns the word that an op of gpu or a register of NVVM's shows.
static std::optional<unsigned> getWord(Operation *op) {
  StringRef name = op->getName().getStringRef();
  unsigned dim = 0;
  if (auto dimension = op->getAttrOfType<gpu::DimensionAttr>("dimension"))
    dim = static_cast<unsigned>(dimension.getValue());
  static constexpr StringLiteral suffixes[] = {".x", ".y", ".z"};
  if (name.consume_front("nvvm.read.ptx.sreg."))
    for (auto [i, suffix] : llvm::enumerate(suffixes))
      if (name.consume_back(suffix))
        dim = i;
  return llvm::StringSwitch<std::optional<unsigned>>(name)
      .Cases({"tid", "gpu.thread_id"}, kThreadId + dim)
      .Cases({"ctaid", "gpu.block_id"}, kBlockId + dim)
      .Cases({"ntid", "gpu.block_dim"}, kBlockDim + dim)
      .Cases({"nctaid", "gpu.grid_dim"}, kGridDim + dim)
      .Cases({"clusterid", "gpu.cluster_id"}, kClusterId + dim)
      .Cases({"nclusterid", "gpu.cluster_dim"}, kClusterDim + dim)
      .Cases({"cluster.ctaid", "gpu.cluster_block_id"}, kClusterBlockId + dim)
      .Cases({"cluster.nctaid", "gpu.cluster_dim_blocks"},
             kClusterDimBlocks + dim)
      .Cases({"laneid", "gpu.lane_id"}, kLane)
      .Case("gpu.subgroup_id", kWarp)
      .Case("gpu.num_subgroups", kNumWarps)
      .Case("cluster.ctarank", kClusterRank)
      .Case("cluster.nctarank", kClusterSize)
      .Default(std::nullopt);
}

namespace {
/// Rewrites the body of one kernel.
class KernelEmulator {
public:
  KernelEmulator(Program &program, gpu::GPUFuncOp source)
      : program(program), source(source),
        b(source.getLoc(), source.getContext()),
        pointer(LLVM::LLVMPointerType::get(b.getContext())) {}

  FailureOr<EmulatedKernel> run() {
    if (source.getBody().empty() || source.getNumResults() != 0)
      return source.emitError("a kernel without a body cannot be emulated");
    for (Type type : source.getFunctionType().getInputs())
      if (!program.convertType(type))
        return source.emitError("an argument of type ")
               << type << " cannot be emulated";
    createFunction();
    if (failed(replaceArguments()))
      return failure();
    SmallVector<Operation *> ops;
    kernel.function.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (op != kernel.function && failed(replace(op)))
        return failure();
    removeMemorySpaces();
    return kernel;
  }

private:
  //===--------------------------------------------------------------------===//
  // The function
  //===--------------------------------------------------------------------===//

  void createFunction() {
    auto type = FunctionType::get(b.getContext(), {pointer, pointer}, {});
    kernel.function = func::FuncOp::create(b.getLoc(), source.getName(), type);
    kernel.function.setPrivate();
    program.symbols.insert(kernel.function);
    llvm::append_range(kernel.argumentTypes,
                       source.getFunctionType().getInputs());
    if (auto size = source.getKnownClusterSize())
      llvm::append_range(kernel.clusterSize, *size);
  }

  /// Parameters come from the launch's struct, workgroup buffers from the
  /// runtime, private ones from the stack.
  LogicalResult replaceArguments() {
    unsigned numParameters = kernel.argumentTypes.size();
    unsigned numWorkgroup = source.getNumWorkgroupAttributions();
    kernel.function.getBody().takeBody(source.getBody());
    Block &entry = kernel.function.getBody().front();
    unsigned numOld = entry.getNumArguments();
    self = entry.addArgument(pointer, b.getLoc());
    Value arguments = entry.addArgument(pointer, b.getLoc());
    b.setInsertionPointToStart(&entry);
    Type structType = program.getArgumentsType(kernel.argumentTypes);
    for (unsigned i = 0; i < numOld; ++i) {
      BlockArgument old = entry.getArgument(i);
      FailureOr<Value> value =
          i < numParameters
              ? loadArgument(structType, arguments, old.getType(), i)
          : i < numParameters + numWorkgroup ? createWorkgroup(old.getType())
                                             : createPrivate(old.getType());
      if (failed(value))
        return failure();
      old.replaceAllUsesWith(*value);
    }
    entry.eraseArguments(0, numOld);
    return success();
  }

  FailureOr<Value> loadArgument(Type structType, Value arguments, Type type,
                                int32_t field) {
    Value address = LLVM::GEPOp::create(b, pointer, structType, arguments,
                                        ArrayRef<LLVM::GEPArg>{0, field});
    Value loaded = LLVM::LoadOp::create(b, program.convertType(type), address);
    return program.castTo(b, type, loaded);
  }

  FailureOr<Value> createWorkgroup(Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !memref.hasStaticShape() ||
        !memref.getLayout().isIdentity() ||
        !memref.getElementType().isIntOrIndexOrFloat())
      return source.emitError("workgroup memory of type ")
             << type << " cannot be emulated";
    Value base = loadWord(kWorkgroup, pointer);
    Value start = LLVM::GEPOp::create(
        b, pointer, b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(kernel.workgroupBytes)});
    int64_t bytes =
        memref.getNumElements() *
        DataLayout::closest(source).getTypeSize(memref.getElementType());
    kernel.workgroupBytes += llvm::alignTo(bytes, kWorkgroupAlignment);
    Value descriptor = MemRefDescriptor::fromStaticShape(
        b, b.getLoc(), program.types, cast<MemRefType>(getHostType(memref)),
        start);
    return program.castTo(b, memref, descriptor);
  }

  FailureOr<Value> createPrivate(Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !memref.hasStaticShape())
      return source.emitError("private memory of type ")
             << type << " cannot be emulated";
    return memref::AllocaOp::create(b, memref).getResult();
  }

  /// The host has one memory.
  void removeMemorySpaces() {
    AttrTypeReplacer replacer;
    replacer.addReplacement([](MemRefType type) -> std::optional<Type> {
      return getHostType(type);
    });
    replacer.addReplacement(
        [](LLVM::LLVMPointerType type) -> std::optional<Type> {
          return getHostType(type);
        });
    replacer.recursivelyReplaceElementsIn(kernel.function,
                                          /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  Value loadWord(unsigned word, Type type) {
    Value address =
        LLVM::GEPOp::create(b, pointer, b.getI64Type(), self,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(word)});
    return LLVM::LoadOp::create(b, type, address);
  }

  Value constant(int64_t value, unsigned bits = 64) {
    return LLVM::ConstantOp::create(b, b.getIntegerType(bits), value);
  }

  func::CallOp callRuntime(Operation *op, StringRef function,
                           ValueRange arguments = {}, TypeRange results = {}) {
    SmallVector<Value> all{self, program.getString(b, describe(op))};
    llvm::append_range(all, arguments);
    return program.call(b, function, all, results);
  }

  /// An index, or an integer of a register, from a word.
  LogicalResult replaceByWord(Operation *op, unsigned word) {
    Type type = op->getResult(0).getType();
    Value value = loadWord(word, b.getI64Type());
    if (type.isIndex())
      value = arith::IndexCastOp::create(b, type, value);
    else if (type != value.getType())
      value = arith::TruncIOp::create(b, type, value);
    op->getResult(0).replaceAllUsesWith(value);
    return erase(op);
  }

  LogicalResult replaceByCall(Operation *op, StringRef function) {
    callRuntime(op, function);
    return erase(op);
  }

  static LogicalResult erase(Operation *op) {
    op->erase();
    return success();
  }

  LogicalResult replace(Operation *op) {
    b.setInsertionPoint(op);
    b.setLoc(op->getLoc());
    if (auto word = getWord(op))
      return replaceByWord(op, *word);
    if (isa<gpu::GPUDialect, NVVM::NVVMDialect>(op->getDialect()))
      return replaceDeviceOp(op);
    return checkAccess(op);
  }

  LogicalResult replaceDeviceOp(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](gpu::SubgroupSizeOp) {
          op->getResult(0).replaceAllUsesWith(
              arith::ConstantIndexOp::create(b, kWarpSize));
          return erase(op);
        })
        .Case([&](gpu::ShuffleOp shuffle) { return replaceShuffle(shuffle); })
        .Case([&](gpu::ReturnOp) {
          func::ReturnOp::create(b);
          return erase(op);
        })
        .Case<gpu::BarrierOp, NVVM::Barrier0Op>(
            [&](auto) { return replaceByCall(op, "norm_simt_barrier"); })
        .Case<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp>(
            [&](auto) { return replaceByCall(op, "norm_simt_cluster_arrive"); })
        .Case([&](NVVM::ClusterWaitOp) {
          return replaceByCall(op, "norm_simt_cluster_wait");
        })
        .Case([&](NVVM::MapaOp mapa) {
          auto call = callRuntime(
              op, "norm_simt_map_to_block",
              {program.castTo(b, pointer, mapa.getA()), mapa.getB()}, pointer);
          mapa.getRes().replaceAllUsesWith(
              program.castTo(b, mapa.getType(), call.getResult(0)));
          return erase(op);
        })
        .Case<NVVM::GriddepcontrolOp, NVVM::PrefetchOp>(
            [&](auto) { return erase(op); })
        .Default(reject);
  }

  static LogicalResult reject(Operation *op) {
    return op->emitError("'") << op->getName() << "' cannot be emulated";
  }

  //===--------------------------------------------------------------------===//
  // Shuffles
  //===--------------------------------------------------------------------===//

  /// Any value of at most 64 bits as an i64.
  Value toBits(Value value, unsigned bits) {
    Type integer = b.getIntegerType(bits);
    if (isa<VectorType>(value.getType())) {
      value = vector::BitCastOp::create(b, VectorType::get(1, integer), value);
      value = vector::ExtractOp::create(b, value, ArrayRef<int64_t>{0});
    } else if (value.getType() != integer) {
      value = arith::BitcastOp::create(b, integer, value);
    }
    return bits == 64 ? value
                      : arith::ExtUIOp::create(b, b.getI64Type(), value);
  }

  Value fromBits(Value value, Type type, unsigned bits) {
    Type integer = b.getIntegerType(bits);
    if (bits != 64)
      value = arith::TruncIOp::create(b, integer, value);
    if (auto vector = dyn_cast<VectorType>(type)) {
      value =
          vector::FromElementsOp::create(b, VectorType::get(1, integer), value);
      return vector::BitCastOp::create(b, vector, value);
    }
    return type == integer ? value : arith::BitcastOp::create(b, type, value);
  }

  LogicalResult replaceShuffle(gpu::ShuffleOp op) {
    Type type = op.getValue().getType();
    auto vector = dyn_cast<VectorType>(type);
    int64_t bits =
        vector ? vector.getNumElements() * vector.getElementTypeBitWidth()
               : type.getIntOrFloatBitWidth();
    if (bits > 64 || (vector && vector.isScalable()))
      return op.emitError("a shuffle of ") << type << " cannot be emulated";
    Value moved =
        callRuntime(op, "norm_simt_shuffle",
                    {toBits(op.getValue(), bits), op.getOffset(), op.getWidth(),
                     constant(static_cast<int32_t>(op.getMode()), 32)},
                    b.getI64Type())
            .getResult(0);
    op.getShuffleResult().replaceAllUsesWith(fromBits(moved, type, bits));
    if (!op.getValid().use_empty())
      op.getValid().replaceAllUsesWith(arith::TruncIOp::create(
          b, b.getI1Type(), loadWord(kShuffleValid, b.getI64Type())));
    return erase(op);
  }

  //===--------------------------------------------------------------------===//
  // Workgroup memory
  //===--------------------------------------------------------------------===//

  LogicalResult checkAccess(Operation *op) {
    bool touchesBuffer = llvm::any_of(op->getOperandTypes(), isWorkgroup);
    bool touchesPointer = llvm::any_of(op->getOperandTypes(), [](Type type) {
      return getSharedSpace(type).has_value();
    });
    if (isa<LLVM::AddrSpaceCastOp, memref::MemorySpaceCastOp>(op) &&
        getHostType(op->getOperand(0).getType()) ==
            getHostType(op->getResult(0).getType())) {
      op->getResult(0).replaceAllUsesWith(op->getOperand(0));
      return erase(op);
    }
    if (failed(checkAddressWidth(op)))
      return failure();
    if (touchesPointer)
      return checkPointers(op);
    return touchesBuffer ? checkIndices(op) : success();
  }

  /// An address as an integer has 64 bits here, not a GPU's 32.
  static LogicalResult checkAddressWidth(Operation *op) {
    Type integer;
    if (auto cast = dyn_cast<LLVM::IntToPtrOp>(op))
      if (getSharedSpace(cast.getType()))
        integer = cast.getArg().getType();
    if (auto cast = dyn_cast<LLVM::PtrToIntOp>(op))
      if (getSharedSpace(cast.getArg().getType()))
        integer = cast.getType();
    if (integer && !integer.isInteger(64))
      return op->emitError("an address of workgroup memory in an integer of "
                           "type ")
             << integer << " cannot be emulated";
    return success();
  }

  static LogicalResult rejectAccess(Operation *op) {
    return op->emitError("'")
           << op->getName()
           << "' accesses workgroup memory in a way that is not checked";
  }

  LogicalResult checkIndices(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp>(
            [&](auto access) {
              return emitIndexChecks(op, access.getMemref(),
                                     access.getIndices());
            })
        .Case<vector::LoadOp, vector::StoreOp>([&](auto access) {
          return emitIndexChecks(op, access.getBase(), access.getIndices(),
                                 access.getVectorType());
        })
        .Case<ViewLikeOpInterface, memref::DimOp,
              memref::ExtractAlignedPointerAsIndexOp,
              memref::ExtractStridedMetadataOp, memref::AssumeAlignmentOp>(
            [](auto) { return success(); })
        .Default(rejectAccess);
  }

  LogicalResult emitIndexChecks(Operation *op, Value buffer, ValueRange indices,
                                VectorType vector = {}) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t rank = type.getRank();
    for (int64_t dim = 0; dim < rank; ++dim) {
      // The vector's dimensions are the last ones.
      int64_t inVector = vector ? dim - (rank - vector.getRank()) : -1;
      int64_t count = inVector >= 0 ? vector.getDimSize(inVector) : 1;
      Value extent =
          type.isDynamicDim(dim)
              ? arith::IndexCastOp::create(
                    b, b.getI64Type(), memref::DimOp::create(b, buffer, dim))
                    .getResult()
              : constant(type.getDimSize(dim));
      Value index = arith::IndexCastOp::create(b, b.getI64Type(), indices[dim]);
      callRuntime(op, "norm_simt_check_index",
                  {index, constant(count), extent});
    }
    return success();
  }

  LogicalResult checkPointers(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](LLVM::LoadOp load) {
          return emitPointerCheck(op, load.getAddr(), load.getType());
        })
        .Case([&](LLVM::StoreOp store) {
          return getSharedSpace(store.getAddr().getType())
                     ? emitPointerCheck(op, store.getAddr(),
                                        store.getValue().getType())
                     : success();
        })
        .Case([&](LLVM::AtomicRMWOp atomic) {
          return emitPointerCheck(op, atomic.getPtr(), atomic.getType());
        })
        .Case<LLVM::GEPOp, LLVM::PtrToIntOp, LLVM::AddrSpaceCastOp,
              LLVM::ICmpOp, LLVM::SelectOp, BranchOpInterface>(
            [](auto) { return success(); })
        .Default(rejectAccess);
  }

  LogicalResult emitPointerCheck(Operation *op, Value address, Type type) {
    std::optional<unsigned> space = getSharedSpace(address.getType());
    if (!space)
      return success();
    int64_t bytes = DataLayout::closest(op).getTypeSize(type);
    callRuntime(op, "norm_simt_check_pointer",
                {program.castTo(b, pointer, address), constant(bytes),
                 constant(*space == sharedClusterSpace, 32)});
    return success();
  }

  Program &program;
  gpu::GPUFuncOp source;
  EmulatedKernel kernel;
  ImplicitLocOpBuilder b;
  Type pointer;
  Value self;
};
} // namespace

FailureOr<EmulatedKernel> norm::simt::emulateKernel(gpu::GPUFuncOp kernel,
                                                    Program &program) {
  return KernelEmulator(program, kernel).run();
}
