//===- CHeader.cpp - a C header for compiled functions --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Compiler/CHeader.h"
#include "NVVM/GPUHost.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/DebugStringHelper.h"
#include "norm/Compiler/Codegen.h"
#include "norm/IR/Norm.h"
#include "norm/Normalize/ElementStorage.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::norm;

/// Returns C's type of a scalar, and of a part of a complex one; empty if there
/// is none. Floats of 8 and 16 bits are passed as bits.
static std::string getCType(Type type) {
  if (type.isF64())
    return "double";
  if (type.isF32())
    return "float";
  if (type.isIndex())
    return "intptr_t";
  if (type.isInteger(1))
    return "bool";
  unsigned width = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  bool isBits = isa<FloatType>(type) && width <= 16;
  if (!llvm::is_contained({8u, 16u, 32u, 64u}, width) ||
      (isa<FloatType>(type) && !isBits))
    return {};
  return (isBits || type.isUnsignedInteger() ? "uint" : "int") +
         std::to_string(width) + "_t";
}

/// Returns the part of a complex number that C can name; null for others.
static Type getPart(Type type) {
  auto number = dyn_cast<ComplexType>(type);
  if (!number)
    return {};
  Type part = number.getElementType();
  return part.isF32() || part.isF64() ? part : Type();
}

bool norm::hasCType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return getPart(type) || !getCType(type).empty();
  // C has no float of 8 bits, but a descriptor of its bytes.
  Type element = tensor.getElementType();
  bool isByte = isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
  return isByte || getPart(element) || isNativeElement(element);
}

static void printDescriptor(int64_t rank, raw_ostream &os) {
  os << "#ifndef NORM_MEMREF_" << rank << "D\n#define NORM_MEMREF_" << rank
     << "D\ntypedef struct {\n  void *allocated;\n  void *aligned;\n"
        "  intptr_t offset; /* in elements */\n";
  if (rank > 0)
    os << "  intptr_t sizes[" << rank << "];\n  intptr_t strides[" << rank
       << "]; /* in elements */\n";
  os << "} norm_memref_" << rank << "d;\n#endif\n\n";
}

/// Returns the types with nothing in them that begins or ends a comment.
static std::string getComment(FunctionType function) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(function.getInputs(), os);
  os << ") -> (";
  llvm::interleaveComma(function.getResults(), os);
  os << ')';
  for (StringRef mark : {"*/", "/*"})
    for (size_t i = 0; (i = text.find(mark, i)) != std::string::npos;)
      text.insert(i + 1, " ");
  return text;
}

static void printResultStruct(StringRef name, FunctionType function,
                              raw_ostream &os) {
  os << "typedef struct {\n";
  for (auto [i, type] : llvm::enumerate(function.getResults())) {
    if (isa<TensorType>(type))
      continue;
    if (Type part = getPart(type))
      os << "  struct {\n    " << getCType(part) << " real, imag;\n  }";
    else
      os << "  " << getCType(type);
    os << " result" << i << ";\n";
  }
  os << "} norm_results_" << name << ";\n";
}

static void printPrototype(StringRef name, FunctionType function,
                           raw_ostream &os) {
  SmallVector<std::string> parameters;
  std::string result = "void";
  os << "/* " << name << getComment(function) << " */\n";
  SmallVector<Type> scalars = getScalars(function.getResults());
  if (isWrittenToStruct(scalars)) {
    printResultStruct(name, function, os);
    parameters.push_back(("norm_results_" + name + " *results").str());
  }
  auto add = [&](ShapedType type, StringRef pointer, const Twine &name) {
    parameters.push_back(
        (pointer + "norm_memref_" + Twine(type.getRank()) + "d *" + name)
            .str());
  };
  for (auto [i, type] : llvm::enumerate(function.getInputs())) {
    std::string argument = "arg" + std::to_string(i);
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      add(tensor, "const ", argument);
    } else if (auto written = dyn_cast<MemRefType>(type)) {
      add(written, "", argument);
    } else if (Type part = getPart(type)) {
      parameters.push_back(getCType(part) + " " + argument + "_real");
      parameters.push_back(getCType(part) + " " + argument + "_imag");
    } else {
      parameters.push_back(getCType(type) + " " + argument);
    }
  }
  for (auto [i, type] : llvm::enumerate(function.getResults())) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      add(tensor, "", "result" + Twine(i));
    else if (!isWrittenToStruct(scalars))
      result = getCType(type);
  }
  os << result << " _mlir_ciface_" << name << '('
     << (parameters.empty() ? "void" : llvm::join(parameters, ", "))
     << ");\n\n";
}

/// Prints `declarations` with a guard that other declarations do not have,
/// whatever the files are called.
static void printFile(StringRef about, StringRef declarations,
                      raw_ostream &os) {
  std::string guard =
      "NORM_" + llvm::utohexstr(llvm::xxh3_64bits(declarations)) + "_H";
  os << about << "#ifndef " << guard << "\n#define " << guard
     << "\n\n#include <stdbool.h>\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << declarations << "#ifdef __cplusplus\n}\n#endif\n#endif /* " << guard
     << " */\n";
}

/// Declares descriptors from rank 0 to the highest of `functions`.
static void printDescriptors(ArrayRef<FunctionType> functions,
                             raw_ostream &os) {
  int64_t highest = 0;
  for (FunctionType function : functions)
    for (Type type :
         llvm::concat<const Type>(function.getInputs(), function.getResults()))
      if (auto shaped = dyn_cast<ShapedType>(type))
        highest = std::max(highest, shaped.getRank());
  for (int64_t rank = 0; rank <= highest; ++rank)
    printDescriptor(rank, os);
}

/// Reports a function whose name C cannot have.
static LogicalResult checkName(func::FuncOp function) {
  StringRef name = function.getName();
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (!name.empty() && llvm::all_of(name, isPart) &&
      !llvm::isDigit(name.front()))
    return success();
  return function.emitError("the name '")
         << name << "' is no identifier of C: rename the function for a header";
}

LogicalResult norm::printCHeader(ModuleOp module, raw_ostream &os) {
  SmallVector<func::FuncOp> functions;
  SmallVector<FunctionType> types;
  for (func::FuncOp function : norm::getExports(module)) {
    if (failed(checkName(function)))
      return failure();
    functions.push_back(function);
    types.push_back(getCallType(function));
    for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                              function.getResultTypes()))
      if (!hasCType(type))
        return function.emitError("type ")
               << debugString(type) << " has no C equivalent";
  }
  std::string text;
  llvm::raw_string_ostream declarations(text);
  printDescriptors(types, declarations);
  for (auto [function, type] : llvm::zip(functions, types))
    printPrototype(function.getName(), type, declarations);
  printFile("/* Generated by norm-compile. Results are written to the "
            "trailing\n * buffers, which the caller provides. One number is "
            "returned; several, and a\n * complex one, are written to the "
            "struct whose address comes first. Floats of\n * 8 and 16 bits "
            "are passed as bits. */\n",
            text, os);
  return success();
}

/// What an artifact for a GPU exports beside its functions.
static constexpr char kGPURuntime[] = {
#embed "../../runtime/cuda/Codes.h"
    , '\n', 0};

static void printLaunchPrototype(const LaunchFunction &function,
                                 raw_ostream &os) {
  SmallVector<std::string> parameters;
  auto add = [&](Type type, const std::string &name, StringRef pointer) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return parameters.push_back(getCType(type) + " " + name);
    parameters.push_back(pointer.str() + name);
    for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
      if (tensor.isDynamicDim(dim))
        parameters.push_back("int64_t " + name + "_dim" + std::to_string(dim));
  };
  for (auto [i, type] : llvm::enumerate(function.type.getInputs()))
    add(type, "arg" + std::to_string(i), "const void *");
  for (auto [i, type] : llvm::enumerate(function.type.getResults()))
    add(type, "result" + std::to_string(i), "void *");
  parameters.push_back("void *stream");
  os << "int32_t " << function.name << "_launch("
     << llvm::join(parameters, ", ") << ");\nextern const char "
     << function.name << "_signature[];\n";
}

LogicalResult norm::printGPUHeader(ModuleOp module, raw_ostream &os) {
  auto functions = collectLaunchFunctions(module);
  if (failed(functions))
    return failure();
  for (const LaunchFunction &function : *functions)
    if (failed(checkName(module.lookupSymbol<func::FuncOp>(function.name))))
      return failure();
  std::string text;
  llvm::raw_string_ostream declarations(text);
  SmallVector<FunctionType> types;
  for (const LaunchFunction &function : *functions)
    types.push_back(function.type);
  printDescriptors(types, declarations);
  declarations << kGPURuntime;
  for (const LaunchFunction &function : *functions) {
    printPrototype(function.name, function.type, declarations);
    printLaunchPrototype(function, declarations);
    declarations << "\n";
  }
  printFile("/* Generated by norm-compile. Tensors are row-major device "
            "memory; results\n * are written to the trailing ones, which the "
            "caller provides. f_launch puts its\n * kernels on a CUstream of "
            "the current context, does not wait for them, and\n * returns a "
            "norm_gpu_code. */\n",
            text, os);
  return success();
}
