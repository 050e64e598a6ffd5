//===- RowTimeTest.cpp - predicted times of rows --------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Target/GPU/RowTime.h"
#include "norm/Target/NVVM/Chips.h"
#include "gtest/gtest.h"

using namespace mlir::norm;

/// A machine of round numbers: 10 bytes a cycle for each multiprocessor.
static const GPURates rates = {
    /*multiprocessors=*/10,
    /*gigahertz=*/1,
    /*gigabytesPerSecond=*/100,
    /*registers=*/65536,
    /*threads=*/2048,
    /*blocks=*/32,
    /*sharedBytes=*/65536,
    /*warpsACycle=*/2,
    /*memoryCycles=*/400,
    /*chainCycles=*/4,
    /*shuffleCycles=*/20,
    /*rootCycles=*/50,
    /*exchangeCycles=*/100,
    /*clusterCycles=*/500};

/// 4096 elements of f32 by 256 threads.
static const RowSchedule schedule = {256, 4, 4, /*shifted=*/false,
                                     /*registers=*/48};

static RowWork getWork() {
  RowWork work{};
  work.loadedBytes = work.storedBytes = 16384;
  work.copiedBytes = 32768;
  work.instructions = 4 * 4096;
  work.threadInstructions = 50;
  work.waits = work.reductions = 1;
  return work;
}

static RowTime predict(const RowSchedule &schedule, const RowWork &work) {
  return predictRows(schedule, work, GPUMachine(), rates);
}

TEST(RowTime, CountsWhatIsResident) {
  RowTime time = predict(schedule, getWork());
  EXPECT_EQ(time.blocks, 5); // of 256 x 48 registers in 65536
  EXPECT_EQ(time.threads, 1280);
  EXPECT_DOUBLE_EQ(time.bytesInFlight, 5 * 16384);
  RowWork waiting = getWork();
  waiting.waits = 4;
  EXPECT_DOUBLE_EQ(predict(schedule, waiting).bytesInFlight, 5 * 4096);
  RowWork sharing = getWork();
  sharing.sharedBytes = 32768;
  EXPECT_EQ(predict(schedule, sharing).blocks, 2);
  EXPECT_EQ(predict({1024, 4, 1, false, 32}, getWork()).blocks, 2);
  EXPECT_EQ(predict({1024, 4, 1, false, 255}, getWork()).blocks, 1);
}

TEST(RowTime, AddsUpABlock) {
  RowTime time = predict(schedule, getWork());
  EXPECT_DOUBLE_EQ(time.memoryCycles, 32768 / 10.0);
  EXPECT_DOUBLE_EQ(time.issueCycles, (16384 + 50 * 256) / 32.0 / 2);
  // A load; 16 elements, 32 lanes, the exchange, 8 warps, the root.
  EXPECT_DOUBLE_EQ(time.exposedCycles,
                   400 + 4 * 4 + 24 * 5 + 100 + 24 * 3 + 50);
}

TEST(RowTime, SharesABlockBetweenRows) {
  RowTime time = predict({8, 4, 2, false, 32}, getWork());
  EXPECT_DOUBLE_EQ(time.blocksARow, 1.0 / 16);
  EXPECT_DOUBLE_EQ(time.memoryCycles, 16 * 32768 / 10.0);
  // No exchange: three shuffles.
  EXPECT_DOUBLE_EQ(time.exposedCycles, 400 + 4 * 3 + 24 * 3 + 50);
}

TEST(RowTime, SharesARowBetweenBlocks) {
  RowSchedule cluster = schedule;
  cluster.threads *= 2;
  cluster.cluster = 2;
  RowTime time = predict(cluster, getWork());
  EXPECT_EQ(time.threads, 1280);
  EXPECT_DOUBLE_EQ(time.blocksARow, 2);
  EXPECT_DOUBLE_EQ(time.memoryCycles, 16384 / 10.0);
  EXPECT_DOUBLE_EQ(time.exposedCycles,
                   400 + 4 * 4 + 24 * 5 + 500 + 24 * 4 + 50);
}

TEST(RowTime, NothingHidesWhatALoneBlockWaitsFor) {
  RowSchedule lone = schedule;
  lone.registers = 160;
  RowTime time = predict(lone, getWork());
  EXPECT_EQ(time.blocks, 1);
  RowLaunch launch = predictLaunch(time, 1000, rates);
  EXPECT_EQ(launch.limit, RowLimit::Latency);
  EXPECT_DOUBLE_EQ(
      launch.nanoseconds,
      100 * (time.memoryCycles + time.issueCycles + time.exposedCycles));
}

TEST(RowTime, LimitsByInstructions) {
  RowWork work = getWork();
  work.instructions *= 40;
  RowTime time = predict(schedule, work);
  RowLaunch launch = predictLaunch(time, 1000, rates);
  EXPECT_EQ(launch.limit, RowLimit::Instructions);
  EXPECT_DOUBLE_EQ(launch.nanoseconds,
                   100 * time.issueCycles + time.exposedCycles);
}

TEST(RowTime, CountsWaves) {
  RowTime time = predict(schedule, getWork());
  RowLaunch many = predictLaunch(time, 100, rates);
  EXPECT_DOUBLE_EQ(many.waves, 2);
  EXPECT_DOUBLE_EQ(many.nanoseconds,
                   10 * time.memoryCycles + time.exposedCycles);
  EXPECT_EQ(many.limit, RowLimit::Memory);
  // One row has all of the bandwidth.
  RowLaunch one = predictLaunch(time, 1, rates);
  EXPECT_DOUBLE_EQ(one.waves, 0.02);
  EXPECT_DOUBLE_EQ(one.nanoseconds, time.memoryCycles / 10 + time.issueCycles +
                                        time.exposedCycles);
  EXPECT_EQ(one.limit, RowLimit::Latency);
}

TEST(RowTime, ComparesWithACopy) {
  // Many bytes take bandwidth alone, and a latency.
  EXPECT_NEAR(predictCopyNanoseconds(1e9, GPUMachine(), rates), 1e7 + 400, 1);
  double many =
      predictShareOfCopy(schedule, getWork(), 1e6, GPUMachine(), rates);
  EXPECT_NEAR(many, 1, 1e-4);
  double few = predictShareOfCopy(schedule, getWork(), 1, GPUMachine(), rates);
  EXPECT_GT(few, 0.3);
  EXPECT_LT(few, 0.6);
  RowWork twice = getWork();
  twice.loadedBytes *= 2;
  EXPECT_NEAR(predictShareOfCopy(schedule, twice, 1e6, GPUMachine(), rates),
              2.0 / 3, 1e-4);
}

TEST(RowTime, KnowsProducts) {
  ASSERT_EQ(getProducts("sm_90").size(), 2u);
  EXPECT_EQ(getProducts("sm_90a").front().name, "H100 80 GB SXM");
  EXPECT_EQ(getProducts("sm_100").front().name, "B200");
  EXPECT_TRUE(getProducts("sm_89").empty());
  for (llvm::StringRef chip : {"sm_70", "sm_80", "sm_90", "sm_100"})
    for (const GPUProduct &product : getProducts(chip)) {
      // The clock is the one of the arithmetic, and no copy beats the sheet.
      const GPURates &rates = product.rates;
      double gigaflops =
          2 * 32 * rates.warpsACycle * rates.multiprocessors * rates.gigahertz;
      EXPECT_NEAR(gigaflops / product.gigaflops, 1, 0.01);
      EXPECT_LT(rates.gigabytesPerSecond, product.gigabytesPerSecond);
    }
}
