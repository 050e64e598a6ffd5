//===- TVMFFI.cpp - functions that the TVM FFI calls ----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TVMFFI.h"
#include "mlir/Support/DebugStringHelper.h"
#include "norm/Compiler/Codegen.h"
#include "norm/Compiler/ShapeFunctions.h"
#include "llvm/IR/IRBuilder.h"
#include <dlpack/dlpack.h>

using namespace mlir;
using namespace mlir::norm;

/// The bitcode of runtime/cpu/TVMFFI.cpp.
static const unsigned char kRuntime[] = {
#include "TVMFFI.inc"
};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
/// An element type as DLPack has it.
struct DLPackType {
  uint8_t code, bits;
  std::string name; ///< such as float32
};
} // namespace

/// Returns nullopt for a type that DLPack or the code here does not have.
static std::optional<DLPackType> getDLPackType(Type type) {
  if (type.isInteger(1))
    return DLPackType{kDLBool, 8, "bool"};
  if (type.isBF16())
    return DLPackType{kDLBfloat, 16, "bfloat16"};
  if (isa<Float8E4M3FNType>(type))
    return DLPackType{kDLFloat8_e4m3fn, 8, "float8_e4m3fn"};
  if (isa<Float8E5M2Type>(type))
    return DLPackType{kDLFloat8_e5m2, 8, "float8_e5m2"};
  if (!isa<IntegerType, Float16Type, Float32Type, Float64Type>(type))
    return std::nullopt;
  unsigned bits = type.getIntOrFloatBitWidth();
  if (!llvm::is_contained({8, 16, 32, 64}, bits))
    return std::nullopt;
  std::string width = std::to_string(bits);
  if (isa<FloatType>(type))
    return DLPackType{kDLFloat, uint8_t(bits), "float" + width};
  if (type.isUnsignedInteger())
    return DLPackType{kDLUInt, uint8_t(bits), "uint" + width};
  return DLPackType{kDLInt, uint8_t(bits), "int" + width};
}

static bool isPassed(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding() &&
         getDLPackType(tensor.getElementType());
}

FailureOr<SmallVector<TVMFFIFunction>>
mlir::norm::collectTVMFFIFunctions(ModuleOp module) {
  SmallVector<TVMFFIFunction> functions;
  for (func::FuncOp function : norm::getExports(module)) {
    for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                              function.getResultTypes()))
      if (!isPassed(type))
        return function.emitError("--entry=tvm-ffi passes tensors of f64, f32, "
                                  "f16, bf16, f8E4M3FN, f8E5M2 and integers, "
                                  "not ")
               << debugString(type);
    functions.push_back({function.getName().str(), function.getFunctionType()});
  }
  return functions;
}

/// Returns the type as in float32[?, 64].
static std::string getText(RankedTensorType type) {
  std::string text = getDLPackType(type.getElementType())->name + "[";
  for (auto [d, extent] : llvm::enumerate(type.getShape()))
    text += (d ? ", " : "") + (ShapedType::isDynamic(extent)
                                   ? std::string("?")
                                   : std::to_string(extent));
  return text + "]";
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

namespace {
/// Builds the entry of one function. Constants have the layouts of
/// runtime/cpu/TVMFFI.h.
class EntryBuilder {
public:
  EntryBuilder(llvm::Module &module, const TVMFFIFunction &function)
      : module(module), function(function), b(module.getContext()),
        pointer(b.getPtrTy()) {}
  void build();

private:
  llvm::Constant *addConstant(llvm::Constant *value);
  llvm::Constant *buildParameter(RankedTensorType type);
  llvm::Constant *buildPacked(StringRef name);
  llvm::Constant *buildDescription();

  llvm::Module &module;
  const TVMFFIFunction &function;
  llvm::IRBuilder<> b;
  llvm::PointerType *pointer;
};
} // namespace

llvm::Constant *EntryBuilder::addConstant(llvm::Constant *value) {
  return new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, value);
}

/// Returns a Parameter.
llvm::Constant *EntryBuilder::buildParameter(RankedTensorType type) {
  llvm::LLVMContext &context = module.getContext();
  SmallVector<uint64_t> shape;
  for (int64_t extent : type.getShape())
    shape.push_back(ShapedType::isDynamic(extent) ? -1 : extent);
  DLPackType element = *getDLPackType(type.getElementType());
  return llvm::ConstantStruct::getAnon(
      {addConstant(llvm::ConstantDataArray::getString(context, getText(type))),
       addConstant(llvm::ConstantDataArray::get(context, shape)),
       b.getInt32(type.getRank()), b.getInt8(element.code),
       b.getInt8(element.bits)});
}

/// Returns a function that calls the C interface `name` on addresses.
llvm::Constant *EntryBuilder::buildPacked(StringRef name) {
  llvm::Function *body = module.getFunction(("_mlir_ciface_" + name).str());
  return addPackedEntry(*body, name + ".packed", {});
}

/// Returns the address of a Function.
llvm::Constant *EntryBuilder::buildDescription() {
  SmallVector<llvm::Constant *> parameters;
  int64_t numExtents = 0;
  for (Type type : llvm::concat<const Type>(function.type.getInputs(),
                                            function.type.getResults()))
    parameters.push_back(buildParameter(cast<RankedTensorType>(type)));
  for (Type type : function.type.getResults())
    numExtents += cast<RankedTensorType>(type).getNumDynamicDims();
  llvm::Constant *getExtents = llvm::ConstantPointerNull::get(pointer);
  if (hasShapeFunction(function.type, ExtentChecks::Assert))
    getExtents = buildPacked(function.name + kShapeFunctionSuffix.str());
  llvm::Constant *table = llvm::ConstantPointerNull::get(pointer);
  if (!parameters.empty())
    table = addConstant(llvm::ConstantArray::get(
        llvm::ArrayType::get(parameters.front()->getType(), parameters.size()),
        parameters));
  return addConstant(llvm::ConstantStruct::getAnon(
      {table, b.getInt32(function.type.getNumInputs()),
       b.getInt32(function.type.getNumResults()), buildPacked(function.name),
       getExtents, b.getInt64(std::max<int64_t>(numExtents, 1))}));
}

/// Builds int __tvm_ffi_f(void *handle, Any *arguments, int32_t count, Any
/// *result). The result stays none.
void EntryBuilder::build() {
  std::string name = "__tvm_ffi_" + function.name;
  if (llvm::GlobalValue *taken = module.getNamedValue(name))
    taken->setName(name + ".internal");
  llvm::Type *i32 = b.getInt32Ty();
  auto *entry = llvm::Function::Create(
      llvm::FunctionType::get(i32, {pointer, pointer, i32, pointer}, false),
      llvm::GlobalValue::ExternalLinkage, name, module);
  entry->addFnAttr(kExportAttribute);
  llvm::Constant *description = buildDescription();
  b.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "entry", entry));
  auto call = module.getOrInsertFunction(
      "norm_tvm_ffi_call",
      llvm::FunctionType::get(i32, {pointer, pointer, i32}, false));
  b.CreateRet(
      b.CreateCall(call, {description, entry->getArg(1), entry->getArg(2)}));
}

//===----------------------------------------------------------------------===//
// Runtime
//===----------------------------------------------------------------------===//

/// Lets failed assertions return to the runtime.
static void replaceAbort(llvm::Module &module) {
  static constexpr std::pair<StringLiteral, StringLiteral> names[] = {
      {"write", "norm_tvm_ffi_write"}, {"abort", "norm_tvm_ffi_leave"}};
  for (auto [name, replacement] : names)
    if (llvm::Function *old = module.getFunction(name);
        old && old->isDeclaration())
      old->replaceAllUsesWith(
          module.getOrInsertFunction(replacement, old->getFunctionType())
              .getCallee());
}

llvm::Error mlir::norm::addTVMFFIEntries(llvm::Module &module,
                                         ArrayRef<TVMFFIFunction> functions) {
  for (const TVMFFIFunction &function : functions)
    EntryBuilder(module, function).build();
  replaceAbort(module);
  if (llvm::Error error = linkRuntime(module, kRuntime))
    return error;
  for (const TVMFFIFunction &function : functions)
    if (llvm::Function *extents = module.getFunction(
            ("_mlir_ciface_" + function.name + kShapeFunctionSuffix).str()))
      extents->setName(function.name + ".extents"); // it becomes internal
  return llvm::Error::success();
}
