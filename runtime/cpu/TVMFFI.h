//===- TVMFFI.h - functions that the TVM FFI calls --------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The descriptions that norm-compile builds for functions of the TVM FFI.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RUNTIME_CPU_TVMFFI_H
#define NORM_RUNTIME_CPU_TVMFFI_H

#include <tvm/ffi/c_api.h>

namespace norm::tvm_ffi {

/// The type of an argument or a result. TVMFFI.cpp of lib/Compiler/CPU builds
/// these two as constants.
struct Parameter {
  const char *text; ///< such as float32[?, 64]
  const int64_t *shape;
  int32_t rank;
  uint8_t typeCode, typeBits;
};

struct Function {
  const Parameter *parameters; ///< arguments, then results
  int32_t numArguments, numResults;
  /// Takes the addresses of the descriptors of arguments and results.
  void (*entry)(void **descriptors);
  /// Takes those of the arguments, and of a buffer for the dynamic extents of
  /// results, one at least; null: there is nothing to compute or check.
  void (*getExtents)(void **descriptors);
  int64_t numExtents;
};

} // namespace norm::tvm_ffi

/// Checks the arguments and calls the function. Returns 0, or -1 after an error
/// that the TVM FFI keeps for its caller.
extern "C" int norm_tvm_ffi_call(const norm::tvm_ffi::Function *function,
                                 const TVMFFIAny *arguments, int32_t count);

/// In place of `write` and `abort` in compiled code.
extern "C" long norm_tvm_ffi_write(int file, const void *data,
                                   unsigned long size);
extern "C" void norm_tvm_ffi_leave(void);

#endif // NORM_RUNTIME_CPU_TVMFFI_H
