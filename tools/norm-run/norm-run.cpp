//===- norm-run.cpp - run a function on numpy files -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "norm/ExecutionEngine/CompiledModule.h"
#include "norm/Testing/Numpy.h"
#include "norm/Testing/Targets.h"
#include "norm/Testing/Ulp.h"
#include "norm/Tools/Driver.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::norm;

static int fail(llvm::Error error) {
  llvm::WithColor::error() << llvm::toString(std::move(error)) << "\n";
  return 1;
}

static RankedTensorType asTensor(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor;
  if (auto buffer = dyn_cast<MemRefType>(type))
    return RankedTensorType::get(buffer.getShape(), buffer.getElementType());
  return RankedTensorType::get({}, type);
}

static bool isRanked(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return isa<RankedTensorType>(type) || type.isIntOrIndexOrFloat() ||
         (buffer && buffer.getLayout().isIdentity() &&
          !buffer.getMemorySpace());
}

/// Counts the results and the buffers that the function may write.
static size_t getNumOutputs(FunctionType type) {
  return type.getNumResults() +
         llvm::count_if(type.getInputs(), llvm::IsaPred<MemRefType>);
}

static llvm::Error checkSignature(const Command &command, FunctionType type) {
  for (Type t : llvm::concat<const Type>(type.getInputs(), type.getResults())) {
    if (isRanked(t) && HostTensor::isSupported(asTensor(t).getElementType()))
      continue;
    return llvm::createStringError("function '" + command.functionName +
                                   "' has unsupported type " + debugString(t));
  }
  if (command.inputs.size() != type.getNumInputs())
    return llvm::createStringError("function '" + command.functionName +
                                   "' takes " + Twine(type.getNumInputs()) +
                                   " inputs, got " +
                                   Twine(command.inputs.size()));
  size_t numOutputs = getNumOutputs(type);
  if (!command.expectedOutputs.empty() &&
      command.expectedOutputs.size() != numOutputs)
    return llvm::createStringError(
        "function '" + command.functionName + "' has " + Twine(numOutputs) +
        " results, got " + Twine(command.expectedOutputs.size()) +
        " expected outputs");
  if (command.outputFiles.size() > numOutputs)
    return llvm::createStringError("more --output files than results");
  return llvm::Error::success();
}

/// Prints one line about a result and returns whether it is within the limit.
static llvm::Expected<bool> compare(unsigned index, const HostTensor &actual,
                                    StringRef text, double maxUlp) {
  RankedTensorType actualType =
      RankedTensorType::get(actual.getShape(), actual.getElementType());
  auto expected = text.consume_front("@") ? loadNumpyReference(text, actualType)
                                          : parseTensor(text, actualType);
  if (!expected)
    return expected.takeError();
  UlpReport report = compareTensors(actual, *expected, maxUlp);
  llvm::outs() << "result[" << index << "]: max ulp "
               << llvm::format("%.3g", report.maxUlp) << " over "
               << actual.getNumElements() << " elements";
  if (report.overLimit > 0)
    llvm::outs() << ", " << report.overLimit << " over the limit of "
                 << llvm::format("%g", maxUlp) << ", worst at " << report.worst
                 << ": "
                 << llvm::format("%.9g, expected %.9g", report.actual,
                                 report.expected);
  llvm::outs() << "\n";
  return report.overLimit == 0;
}

static int run(ModuleOp module, const Command &command) {
  Operation *symbol = SymbolTable::lookupSymbolIn(module, command.functionName);
  auto function = dyn_cast_or_null<FunctionOpInterface>(symbol);
  if (!function || !function.isPublic() || function.isExternal())
    return fail(llvm::createStringError(command.inputFile +
                                        ": no public function '" +
                                        command.functionName + "'"));
  auto type = cast<FunctionType>(function.getFunctionType());
  if (llvm::Error error = checkSignature(command, type))
    return fail(std::move(error));

  SmallVector<HostTensor> values;
  for (auto [text, inputType] : llvm::zip(command.inputs, type.getInputs())) {
    StringRef value = text;
    auto tensor = value.consume_front("@")
                      ? loadNumpy(value, asTensor(inputType))
                      : parseTensor(value, asTensor(inputType));
    if (!tensor)
      return fail(tensor.takeError());
    values.push_back(std::move(*tensor));
  }
  if (command.options.verifyBuffers && command.options.target != "cpu")
    return fail(
        llvm::createStringError("--verify-buffers needs --pipeline=cpu"));
  auto compiled = CompiledModule::compile(module, command.options);
  if (failed(compiled))
    return 1;
  SmallVector<HostTensor *> addresses;
  for (HostTensor &value : values)
    addresses.push_back(&value);
  auto results = (*compiled)->call(command.functionName, addresses);
  if (!results)
    return fail(results.takeError());
  for (auto [value, inputType] : llvm::zip(values, type.getInputs()))
    if (isa<MemRefType>(inputType))
      results->push_back(std::move(value));

  for (auto [file, result] : llvm::zip(command.outputFiles, *results)) {
    StringRef name = file;
    name.consume_front("@");
    if (llvm::Error error = saveNumpy(name, result))
      return fail(std::move(error));
  }
  bool passed = true;
  for (auto [i, result] : llvm::enumerate(*results)) {
    if (command.expectedOutputs.empty()) {
      llvm::outs() << "result[" << i << "]: ";
      printTensor(llvm::outs(), result, command.digits);
      llvm::outs() << "\n";
      continue;
    }
    auto same = compare(i, result, command.expectedOutputs[i], command.maxUlp);
    if (!same)
      return fail(same.takeError());
    passed &= *same;
  }
  return passed ? 0 : 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerTestingTargets();
  Command command = parseCommandLine(argc, argv);
  MLIRContext context(createCompilerRegistry());
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module =
      parseInputFile(command.inputFile, sources, context);
  return module ? run(*module, command) : 1;
}
