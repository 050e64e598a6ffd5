//===- HostCode.cpp - machine code for this process -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/ExecutionEngine/HostCode.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "norm/Compiler/Target.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace mlir;
using namespace mlir::norm;

HostCode::HostCode() = default;
HostCode::~HostCode() = default;

static constexpr llvm::StringLiteral kPackedPrefix = "_norm_packed_";

static bool hasDynamicTensor(TypeRange types) {
  return llvm::any_of(types, [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  });
}

/// Adds a copy of `function` that returns the dynamic extents of its results as
/// one tensor, because C would return several scalars as a struct.
static void addShapeFunction(func::FuncOp function) {
  OpBuilder b(function);
  func::FuncOp copy = function.clone();
  copy.setName((function.getName() + kShapeFunctionSuffix).str());
  b.insert(copy);
  auto ret = dyn_cast<func::ReturnOp>(copy.getBody().front().getTerminator());
  if (!ret)
    return copy.erase();
  b.setInsertionPoint(ret);
  SmallVector<Value> extents;
  for (Value result : ret.getOperands())
    if (auto tensor = dyn_cast<RankedTensorType>(result.getType()))
      for (auto [dim, extent] : llvm::enumerate(tensor.getShape()))
        if (ShapedType::isDynamic(extent))
          extents.push_back(
              tensor::DimOp::create(b, ret.getLoc(), result, dim));
  // Where the function only checks, it returns one extent that no one reads.
  if (extents.empty())
    extents.push_back(arith::ConstantIndexOp::create(b, ret.getLoc(), 0));
  Value all = tensor::FromElementsOp::create(b, ret.getLoc(), extents);
  ret.getOperandsMutable().assign(all);
  copy.setFunctionType(FunctionType::get(
      copy.getContext(), copy.getArgumentTypes(), all.getType()));
  copy.removeResAttrsAttr();
}

/// Adds `void packed(void **args)`. A memref argument is the address of its
/// descriptor, a scalar the address of its value; the result's address is last.
static void addPackedEntry(llvm::Function &function) {
  llvm::LLVMContext &context = function.getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type *pointer = b.getPtrTy();
  StringRef name = function.getName();
  name.consume_front("_mlir_ciface_");
  auto *packed = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {pointer}, false),
      llvm::GlobalValue::ExternalLinkage, kPackedPrefix + name,
      function.getParent());
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", packed));
  auto loadAddress = [&](unsigned i) {
    return b.CreateLoad(pointer,
                        b.CreateConstGEP1_32(pointer, packed->getArg(0), i));
  };
  SmallVector<llvm::Value *> arguments;
  for (auto [i, parameter] :
       llvm::enumerate(function.getFunctionType()->params())) {
    llvm::Value *address = loadAddress(i);
    arguments.push_back(
        parameter->isPointerTy() ? address : b.CreateLoad(parameter, address));
  }
  llvm::Value *result = b.CreateCall(&function, arguments);
  if (!result->getType()->isVoidTy())
    b.CreateStore(result, loadAddress(arguments.size()));
  b.CreateRetVoid();
}

/// Adds assertions that the extents of each op's operands fit each other to the
/// functions of shapes, from which all else of the ops then disappears.
static LogicalResult checkExtents(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.getName().ends_with(kShapeFunctionSuffix))
      continue;
    PassManager pm(module.getContext(), func::FuncOp::getOperationName());
    pm.addPass(createGenerateRuntimeVerificationPass());
    if (failed(pm.run(function)))
      return failure();
  }
  return success();
}

static LogicalResult prepare(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  pm.addPass(createCanonicalizerPass());
  return pm.run(module);
}

bool norm::hasShapeFunction(FunctionType type, ExtentChecks checks) {
  return hasDynamicTensor(type.getResults()) ||
         (checks == ExtentChecks::Assert && hasDynamicTensor(type.getInputs()));
}

/// Adds the functions of shapes and lowers to the LLVM dialect.
static LogicalResult lower(ModuleOp module, const Target &target,
                           const CompileOptions &options, ExtentChecks checks) {
  // The functions of shapes need it, even if the program has no such op.
  module.getContext()
      ->loadDialect<arith::ArithDialect, tensor::TensorDialect>();
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (function.isPublic() && !function.isExternal() &&
        hasShapeFunction(function.getFunctionType(), checks))
      addShapeFunction(function);
  if (checks == ExtentChecks::Assert && failed(checkExtents(module)))
    return failure();
  return success(succeeded(prepare(module)) &&
                 succeeded(lowerModule(module, target, options)));
}

FailureOr<SmallVector<char, 0>> HostCode::compile(ModuleOp source,
                                                  const CompileOptions &options,
                                                  ExtentChecks checks) {
  auto fail = [&](llvm::Error error) {
    return source.emitError(llvm::toString(std::move(error)));
  };
  auto target = lookupTarget(options.target);
  if (!target)
    return fail(target.takeError());
  const HostRuntime *runtime = (*target)->getHostRuntime();
  if (!runtime)
    return source.emitError("code for ")
           << options.target << " does not run in this process";
  CompileOptions local = options;
  if (local.machine.cpu.empty())
    local.machine.cpu = "native";
  auto machine = createTargetMachine(local.machine);
  if (!machine)
    return fail(machine.takeError());
  OwningOpRef<ModuleOp> module(source.clone());
  if (failed(lower(*module, **target, local, checks)))
    return failure();

  llvm::LLVMContext context;
  (*machine)->setOptLevel(runtime->optLevel);
  FailureOr<std::unique_ptr<llvm::Module>> ir =
      translateToLLVMIR(*module, context, **machine);
  if (failed(ir))
    return failure();
  SmallVector<llvm::Function *> entries;
  for (llvm::Function &function : **ir)
    if (!function.isDeclaration() &&
        function.getName().starts_with("_mlir_ciface_"))
      entries.push_back(&function);
  for (llvm::Function *function : entries)
    addPackedEntry(*function);

  SmallVector<char, 0> object;
  if (llvm::Error error =
          emitMachineCode(**ir, **machine, /*assembly=*/false, object))
    return fail(std::move(error));
  return object;
}

/// Defines symbols that this program does not export, or other than it does.
static llvm::Error defineSymbols(llvm::orc::LLJIT &jit,
                                 ArrayRef<HostRuntime::Symbol> names) {
  llvm::orc::SymbolMap symbols;
  for (const HostRuntime::Symbol &symbol : names)
    symbols[jit.mangleAndIntern(symbol.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols)));
}

static llvm::Error loadOpenMP(const std::string &file) {
  std::string message;
  if (llvm::sys::DynamicLibrary::LoadLibraryPermanently(file.c_str(), &message))
    return llvm::createStringError("OpenMP's library: " + message);
  return llvm::Error::success();
}

static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
createJIT(const HostCode::Environment &environment) {
  // The parts of the JIT find their back end there.
  auto machine = createTargetMachine({});
  if (!machine)
    return machine.takeError();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  if (!environment.openmpLibrary.empty())
    if (llvm::Error error = loadOpenMP(environment.openmpLibrary))
      return std::move(error);
  auto symbols = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!symbols)
    return symbols.takeError();
  (*jit)->getMainJITDylib().addGenerator(std::move(*symbols));
  if (llvm::Error error = defineSymbols(**jit, environment.symbols))
    return std::move(error);
  return std::move(*jit);
}

llvm::Expected<std::unique_ptr<HostCode>>
HostCode::load(StringRef object, const Environment &environment) {
  auto jit = createJIT(environment);
  if (!jit)
    return jit.takeError();
  std::unique_ptr<HostCode> code(new HostCode());
  code->jit = std::move(*jit);
  if (llvm::Error error = code->jit->addObjectFile(
          llvm::MemoryBuffer::getMemBufferCopy(object, "norm-jit")))
    return std::move(error);
  return code;
}

llvm::Expected<void (*)(void **)> HostCode::lookup(StringRef function) {
  auto address = jit->lookup((kPackedPrefix + function).str());
  if (!address)
    return address.takeError();
  return address->toPtr<void (*)(void **)>();
}
