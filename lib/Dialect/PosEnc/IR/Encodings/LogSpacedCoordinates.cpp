//===- LogSpacedCoordinates.cpp - Distances within a window, log-spaced ---===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

LogicalResult LogSpacedCoordinatesOp::verify() {
  if (failed(verifyWindow(*this, getWindow()))) // C1
    return failure();
  RankedTensorType type = getType();
  int64_t rows = countWindowDistances(getWindow());
  if (type.getDimSize(0) != rows || type.getDimSize(1) != 2) // C2
    return emitOpError() << "result is " << type << "; it must be [" << rows
                         << ", 2], a row for each distance between places";
  std::optional<ArrayRef<int64_t>> pretrained = getPretrainedWindow();
  if (!pretrained)
    return success();
  if (getSpacing() != LogSpacing::Window) // C3
    return emitOpError("'pretrained_window' says nothing with "
                       "spacing(<natural>); drop it");
  if (pretrained->size() != 2)
    return emitOpError() << "'pretrained_window' has " << pretrained->size()
                         << " extents; it must be [Wh', Ww']";
  for (auto [size, before] : llvm::zip_equal(getWindow(), *pretrained))
    if (before < 1 || (before == 1 && size > 1)) // C3
      return emitOpError() << "'pretrained_window' has an axis of " << before
                           << " for one of " << size
                           << " places; it must have at least two";
  return success();
}

/// g(d) for d = -(size - 1) ... size - 1.
static SmallVector<float> getCoordinates(LogSpacing spacing, int64_t size,
                                         int64_t pretrained) {
  SmallVector<float> coordinates;
  for (int64_t d = 1 - size; d < size; ++d) {
    auto distance = static_cast<double>(std::abs(d));
    double x;
    if (d == 0)
      x = 0.0;
    else if (spacing == LogSpacing::Natural)
      x = std::log1p(distance);
    else
      x = std::log2(1 + 8 * distance / static_cast<double>(pretrained - 1)) / 3;
    coordinates.push_back(static_cast<float>(d < 0 ? -x : x));
  }
  return coordinates;
}

Value LogSpacedCoordinatesOp::emitElement(OpBuilder &b, Location loc,
                                          ValueRange at) {
  ArrayRef<int64_t> window = getWindow();
  ArrayRef<int64_t> pretrained = getPretrainedWindow().value_or(window);
  auto read = [&](int64_t axis, Value index) {
    return readTable(
        b, loc, getCoordinates(getSpacing(), window[axis], pretrained[axis]),
        index);
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value pitch = constant(2 * window[1] - 1);
  Value ofRows = read(0, arith::DivSIOp::create(b, loc, at[0], pitch));
  Value ofColumns = read(1, arith::RemSIOp::create(b, loc, at[0], pitch));
  Value isRow = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, at[1],
                                      constant(0));
  return arith::SelectOp::create(b, loc, isRow, ofRows, ofColumns);
}

LogicalResult
LogSpacedCoordinatesOp::reifyResultShapes(OpBuilder &b,
                                          ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(getMixedSizes(b, /*sizes=*/{}, getType()));
  return success();
}
