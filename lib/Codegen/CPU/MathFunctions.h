//===- MathFunctions.h - Math functions as arithmetic -----------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits arith ops that compute math functions of f32, scalars and vectors of
// any shape alike. Errors are 1 to 3 ulp; infinities, NaN and zeros come out as
// in C; denormals too, unless the caller flushes them.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_CODEGEN_CPU_MATHFUNCTIONS_H
#define POSENC_LIB_CODEGEN_CPU_MATHFUNCTIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::posenc {

class MathFunctions {
public:
  /// `type` is f32 or a vector of f32: the type of all arguments and results.
  MathFunctions(OpBuilder &b, Location loc, Type type)
      : b(b), loc(loc), type(type) {}

  Value exp(Value x);
  Value exp2(Value x);
  /// For x <= 0, as the kernels' softmax needs it: fewer terms (relative error
  /// 2.4e-7), zero below -100.
  Value exp2BelowZero(Value x);
  Value expm1(Value x);
  Value log(Value x);
  Value log2(Value x);
  Value log10(Value x);
  Value log1p(Value x);
  Value tanh(Value x);
  Value erf(Value x);
  /// Radians; reduced in f64, so right for |x| < 2^30.
  Value sin(Value x);
  Value cos(Value x);
  Value atan(Value x);
  Value pow(Value x, Value y);
  /// Of f64, within 2 ulp: frequencies that depend on the length of a call.
  Value exp2OfF64(Value x);
  Value log2OfF64(Value x);
  /// posenc.cos_sin: within 3e-7 for |position| up to 2^20.
  std::pair<Value, Value> cosSin(Value position, Value hi, Value lo);

private:
  struct Logarithm {
    Value exponent, fraction,
        rest; // log x = exponent * log 2 + fraction + rest
  };

  Type like(Type element);
  Value constant(double value);
  Value constant64(double value);
  Value integer(int64_t value, unsigned bits);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value div(Value x, Value y);
  Value fma(Value x, Value y, Value z);
  Value abs(Value x);
  Value roundEven(Value x);
  Value copySign(Value magnitude, Value sign);
  Value compare(arith::CmpFPredicate predicate, Value x, Value y);
  Value select(Value condition, Value x, Value y);
  Value clamp(Value x, Value low, Value high);
  Value bits(Value x);
  Value fromBits(Value x);
  Value polynomial(Value x, ArrayRef<double> coefficients);
  Value scaleByPower(Value x, Value power);
  Value scaleByNearPower(Value x, Value power);
  Value tanhOfLarge(Value a);
  Logarithm splitLogarithm(Value x);
  Value logarithmCorners(Value x, Value result);
  std::pair<Value, Value> splitF64(Value x);
  Value log2InF64(Value x);
  Value exp2FromF64(Value x);
  std::pair<Value, Value> cosSinOfTurns(Value quarters, Value turns);
  std::pair<Value, Value> cosSinOfRadians(Value x);

  OpBuilder &b;
  Location loc;
  Type type;
};

} // namespace mlir::posenc

#endif // POSENC_LIB_CODEGEN_CPU_MATHFUNCTIONS_H
