//===- Sinusoidal2D.cpp - Sines and cosines of a grid ---------------------===//
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

LogicalResult Sinusoidal2DOp::verify() {
  RankedTensorType type = getType();
  int64_t width = type.getDimSize(2);
  if (ShapedType::isDynamic(width) || width < 4 || width % 4 != 0) // C1
    return emitOpError() << "result is " << type
                         << "; its last dimension must be static and a "
                            "multiple of 4: sines and cosines of two axes";
  double base = getBase().convertToDouble();
  if (!std::isfinite(base) || base <= 0) // C2
    return emitOpError() << "'base' is " << base
                         << "; it must be finite and positive";
  auto isScale = [](double x) { return std::isfinite(x) && x > 0; };
  std::optional<ArrayRef<double>> scale = getAxisScale();
  if (scale && (scale->size() != 2 || !llvm::all_of(*scale, isScale))) // C2
    return emitOpError() << "'axis_scale' is [" << *scale
                         << "]; it must be two finite and positive numbers";
  return verifySizes(*this, getSizes(), type); // C3
}

namespace {
/// What column c holds: the cosine or the sine of the angle of frequency
/// (his[c] + los[c]) of the row, or of the column.
struct Columns {
  SmallVector<float> his, los;
  SmallVector<int32_t> cosine, ofRow;
};
} // namespace

static Columns getColumns(Sinusoidal2DOp op) {
  int64_t width = op.getType().getDimSize(2), quarter = width / 4;
  double base = op.getBase().convertToDouble();
  Columns columns;
  for (int64_t c = 0; c < width; ++c) {
    // Both of the first or second half and of its first or second part.
    bool secondHalf = c / quarter / 2, secondPart = c / quarter % 2;
    int64_t k = c % quarter;
    if (op.getOrder() == GridOrder::Interleaved) {
      secondPart = c % 2;
      k = c % (2 * quarter) / 2;
    }
    bool functionsApart = op.getOrder() == GridOrder::FunctionsApart;
    bool cosine = functionsApart ? secondHalf : secondPart;
    bool other = functionsApart ? secondPart : secondHalf;
    bool isRow = (op.getFirst() == GridAxis::Row) != other;
    double exponent = -static_cast<double>(k) / static_cast<double>(quarter);
    double scale = op.getAxisScale() ? (*op.getAxisScale())[isRow ? 0 : 1] : 1;
    auto [hi, lo] = CosSinOp::splitTurns(scale * std::pow(base, exponent));
    columns.his.push_back(hi);
    columns.los.push_back(lo);
    columns.cosine.push_back(cosine);
    columns.ofRow.push_back(isRow);
  }
  return columns;
}

Value Sinusoidal2DOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Columns columns = getColumns(*this);
  Value column = at[2];
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  auto isSet = [&](ArrayRef<int32_t> flags) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                 readTable(b, loc, flags, column), zero);
  };
  Value position =
      arith::SelectOp::create(b, loc, isSet(columns.ofRow), at[0], at[1]);
  auto turn =
      CosSinOp::create(b, loc, castToF32(b, loc, position),
                       readTable(b, loc, ArrayRef<float>(columns.his), column),
                       readTable(b, loc, ArrayRef<float>(columns.los), column));
  return arith::SelectOp::create(b, loc, isSet(columns.cosine), turn.getCos(),
                                 turn.getSin());
}
