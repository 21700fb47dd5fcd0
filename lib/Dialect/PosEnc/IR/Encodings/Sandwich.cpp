//===- Sandwich.cpp - A bias of the inner product of sinusoids ------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include "posenc/Formula/FormulaOps.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

LogicalResult SandwichOp::verify() {
  RankedTensorType type = getType();
  if (failed(verifySharedByBatch(*this, type))) // C1
    return failure();
  if (!getRatios() && type.isDynamicDim(1)) // C1
    return emitOpError() << "cannot compute ratios for an unknown number of "
                            "heads; give a static head dimension or 'ratios'";
  if (getRatios() &&
      failed(verifyPerHead(*this, getRatios(), "ratios", type))) // C2
    return failure();
  auto width = static_cast<int64_t>(getWidth());
  if (width < 2 || width % 2 || width > 2 * kMostTrips) // C4
    return emitOpError() << "'width' is " << width
                         << "; sinusoids come in pairs, so it must be even, "
                            "from 2 to "
                         << 2 * kMostTrips;
  for (auto [name, value] :
       {std::pair("base", getBase()), std::pair("max_ratio", getMaxRatio())})
    if (double number = value.convertToDouble();
        !std::isfinite(number) || number <= 0) // C5
      return emitOpError() << "'" << name << "' is " << number
                           << "; it must be finite and positive";
  return verifySizes(*this, getSizes(), type); // C3
}

/// The sum of the cosines of `distance` (f32) times each of `frequencies`.
static Value emitCosines(OpBuilder &b, Location loc, Value distance,
                         ArrayRef<double> frequencies) {
  SmallVector<float> his, los;
  for (double frequency : frequencies) {
    auto [hi, lo] = CosSinOp::splitTurns(frequency);
    his.push_back(hi);
    los.push_back(lo);
  }
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto loop = scf::ForOp::create(
      b, loc, constant(0), constant(frequencies.size()), constant(1),
      createF32(b, loc, 0.0),
      [&](OpBuilder &b, Location loc, Value k, ValueRange sum) {
        auto angle =
            CosSinOp::create(b, loc, distance, readTable(b, loc, his, k),
                             readTable(b, loc, los, k));
        Value next = arith::AddFOp::create(b, loc, sum.front(), angle.getCos());
        scf::YieldOp::create(b, loc, next);
      });
  return loop.getResult(0);
}

Value SandwichOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  Value distance =
      castToF32(b, loc, emitRelativePosition(b, loc, at, getOffset()));
  Value sum = emitCosines(
      b, loc, distance,
      getGeometricFrequencies(getBase().convertToDouble(), getWidth()));
  if (getRatios())
    return arith::DivFOp::create(
        b, loc, sum, tensor::ExtractOp::create(b, loc, getRatios(), at[1]));
  int64_t heads = getType().getDimSize(1);
  SmallVector<float> shares;
  for (int64_t head = 0; head < heads; ++head)
    shares.push_back(static_cast<float>(
        static_cast<double>(heads) /
        (getMaxRatio().convertToDouble() * static_cast<double>(head + 1))));
  return arith::MulFOp::create(b, loc, sum, readTable(b, loc, shares, at[1]));
}
