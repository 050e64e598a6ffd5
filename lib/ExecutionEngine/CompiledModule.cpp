//===- CompiledModule.cpp - compile in memory and call --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/ExecutionEngine/CompiledModule.h"
#include "cpu/Descriptor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "norm/Compiler/Target.h"
#include "norm/IR/Norm.h"

using namespace mlir;
using namespace mlir::norm;

CompiledModule::CompiledModule() = default;
CompiledModule::~CompiledModule() = default;

FailureOr<std::unique_ptr<CompiledModule>>
CompiledModule::compile(ModuleOp source, const CompileOptions &options) {
  auto fail = [&](llvm::Error error) {
    return source.emitError(llvm::toString(std::move(error)));
  };
  auto object = HostCode::compile(source, options, ExtentChecks::Assert);
  if (failed(object))
    return failure();
  std::unique_ptr<CompiledModule> compiled(new CompiledModule());
  compiled->runtime =
      llvm::cantFail(lookupTarget(options.target))->getHostRuntime();
  for (func::FuncOp function : getExports(source))
    compiled->functions[function.getName()] = getCallType(function);
  HostCode::Environment environment;
  environment.symbols = compiled->runtime->symbols;
  if (options.threads > 1)
    environment.openmpLibrary = NORM_LLVM_LIBRARY_DIR "/libomp.so.5";
  auto code =
      HostCode::load(StringRef(object->data(), object->size()), environment);
  if (!code)
    return fail(code.takeError());
  compiled->code = std::move(*code);
  return compiled;
}

FunctionType CompiledModule::getFunctionType(StringRef function) const {
  return functions.lookup(function);
}

llvm::Expected<void (*)(void **)> CompiledModule::lookup(StringRef function) {
  return code->lookup(function);
}

static std::unique_ptr<int64_t[]> makeDescriptor(HostTensor &tensor) {
  ArrayRef<int64_t> shape = tensor.getShape();
  auto words = std::make_unique<int64_t[]>(
      ::norm::cpu::getDescriptorWords(shape.size()));
  ::norm::cpu::writeDescriptor(words.get(), tensor.getData(), shape.data(),
                               shape.size());
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
  for (HostTensor *scalar : scalars)
    invocation.arguments.push_back(scalar->getData());
  auto entry = lookup(function);
  if (!entry)
    return entry.takeError();
  invocation.entry = *entry;
  return invocation;
}

static llvm::Error makeAssertionError(StringRef function, llvm::Error error) {
  return llvm::createStringError(
      "an assertion of function '" + function +
      "' failed: " + llvm::toString(std::move(error)));
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
  // A function that only checks has one extent, which no one reads.
  HostTensor extents(IndexType::get(type.getContext()),
                     {std::max<int64_t>(numDynamic, 1)});
  if (hasShapeFunction(type, ExtentChecks::Assert)) {
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
    if (llvm::Error error = HostCode::call(*entry, arguments.data()))
      return makeAssertionError(function, std::move(error));
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
  if (llvm::Error error =
          HostCode::call(invocation->entry, invocation->arguments.data()))
    return makeAssertionError(function, std::move(error));
  if (const char *message = runtime->takeError())
    return llvm::createStringError(message);
  return outputs;
}
