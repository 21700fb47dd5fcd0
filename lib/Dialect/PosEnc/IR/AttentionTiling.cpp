//===- AttentionTiling.cpp - A tile of attention --------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops are b, h and i. A tile is attention on slices of the operands whose
// regions see the indices of the whole: each adds the tile's offset.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Offset and size along one axis.
struct Extent {
  OpFoldResult offset, size;
};
} // namespace

static OpFoldResult getDim(OpBuilder &b, Location loc, Value operand,
                           int64_t dim) {
  auto type = cast<ShapedType>(operand.getType());
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  if (isa<TensorType>(type))
    return tensor::DimOp::create(b, loc, operand, dim).getResult();
  return memref::DimOp::create(b, loc, operand, dim).getResult();
}

static Value slice(OpBuilder &b, Location loc, Value operand,
                   ArrayRef<Extent> extents,
                   SmallVectorImpl<Operation *> &slices) {
  SmallVector<OpFoldResult> offsets, sizes;
  for (const Extent &extent : extents) {
    offsets.push_back(extent.offset);
    sizes.push_back(extent.size);
  }
  SmallVector<OpFoldResult> strides(extents.size(), b.getIndexAttr(1));
  Operation *op;
  if (isa<TensorType>(operand.getType()))
    op = tensor::ExtractSliceOp::create(b, loc, operand, offsets, sizes,
                                        strides);
  else
    op = memref::SubViewOp::create(b, loc, operand, offsets, sizes, strides);
  slices.push_back(op);
  return op->getResult(0);
}

/// `extents` of b, h, l, d in the axis order `layout`.
static SmallVector<Extent> inLayout(ArrayRef<Extent> extents, Layout layout) {
  SmallVector<Extent> ordered(4);
  for (int64_t axis = 0; axis < 4; ++axis)
    ordered[AttentionOp::getAxis(layout, axis)] = extents[axis];
  return ordered;
}

static bool isMultipleOf(OpFoldResult x, int64_t factor);

/// Whether `map` of `operands` has one result, which is a multiple of `factor`.
static bool isMultipleOf(AffineMap map, ValueRange operands, int64_t factor) {
  // Each operand as a multiple of `factor` where it is one: the expression's
  // known divisors do the rest.
  SmallVector<AffineExpr> replacements;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    AffineExpr expr =
        number < map.getNumDims()
            ? getAffineDimExpr(number, map.getContext())
            : getAffineSymbolExpr(number - map.getNumDims(), map.getContext());
    replacements.push_back(isMultipleOf(operand, factor) ? expr * factor
                                                         : expr);
  }
  return map.getNumResults() == 1 &&
         map.getResult(0)
             .replaceDimsAndSymbols(
                 ArrayRef(replacements).take_front(map.getNumDims()),
                 ArrayRef(replacements).drop_front(map.getNumDims()))
             .isMultipleOf(factor);
}

/// Whether `x` is known to be a multiple of `factor`: a constant, the counter
/// of a loop that starts at one and steps by one, or computed from such.
static bool isMultipleOf(OpFoldResult x, int64_t factor) {
  if (std::optional<int64_t> constant = getConstantIntValue(x))
    return *constant % factor == 0;
  auto value = dyn_cast<Value>(x);
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
    return isMultipleOf(apply.getAffineMap(), apply.getMapOperands(), factor);
  auto either = [&](Operation *op) {
    return isMultipleOf(op->getOperand(0), factor) ||
           isMultipleOf(op->getOperand(1), factor);
  };
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return either(product);
  auto counter = dyn_cast<BlockArgument>(value);
  auto loop =
      counter ? dyn_cast<LoopLikeOpInterface>(counter.getOwner()->getParentOp())
              : LoopLikeOpInterface();
  if (!loop)
    return false;
  std::optional<SmallVector<Value>> counters = loop.getLoopInductionVars();
  std::optional<SmallVector<OpFoldResult>> first = loop.getLoopLowerBounds(),
                                           step = loop.getLoopSteps();
  if (!counters || !first || !step)
    return false;
  auto *found = llvm::find(*counters, value);
  if (found == counters->end())
    return false;
  size_t number = found - counters->begin();
  return isMultipleOf((*first)[number], factor) &&
         isMultipleOf((*step)[number], factor);
}

/// The key heads that the query heads `heads` read: those of whole groups, or
/// the one of a part of a group. Offsets must be known to be multiples of the
/// group or of the part.
static FailureOr<Extent> getKeyHeads(AttentionOp op, OpBuilder &b,
                                     const Extent &heads) {
  Location loc = op.getLoc();
  int64_t queryHeads =
      AttentionOp::getShapeBHLD(op.getQuery(), op.getQueryLayout())[1];
  std::optional<int64_t> group = op.getStaticHeadGroup();
  std::optional<int64_t> offset = getConstantIntValue(heads.offset);
  std::optional<int64_t> size = getConstantIntValue(heads.size);
  if (group == 1)
    return heads;
  if (offset == 0 && size && size == queryHeads)
    return Extent{heads.offset, op.getExtent(b, RegionArgument::G)};
  if (!group || *group == 0 || !size || *size == 0 ||
      (*size % *group != 0 && *group % *size != 0))
    return op.emitOpError()
           << "cannot be tiled by "
           << (size ? std::to_string(*size) : std::string("?"))
           << " query heads in groups of "
           << (group ? std::to_string(*group) : std::string("?"))
           << "; a tile must hold whole groups or a divisor of one";
  bool wholeGroups = *size % *group == 0;
  int64_t factor = wholeGroups ? *group : *size;
  if (!isMultipleOf(heads.offset, factor))
    return op.emitOpError()
           << "cannot be tiled by " << *size << " query heads in groups of "
           << *group << " from an offset not known to be a multiple of "
           << factor << "; a tile must not begin within a group and end in "
           << "another";
  OpFoldResult first =
      offset
          ? OpFoldResult(b.getIndexAttr(*offset / *group))
          : arith::DivUIOp::create(
                b, loc, getValueOrCreateConstantIndexOp(b, loc, heads.offset),
                arith::ConstantIndexOp::create(b, loc, *group))
                .getResult();
  return Extent{first, b.getIndexAttr(wholeGroups ? *size / *group : 1)};
}

SmallVector<utils::IteratorType> AttentionOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel);
}

SmallVector<Range> AttentionOp::getIterationDomain(OpBuilder &b) {
  return llvm::map_to_vector(
      ArrayRef{RegionArgument::B, RegionArgument::H, RegionArgument::I},
      [&](RegionArgument index) {
        return Range{b.getIndexAttr(0), getExtent(b, index), b.getIndexAttr(1)};
      });
}

namespace {
/// A tile: ranges of batches, query heads, the key heads these read, and rows.
struct Tile {
  Extent batch, heads, keyHeads, rows;
};
} // namespace

/// The operands of `op` that the tile reads and writes, in order; slices go to
/// `slices`, too.
static SmallVector<Value> sliceOperands(AttentionOp op, OpBuilder &b,
                                        const Tile &tile,
                                        SmallVectorImpl<Operation *> &slices) {
  Location loc = op.getLoc();
  auto whole = [&](Value operand, int64_t dim) {
    return Extent{b.getIndexAttr(0), getDim(b, loc, operand, dim)};
  };
  auto sliceHeads = [&](Value operand, Layout layout, Extent batch,
                        Extent heads, Extent rows) {
    return slice(b, loc, operand,
                 inLayout({batch, heads, rows, whole(operand, 3)}, layout),
                 slices);
  };
  auto sliceRows = [&](Value operand, Layout layout) {
    return sliceHeads(operand, layout, tile.batch, tile.heads, tile.rows);
  };
  auto sliceKeys = [&](Value operand, Layout layout) {
    // With a block table the first axis is pages, all of which may be read.
    return sliceHeads(
        operand, layout, op.getBlockTable() ? whole(operand, 0) : tile.batch,
        tile.keyHeads, whole(operand, AttentionOp::getAxis(layout, 2)));
  };
  SmallVector<Value> operands = {sliceRows(op.getQuery(), op.getQueryLayout()),
                                 sliceKeys(op.getKey(), op.getKeyLayout()),
                                 sliceKeys(op.getValue(), op.getValueLayout()),
                                 op.getScale()};
  if (Value sinks = op.getSinks())
    operands.push_back(slice(b, loc, sinks, tile.heads, slices));
  if (Value table = op.getBlockTable())
    operands.push_back(
        slice(b, loc, table, {tile.batch, whole(table, 1)}, slices));
  operands.push_back(sliceRows(op.getOutputInit(), op.getOutputLayout()));
  if (Value init = op.getLogsumexpInit())
    operands.push_back(
        slice(b, loc, init, {tile.batch, tile.heads, tile.rows}, slices));
  return operands;
}

namespace {
/// What a tile adds to indices; null where it starts at zero.
struct Shifts {
  Value batch, heads, keyHeads, rows;

  Shifts(OpBuilder &b, Location loc, const Tile &tile) {
    auto value = [&](const Extent &extent) {
      return isConstantIntValue(extent.offset, 0)
                 ? Value()
                 : getValueOrCreateConstantIndexOp(b, loc, extent.offset);
    };
    batch = value(tile.batch);
    heads = value(tile.heads);
    keyHeads = value(tile.keyHeads);
    rows = value(tile.rows);
  }

  Value of(RegionArgument index) const {
    switch (index) {
    case RegionArgument::B:
      return batch;
    case RegionArgument::H:
      return heads;
    case RegionArgument::G:
      return keyHeads;
    case RegionArgument::I:
    case RegionArgument::I0:
    case RegionArgument::I1:
      return rows;
    default:
      return {};
    }
  }
};
} // namespace

static void shiftIndices(OpBuilder &b, Region &region, const Shifts &shifts) {
  if (region.empty())
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&region.front());
  for (BlockArgument argument : region.getArguments()) {
    Value offset = shifts.of(*AttentionOp::getRegionArgument(argument));
    if (!offset)
      continue;
    Value shifted =
        arith::AddIOp::create(b, argument.getLoc(), argument, offset);
    argument.replaceAllUsesExcept(shifted, shifted.getDefiningOp());
  }
}

FailureOr<TilingResult>
AttentionOp::getTiledImplementation(OpBuilder &b,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  Extent batch = {offsets[0], sizes[0]}, heads = {offsets[1], sizes[1]},
         rows = {offsets[2], sizes[2]};
  FailureOr<Extent> keyHeads = getKeyHeads(*this, b, heads);
  if (failed(keyHeads))
    return failure();
  Tile tile{batch, heads, *keyHeads, rows};
  SmallVector<Operation *> slices;
  SmallVector<Value> operands = sliceOperands(*this, b, tile, slices);
  Shifts shifts(b, getLoc(), tile);
  // Without a mapping of operands: what the regions read stays whole.
  auto tiled = cast<AttentionOp>(b.clone(*getOperation()));
  tiled->setOperands(operands);
  for (auto [result, init] : llvm::zip(tiled.getResults(), tiled.getDpsInits()))
    result.setType(init.getType());
  for (Region &region : tiled->getRegions())
    shiftIndices(b, region, shifts);
  return TilingResult{{tiled}, SmallVector<Value>(tiled.getResults()), slices};
}

LogicalResult AttentionOp::getResultTilePosition(
    OpBuilder &b, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  SmallVector<Extent> extents;
  for (auto [offset, size] : llvm::zip_equal(offsets, sizes))
    extents.push_back({offset, size});
  if (resultNumber == 0) {
    extents.push_back(
        {b.getIndexAttr(0), getDim(b, getLoc(), getOutputInit(), 3)});
    extents = inLayout(extents, getOutputLayout());
  }
  resultOffsets.clear();
  resultSizes.clear();
  for (const Extent &extent : extents) {
    resultOffsets.push_back(extent.offset);
    resultSizes.push_back(extent.size);
  }
  return success();
}

FailureOr<TilingResult>
AttentionOp::generateResultTileValue(OpBuilder &b, unsigned resultNumber,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> tileOffsets, tileSizes;
  for (int64_t axis = 0; axis < 3; ++axis) {
    int64_t dim = resultNumber == 0 ? getAxis(getOutputLayout(), axis) : axis;
    tileOffsets.push_back(offsets[dim]);
    tileSizes.push_back(sizes[dim]);
  }
  // Lanes are not tiled: a part of them would take the whole softmax.
  if (resultNumber == 0 &&
      (!isConstantIntValue(offsets[3], 0) ||
       getConstantIntValue(sizes[3]) !=
           cast<ShapedType>(getOutputInit().getType()).getDimSize(3)))
    return failure();
  FailureOr<TilingResult> tiled =
      getTiledImplementation(b, tileOffsets, tileSizes);
  if (failed(tiled))
    return failure();
  return TilingResult{tiled->tiledOps,
                      {tiled->tiledValues[resultNumber]},
                      tiled->generatedSlices};
}
