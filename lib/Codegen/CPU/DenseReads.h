//===- DenseReads.h - Reads of a whole [row][key] table ---------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bias or a mask that comes as a table is contiguous in keys, while the lanes
// of prefill are rows: read element by element it is a gather a key. Instead
// the part that a block of keys needs is transposed in registers, once.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_CODEGEN_CPU_DENSEREADS_H
#define POSENC_LIB_CODEGEN_CPU_DENSEREADS_H

#include "AttentionKernel.h"

namespace mlir::posenc {

/// The rows and keys of one tile; what lies beyond the counts is not read.
struct DenseTile {
  Value batch, head;
  Value firstRow, rowCount;
  Value firstKey, keyCount;
  bool allKeys;
};

/// The reads in score and mask whose last index is the key, and whose others do
/// not depend on it: of floats or booleans, contiguous in the key.
SmallVector<memref::LoadOp> findDenseReads(AttentionOp op);

/// Fills `scratch` (f32 `[keys][rows]`, extents multiples of the transposed
/// square) with what `load` reads in the tile.
void emitDenseTile(KernelBuilder &b, memref::LoadOp load, const DenseTile &tile,
                   Value scratch);

/// Row `key` of the filled scratch, in the type that `load` gives.
Value emitDenseRow(KernelBuilder &b, memref::LoadOp load, Value scratch,
                   Value key);

} // namespace mlir::posenc

#endif // POSENC_LIB_CODEGEN_CPU_DENSEREADS_H
