//===- GPUHost.cpp - C functions that launch kernels ----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUHost.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "norm/Compiler/CHeader.h"
#include "norm/Compiler/Codegen.h"
#include "norm/IR/Norm.h"
#include "norm/Normalize/ElementStorage.h"
#include "llvm/IR/IRBuilder.h"

using namespace mlir;
using namespace mlir::norm;

/// The bitcode of runtime/cuda/Runtime.cpp.
static const unsigned char kRuntime[] = {
#include "CudaRuntime.inc"
};

/// Kernels take no complex number, and no narrow float by itself.
static bool isPassed(Type type) {
  if (isa<ComplexType>(getElementTypeOrSelf(type)) || !hasCType(type))
    return false;
  return isa<RankedTensorType>(type) || !isa<FloatType>(type) ||
         type.getIntOrFloatBitWidth() >= 32;
}

FailureOr<SmallVector<LaunchFunction>>
norm::collectLaunchFunctions(ModuleOp module) {
  SmallVector<LaunchFunction> functions;
  for (func::FuncOp function : norm::getExports(module)) {
    for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                              function.getResultTypes())) {
      if (!isPassed(type))
        return function.emitError("type ")
               << debugString(type) << " has no C equivalent";
    }
    for (Type type : function.getResultTypes())
      if (!isa<RankedTensorType>(type))
        return function.emitError("a launch does not wait for its kernels, so "
                                  "it cannot return a ")
               << debugString(type) << ": return a tensor";
    functions.push_back({function.getName().str(), function.getFunctionType()});
  }
  return functions;
}

namespace {
/// Builds the functions that launch one function of the program.
class LaunchBuilder {
public:
  LaunchBuilder(llvm::Module &module, const LaunchFunction &function)
      : module(module), function(function), b(module.getContext()),
        integer(b.getInt64Ty()), pointer(b.getPtrTy()),
        bufferType(llvm::StructType::get(pointer, integer, integer, integer)) {
    llvm::append_range(types, function.type.getInputs());
    llvm::append_range(types, function.type.getResults());
  }
  void build();

private:
  llvm::Function *createFunction(const Twine &name, llvm::Type *result,
                                 ArrayRef<llvm::Type *> parameters);
  llvm::FunctionCallee getRuntime(StringRef name, llvm::Type *result,
                                  ArrayRef<llvm::Type *> parameters);
  llvm::StructType *getDescriptorType(int64_t rank);
  void buildLaunch(llvm::Function *body);
  void buildInterface(llvm::FunctionType *type);
  void buildSignature();
  llvm::Value *buildDescriptor(RankedTensorType type, llvm::Value *data,
                               ArrayRef<llvm::Value *> extents);
  void fillBuffer(llvm::Value *buffer, RankedTensorType type, llvm::Value *data,
                  ArrayRef<llvm::Value *> extents);

  llvm::Module &module;
  const LaunchFunction &function;
  llvm::IRBuilder<> b;
  llvm::Type *integer, *pointer;
  llvm::StructType *bufferType; ///< norm_gpu_buffer
  SmallVector<Type> types;      ///< arguments, then results
  llvm::Function *launch = nullptr;
};
} // namespace

/// Creates an exported function; an internal one of that name is renamed.
llvm::Function *
LaunchBuilder::createFunction(const Twine &name, llvm::Type *result,
                              ArrayRef<llvm::Type *> parameters) {
  std::string text = name.str();
  if (llvm::GlobalValue *taken = module.getNamedValue(text))
    taken->setName(text + ".internal");
  auto *created = llvm::Function::Create(
      llvm::FunctionType::get(result, parameters, /*isVarArg=*/false),
      llvm::GlobalValue::ExternalLinkage, text, module);
  created->addFnAttr(kExportAttribute);
  b.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "entry", created));
  return created;
}

llvm::FunctionCallee
LaunchBuilder::getRuntime(StringRef name, llvm::Type *result,
                          ArrayRef<llvm::Type *> parameters) {
  return module.getOrInsertFunction(
      name, llvm::FunctionType::get(result, parameters, /*isVarArg=*/false));
}

llvm::StructType *LaunchBuilder::getDescriptorType(int64_t rank) {
  SmallVector<llvm::Type *> fields{pointer, pointer, integer};
  if (rank > 0)
    fields.append(2, llvm::ArrayType::get(integer, rank));
  return llvm::StructType::get(module.getContext(), fields);
}

/// Builds a row-major memref descriptor on the stack.
llvm::Value *LaunchBuilder::buildDescriptor(RankedTensorType type,
                                            llvm::Value *data,
                                            ArrayRef<llvm::Value *> extents) {
  llvm::StructType *layout = getDescriptorType(type.getRank());
  llvm::Value *descriptor = b.CreateAlloca(layout);
  auto store = [&](llvm::Value *value, ArrayRef<unsigned> path) {
    SmallVector<llvm::Value *> indices{b.getInt32(0)};
    for (unsigned i : path)
      indices.push_back(b.getInt32(i));
    b.CreateStore(value, b.CreateInBoundsGEP(layout, descriptor, indices));
  };
  store(data, {0});
  store(data, {1});
  store(b.getInt64(0), {2});
  llvm::Value *stride = b.getInt64(1);
  for (unsigned i = type.getRank(); i-- > 0;) {
    store(extents[i], {3, i});
    store(stride, {4, i});
    stride = b.CreateMul(stride, extents[i]);
  }
  return descriptor;
}

/// Fills the buffer that norm_gpu_begin checks for a tensor.
void LaunchBuilder::fillBuffer(llvm::Value *buffer, RankedTensorType type,
                               llvm::Value *data,
                               ArrayRef<llvm::Value *> extents) {
  llvm::Value *elements = b.getInt64(1), *least = b.getInt64(0);
  for (llvm::Value *extent : extents) {
    elements = b.CreateMul(elements, extent);
    least = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, least, extent);
  }
  llvm::Value *fields[] = {
      data, elements, least,
      b.getInt64(norm::getElementBytes(type.getElementType()))};
  for (auto [i, field] : llvm::enumerate(fields))
    b.CreateStore(field, b.CreateStructGEP(bufferType, buffer, i));
}

/// Builds int32_t f_launch(<pointer, dynamic extents...>..., void *stream).
void LaunchBuilder::buildLaunch(llvm::Function *body) {
  SmallVector<llvm::Type *> parameters;
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    parameters.push_back(tensor ? pointer
                                : body->getFunctionType()->getParamType(i));
    if (tensor)
      parameters.append(tensor.getNumDynamicDims(), integer);
  }
  parameters.push_back(pointer);
  launch =
      createFunction(function.name + "_launch", b.getInt32Ty(), parameters);
  unsigned count = llvm::count_if(
      types, [](Type type) { return isa<RankedTensorType>(type); });
  llvm::Value *buffers = b.CreateAlloca(bufferType, b.getInt32(count));
  SmallVector<llvm::Value *> operands;
  auto *argument = launch->arg_begin();
  unsigned position = 0;
  for (Type type : types) {
    llvm::Value *value = argument++;
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      SmallVector<llvm::Value *> extents;
      for (int64_t extent : tensor.getShape())
        extents.push_back(ShapedType::isDynamic(extent)
                              ? static_cast<llvm::Value *>(argument++)
                              : b.getInt64(extent));
      fillBuffer(b.CreateConstInBoundsGEP1_32(bufferType, buffers, position++),
                 tensor, value, extents);
      value = buildDescriptor(tensor, value, extents);
    }
    operands.push_back(value);
  }
  llvm::Value *code = b.CreateCall(
      getRuntime("norm_gpu_begin", b.getInt32Ty(),
                 {pointer, pointer, b.getInt32Ty()}),
      {static_cast<llvm::Value *>(argument), buffers, b.getInt32(count)});
  llvm::LLVMContext &context = module.getContext();
  auto *run = llvm::BasicBlock::Create(context, "run", launch);
  auto *rejected = llvm::BasicBlock::Create(context, "rejected", launch);
  b.CreateCondBr(b.CreateIsNull(code), run, rejected);
  b.SetInsertPoint(rejected);
  b.CreateRet(code);
  b.SetInsertPoint(run);
  b.CreateCall(body, operands);
  b.CreateRet(b.CreateCall(getRuntime("norm_gpu_end", b.getInt32Ty(), {})));
}

/// Builds void _mlir_ciface_f(<descriptors and scalars>), which calls f_launch
/// on the stream of the thread.
void LaunchBuilder::buildInterface(llvm::FunctionType *type) {
  llvm::Function *interface = createFunction("_mlir_ciface_" + function.name,
                                             b.getVoidTy(), type->params());
  SmallVector<llvm::Value *> operands;
  for (auto [i, type] : llvm::enumerate(types)) {
    llvm::Value *argument = interface->getArg(i);
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      operands.push_back(argument);
      continue;
    }
    llvm::StructType *layout = getDescriptorType(tensor.getRank());
    auto load = [&](llvm::Type *type, ArrayRef<llvm::Value *> indices) {
      return b.CreateLoad(type, b.CreateInBoundsGEP(layout, argument, indices));
    };
    auto *zero = b.getInt32(0);
    llvm::Value *offset =
        b.CreateMul(load(integer, {zero, b.getInt32(2)}),
                    b.getInt64(norm::getElementBytes(tensor.getElementType())));
    operands.push_back(b.CreateGEP(
        b.getInt8Ty(), load(pointer, {zero, b.getInt32(1)}), offset));
    for (auto [dim, extent] : llvm::enumerate(tensor.getShape()))
      if (ShapedType::isDynamic(extent))
        operands.push_back(load(
            integer, {zero, b.getInt32(3), b.getInt32(static_cast<int>(dim))}));
  }
  operands.push_back(b.CreateCall(getRuntime("norm_gpu_stream", pointer, {})));
  b.CreateCall(launch, operands);
  b.CreateRetVoid();
}

/// Builds the type of f, for callers that look it up at run time.
void LaunchBuilder::buildSignature() {
  auto *text = llvm::ConstantDataArray::getString(module.getContext(),
                                                  debugString(function.type));
  std::string name = function.name + "_signature";
  if (llvm::GlobalValue *taken = module.getNamedValue(name))
    taken->setName(name + ".internal");
  new llvm::GlobalVariable(module, text->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, text, name);
}

void LaunchBuilder::build() {
  std::string name = "_mlir_ciface_" + function.name;
  llvm::Function *body = module.getFunction(name);
  body->setName(function.name + ".body"); // it becomes internal
  buildLaunch(body);
  buildInterface(body->getFunctionType());
  buildSignature();
}

/// Adds a norm_gpu_description of runtime/cuda/Runtime.h.
static llvm::GlobalVariable *addDescription(llvm::Module &module,
                                            StringRef chip, StringRef cubin) {
  llvm::IRBuilder<> b(module.getContext());
  auto addBytes = [&](StringRef bytes, bool isText) -> llvm::Constant * {
    auto *data = llvm::ConstantDataArray::getString(module.getContext(), bytes,
                                                    /*AddNull=*/isText);
    auto *global =
        new llvm::GlobalVariable(module, data->getType(), /*isConstant=*/true,
                                 llvm::GlobalValue::PrivateLinkage, data);
    global->setAlignment(llvm::Align(64)); // it is an ELF image
    return global;
  };
  llvm::Constant *null = llvm::ConstantPointerNull::get(b.getPtrTy());
  auto *value = llvm::ConstantStruct::getAnon(
      {cubin.empty() ? null : addBytes(cubin, /*isText=*/false),
       addBytes(chip, /*isText=*/true)});
  return new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::ExternalLinkage, value,
                                  "norm_gpu_description");
}

llvm::Error norm::addGPUHost(llvm::Module &module,
                             ArrayRef<LaunchFunction> functions, StringRef chip,
                             StringRef cubin) {
  for (const LaunchFunction &function : functions)
    LaunchBuilder(module, function).build();
  llvm::GlobalVariable *description = addDescription(module, chip, cubin);
  if (llvm::Error error = linkRuntime(module, kRuntime))
    return error;
  description->setLinkage(llvm::GlobalValue::InternalLinkage);
  return llvm::Error::success();
}
