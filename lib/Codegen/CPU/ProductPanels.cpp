//===- ProductPanels.cpp - Parts of a product's operands as f32 -----------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductPanels.h"

#include "RowStaging.h"
#include "Transposes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::posenc;

ProductAccess::ProductAccess(KernelBuilder &b, linalg::LinalgOp op,
                             ProductLoops loops)
    : b(b), op(op), loops(loops) {
  for (Range range : op.createLoopRanges(b, op.getLoc()))
    sizes.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), range.size));
  at.assign(sizes.size(), b.index(0));
}

SmallVector<Value> ProductAccess::getIndices(OpOperand *operand, Value row,
                                             Value column, Value depth) {
  auto getIndex = [&](AffineExpr expr) -> Value {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim) // a unit dimension, read at zero
      return b.index(cast<AffineConstantExpr>(expr).getValue());
    unsigned loop = dim.getPosition();
    return loops.row == loop      ? row
           : loop == loops.column ? column
           : loop == loops.depth  ? depth
                                  : at[loop];
  };
  return llvm::map_to_vector(op.getMatchingIndexingMap(operand).getResults(),
                             getIndex);
}

Value ProductAccess::loadElement(OpOperand *operand, Value row, Value column,
                                 Value depth) {
  return emitToF32(
      b, b.load(operand->get(), getIndices(operand, row, column, depth)));
}

Value ProductAccess::loadVector(int64_t width, OpOperand *operand, Value row,
                                Value column, Value depth) {
  return emitToF32(b, b.loadVector(width, operand->get(),
                                   getIndices(operand, row, column, depth)));
}

bool ProductAccess::isContiguousAlong(OpOperand *operand, unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && last.getPosition() == loop &&
         cast<MemRefType>(operand->get().getType()).isLastDimUnitStride();
}

static int64_t getLanes(Value panel) {
  return cast<MemRefType>(panel.getType()).getDimSize(1);
}

/// Columns that are neighbours, a step at a time.
static void packRows(ProductAccess &access, Value panel,
                     const LaneColumns &columns, Span depth,
                     function_ref<Value(ValueRange)> load) {
  KernelBuilder &b = access.b;
  b.loop(b.index(0), b.sub(depth.end, depth.begin), 1, [&](Value k) {
    Value row = load(access.getIndices(access.getB(), {}, columns.first,
                                       b.add(depth.begin, k)));
    b.storeVector(row, panel, {k, b.index(0)});
  });
}

static void packElements(ProductAccess &access, Value panel,
                         const LaneColumns &columns, Span depth) {
  KernelBuilder &b = access.b;
  b.loop(b.index(0), columns.count, 1, [&](Value lane) {
    b.loop(depth.begin, depth.end, 1, [&](Value step) {
      Value element = access.loadElement(access.getB(), {},
                                         b.add(columns.first, lane), step);
      b.store(element, panel, {b.rem(step, kProductDepth), lane});
    });
  });
}

/// A square of columns and steps, turned in registers. The last column stands
/// for those that are past the end. What the next panel reads is asked for.
static void packSquare(ProductAccess &access, Value panel,
                       const LaneColumns &columns, Value lane, Value first,
                       Value k) {
  KernelBuilder &b = access.b;
  Value step = b.add(first, k);
  Value last = b.add(b.add(columns.first, columns.count), -1);
  SmallVector<Value> rows;
  for (int64_t r = 0; r < kTransposeSide; ++r) {
    Value column = b.min(b.add(b.add(columns.first, lane), r), last);
    b.prefetch(access.getB()->get(),
               access.getIndices(access.getB(), {}, column,
                                 b.add(step, kProductDepth)),
               /*locality=*/2);
    rows.push_back(
        access.loadVector(kTransposeSide, access.getB(), {}, column, step));
  }
  for (auto [r, turned] : llvm::enumerate(emitTransposed(b, rows)))
    b.storeVector(turned, panel, {b.add(k, int64_t(r)), lane});
}

/// Steps that are neighbours: by squares, the last steps by elements.
static void packTransposed(ProductAccess &access, Value panel,
                           const LaneColumns &columns, Span depth) {
  KernelBuilder &b = access.b;
  Value squares = b.div(b.sub(depth.end, depth.begin), kTransposeSide);
  Value wide = b.mul(squares, kTransposeSide);
  b.loop(b.index(0), columns.count, kTransposeSide, [&](Value lane) {
    b.loop(b.index(0), wide, kTransposeSide, [&](Value k) {
      packSquare(access, panel, columns, lane, depth.begin, k);
    });
  });
  packElements(access, panel, columns, {b.add(depth.begin, wide), depth.end});
}

void posenc::emitPackPanel(ProductAccess &access, Value panel,
                           const LaneColumns &columns, Span depth) {
  KernelBuilder &b = access.b;
  OpOperand *right = access.getB();
  if (access.isContiguousAlong(right, access.loops.depth))
    return packTransposed(access, panel, columns, depth);
  if (!access.isContiguousAlong(right, access.loops.column))
    return packElements(access, panel, columns, depth);
  int64_t lanes = getLanes(panel);
  if (getElementTypeOrSelf(right->get()).isF32())
    return packRows(access, panel, columns, depth, [&](ValueRange at) -> Value {
      return vector::MaskedLoadOp::create(b, b.vectorType(lanes), right->get(),
                                          at, columns.mask, b.splat(lanes, 0));
    });
  // LLVM takes masked vectors of 16-bit floats apart, lane by lane.
  b.ifElse(
      b.compare(arith::CmpIPredicate::eq, columns.count, b.index(lanes)),
      [&] {
        packRows(access, panel, columns, depth, [&](ValueRange at) {
          return emitToF32(b, b.loadVector(lanes, right->get(), at));
        });
      },
      [&] { packElements(access, panel, columns, depth); });
}

void posenc::emitStageA(ProductAccess &access, Value target, Span rows,
                        Span depth) {
  KernelBuilder &b = access.b;
  OpOperand *left = access.getA();
  Value count = b.sub(depth.end, depth.begin);
  Value wide = b.index(0);
  if (access.isContiguousAlong(left, access.loops.depth))
    wide = b.mul(b.div(count, kTransposeSide), kTransposeSide);
  b.loop(rows.begin, rows.end, 1, [&](Value row) {
    Value to = b.sub(row, rows.begin);
    b.loop(b.index(0), wide, kTransposeSide, [&](Value k) {
      Value part = access.loadVector(kTransposeSide, left, row, {},
                                     b.add(depth.begin, k));
      b.storeVector(part, target, {to, k});
    });
    b.loop(wide, count, 1, [&](Value k) {
      Value element = access.loadElement(left, row, {}, b.add(depth.begin, k));
      b.store(element, target, {to, k});
    });
  });
}
