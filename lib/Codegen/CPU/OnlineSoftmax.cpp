//===- OnlineSoftmax.cpp - Exponentials and running maxima ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnlineSoftmax.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::posenc;

/// a * b + c of scalars or vectors.
static Value emitFma(KernelBuilder &b, Value x, Value y, Value z) {
  return math::FmaOp::create(b, x, y, z);
}

/// The type of i32 that has the shape of `like`.
static Type integerLike(KernelBuilder &b, Value like) {
  if (auto type = dyn_cast<VectorType>(like.getType()))
    return type.clone(b.getI32Type());
  return b.getI32Type();
}

Value posenc::emitExp2(KernelBuilder &b, Value x) {
  // 1.5 * 2^23: adding it rounds to an integer, which then stands in the low
  // bits. No fast-math flag on these two operations: reassociated, they cancel.
  Value magic = b.constantLike(x, 12582912.0f);
  Value rounded = b.fadd(x, magic);
  Value fraction = b.fsub(x, b.fsub(rounded, magic));
  // 2^f on [-1/2, 1/2], degree 5.
  static constexpr float coefficients[] = {1.3276472e-3f, 9.6755413e-3f,
                                           5.5507132e-2f, 2.4022113e-1f,
                                           6.9314697e-1f, 1.0f};
  Value power = b.constantLike(x, coefficients[0]);
  for (float coefficient : ArrayRef(coefficients).drop_front())
    power = emitFma(b, power, fraction, b.constantLike(x, coefficient));
  // The integer part goes into the exponent field.
  Type integers = integerLike(b, x);
  Value shift = arith::ConstantOp::create(
      b, isa<VectorType>(integers)
             ? TypedAttr(DenseElementsAttr::get(cast<VectorType>(integers), 23))
             : TypedAttr(b.getI32IntegerAttr(23)));
  Value exponent = arith::ShLIOp::create(
      b, arith::BitcastOp::create(b, integers, rounded), shift);
  Value sum = arith::AddIOp::create(
      b, arith::BitcastOp::create(b, integers, power), exponent);
  Value scaled = arith::BitcastOp::create(b, x.getType(), sum);
  // Unordered, so that what is not a number stays so.
  Value large = arith::CmpFOp::create(b, arith::CmpFPredicate::UGE, x,
                                      b.constantLike(x, -100.0f));
  return b.select(large, scaled, b.constantLike(x, 0.0f));
}

Value posenc::emitReference(KernelBuilder &b, Value maximum) {
  Value none = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OEQ, maximum,
      b.constantLike(maximum, -std::numeric_limits<float>::infinity()));
  return b.select(none, b.constantLike(maximum, 0.0f), maximum);
}

Value posenc::emitReciprocalOrZero(KernelBuilder &b, Value sum) {
  Value zero = b.constantLike(sum, 0.0f);
  Value empty = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, zero);
  return b.select(empty, zero, b.fdiv(b.constantLike(sum, 1.0f), sum));
}

Value posenc::emitLogSumExp(KernelBuilder &b, Value maximum, Value sum) {
  Value ln2 = b.constantLike(maximum, llvm::numbers::ln2f);
  return emitFma(b, maximum, ln2, math::LogOp::create(b, sum));
}
