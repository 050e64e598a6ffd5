//===- Pipelines.h - norm-to-cpu and norm-to-nvvm ---------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These pass pipelines are whole compilations. They take a module of functions
// on tensors in upstream dialects (TOSA included) and ours, and recognition is
// part of them. Stages mirror norm-compile's --emit.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PIPELINES_PIPELINES_H
#define NORM_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "norm/Floats/Passes.h"
#include "norm/Products/Products.h"
#include "norm/Recognition/Recognize.h"

namespace mlir::norm {

/// The stage at which a pipeline stops.
enum class Stage {
  Norm,   ///< norm.rmsnorm beside upstream ops, on tensors
  Linalg, ///< norm ops decomposed into linalg.generic, on tensors
  Vector, ///< fused, vectorized and bufferized, before conversion to LLVM
  Memory, ///< versions of loops for small and large buffers; on the CPU only
  LLVM    ///< LLVM dialect
};

/// The most OpenMP threads and MPI ranks that an option may ask for.
constexpr unsigned kMostThreads = 1024;

struct ThreadsParser : llvm::cl::parser<unsigned> {
  using parser::parser;
  bool parse(llvm::cl::Option &option, StringRef name, StringRef text,
             unsigned &threads) {
    if (parser::parse(option, name, text, threads))
      return true;
    return (threads < 1 || threads > kMostThreads) &&
           option.error("threads must be from 1 to 1024");
  }
};

struct CPUPipelineOptions : PassPipelineOptions<CPUPipelineOptions> {
  PassOptions::Option<Rounding> rounding{
      *this, "rounding", llvm::cl::desc("Rounding that recognition accepts"),
      llvm::cl::init(Rounding::Default), getRoundingValues()};
  PassOptions::Option<unsigned, ThreadsParser> threads{
      *this, "threads",
      llvm::cl::desc("OpenMP threads that share the rows; 1: no OpenMP"),
      llvm::cl::init(1)};
  PassOptions::Option<std::string> triple{
      *this, "triple",
      llvm::cl::desc("Machine that the code is for; empty: this one"),
      llvm::cl::init("")};
  PassOptions::Option<bool> bf16Rounding{
      *this, "bf16-rounding",
      llvm::cl::desc("The CPU has an instruction that rounds f32 to bf16 and "
                     "keeps subnormals; x86 has none, whatever this says"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> fma{
      *this, "fma",
      llvm::cl::desc("The CPU has an instruction that multiplies and adds"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> f16Vectors{
      *this, "f16-vectors",
      llvm::cl::desc("The x86 CPU has vectors of f16 (AVX512-FP16)"),
      llvm::cl::init(false)};
  PassOptions::Option<bool> dotProducts{
      *this, "dot-products",
      llvm::cl::desc("The x86 CPU has dot products of vectors of 16-bit "
                     "integers (AVX512-VNNI with AVX512-VL)"),
      llvm::cl::init(false)};
  PassOptions::Option<Products> products{
      *this, "products",
      llvm::cl::desc("How products of matrices are computed"),
      llvm::cl::init(Products::Blocks), getProductsValues()};
  PassOptions::Option<ProductKinds> productKinds{
      *this, "product-kinds",
      llvm::cl::desc("What an instruction of the CPU adds to a sum of a "
                     "product of matrices"),
      llvm::cl::init(ProductKinds::Elements), getProductKindsValues()};
  PassOptions::Option<uint64_t> cacheBytes{
      *this, "cache-bytes",
      llvm::cl::desc("Bytes from which on rows are streamed past the cache; 0: "
                     "from the cache that the machine reports"),
      llvm::cl::init(0)};
  PassOptions::Option<uint64_t> grain{
      *this, "grain", llvm::cl::desc("Bytes from which on threads are started"),
      llvm::cl::init(1048576)};
  PassOptions::Option<unsigned> minLoops{
      *this, "min-loops",
      llvm::cl::desc("Loop nests from which on a function is divided "
                     "(norm-outline-loops)"),
      llvm::cl::init(32)};
  PassOptions::Option<bool> verifyBuffers{
      *this, "verify-buffers",
      llvm::cl::desc("Functions check the buffers that they are called with "
                     "(norm-verify-buffers)"),
      llvm::cl::init(false)};
};

/// The format of the kernels of a compilation.
enum class KernelFormat { PTX, Cubin };

struct NVVMPipelineOptions : PassPipelineOptions<NVVMPipelineOptions> {
  PassOptions::Option<Rounding> rounding{
      *this, "rounding", llvm::cl::desc("Rounding that recognition accepts"),
      llvm::cl::init(Rounding::Default), getRoundingValues()};
  PassOptions::Option<std::string> chip{
      *this, "chip", llvm::cl::desc("GPU, such as sm_80, sm_90 or sm_100"),
      llvm::cl::init("sm_90")};
  PassOptions::Option<std::string> ptxVersion{
      *this, "ptx-version",
      llvm::cl::desc("PTX version, such as 8.0; empty: the least of chip"),
      llvm::cl::init("")};
  PassOptions::Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc("CUDA toolkit, for ptxas and libdevice; empty: found by "
                     "findCUDAToolkit"),
      llvm::cl::init("")};
  PassOptions::Option<bool> dependentLaunch{
      *this, "dependent-launch",
      llvm::cl::desc("Kernels may start before the one ahead of them in the "
                     "stream ends (norm-annotate-kernels)"),
      llvm::cl::init(false)};
  PassOptions::Option<KernelFormat> format{
      *this, "format", llvm::cl::desc("What kernels become"),
      llvm::cl::init(KernelFormat::PTX),
      llvm::cl::values(clEnumValN(KernelFormat::PTX, "ptx", "PTX text"),
                       clEnumValN(KernelFormat::Cubin, "cubin",
                                  "a cubin, by the toolkit's ptxas"))};
};

struct MPIPipelineOptions : PassPipelineOptions<MPIPipelineOptions> {
  PassOptions::Option<Rounding> rounding{
      *this, "rounding", llvm::cl::desc("Rounding that recognition accepts"),
      llvm::cl::init(Rounding::Default), getRoundingValues()};
  PassOptions::Option<std::string> implementation{
      *this, "implementation", llvm::cl::desc("MPICH or OpenMPI"),
      llvm::cl::init("MPICH")};
  PassOptions::Option<unsigned> ranks{
      *this, "ranks",
      llvm::cl::desc("Ranks that the grid must have; 0: not checked"),
      llvm::cl::init(0)};
  PassOptions::Option<int64_t> sumParts{
      *this, "sum-parts",
      llvm::cl::desc("Parts of each sum, a multiple of twice the ranks, which "
                     "make its bits the same on 1, 2, 4...; 0: one sum a rank"),
      llvm::cl::init(0)};
};

void buildNormToCPUPipeline(OpPassManager &pm,
                            const CPUPipelineOptions &options,
                            Stage upTo = Stage::LLVM);
/// Builds the part of norm-to-cpu after Stage::Vector, for other schedules.
void buildVectorToCPUPipeline(OpPassManager &pm,
                              const CPUPipelineOptions &options);
/// Builds a pipeline whose host code calls MLIR's `mgpu*` functions. Kernels
/// become gpu.binary ops of one module, `norm_kernels`.
void buildNormToNVVMPipeline(OpPassManager &pm,
                             const NVVMPipelineOptions &options,
                             Stage upTo = Stage::LLVM);

/// Builds a pipeline from functions on tensors with `shard` annotations to the
/// functions of one rank, which norm-to-cpu compiles.
void buildNormToMPIPipeline(OpPassManager &pm,
                            const MPIPipelineOptions &options);

/// Returns the first with libdevice of CUDA_PATH, CUDA_HOME, CUDA_ROOT, the
/// toolkit of the ptxas in PATH, and /usr/local/cuda; empty if there is none.
std::string findCUDAToolkit();

/// Canonicalizes without the patterns that change what a program computes:
/// those by which an integer is rounded to a narrow float at once.
std::unique_ptr<Pass> createExactCanonicalizer();

// Compilations share these stages, which are in the order of their use.

/// Lowers TOSA and tm_tensor to linalg and scf on tensors; does not change
/// other programs.
void buildFrontEndLowering(OpPassManager &pm);
/// Replaces norms in upstream dialects by norm ops beside linalg.
void buildRecognition(OpPassManager &pm, Rounding rounding);
/// Decomposes norm ops into linalg, and fuses elementwise ops.
void buildDecomposition(OpPassManager &pm, Products products);
/// Makes results trailing buffers that are written in place.
void buildCallingConvention(OpPassManager &pm);
/// Canonicalizes, and merges equal ops.
void buildCleanup(OpPassManager &pm);
/// Bufferizes tensors, and then frees buffers and uses freed ones again.
void buildTensorsToBuffers(OpPassManager &pm);
void buildDeallocation(OpPassManager &pm);
inline void buildBufferization(OpPassManager &pm) {
  buildTensorsToBuffers(pm);
  buildDeallocation(pm);
}
/// Lowers math and narrow floats to what LLVM supports bit for bit.
void buildScalarLowering(OpPassManager &pm,
                         const NormNarrowFloatsToIntegersOptions &narrow = {},
                         const NormExpandVectorMathOptions &vectorMath = {});
/// Converts the remaining ops to the LLVM dialect: what computes, and then
/// memory, branches and functions.
void buildComputationToLLVM(OpPassManager &pm);
void buildMemoryToLLVM(OpPassManager &pm);
inline void buildConvertToLLVM(OpPassManager &pm) {
  buildComputationToLLVM(pm);
  buildMemoryToLLVM(pm);
}

/// Registers `norm-to-cpu` and its stages, `norm-to-mpi` and `norm-to-nvvm`.
void registerCPUPipeline();
void registerMPIPipeline();
void registerNVVMPipeline();
inline void registerPipelines() {
  registerCPUPipeline();
  registerMPIPipeline();
  registerNVVMPipeline();
}
} // namespace mlir::norm

#endif // NORM_PIPELINES_PIPELINES_H
