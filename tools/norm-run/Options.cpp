//===- Options.cpp - the command line of norm-run -------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "norm/Compiler/OutputFile.h"
#include "norm/Compiler/Target.h"
#include "norm/Tools/Driver.h"
#include "norm/Tools/RunPasses.h"
#include "llvm/Support/CommandLine.h"
#include <cmath>

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
static cl::opt<unsigned> ranks(
    "ranks",
    cl::desc("Split the tensors over this many MPI ranks, as shard annotations "
             "say, and run them with mpiexec"),
    cl::init(0), cl::cat(compiling));
static cl::opt<int64_t>
    sumParts("sum-parts",
             cl::desc("Parts of each sum, see norm-compile (default 0)"),
             cl::init(0), cl::cat(compiling));
static cl::opt<std::string> mpi("mpi",
                                cl::desc("What mpiexec is: MPICH (default) or "
                                         "OpenMPI"),
                                cl::init("MPICH"), cl::cat(compiling));
static cl::opt<std::string>
    rankDirectory("rank-directory",
                  cl::desc("Files of the ranks; --ranks starts them with it"),
                  cl::ReallyHidden, cl::cat(compiling));
static cl::opt<int> digits("precision",
                           cl::desc("Significant digits that are printed"),
                           cl::init(6), cl::cat(category));

/// Rejects the targets that do not run here.
static llvm::Error checkPipeline() {
  std::string known;
  for (const Target *target : getTargets()) {
    if (!target->getHostRuntime())
      continue;
    if (target->getName() == pipeline)
      return llvm::Error::success();
    known += (known.empty() ? "" : ", ") + target->getName().str();
  }
  return llvm::createStringError("unknown --pipeline '" + pipeline +
                                 "', expected one of " + known);
}

llvm::Error norm::checkCommand(const Command &command) {
  if (!(command.maxUlp >= 0) || std::isinf(command.maxUlp))
    return llvm::createStringError("--max-ulp must be a number from 0");
  if (command.digits < 1 || command.digits > 17)
    return llvm::createStringError("--precision must be from 1 to 17");
  if (threads < 1 || threads > kMostThreads || ranks > kMostThreads)
    return llvm::createStringError(kThreadsMessage);
  for (StringRef text : command.outputFiles)
    if (!text.starts_with("@"))
      return llvm::createStringError("--output '" + text +
                                     "' is not @file.npy");
  if (llvm::Error error = checkPipeline())
    return error;
  std::vector<std::string> files;
  for (const auto *list :
       {&command.inputs, &command.expectedOutputs, &command.outputFiles})
    for (StringRef text : *list)
      files.push_back(text.consume_front("@") ? text.str() : "");
  SmallVector<NamedFile> named{{"the program", command.inputFile}};
  size_t numRead = command.inputs.size() + command.expectedOutputs.size();
  for (auto [i, file] : llvm::enumerate(files))
    named.push_back({i < command.inputs.size() ? "--input"
                     : i < numRead             ? "--expected-output"
                                               : "--output",
                     file});
  return checkOutputFiles(ArrayRef(named).take_front(numRead + 1),
                          ArrayRef(named).drop_front(numRead + 1));
}

Command norm::parseCommandLine(int argc, char **argv) {
  setToolVersion();
  registerPassOptions(passes);
  cl::HideUnrelatedOptions({&category, &compiling, &passes});
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles a module, calls a function, compares in ulp.\n");
  CompileOptions options;
  options.target = pipeline;
  options.rounding = rounding;
  options.machine.cpu = cpu;
  options.threads = threads;
  options.verifyBuffers = verifyBuffers;
  options.ranks = ranks;
  options.sumParts = sumParts;
  options.mpi = mpi;
  options.runner = runPassesOfTool;
  return {inputFile, functionName, inputs,        expectedOutputs, outputFiles,
          maxUlp,    digits,       rankDirectory, options};
}
