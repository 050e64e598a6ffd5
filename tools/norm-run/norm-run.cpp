//===- norm-run.cpp - run a function on numpy files -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "norm/ExecutionEngine/CompiledModule.h"
#include "norm/Testing/Numpy.h"
#include "norm/Testing/Targets.h"
#include "norm/Testing/Ulp.h"
#include "norm/Tools/Driver.h"
#include "norm/Tools/RunPasses.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::norm;
namespace cl = llvm::cl;

[[maybe_unused]] static const bool released = releaseLibraryOption("threads");

static cl::OptionCategory category("Calling and comparing");
static cl::OptionCategory compiling("Compiling");
static cl::OptionCategory passes("Passes, timing and reproducers");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<IN.mlir>"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string> functionName("function",
                                         cl::desc("Public function to call"),
                                         cl::init("main"), cl::cat(category));
static cl::list<std::string>
    inputs("input",
           cl::desc("@file.npy or SHAPExTYPE=VALUES, one a parameter; a memref "
                    "is written in place and counts as a further result"),
           cl::cat(category));
static cl::list<std::string> expectedOutputs(
    "expected-output",
    cl::desc("@file.npy or SHAPExTYPE=VALUES to compare a result with; f64 "
             "files are compared before rounding"),
    cl::cat(category));
static cl::list<std::string>
    outputFiles("output", cl::desc("@file.npy to write a result to, in order"),
                cl::cat(category));
static cl::opt<double>
    maxUlp("max-ulp", cl::desc("Largest error that passes, in ulp (default 4)"),
           cl::init(4), cl::cat(category));
static cl::opt<std::string> pipeline(
    "pipeline", cl::value_desc("name"),
    cl::desc("cpu: norm-to-cpu (default); simt: the GPU kernels of "
             "norm-to-nvvm, or those of the program's gpu.module, emulated "
             "here; upstream: upstream's passes alone"),
    cl::init("cpu"), cl::cat(compiling));
static cl::opt<Rounding> rounding(
    "rounding", cl::desc("What recognition may change (default: default)"),
    getRoundingValues(), cl::init(Rounding::Default), cl::cat(compiling));
static cl::opt<std::string> cpu("mcpu", cl::desc("Target CPU (default native)"),
                                cl::init("native"), cl::cat(compiling));
static cl::opt<unsigned> threads("threads", cl::desc("OpenMP threads"),
                                 cl::init(1), cl::cat(compiling));
static cl::opt<bool>
    verifyBuffers("verify-buffers",
                  cl::desc("Functions check their buffers (--pipeline=cpu)"),
                  cl::cat(compiling));
static cl::opt<int> digits("precision",
                           cl::desc("Significant digits that are printed"),
                           cl::init(6), cl::cat(category));

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

/// Results, and the buffers that the function may write.
static size_t getNumOutputs(FunctionType type) {
  return type.getNumResults() +
         llvm::count_if(type.getInputs(), llvm::IsaPred<MemRefType>);
}

static llvm::Error checkSignature(FunctionType type) {
  for (Type t : llvm::concat<const Type>(type.getInputs(), type.getResults())) {
    if (isRanked(t) && HostTensor::isSupported(asTensor(t).getElementType()))
      continue;
    return llvm::createStringError("function '" + functionName +
                                   "' has unsupported type " + debugString(t));
  }
  if (inputs.size() != type.getNumInputs())
    return llvm::createStringError("function '" + functionName + "' takes " +
                                   Twine(type.getNumInputs()) +
                                   " inputs, got " + Twine(inputs.size()));
  size_t numOutputs = getNumOutputs(type);
  if (!expectedOutputs.empty() && expectedOutputs.size() != numOutputs)
    return llvm::createStringError(
        "function '" + functionName + "' has " + Twine(numOutputs) +
        " results, got " + Twine(expectedOutputs.size()) + " expected outputs");
  if (outputFiles.size() > numOutputs)
    return llvm::createStringError("more --output files than results");
  return llvm::Error::success();
}

/// Prints one line about a result and says whether it is within the limit.
static llvm::Expected<bool> compare(unsigned index, const HostTensor &actual,
                                    StringRef text) {
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
                 << llvm::format("%g", maxUlp.getValue()) << ", worst at "
                 << report.worst << ": "
                 << llvm::format("%.9g, expected %.9g", report.actual,
                                 report.expected);
  llvm::outs() << "\n";
  return report.overLimit == 0;
}

static int run(ModuleOp module) {
  Operation *symbol = SymbolTable::lookupSymbolIn(module, functionName);
  auto function = dyn_cast_or_null<FunctionOpInterface>(symbol);
  if (!function || !function.isPublic() || function.isExternal())
    return fail(llvm::createStringError(inputFile + ": no public function '" +
                                        functionName + "'"));
  auto type = cast<FunctionType>(function.getFunctionType());
  if (llvm::Error error = checkSignature(type))
    return fail(std::move(error));

  SmallVector<HostTensor> values;
  for (auto [text, inputType] : llvm::zip(inputs, type.getInputs())) {
    StringRef value = text;
    auto tensor = value.consume_front("@")
                      ? loadNumpy(value, asTensor(inputType))
                      : parseTensor(value, asTensor(inputType));
    if (!tensor)
      return fail(tensor.takeError());
    values.push_back(std::move(*tensor));
  }
  if (verifyBuffers && pipeline != "cpu")
    return fail(
        llvm::createStringError("--verify-buffers needs --pipeline=cpu"));
  CompileOptions options;
  options.target = pipeline;
  options.rounding = rounding;
  options.machine.cpu = cpu;
  options.threads = threads;
  options.verifyBuffers = verifyBuffers;
  options.runner = runPassesOfTool;
  auto compiled = CompiledModule::compile(module, options);
  if (failed(compiled))
    return 1;
  SmallVector<HostTensor *> addresses;
  for (HostTensor &value : values)
    addresses.push_back(&value);
  auto results = (*compiled)->call(functionName, addresses);
  if (!results)
    return fail(results.takeError());
  for (auto [value, inputType] : llvm::zip(values, type.getInputs()))
    if (isa<MemRefType>(inputType))
      results->push_back(std::move(value));

  for (auto [file, result] : llvm::zip(outputFiles, *results)) {
    StringRef name = file;
    name.consume_front("@");
    if (llvm::Error error = saveNumpy(name, result))
      return fail(std::move(error));
  }
  bool passed = true;
  for (auto [i, result] : llvm::enumerate(*results)) {
    if (expectedOutputs.empty()) {
      llvm::outs() << "result[" << i << "]: ";
      printTensor(llvm::outs(), result, digits);
      llvm::outs() << "\n";
      continue;
    }
    auto same = compare(i, result, expectedOutputs[i]);
    if (!same)
      return fail(same.takeError());
    passed &= *same;
  }
  return passed ? 0 : 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  setToolVersion();
  registerTestingTargets();
  registerPassOptions(passes);
  cl::HideUnrelatedOptions({&category, &compiling, &passes});
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles a module, calls a function, compares in ulp.\n");
  MLIRContext context(createCompilerRegistry());
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseInputFile(inputFile, sources, context);
  return module ? run(*module) : 1;
}
