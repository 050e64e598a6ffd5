//===- Descriptor.h - memref descriptors of contiguous tensors --*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RUNTIME_CPU_DESCRIPTOR_H
#define NORM_RUNTIME_CPU_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>

namespace norm::cpu {

/// The words of a descriptor: two pointers, the offset, sizes and strides.
constexpr size_t getDescriptorWords(size_t rank) { return 3 + 2 * rank; }

/// Writes that of a row-major tensor.
inline void writeDescriptor(int64_t *words, const void *data,
                            const int64_t *shape, size_t rank) {
  words[0] = words[1] = reinterpret_cast<intptr_t>(data);
  words[2] = 0;
  int64_t stride = 1;
  for (size_t d = rank; d-- > 0;) {
    words[3 + d] = shape[d];
    words[3 + rank + d] = stride;
    stride *= shape[d];
  }
}

} // namespace norm::cpu

#endif // NORM_RUNTIME_CPU_DESCRIPTOR_H
