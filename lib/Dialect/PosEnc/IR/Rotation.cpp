//===- Rotation.cpp - Rotated lanes as linalg -----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Dialect/PosEnc/IR/Rotation.h"

#include "ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "posenc/Formula/FormulaOps.h"

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Cosines and sines of all pairs, over the axes b, h, l, pair they depend on.
struct AngleTables {
  Value cos, sin;
  SmallVector<int64_t> axes;
};
} // namespace

/// Computes the tables over `extents`, the sizes of b, h, l and of the pairs.
static AngleTables emitAngleTables(OpBuilder &b, Location loc,
                                   ArrayRef<OpFoldResult> extents,
                                   EmitCosSin emitCosSin) {
  // The formula is emitted aside first, to see which axes it depends on. A
  // builder without a listener: these ops never become part of the IR.
  Block aside;
  SmallVector<Location> locs(4, loc);
  aside.addArguments(SmallVector<Type>(4, b.getIndexType()), locs);
  OpBuilder asideBuilder(b.getContext());
  asideBuilder.setInsertionPointToStart(&aside);
  auto formula = emitCosSin(asideBuilder, loc,
                            ValueRange(aside.getArguments()).take_front(3),
                            aside.getArgument(3));

  AngleTables tables;
  SmallVector<OpFoldResult> sizes;
  for (int64_t axis = 0; axis < 4; ++axis) {
    if (axis < 3 && aside.getArgument(axis).use_empty())
      continue;
    tables.axes.push_back(axis);
    sizes.push_back(extents[axis]);
  }
  auto rank = static_cast<unsigned>(sizes.size());
  Value init = tensor::EmptyOp::create(b, loc, sizes, b.getF32Type());
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{init.getType(), init.getType()}, ValueRange(),
      ValueRange{init, init}, ArrayRef{identity, identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange) {
        IRMapping mapping;
        for (auto [dim, axis] : llvm::enumerate(tables.axes))
          mapping.map(aside.getArgument(axis),
                      linalg::IndexOp::create(b, loc, dim));
        cloneFormulaSlice(b, {formula.first, formula.second}, aside, mapping);
        linalg::YieldOp::create(b, loc,
                                {mapping.lookupOrDefault(formula.first),
                                 mapping.lookupOrDefault(formula.second)});
      });
  tables.cos = generic.getResult(0);
  tables.sin = generic.getResult(1);
  return tables;
}

/// What the rotated lanes are written into: holds the lanes that pass through.
static Value emitDestination(OpBuilder &b, Location loc, Value input,
                             LanesAttr lanes, Type elementType) {
  auto type = cast<RankedTensorType>(input.getType());
  bool passThrough = lanes.getCount() != type.getDimSize(3);
  if (passThrough && type.getElementType() == elementType)
    return input;
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, input), elementType);
  if (!passThrough)
    return empty;
  AffineMap identity = b.getMultiDimIdentityMap(4);
  return linalg::GenericOp::create(
             b, loc, empty.getType(), input, empty,
             ArrayRef{identity, identity},
             SmallVector<utils::IteratorType>(4, utils::IteratorType::parallel),
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               linalg::YieldOp::create(
                   b, loc,
                   castFromF32(b, loc, castToF32(b, loc, arguments[0]),
                               elementType));
             })
      .getResult(0);
}

namespace {
/// The first or the second members of all pairs, as a slice of a tensor in any
/// layout, whose lanes come last.
struct PairSlices {
  SmallVector<OpFoldResult> firstOffsets, secondOffsets, sizes, strides;

  PairSlices(OpBuilder &b, LanesAttr lanes, ArrayRef<OpFoldResult> inputSizes)
      : firstOffsets(4, b.getIndexAttr(0)), sizes(inputSizes),
        strides(4, b.getIndexAttr(1)) {
    sizes[3] = b.getIndexAttr(lanes.getNumPairs());
    secondOffsets = firstOffsets;
    firstOffsets[3] = b.getIndexAttr(lanes.getPair(0).first);
    secondOffsets[3] = b.getIndexAttr(lanes.getPair(0).second);
    if (lanes.getNumPairs() > 1)
      strides[3] =
          b.getIndexAttr(lanes.getPair(1).first - lanes.getPair(0).first);
  }

  Value extract(OpBuilder &b, Location loc, Value tensor,
                ArrayRef<OpFoldResult> offsets) const {
    return tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes,
                                          strides);
  }
  Value insert(OpBuilder &b, Location loc, Value part, Value tensor,
               ArrayRef<OpFoldResult> offsets) const {
    return tensor::InsertSliceOp::create(b, loc, part, tensor, offsets, sizes,
                                         strides);
  }
};
} // namespace

/// The body of the op that rotates: x, y, cos, sin -> the rotated x and y.
static void emitRotatedPair(OpBuilder &b, Location loc, ValueRange arguments,
                            Type elementType) {
  Value x = castToF32(b, loc, arguments[0]);
  Value y = castToF32(b, loc, arguments[1]);
  Value cos = arguments[2], sin = arguments[3];
  auto mul = [&](Value lhs, Value rhs) -> Value {
    return arith::MulFOp::create(b, loc, lhs, rhs);
  };
  Value first = arith::SubFOp::create(b, loc, mul(x, cos), mul(y, sin));
  Value second = arith::AddFOp::create(b, loc, mul(x, sin), mul(y, cos));
  linalg::YieldOp::create(b, loc,
                          {castFromF32(b, loc, first, elementType),
                           castFromF32(b, loc, second, elementType)});
}

Value posenc::decomposeRotation(OpBuilder &b, Location loc, Value input,
                                Layout layout, LanesAttr lanes,
                                Type elementType, EmitCosSin emitCosSin) {
  SmallVector<OpFoldResult> inputSizes = tensor::getMixedSizes(b, loc, input);
  int64_t headDim = AttentionOp::getAxis(layout, 1);
  int64_t rowDim = AttentionOp::getAxis(layout, 2);
  AngleTables tables =
      emitAngleTables(b, loc,
                      {inputSizes[0], inputSizes[headDim], inputSizes[rowDim],
                       b.getIndexAttr(lanes.getNumPairs())},
                      emitCosSin);
  AffineMap identity = b.getMultiDimIdentityMap(4);
  SmallVector<AffineExpr> tableDims;
  for (int64_t axis : tables.axes)
    tableDims.push_back(b.getAffineDimExpr(AttentionOp::getAxis(layout, axis)));
  AffineMap tableMap = AffineMap::get(4, 0, tableDims, b.getContext());

  PairSlices pairs(b, lanes, inputSizes);
  Value destination = emitDestination(b, loc, input, lanes, elementType);
  Value firstInit = pairs.extract(b, loc, destination, pairs.firstOffsets);
  Value secondInit = pairs.extract(b, loc, destination, pairs.secondOffsets);
  Value firstInput = pairs.extract(b, loc, input, pairs.firstOffsets);
  Value secondInput = pairs.extract(b, loc, input, pairs.secondOffsets);
  auto rotated = linalg::GenericOp::create(
      b, loc, TypeRange{firstInit.getType(), secondInit.getType()},
      ValueRange{firstInput, secondInput, tables.cos, tables.sin},
      ValueRange{firstInit, secondInit},
      ArrayRef{identity, identity, tableMap, tableMap, identity, identity},
      SmallVector<utils::IteratorType>(4, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        emitRotatedPair(b, loc, arguments, elementType);
      });
  Value withFirst = pairs.insert(b, loc, rotated.getResult(0), destination,
                                 pairs.firstOffsets);
  return pairs.insert(b, loc, rotated.getResult(1), withFirst,
                      pairs.secondOffsets);
}
