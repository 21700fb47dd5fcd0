//===- ProductPanels.h - Parts of a product's operands as f32 ---*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_CODEGEN_CPU_PRODUCTPANELS_H
#define POSENC_LIB_CODEGEN_CPU_PRODUCTPANELS_H

#include "KernelBuilder.h"
#include "posenc/Plan/Product.h"

namespace mlir::posenc {

/// Steps of the reduction a panel holds: with 64 lanes 32 KiB. Sums have two
/// levels, a panel's from zero and the total, so this is part of their meaning.
constexpr int64_t kProductDepth = 128;

/// A range of indices.
struct Span {
  Value begin, end;
};

/// How code reads and writes the memrefs of c[.., m, n] += a[.., m, k] *
/// b[.., k, n].
struct ProductAccess {
  ProductAccess(KernelBuilder &b, linalg::LinalgOp op, ProductLoops loops);

  OpOperand *getA() { return op.getDpsInputOperand(0); }
  OpOperand *getB() { return op.getDpsInputOperand(1); }
  OpOperand *getC() { return op.getDpsInitOperand(0); }

  /// The operand's indices with the named loops at these values.
  SmallVector<Value> getIndices(OpOperand *operand, Value row, Value column,
                                Value depth);
  /// An element as f32.
  Value loadElement(OpOperand *operand, Value row, Value column, Value depth);
  /// `width` neighbours as f32.
  Value loadVector(int64_t width, OpOperand *operand, Value row, Value column,
                   Value depth);
  /// Whether neighbours along `loop` are neighbours in `operand`'s memory.
  bool isContiguousAlong(OpOperand *operand, unsigned loop);

  KernelBuilder &b;
  linalg::LinalgOp op;
  ProductLoops loops;
  /// Extents of the op's loops, and where the code stands in the outer ones.
  SmallVector<Value> sizes, at;
};

/// One tile of lanes of `b`: the columns from `first` on, `count` of them at
/// most as many as there are lanes, `mask` says which lanes are columns.
struct LaneColumns {
  Value first, count, mask;
};

/// `panel[k][lane] = b[.., depth.begin + k, first + lane]`, as f32. Lanes that
/// are no columns hold anything.
void emitPackPanel(ProductAccess &access, Value panel,
                   const LaneColumns &columns, Span depth);

/// `target[r][k] = a[.., rows.begin + r, depth.begin + k]`, as f32.
void emitStageA(ProductAccess &access, Value target, Span rows, Span depth);

} // namespace mlir::posenc

#endif // POSENC_LIB_CODEGEN_CPU_PRODUCTPANELS_H
