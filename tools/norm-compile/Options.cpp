//===- Options.cpp - the command line of norm-compile ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "norm/Tools/Driver.h"
#include "norm/Tools/RunPasses.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm;
namespace cl = llvm::cl;

[[maybe_unused]] static const bool released = releaseLibraryOption("threads");

static cl::OptionCategory category("Input and output");
static cl::OptionCategory onCPU("Target: CPU");
static cl::OptionCategory onGPU("Target: NVIDIA GPU");
static cl::OptionCategory explaining("Explaining");
static cl::OptionCategory passes("Passes, timing and reproducers");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<IN.mlir>"),
                                      cl::init("-"), cl::cat(category));
static cl::opt<std::string>
    outputFile("o", cl::desc("Output file; - is stdout (default)"),
               cl::init("-"), cl::cat(category));
/// Returns the value of --emit; errors use the same name.
static cl::OptionEnumValue getValue(Emit emit, StringRef description) {
  return clEnumValN(emit, stringifyEmit(emit), description);
}

static cl::opt<Emit>
    emit("emit", cl::desc("What to write"), cl::init(Emit::Object),
         cl::values(getValue(Emit::Norm, "norm ops beside upstream's"),
                    getValue(Emit::Linalg, "norm ops decomposed"),
                    getValue(Emit::Vector, "fused and vectorized, on buffers"),
                    getValue(Emit::LLVMDialect, "LLVM dialect"),
                    getValue(Emit::LLVMIR, "optimized LLVM IR"),
                    getValue(Emit::Assembly, "assembly"),
                    getValue(Emit::Object, "object file (default)"),
                    getValue(Emit::Shared, "shared object"),
                    getValue(Emit::Header, "C header of the functions"),
                    getValue(Emit::PTX, "PTX text of the kernels (nvvm)"),
                    getValue(Emit::Cubin, "cubin of the kernels (nvvm)")),
         cl::cat(category));
static cl::opt<std::string>
    target("target", cl::value_desc("name"),
           cl::desc("cpu: x86-64 or AArch64, see --mtriple (default); nvvm: an "
                    "NVIDIA GPU"),
           cl::init("cpu"), cl::cat(category));
static cl::opt<std::string>
    cpu("mcpu",
        cl::desc("CPU; native is this machine (default, also if "
                 "empty: x86-64-v3 on x86-64, else generic)"),
        cl::cat(onCPU));
static cl::opt<std::string>
    triple("mtriple",
           cl::desc("Target triple, such as aarch64-linux-gnu (default: this "
                    "host's)"),
           cl::cat(onCPU));
static cl::opt<std::string>
    features("mattr",
             cl::desc("Features beside those of --mcpu, such as +bf16,-sve"),
             cl::cat(onCPU));
static cl::opt<bool> dispatch(
    "dispatch",
    cl::desc("Code for x86-64-v2, v3 and v4, chosen by the machine that runs "
             "it"),
    cl::cat(onCPU));
static cl::opt<Entry>
    entry("entry", cl::desc("How functions are called"), cl::init(Entry::C),
          cl::values(clEnumValN(Entry::C, "c",
                                "_mlir_ciface_f, see --emit=header (default)"),
                     clEnumValN(Entry::TVMFFI, "tvm-ffi",
                                "also __tvm_ffi_f, for tvm_ffi.load_module")),
          cl::cat(onCPU));
static cl::opt<std::string> chip("chip",
                                 cl::desc("GPU of --target=nvvm (default "
                                          "sm_90)"),
                                 cl::init("sm_90"), cl::cat(onGPU));
static cl::opt<std::string>
    ptxVersion("ptx-version",
               cl::desc("PTX version of --target=nvvm, such as 8.0 (default: "
                        "the least that the chip needs)"),
               cl::cat(onGPU));
static cl::opt<bool> dependentLaunch(
    "dependent-launch",
    cl::desc("Kernels of --target=nvvm may start before the one ahead of them "
             "ends (sm_90 and later)"),
    cl::cat(onGPU));
static cl::opt<std::string>
    cudaPath("cuda-path",
             cl::desc("CUDA toolkit, for ptxas and libdevice (default: "
                      "CUDA_PATH, the ptxas in PATH, /usr/local/cuda)"),
             cl::cat(onGPU));
static cl::opt<unsigned> threads("threads",
                                 cl::desc("OpenMP threads (default 1: none)"),
                                 cl::init(1), cl::cat(onCPU));
static cl::opt<Products> products(
    "products",
    cl::desc("How products of matrices are computed (default: blocks)"),
    getProductsValues(), cl::init(Products::Blocks), cl::cat(onCPU));
static cl::opt<bool> verifyBuffers(
    "verify-buffers",
    cl::desc("Functions check the buffers that they are called with, and end "
             "the program where two overlap"),
    cl::cat(onCPU));
static cl::opt<unsigned> ranks(
    "ranks",
    cl::desc(
        "The program of one of this many MPI ranks, from shard annotations "
        "(default 0: none)"),
    cl::init(0), cl::cat(onCPU));
static cl::opt<int64_t> sumParts(
    "sum-parts",
    cl::desc("Parts of each sum, which make its bits the same on any number of "
             "ranks; a multiple of twice --ranks (default 0: one sum a rank)"),
    cl::init(0), cl::cat(onCPU));
static cl::opt<std::string> mpi("mpi",
                                cl::desc("Whose calls --ranks makes: MPICH "
                                         "(default) or OpenMPI"),
                                cl::init("MPICH"), cl::cat(onCPU));
static cl::opt<Rounding> rounding(
    "rounding", cl::desc("What recognition may change (default: default)"),
    getRoundingValues(), cl::init(Rounding::Default), cl::cat(category));

static cl::opt<std::string> rowTarget(
    "row-target", cl::value_desc("{name = number} or @file"),
    cl::desc("Numbers of the machine that differ from --print-row-target's"),
    cl::cat(category));
static cl::opt<bool> printRowTargetOnly(
    "print-row-target",
    cl::desc("Print what code generation assumes of the machine, for "
             "--row-target, and compile nothing"),
    cl::cat(category));

static cl::opt<bool> explain(
    "explain",
    cl::desc("Print what was recognized, rejected, fused, and what it costs; "
             "compiles to a file only with -o"),
    cl::cat(explaining));
static cl::opt<std::string>
    reportFile("report", cl::value_desc("file.html"),
               cl::desc("The same as a page with the program beside it"),
               cl::cat(explaining));
static cl::opt<double> bandwidth("bandwidth", cl::value_desc("GB/s"),
                                 cl::desc("Of memory, for --explain"),
                                 cl::init(0), cl::cat(explaining));
static cl::opt<double> peak("peak", cl::value_desc("GFLOP/s"),
                            cl::desc("Of arithmetic, for --report's roofline"),
                            cl::init(0), cl::cat(explaining));

static CompileOptions getCompileOptions() {
  CompileOptions options;
  options.emit = emit;
  options.target = target;
  options.machine = {triple, cpu, features};
  options.chip = chip;
  options.ptxVersion = ptxVersion;
  options.dependentLaunch = dependentLaunch;
  options.cudaPath = cudaPath;
  options.threads = threads;
  options.products = products;
  options.entry = entry;
  options.dispatch = dispatch;
  options.verifyBuffers = verifyBuffers;
  options.ranks = ranks;
  options.sumParts = sumParts;
  options.mpi = mpi;
  options.rounding = rounding;
  options.runner = runPassesOfTool;
  return options;
}

static bool isPositive(const cl::opt<double> &option) {
  return !option.getNumOccurrences() || (option > 0 && std::isfinite(option));
}

static bool isEmpty(const cl::opt<std::string> &option) {
  return option.getNumOccurrences() && option.empty();
}

static LogicalResult checkOptions() {
  bool tells = explain || !reportFile.empty();
  StringRef problem;
  if (explain && outputFile.getNumOccurrences() && outputFile == "-")
    problem = "--explain prints to standard output: -o must name a file";
  else if (isEmpty(rowTarget) || isEmpty(reportFile))
    problem = "--row-target and --report need a value";
  else if (!isPositive(bandwidth) || !isPositive(peak))
    problem = "--bandwidth and --peak must be positive numbers";
  else if (threads < 1 || threads > kMostThreads || ranks > kMostThreads)
    problem = kThreadsMessage;
  else if (!tells && (bandwidth > 0 || peak > 0))
    problem = "--bandwidth and --peak need --explain or --report";
  else if (tells && dispatch)
    problem = "--explain and --report tell of one CPU: give --mcpu in place of "
              "--dispatch";
  if (problem.empty())
    return success();
  llvm::WithColor::error() << problem << "\n";
  return failure();
}

std::optional<Command> norm::parseCommandLine(int argc, char **argv) {
  setToolVersion();
  registerPassOptions(passes);
  cl::HideUnrelatedOptions({&category, &onCPU, &onGPU, &explaining, &passes});
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles a module on tensors to a stage.\n");
  if (failed(checkOptions()))
    return std::nullopt;
  return Command{
      inputFile,           outputFile, outputFile.getNumOccurrences() > 0,
      getCompileOptions(), explain,    reportFile,
      {bandwidth, peak},   rowTarget,  printRowTargetOnly};
}
