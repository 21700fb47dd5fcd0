//===- DenseReads.cpp - Reads of a whole [row][key] table -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseReads.h"

#include "RowStaging.h"
#include "Transposes.h"
#include "posenc/Formula/Dependence.h"

using namespace mlir;
using namespace mlir::posenc;

static bool isDenseRead(memref::LoadOp load, Region &region,
                        const Dependences &dependences) {
  if (load->getParentRegion() != &region || load.getIndices().empty())
    return false;
  Type element = load.getType();
  return (isa<FloatType>(element) || element.isInteger(1)) &&
         element.getIntOrFloatBitWidth() <= 32 &&
         load.getMemRefType().isLastDimUnitStride() &&
         load.getIndices().back() == region.getArguments().back() &&
         llvm::any_of(load.getIndices().drop_back(),
                      [&](Value index) {
                        return dependences.of(index).isOn(Dependence::Row);
                      }) &&
         llvm::all_of(load.getIndices().drop_back(), [&](Value index) {
           return dependences.of(index).isWithin(
               Dependence::Batch | Dependence::Head | Dependence::Row);
         });
}

SmallVector<memref::LoadOp> posenc::findDenseReads(AttentionOp op) {
  SmallVector<memref::LoadOp> reads;
  for (Region *region : {&op.getScore(), &op.getMask()}) {
    if (region->empty())
      continue;
    Dependences dependences(*region);
    region->walk([&](memref::LoadOp load) {
      if (isDenseRead(load, *region, dependences))
        reads.push_back(load);
    });
  }
  return reads;
}

/// What `value` of a region is, given its arguments: only what it depends on
/// is emitted.
static LaneValue evaluate(Value value, Lanes &lanes,
                          llvm::DenseMap<Value, LaneValue> &known) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  LaneValue result;
  if (!op || !isa<AttentionOp>(op->getParentOp())) {
    result = lanes.capture(value);
  } else {
    SmallVector<LaneValue> operands;
    for (Value operand : op->getOperands())
      operands.push_back(evaluate(operand, lanes, known));
    result = lanes.apply(op, operands)[cast<OpResult>(value).getResultNumber()];
  }
  return known[value] = result;
}

/// Keys `[key, key + side)` of one row, as f32.
static Value emitPieceOfRow(KernelBuilder &b, memref::LoadOp load,
                            const DenseTile &tile, Value row, Value key,
                            Value active) {
  ValueRange arguments = load->getParentRegion()->getArguments().take_back(4);
  Lanes lanes(b.getLoc(), kTransposeSide, {b}, active);
  llvm::DenseMap<Value, LaneValue> known;
  known[arguments[0]] = LaneValue{tile.batch};
  known[arguments[1]] = LaneValue{tile.head};
  known[arguments[2]] = LaneValue{row};
  known[arguments[3]] = LaneValue{key, 1};
  Value piece = lanes.asVector(evaluate(load.getResult(), lanes, known));
  if (load.getType().isInteger(1))
    return arith::UIToFPOp::create(b, b.vectorType(kTransposeSide), piece);
  return emitToF32(b, piece);
}

void posenc::emitDenseTile(KernelBuilder &b, memref::LoadOp load,
                           const DenseTile &tile, Value scratch) {
  constexpr int64_t side = kTransposeSide;
  int64_t rowCount = cast<MemRefType>(scratch.getType()).getDimSize(1);
  Value zero = b.index(0);
  Value lastRow = b.add(b.add(tile.firstRow, tile.rowCount), -1);
  b.loop(zero, tile.keyCount, side, [&](Value key) {
    Value active;
    if (!tile.allKeys)
      active = vector::CreateMaskOp::create(
          b, VectorType::get({side}, b.getI1Type()),
          ValueRange{b.sub(tile.keyCount, key)});
    b.loop(zero, b.index(rowCount), side, [&](Value row) {
      SmallVector<Value> rows;
      for (int64_t r = 0; r < side; ++r)
        rows.push_back(emitPieceOfRow(
            b, load, tile, b.min(b.add(b.add(tile.firstRow, row), r), lastRow),
            b.add(tile.firstKey, key), active));
      for (auto [k, turned] : llvm::enumerate(emitTransposed(b, rows)))
        b.storeVector(turned, scratch, {b.add(key, k), row});
    });
  });
}

Value posenc::emitDenseRow(KernelBuilder &b, memref::LoadOp load, Value scratch,
                           Value key) {
  int64_t width = cast<MemRefType>(scratch.getType()).getDimSize(1);
  Value row = b.loadVector(width, scratch, {key, b.index(0)});
  if (load.getType().isInteger(1))
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, row,
                                 b.splat(width, 0.0f));
  return emitFromF32(b, row, load.getType());
}
