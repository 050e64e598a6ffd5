//===- CompiledModule.cpp - compile in memory and call --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/ExecutionEngine/CompiledModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/DebugStringHelper.h"
#include "mlir/Transforms/Passes.h"
#include "norm/Compiler/Target.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace mlir;
using namespace mlir::norm;

CompiledModule::CompiledModule() = default;
CompiledModule::~CompiledModule() = default;

static constexpr llvm::StringLiteral kPackedPrefix = "_norm_packed_";

static bool hasDynamicResult(func::FuncOp function) {
  return llvm::any_of(function.getResultTypes(), [](Type type) {
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

static LogicalResult prepare(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  pm.addPass(createCanonicalizerPass());
  return pm.run(module);
}

/// Defines the target's runtime symbols, which this program does not export.
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

static llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
createJIT(const HostRuntime &runtime, bool openmp) {
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  if (openmp) {
    std::string message;
    if (llvm::sys::DynamicLibrary::LoadLibraryPermanently(
            NORM_LLVM_LIBRARY_DIR "/libomp.so.5", &message))
      return llvm::createStringError("OpenMP's library: " + message);
  }
  auto symbols = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!symbols)
    return symbols.takeError();
  (*jit)->getMainJITDylib().addGenerator(std::move(*symbols));
  if (llvm::Error error = defineSymbols(**jit, runtime.symbols))
    return std::move(error);
  return std::move(*jit);
}

FailureOr<std::unique_ptr<CompiledModule>>
CompiledModule::compile(ModuleOp source, const CompileOptions &options) {
  auto fail = [&](llvm::Error error) {
    return source.emitError(llvm::toString(std::move(error)));
  };
  auto target = lookupTarget(options.target);
  if (!target)
    return fail(target.takeError());
  std::unique_ptr<CompiledModule> compiled(new CompiledModule());
  compiled->runtime = (*target)->getHostRuntime();
  if (!compiled->runtime)
    return source.emitError("code for ")
           << options.target << " does not run in this process";
  // The functions of shapes need it, even if the program has no such op.
  source.getContext()
      ->loadDialect<arith::ArithDialect, tensor::TensorDialect>();
  OwningOpRef<ModuleOp> module(source.clone());
  for (auto function : llvm::to_vector(module->getOps<func::FuncOp>())) {
    if (!function.isPublic() || function.isExternal())
      continue;
    compiled->functions[function.getName()] = function.getFunctionType();
    if (hasDynamicResult(function))
      addShapeFunction(function);
  }
  CompileOptions local = options;
  if (local.machine.cpu.empty())
    local.machine.cpu = "native";
  auto machine = createTargetMachine(local.machine);
  if (!machine)
    return fail(machine.takeError());
  if (failed(prepare(*module)) || failed(lowerModule(*module, **target, local)))
    return failure();

  llvm::LLVMContext context;
  (*machine)->setOptLevel(compiled->runtime->optLevel);
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
  auto jit = createJIT(*compiled->runtime, options.threads > 1);
  if (!jit)
    return fail(jit.takeError());
  compiled->jit = std::move(*jit);
  if (llvm::Error error =
          compiled->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(
              StringRef(object.data(), object.size()), "norm-jit")))
    return fail(std::move(error));
  return compiled;
}

FunctionType CompiledModule::getFunctionType(StringRef function) const {
  return functions.lookup(function);
}

llvm::Expected<void (*)(void **)> CompiledModule::lookup(StringRef function) {
  auto address = jit->lookup((kPackedPrefix + function).str());
  if (!address)
    return address.takeError();
  return address->toPtr<void (*)(void **)>();
}

/// Creates a descriptor: allocated, aligned, offset, sizes, strides.
static std::unique_ptr<int64_t[]> makeDescriptor(HostTensor &tensor) {
  size_t rank = tensor.getShape().size();
  auto words = std::make_unique<int64_t[]>(3 + 2 * rank);
  words[0] = words[1] = reinterpret_cast<intptr_t>(tensor.getData());
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    words[3 + i] = tensor.getShape()[i];
    words[3 + rank + i] = stride;
    stride *= tensor.getShape()[i];
  }
  return words;
}

static llvm::Error checkTensor(const HostTensor &tensor, Type type,
                               const Twine &what) {
  auto shaped = dyn_cast<ShapedType>(type);
  Type element = shaped ? shaped.getElementType() : type;
  ArrayRef<int64_t> shape = shaped ? shaped.getShape() : ArrayRef<int64_t>();
  if (tensor.getElementType() == element &&
      succeeded(verifyCompatibleShape(tensor.getShape(), shape)))
    return llvm::Error::success();
  return llvm::createStringError(what + " does not fit " + debugString(type));
}

llvm::Expected<CompiledModule::Invocation>
CompiledModule::bind(StringRef function, ArrayRef<HostTensor *> inputs,
                     ArrayRef<HostTensor *> outputs) {
  FunctionType type = getFunctionType(function);
  if (!type)
    return llvm::createStringError("no public function '" + function + "'");
  if (inputs.size() != type.getNumInputs() ||
      outputs.size() != type.getNumResults())
    return llvm::createStringError(
        "function '" + function + "' takes " + Twine(type.getNumInputs()) +
        " inputs and has " + Twine(type.getNumResults()) + " results, got " +
        Twine(inputs.size()) + " and " + Twine(outputs.size()));
  Invocation invocation;
  auto add = [&](HostTensor &tensor, Type type) {
    if (!isa<ShapedType>(type)) {
      invocation.arguments.push_back(tensor.getData());
      return;
    }
    invocation.storage.push_back(makeDescriptor(tensor));
    invocation.arguments.push_back(invocation.storage.back().get());
  };
  for (auto [i, tensor] : llvm::enumerate(inputs)) {
    if (llvm::Error error =
            checkTensor(*tensor, type.getInput(i), "input " + Twine(i)))
      return std::move(error);
    add(*tensor, type.getInput(i));
  }
  SmallVector<HostTensor *> scalars;
  for (auto [i, tensor] : llvm::enumerate(outputs)) {
    if (llvm::Error error =
            checkTensor(*tensor, type.getResult(i), "output " + Twine(i)))
      return std::move(error);
    if (isa<TensorType>(type.getResult(i)))
      add(*tensor, type.getResult(i));
    else
      scalars.push_back(tensor);
  }
  if (scalars.size() > 1)
    return llvm::createStringError("function '" + function +
                                   "' has more than one scalar result");
  if (!scalars.empty())
    invocation.arguments.push_back(scalars.front()->getData());
  auto entry = lookup(function);
  if (!entry)
    return entry.takeError();
  invocation.entry = *entry;
  return invocation;
}

llvm::Expected<SmallVector<HostTensor>>
CompiledModule::createOutputs(StringRef function,
                              ArrayRef<HostTensor *> inputs) {
  FunctionType type = getFunctionType(function);
  if (!type)
    return llvm::createStringError("no public function '" + function + "'");
  int64_t numDynamic = 0;
  for (Type result : type.getResults())
    if (auto tensor = dyn_cast<RankedTensorType>(result))
      numDynamic += tensor.getNumDynamicDims();
  HostTensor extents(IndexType::get(type.getContext()), {numDynamic});
  if (numDynamic > 0) {
    auto entry = lookup((function + kShapeFunctionSuffix).str());
    if (!entry)
      return entry.takeError();
    SmallVector<void *> arguments;
    std::vector<std::unique_ptr<int64_t[]>> descriptors;
    for (auto [tensor, input] : llvm::zip(inputs, type.getInputs())) {
      if (!isa<ShapedType>(input)) {
        arguments.push_back(tensor->getData());
        continue;
      }
      descriptors.push_back(makeDescriptor(*tensor));
      arguments.push_back(descriptors.back().get());
    }
    descriptors.push_back(makeDescriptor(extents));
    arguments.push_back(descriptors.back().get());
    (*entry)(arguments.data());
  }
  SmallVector<HostTensor> outputs;
  auto *next = reinterpret_cast<const int64_t *>(extents.getData());
  for (Type result : type.getResults()) {
    auto tensor = dyn_cast<RankedTensorType>(result);
    SmallVector<int64_t> shape;
    if (tensor)
      for (int64_t extent : tensor.getShape())
        shape.push_back(ShapedType::isDynamic(extent) ? *next++ : extent);
    auto output = HostTensor::create(getElementTypeOrSelf(result), shape);
    if (!output)
      return output.takeError();
    outputs.push_back(std::move(*output));
  }
  return outputs;
}

llvm::Expected<SmallVector<HostTensor>>
CompiledModule::call(StringRef function, ArrayRef<HostTensor *> inputs) {
  auto outputs = createOutputs(function, inputs);
  if (!outputs)
    return outputs.takeError();
  SmallVector<HostTensor *> addresses;
  for (HostTensor &output : *outputs)
    addresses.push_back(&output);
  auto invocation = bind(function, inputs, addresses);
  if (!invocation)
    return invocation.takeError();
  (*invocation)();
  if (const char *message = runtime->takeError())
    return llvm::createStringError(message);
  return outputs;
}
