//===- norm-run.cpp - run a function on numpy files -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Ranks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "norm/ExecutionEngine/CompiledModule.h"
#include "norm/IR/Norm.h"
#include "norm/Testing/Numpy.h"
#include "norm/Testing/Targets.h"
#include "norm/Testing/Ulp.h"
#include "norm/Tools/Driver.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::norm;

/// Prints the error; one without a text has been reported.
static int fail(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  if (!text.empty())
    llvm::WithColor::error() << text << "\n";
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
  for (Type result : type.getResults())
    if (isa<MemRefType>(result))
      return llvm::createStringError(
          "function '" + command.functionName +
          "' returns a buffer: " + debugString(result));
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
  auto expected = text.consume_front("@")
                      ? loadNumpyReference(text, actualType)
                      : parseTensor(text, actualType, "expected output");
  if (!expected)
    return expected.takeError();
  UlpReport report = compareTensors(actual, *expected, maxUlp);
  llvm::outs() << "result[" << index << "]: max ulp "
               << llvm::format("%.3g", report.maxUlp) << " over "
               << actual.getNumElements() << " elements";
  if (report.overLimit > 0) {
    llvm::outs() << ", " << report.overLimit << " over the limit of "
                 << llvm::format("%g", maxUlp) << ", worst at " << report.worst
                 << ": ";
    printElement(llvm::outs(), actual, report.worst, 9);
    llvm::outs() << ", expected ";
    printElement(llvm::outs(), *expected, report.worst, 9);
  }
  llvm::outs() << "\n";
  return report.overLimit == 0;
}

static llvm::Expected<SmallVector<HostTensor>>
loadInputs(const Command &command, FunctionType type) {
  SmallVector<HostTensor> values;
  for (auto [text, inputType] : llvm::zip(command.inputs, type.getInputs())) {
    StringRef value = text;
    auto tensor = value.consume_front("@")
                      ? loadNumpy(value, asTensor(inputType))
                      : parseTensor(value, asTensor(inputType), "input");
    if (!tensor)
      return tensor.takeError();
    values.push_back(std::move(*tensor));
  }
  return values;
}

/// Returns the results, and behind them the buffers that may be written.
static llvm::Expected<SmallVector<HostTensor>>
compute(ModuleOp module, const Command &command, FunctionType type,
        SmallVector<HostTensor> values) {
  auto compiled = CompiledModule::compile(module, command.options);
  if (failed(compiled))
    return llvm::createStringError(""); // it has been reported
  SmallVector<HostTensor *> addresses;
  for (HostTensor &value : values)
    addresses.push_back(&value);
  auto results = (*compiled)->call(command.functionName, addresses);
  if (!results)
    return results.takeError();
  for (auto [value, inputType] : llvm::zip(values, type.getInputs()))
    if (isa<MemRefType>(inputType))
      results->push_back(std::move(value));
  return results;
}

static llvm::Error save(const Command &command, ArrayRef<HostTensor> results) {
  for (auto [file, result] : llvm::zip(command.outputFiles, results)) {
    if (llvm::Error error = saveNumpy(StringRef(file).drop_front(), result))
      return error;
  }
  return llvm::Error::success();
}

/// Compares the results, or prints them; returns whether they are as expected.
static llvm::Expected<bool> judge(const Command &command,
                                  ArrayRef<HostTensor> results) {
  bool passed = true;
  for (auto [i, result] : llvm::enumerate(results)) {
    if (command.expectedOutputs.empty()) {
      llvm::outs() << "result[" << i << "]: ";
      printTensor(llvm::outs(), result, command.digits);
      llvm::outs() << "\n";
      continue;
    }
    auto same = compare(i, result, command.expectedOutputs[i], command.maxUlp);
    if (!same)
      return same.takeError();
    passed &= *same;
  }
  return passed;
}

static llvm::Expected<bool> run(ModuleOp module, Command command) {
  Operation *symbol = SymbolTable::lookupSymbolIn(module, command.functionName);
  auto function = dyn_cast_or_null<FunctionOpInterface>(symbol);
  if (!function || !function.isPublic() || function.isExternal())
    return llvm::createStringError(command.inputFile +
                                   ": no public function '" +
                                   command.functionName + "'");
  FunctionType type = getCallType(function);
  bool isRank = !command.rankDirectory.empty();
  if (isRank)
    if (llvm::Error error = joinRanks(command, type))
      return std::move(error);
  if (llvm::Error error = checkSignature(command, type))
    return std::move(error);
  if (command.options.verifyBuffers && command.options.target != "cpu")
    return llvm::createStringError("--verify-buffers needs --pipeline=cpu");
  auto values = loadInputs(command, type);
  if (!values)
    return values.takeError();
  auto results = command.options.ranks > 0
                     ? runOnRanks(module, command, *values)
                     : compute(module, command, type, std::move(*values));
  if (!results)
    return results.takeError();
  if (llvm::Error error = save(command, *results))
    return std::move(error);
  return isRank ? true : judge(command, *results);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerTestingTargets();
  Command command = parseCommandLine(argc, argv);
  if (llvm::Error error = checkCommand(command))
    return fail(std::move(error));
  MLIRContext context(createCompilerRegistry());
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module =
      parseInputFile(command.inputFile, sources, context);
  if (!module)
    return 1;
  auto passed = run(*module, command);
  int status = passed ? !*passed : fail(passed.takeError());
  if (!command.rankDirectory.empty())
    leaveRanks(status);
  return status;
}
