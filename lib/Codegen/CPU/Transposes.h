//===- Transposes.h - Between rows and lanes --------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_CODEGEN_CPU_TRANSPOSES_H
#define POSENC_LIB_CODEGEN_CPU_TRANSPOSES_H

#include "KernelBuilder.h"

namespace mlir::posenc {

/// Side of the square that is transposed in registers; the extents of what is
/// transposed are multiples of it.
constexpr int64_t kTransposeSide = 16;

/// Vector `n` of the result holds lane `n` of each of `vectors`:
/// `kTransposeSide` vectors of as many lanes. Emitted as shuffles: a
/// vector.transpose between inserts and extracts is taken apart, element by
/// element, by canonicalization.
SmallVector<Value> emitTransposed(KernelBuilder &b, ArrayRef<Value> vectors);

/// `target[c][r] = source[r][c]`. Both are f32 scratch, of which `source` has
/// rank 2 and `target` rank 2 with extents multiples of `kTransposeSide`.
void emitTranspose(KernelBuilder &b, Value source, Value target);

/// Lane `n` is the sum of the lanes of `vectors[n]`: as many vectors as they
/// have lanes, 4, 8 or 16.
Value emitSumsOfLanes(KernelBuilder &b, ArrayRef<Value> vectors);

} // namespace mlir::posenc

#endif // POSENC_LIB_CODEGEN_CPU_TRANSPOSES_H
