//===- RowStaging.h - Rows as f32, rotated and scaled -----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_CODEGEN_CPU_ROWSTAGING_H
#define POSENC_LIB_CODEGEN_CPU_ROWSTAGING_H

#include "AttentionKernel.h"

namespace mlir::posenc {

/// How a row's lanes rotate: a `rotate_*` region and what it is asked for.
struct RowRotation {
  Region *region;
  LanesAttr lanes;
  Value batch, head;
};

/// Copies rows of `source` (any storage type), `size` lanes each, to `target`,
/// f32: for r in `[0, count)` row `first + r`, but none beyond `last`, which is
/// then repeated. `factor` (f32, may be null) multiplies them, `rotation` may
/// be null.
void emitStageRows(KernelBuilder &b, Value source, Value first, Value last,
                   Value count, Value target, int64_t size, Value factor,
                   const RowRotation *rotation);

/// A storage element, or a vector of them, as f32.
Value emitToF32(KernelBuilder &b, Value value);
/// A vector of f32 in the storage type.
Value emitFromF32(KernelBuilder &b, Value vector, Type storage);

} // namespace mlir::posenc

#endif // POSENC_LIB_CODEGEN_CPU_ROWSTAGING_H
