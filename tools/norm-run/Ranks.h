//===- Ranks.h - a function on several MPI ranks ----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RUN_RANKS_H
#define NORM_RUN_RANKS_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "norm/ExecutionEngine/HostTensor.h"

namespace mlir::norm {

/// Splits the inputs as the annotations of `module` say, runs each rank as a
/// process of this program under mpiexec, and puts the results together. An
/// error without a text has been reported.
llvm::Expected<SmallVector<HostTensor>> runOnRanks(ModuleOp module,
                                                   const Command &command,
                                                   ArrayRef<HostTensor> inputs);

/// Initializes MPI in such a process, and makes the rank's files the inputs and
/// outputs of its command.
llvm::Error joinRanks(Command &command, FunctionType type);

/// Ends MPI; with a `status` other than 0, it ends all ranks.
void leaveRanks(int status);

} // namespace mlir::norm

#endif // NORM_RUN_RANKS_H
