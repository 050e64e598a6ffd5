//===- Execution.h - one program through the compiler -----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_FUZZ_EXECUTION_H
#define NORM_TEST_FUZZ_EXECUTION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "norm/Pipelines/Pipelines.h"
#include <memory>

namespace fuzz {

/// A pipeline that some programs go through after recognition.
struct Lowering {
  const char *name;
  unsigned oneIn; ///< of the programs that verify
  void (*build)(mlir::OpPassManager &pm);
};

struct LoweringCount {
  uint64_t runs = 0, succeeded = 0;
};

struct Counts {
  uint64_t executions = 0, parsed = 0, verified = 0;
  uint64_t recognized = 0; ///< programs in which a norm was found
  uint64_t norms = 0, rejected = 0;
  std::vector<LoweringCount> lowerings;
};

struct Options {
  bool lowerAll = false; ///< every lowering, for every program
  bool planted = false;  ///< a defect: aborts where epsilon is above 1.25
};

/// Runs programs in one context after another: a context keeps every type and
/// attribute that it has seen.
class Session {
public:
  explicit Session(const Options &options);
  void execute(llvm::StringRef text);
  void print(llvm::raw_ostream &os) const;

private:
  void startContext();
  void recognize(mlir::ModuleOp module, uint64_t hash);
  void lower(mlir::ModuleOp module, size_t lowering);

  Options options;
  Counts counts;
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  std::vector<std::unique_ptr<mlir::PassManager>> managers;
};
} // namespace fuzz

#endif // NORM_TEST_FUZZ_EXECUTION_H
