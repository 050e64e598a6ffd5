//===- MakeCommunicatorsOnce.cpp - communicators that outlive a call ------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: convert-shard-to-mpi splits a communicator per
// collective and call and frees none; goes when it splits once.

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/Distributed/Passes.h"
#include "norm/IR/Norm.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMMAKECOMMUNICATORSONCE
#include "norm/Distributed/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Returns the ops that compute the operands of `split` and have no inputs of
/// the function, in order; nullopt if there are others.
static std::optional<SmallVector<Operation *>>
findComputation(mpi::CommSplitOp split) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  if (failed(getBackwardSlice(split.getOperation(), &slice, options)))
    return std::nullopt;
  auto isAvailable = [&](Operation *op) {
    return op->getNumRegions() == 0 && isPure(op) &&
           llvm::none_of(op->getOperands(), llvm::IsaPred<BlockArgument>);
  };
  if (llvm::any_of(split->getOperands(), llvm::IsaPred<BlockArgument>) ||
      !llvm::all_of(slice, isAvailable))
    return std::nullopt;
  return mlir::topologicalSort(slice).takeVector();
}

namespace {
struct NormMakeCommunicatorsOnce
    : norm::impl::NormMakeCommunicatorsOnceBase<NormMakeCommunicatorsOnce> {
  using NormMakeCommunicatorsOnceBase::NormMakeCommunicatorsOnceBase;

  void runOnOperation() override {
    if (failed(nameImplementation()))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    llvm::StringMap<func::FuncOp> known;
    for (auto split : norm::collect<mpi::CommSplitOp>(getOperation())) {
      auto computation = findComputation(split);
      if (!computation)
        continue;
      func::FuncOp &getter = known[describe(*computation, split)];
      if (!getter)
        getter = createGetter(*computation, split, symbols);
      OpBuilder b(split);
      auto call = func::CallOp::create(b, split.getLoc(), getter);
      auto cast = UnrealizedConversionCastOp::create(
          b, split.getLoc(), split.getNewcomm().getType(), call.getResult(0));
      split.getNewcomm().replaceAllUsesWith(cast.getResult(0));
      split.erase();
    }
    // No later pass knows what a grid is.
    for (auto grid :
         llvm::make_early_inc_range(getOperation().getOps<shard::GridOp>()))
      if (SymbolTable::symbolKnownUseEmpty(grid, getOperation()))
        grid.erase();
  }

private:
  /// Says which MPI the calls are for, where the module does not.
  LogicalResult nameImplementation() {
    if (implementation != "MPICH" && implementation != "OpenMPI")
      return getOperation().emitError("expects an implementation of MPI, MPICH "
                                      "or OpenMPI, got '")
             << implementation << "'";
    auto key = StringAttr::get(&getContext(), "MPI:Implementation");
    if (succeeded(
            dlti::query(getOperation(), ArrayRef(DataLayoutEntryKey(key)))))
      return success();
    auto entry = DataLayoutEntryAttr::get(
        key, StringAttr::get(&getContext(), implementation));
    SmallVector<DataLayoutEntryInterface> entries{entry};
    if (auto map =
            getOperation()->getAttrOfType<MapAttr>(DLTIDialect::kMapAttrName))
      llvm::append_range(entries, map.getEntries());
    getOperation()->setAttr(DLTIDialect::kMapAttrName,
                            MapAttr::get(&getContext(), entries));
    return success();
  }

  /// Two computations with one description have one result.
  static std::string describe(ArrayRef<Operation *> computation,
                              mpi::CommSplitOp split) {
    llvm::DenseMap<Value, unsigned> numbers;
    std::string text;
    llvm::raw_string_ostream os(text);
    auto add = [&](Operation *op) {
      os << op->getName() << op->getDiscardableAttrDictionary()
         << op->getPropertiesAsAttribute();
      for (Value operand : op->getOperands())
        os << ' ' << numbers.lookup(operand);
      os << ';';
      for (Value result : op->getResults())
        numbers.try_emplace(result, numbers.size());
    };
    llvm::for_each(computation, add);
    add(split);
    return text;
  }

  LLVM::GlobalOp createGlobal(OpBuilder &b, Type type, StringRef name,
                              SymbolTable &symbols) {
    auto global =
        LLVM::GlobalOp::create(b, getOperation().getLoc(), type,
                               /*isConstant=*/false, LLVM::Linkage::Internal,
                               name, b.getIntegerAttr(type, 0));
    symbols.insert(global);
    return global;
  }

  /// Creates the function that splits the communicator when it is called first
  /// and returns it as i64, which mpi's conversion to LLVM makes of it.
  func::FuncOp createGetter(ArrayRef<Operation *> computation,
                            mpi::CommSplitOp split, SymbolTable &symbols) {
    auto b = ImplicitLocOpBuilder::atBlockBegin(split.getLoc(),
                                                getOperation().getBody());
    Type i64 = b.getI64Type(), i8 = b.getI8Type();
    auto value = createGlobal(b, i64, "norm_communicator", symbols);
    auto isMade = createGlobal(b, i8, "norm_has_communicator", symbols);
    auto getter = func::FuncOp::create(b, "norm_get_communicator",
                                       b.getFunctionType({}, i64));
    getter.setPrivate();
    symbols.insert(getter);
    b.setInsertionPointToStart(getter.addEntryBlock());
    Value flag = LLVM::AddressOfOp::create(b, isMade);
    Value place = LLVM::AddressOfOp::create(b, value);
    Value made = LLVM::LoadOp::create(b, i8, flag);
    Value zero = LLVM::ConstantOp::create(b, i8, 0);
    Value isNew = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, made, zero);
    scf::IfOp::create(b, isNew, [&](OpBuilder &, Location) {
      IRMapping map;
      for (Operation *op : computation)
        b.clone(*op, map);
      auto made = cast<mpi::CommSplitOp>(b.clone(*split, map));
      Value comm = UnrealizedConversionCastOp::create(b, i64, made.getNewcomm())
                       .getResult(0);
      LLVM::StoreOp::create(b, comm, place);
      Value one = LLVM::ConstantOp::create(b, i8, 1);
      LLVM::StoreOp::create(b, one, flag);
      scf::YieldOp::create(b);
    });
    Value result = LLVM::LoadOp::create(b, i64, place);
    func::ReturnOp::create(b, result);
    return getter;
  }
};
} // namespace
