//===- EmulateGPU.h - the two halves of norm-emulate-gpu --------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TESTING_SIMT_EMULATEGPU_H
#define NORM_LIB_TESTING_SIMT_EMULATEGPU_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::norm::simt {

/// The module that is converted, with the runtime's functions and strings.
class Program {
public:
  explicit Program(ModuleOp module)
      : symbols(module), types(module.getContext()) {}

  /// Calls a function of the runtime, which it declares.
  func::CallOp call(ImplicitLocOpBuilder &b, StringRef function,
                    ValueRange arguments, TypeRange results = TypeRange());
  /// The address of a new constant C string, shared with no other.
  Value getString(ImplicitLocOpBuilder &b, StringRef text);
  /// Casts a value to a type that the conversion to LLVM makes of its own.
  static Value castTo(ImplicitLocOpBuilder &b, Type type, Value value);

  /// A type as LLVM has it, in the one address space of the host.
  Type convertType(Type type);
  /// The struct that holds a launch's arguments.
  Type getArgumentsType(TypeRange types);

  SymbolTable symbols;
  LLVMTypeConverter types;
};

/// A kernel as the host sees it.
struct EmulatedKernel {
  func::FuncOp function;
  SmallVector<Type> argumentTypes;
  int64_t workgroupBytes = 0;
  SmallVector<int64_t> clusterSize; ///< that the kernel asks for; may be empty
};

/// Type without memory spaces, which the host has only one of.
Type getHostType(Type type);

/// Makes a function of the host from a kernel, whose body moves.
FailureOr<EmulatedKernel> emulateKernel(gpu::GPUFuncOp kernel,
                                        Program &program);

} // namespace mlir::norm::simt

#endif // NORM_LIB_TESTING_SIMT_EMULATEGPU_H
