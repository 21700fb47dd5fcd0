//===- MicroKernel.h - A tile of a product in registers ---------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_CODEGEN_CPU_MICROKERNEL_H
#define POSENC_LIB_CODEGEN_CPU_MICROKERNEL_H

#include "KernelBuilder.h"

namespace mlir::posenc {

/// What the micro-kernel reads in step `k`.
struct MicroKernelOperands {
  /// One scalar a row of the tile; each is broadcast from memory.
  function_ref<SmallVector<Value>(Value k)> column;
  /// One vector, the lanes of the tile.
  function_ref<Value(Value k)> row;
  /// Asks for what later steps read; may be null. Called every `unroll` steps.
  function_ref<void(Value k)> prefetch = {};
  /// Steps that one iteration of the loop takes; `count` is a multiple.
  int64_t unroll = 1;
};

/// `accumulators[r] + sum over k of column(k)[r] * row(k)` for k in
/// `[0, count)`: a loop that keeps all accumulators in registers, as
/// vector.outerproduct. Accumulators are vectors of one type.
SmallVector<Value> emitMicroKernel(KernelBuilder &b, Value count,
                                   ArrayRef<Value> accumulators,
                                   const MicroKernelOperands &operands);

} // namespace mlir::posenc

#endif // POSENC_LIB_CODEGEN_CPU_MICROKERNEL_H
