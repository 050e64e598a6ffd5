//===- Products.cpp - figures of NVIDIA's GPUs ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the figures are from:
//
// * Multiprocessors, bandwidth and arithmetic: NVIDIA's data sheets and white
//   papers (Tesla V100, A100, H100, H200, B200). The clock is the one that the
//   arithmetic of the data sheet needs: gigaflops / (2 x lanes x
//   multiprocessors); under a memory load it may be lower.
// * Registers, threads, blocks and shared memory of a multiprocessor, and
//   the f32 lanes, which are warps a cycle: CUDA C++ Programming Guide,
//   "Compute Capabilities".
// * Bandwidth of a copy: V100 0.833 of the data sheet and memory latency of 375
//   cycles (a miss in L2, a hit in the TLB), Jia et al., "Dissecting the NVIDIA
//   Volta GPU Architecture via Microbenchmarking", 2018. H200 4300 GB/s was
//   measured. A100, H100 and B200 are estimates: 0.9 of the data sheet, as on
//   the H200.
// * Memory latency of A100 and H100: Luo et al., "Benchmarking and Dissecting
//   the Nvidia Hopper GPU Architecture via Microbenchmarking", 2024, on an H100
//   PCIe. Assumed equal for the H200; B200 is an estimate.
// * An addition's 4 cycles: Jia et al. Shuffles, the root, exchanges through
//   workgroup memory (whose load alone has 19 cycles on V100 and 29 on H100 by
//   the two papers) and in clusters (a remote load has 180, Luo et al.) are
//   estimates.
//
// The two papers were quoted without their text at hand. What could be read,
// PMC10448217 table 3, rounds: 400 cycles to the memory of V100, A100 and
// H100, 20 to shared memory, 4 for arithmetic.
//
//===----------------------------------------------------------------------===//

#include "norm/Target/NVVM/Chips.h"

using namespace mlir::norm;

static constexpr int64_t kilobyte = 1024;

static constexpr GPUProduct volta[] = {
    {"V100 SXM2",
     900,
     15700,
     {/*multiprocessors=*/80, /*gigahertz=*/1.53, /*gigabytesPerSecond=*/750,
      /*registers=*/65536, /*threads=*/2048, /*blocks=*/32,
      /*sharedBytes=*/96 * kilobyte, /*warpsACycle=*/2, /*memoryCycles=*/375,
      /*chainCycles=*/4, /*shuffleCycles=*/24, /*rootCycles=*/100,
      /*exchangeCycles=*/80, /*clusterCycles=*/0}}};

static constexpr GPUProduct ampere[] = {
    {"A100 80 GB SXM",
     2039,
     19500,
     {/*multiprocessors=*/108, /*gigahertz=*/1.41, /*gigabytesPerSecond=*/1835,
      /*registers=*/65536, /*threads=*/2048, /*blocks=*/32,
      /*sharedBytes=*/164 * kilobyte, /*warpsACycle=*/2, /*memoryCycles=*/466,
      /*chainCycles=*/4, /*shuffleCycles=*/24, /*rootCycles=*/100,
      /*exchangeCycles=*/90, /*clusterCycles=*/0}}};

/// The H200 is an H100 with other memory.
static constexpr GPURates getHopper(double gigabytesPerSecond) {
  return {/*multiprocessors=*/132,
          /*gigahertz=*/1.98,
          gigabytesPerSecond,
          /*registers=*/65536,
          /*threads=*/2048,
          /*blocks=*/32,
          /*sharedBytes=*/228 * kilobyte,
          /*warpsACycle=*/4,
          /*memoryCycles=*/479,
          /*chainCycles=*/4,
          /*shuffleCycles=*/24,
          /*rootCycles=*/100,
          /*exchangeCycles=*/90,
          /*clusterCycles=*/400};
}

static constexpr GPUProduct hopper[] = {
    {"H100 80 GB SXM", 3350, 67000, getHopper(3015)},
    {"H200 SXM", 4800, 67000, getHopper(4300)}};

static constexpr GPUProduct blackwell[] = {
    {"B200",
     8000,
     75000,
     {/*multiprocessors=*/148, /*gigahertz=*/1.98, /*gigabytesPerSecond=*/7200,
      /*registers=*/65536, /*threads=*/2048, /*blocks=*/32,
      /*sharedBytes=*/228 * kilobyte, /*warpsACycle=*/4, /*memoryCycles=*/700,
      /*chainCycles=*/4, /*shuffleCycles=*/24, /*rootCycles=*/100,
      /*exchangeCycles=*/90, /*clusterCycles=*/400}}};

llvm::ArrayRef<GPUProduct> mlir::norm::getProducts(llvm::StringRef chip) {
  chip.consume_back("a");
  if (chip == "sm_70")
    return volta;
  if (chip == "sm_80")
    return ampere;
  if (chip == "sm_90")
    return hopper;
  if (chip == "sm_100")
    return blackwell;
  return {};
}
