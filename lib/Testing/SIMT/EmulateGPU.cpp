//===- EmulateGPU.cpp - the host's half of norm-emulate-gpu ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulateGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "norm/Testing/SIMT/Passes.h"
#include "norm/Testing/SIMT/Runtime.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEMULATEGPU
#include "norm/Testing/SIMT/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm::simt;

static LLVM::LLVMPointerType getPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(context);
}

// Like cudaMalloc's, so that kernels take the paths that they take there.
static constexpr int64_t deviceAlignment = 256;

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

func::CallOp Program::call(ImplicitLocOpBuilder &b, StringRef name,
                           ValueRange arguments, TypeRange results) {
  auto function = symbols.lookup<func::FuncOp>(name);
  if (!function) {
    auto type =
        FunctionType::get(b.getContext(), TypeRange(arguments), results);
    function = func::FuncOp::create(symbols.getOp()->getLoc(), name, type);
    function.setPrivate();
    symbols.insert(function);
  }
  return func::CallOp::create(b, name, results, arguments);
}

Value Program::getString(ImplicitLocOpBuilder &b, StringRef text) {
  std::string bytes = (text + Twine('\0')).str();
  OpBuilder outside(b.getContext());
  auto global = LLVM::GlobalOp::create(
      outside, b.getLoc(),
      LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal, "norm_simt_site",
      b.getStringAttr(bytes));
  symbols.insert(global);
  return LLVM::AddressOfOp::create(b, global);
}

Value Program::castTo(ImplicitLocOpBuilder &b, Type type, Value value) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(b, type, value).getResult(0);
}

Type norm::simt::getHostType(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return MemRefType::Builder(memref).setMemorySpace({});
  if (isa<LLVM::LLVMPointerType>(type))
    return getPointer(type.getContext());
  return type;
}

Type Program::convertType(Type type) {
  return types.convertType(getHostType(type));
}

Type Program::getArgumentsType(TypeRange arguments) {
  SmallVector<Type> converted;
  for (Type type : arguments)
    converted.push_back(convertType(type));
  return LLVM::LLVMStructType::getLiteral(symbols.getOp()->getContext(),
                                          converted);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// Rewrites the ops of host functions.
class HostEmulator {
public:
  HostEmulator(Program &program,
               const llvm::DenseMap<Attribute, EmulatedKernel> &kernels)
      : program(program), kernels(kernels) {}

  LogicalResult replace(Operation *op) {
    b.setInsertionPoint(op);
    b.setLoc(op->getLoc());
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](gpu::AllocOp alloc) { return replaceAlloc(alloc); })
        .Case([&](gpu::DeallocOp dealloc) {
          memref::DeallocOp::create(b, dealloc.getMemref());
          return success();
        })
        .Case([&](gpu::MemcpyOp copy) {
          memref::CopyOp::create(b, copy.getSrc(), copy.getDst());
          return success();
        })
        .Case([&](gpu::WaitOp) { return success(); })
        .Case([&](gpu::LaunchFuncOp launch) { return replaceLaunch(launch); })
        .Default([](Operation *op) {
          return op->emitError("'")
                 << op->getName() << "' cannot be emulated on the host";
        });
  }

private:
  LogicalResult replaceAlloc(gpu::AllocOp op) {
    auto type = cast<MemRefType>(getHostType(op.getType()));
    Value host = memref::AllocOp::create(b, type, op.getDynamicSizes(),
                                         op.getSymbolOperands(),
                                         b.getI64IntegerAttr(deviceAlignment));
    op.getMemref().replaceAllUsesWith(host);
    return success();
  }

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(b, b.getI64Type(), value);
  }

  Value asI64(Value size) {
    Type i64 = b.getI64Type();
    if (size.getType() == i64)
      return size;
    if (size.getType().isIndex())
      return arith::IndexCastOp::create(b, i64, size);
    return arith::ExtUIOp::create(b, i64, size);
  }

  /// In the entry block: a launch may be in a loop.
  Value allocate(Operation *op, Type type) {
    OpBuilder::InsertionGuard guard(b);
    auto function = op->getParentOfType<func::FuncOp>();
    b.setInsertionPointToStart(&function.getBody().front());
    return LLVM::AllocaOp::create(b, getPointer(b.getContext()), type,
                                  constant(1));
  }

  void storeField(Value value, Type type, Value base, int32_t field) {
    Value address = LLVM::GEPOp::create(b, getPointer(b.getContext()), type,
                                        base, ArrayRef<LLVM::GEPArg>{0, field});
    LLVM::StoreOp::create(b, value, address);
  }

  SmallVector<Value> getSizes(gpu::LaunchFuncOp op,
                              const EmulatedKernel &kernel) {
    SmallVector<Value> sizes{op.getGridSizeX(),  op.getGridSizeY(),
                             op.getGridSizeZ(),  op.getBlockSizeX(),
                             op.getBlockSizeY(), op.getBlockSizeZ()};
    if (op.hasClusterSize())
      sizes.append(
          {op.getClusterSizeX(), op.getClusterSizeY(), op.getClusterSizeZ()});
    for (Value &size : sizes)
      size = asI64(size);
    for (int64_t size : kernel.clusterSize)
      if (!op.hasClusterSize())
        sizes.push_back(constant(size));
    while (sizes.size() < 9)
      sizes.push_back(constant(1));
    return sizes;
  }

  LogicalResult replaceLaunch(gpu::LaunchFuncOp op) {
    auto kernel = kernels.find(op.getKernel());
    if (kernel == kernels.end())
      return op.emitError("the kernel is not in this module");
    if (op.getDynamicSharedMemorySize() &&
        !matchPattern(op.getDynamicSharedMemorySize(), m_Zero()))
      return op.emitError("dynamic workgroup memory cannot be emulated");
    if (!op->getParentOfType<func::FuncOp>())
      return op.emitError("a launch outside func.func cannot be emulated");
    EmulatedKernel target = kernel->second;
    Type structType = program.getArgumentsType(target.argumentTypes);
    Value arguments = allocate(op, structType);
    for (auto [i, operand] : llvm::enumerate(op.getKernelOperands())) {
      Type type = program.convertType(operand.getType());
      Value converted = program.castTo(b, type, operand);
      storeField(converted, structType, arguments, i);
    }
    auto sizesType = LLVM::LLVMArrayType::get(b.getI64Type(), 9);
    Value sizes = allocate(op, sizesType);
    for (auto [i, size] : llvm::enumerate(getSizes(op, target)))
      storeField(size, sizesType, sizes, i);
    Type pointer = getPointer(b.getContext());
    Value function = func::ConstantOp::create(
        b, target.function.getFunctionType(), target.function.getName());
    Value address = program.castTo(b, pointer, function);
    Value name = program.getString(b, op.getKernelName());
    program.call(
        b, "norm_simt_launch",
        {name, address, arguments, sizes, constant(target.workgroupBytes)});
    return success();
  }

  Program &program;
  const llvm::DenseMap<Attribute, EmulatedKernel> &kernels;
  ImplicitLocOpBuilder b{program.symbols.getOp()->getLoc(),
                         program.symbols.getOp()->getContext()};
};

struct NormEmulateGPU : norm::impl::NormEmulateGPUBase<NormEmulateGPU> {
  void runOnOperation() override {
    Program program(getOperation());
    llvm::DenseMap<Attribute, EmulatedKernel> kernels;
    SmallVector<Operation *> host;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<gpu::GPUModuleOp>(op))
        return WalkResult::skip();
      if (isa<gpu::GPUDialect>(op->getDialect()))
        host.push_back(op);
      return WalkResult::advance();
    });
    for (auto module :
         llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>()))
      if (failed(emulateModule(module, program, kernels)))
        return signalPassFailure();
    HostEmulator emulator(program, kernels);
    for (Operation *op : host)
      if (failed(emulator.replace(op)))
        return signalPassFailure();
    // Tokens are used by later ones of these ops only.
    for (Operation *op : llvm::reverse(host)) {
      if (!op->use_empty()) {
        op->emitError("a token that another op uses cannot be emulated");
        return signalPassFailure();
      }
      op->erase();
    }
    getOperation()->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }

  static LogicalResult
  emulateModule(gpu::GPUModuleOp module, Program &program,
                llvm::DenseMap<Attribute, EmulatedKernel> &kernels) {
    for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
      auto function = dyn_cast<gpu::GPUFuncOp>(op);
      if (!function || !function.isKernel())
        return op.emitError("only kernels of a gpu.module can be emulated, "
                            "not '")
               << op.getName() << "'";
      auto name =
          SymbolRefAttr::get(module.getSymNameAttr(),
                             {FlatSymbolRefAttr::get(function.getNameAttr())});
      FailureOr<EmulatedKernel> kernel = emulateKernel(function, program);
      if (failed(kernel))
        return failure();
      kernels[name] = *kernel;
      function.erase();
    }
    module.erase();
    return success();
  }
};
} // namespace
