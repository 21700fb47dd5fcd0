//===- Kerple.cpp - Kernelized relative biases ----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"

using namespace mlir;
using namespace mlir::posenc;

LogicalResult KerpleOp::verify() {
  RankedTensorType type = getType();
  if (failed(verifySharedByBatch(*this, type))) // C1
    return failure();
  if (failed(verifyPerHead(*this, getP(), "p", type)) ||
      failed(verifyPerHead(*this, getA(), "a", type))) // C2
    return failure();
  return verifySizes(*this, getSizes(), type); // C3
}

Value KerpleOp::emitElement(OpBuilder &b, Location loc, ValueRange at) {
  bool isPower = getKernel() == KerpleKernel::Power;
  Value p = tensor::ExtractOp::create(b, loc, getP(), at[1]);
  Value a = tensor::ExtractOp::create(b, loc, getA(), at[1]);
  if (getClamp()) {
    Value least = createF32(b, loc, 0.01);
    p = arith::MaximumFOp::create(b, loc, p, least);
    a = arith::MaximumFOp::create(b, loc, a, least);
    if (isPower)
      p = arith::MinimumFOp::create(b, loc, p, createF32(b, loc, 2.0));
  }
  // The distance is exact as an integer.
  Value relative = emitRelativePosition(b, loc, at, getOffset());
  if (getLaterKeys() == LaterKeys::Zero)
    relative = arith::MinSIOp::create(
        b, loc, relative, arith::ConstantIndexOp::create(b, loc, 0));
  Value distance = math::AbsFOp::create(b, loc, castToF32(b, loc, relative));
  if (isPower)
    return arith::MulFOp::create(b, loc, arith::NegFOp::create(b, loc, a),
                                 math::PowFOp::create(b, loc, distance, p));
  Value scaled = arith::MulFOp::create(b, loc, a, distance);
  return arith::MulFOp::create(b, loc, arith::NegFOp::create(b, loc, p),
                               math::Log1pOp::create(b, loc, scaled));
}
