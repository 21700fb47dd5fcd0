//===- MathFunctions.cpp - Math functions as arithmetic -------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polynomials: minimax fits by iterated weighted least squares, but logf,
// tanhf, atanf, expf (S. Moshier, Cephes) and erff (N. Juffa).
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::posenc;
using arith::CmpFPredicate;

//===----------------------------------------------------------------------===//
// Arithmetic on scalars and vectors
//===----------------------------------------------------------------------===//

Type MathFunctions::like(Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

static Value splat(OpBuilder &b, Location loc, Type type, Attribute element) {
  auto value = cast<TypedAttr>(element);
  if (auto vector = dyn_cast<VectorType>(type))
    value = SplatElementsAttr::get(vector, element);
  return arith::ConstantOp::create(b, loc, type, value);
}

Value MathFunctions::constant(double value) {
  return splat(b, loc, type, b.getF32FloatAttr(value));
}

Value MathFunctions::constant64(double value) {
  return splat(b, loc, like(b.getF64Type()), b.getF64FloatAttr(value));
}

Value MathFunctions::integer(int64_t value, unsigned bits) {
  Type element = b.getIntegerType(bits);
  return splat(b, loc, like(element), b.getIntegerAttr(element, value));
}

Value MathFunctions::add(Value x, Value y) {
  return arith::AddFOp::create(b, loc, x, y);
}
Value MathFunctions::sub(Value x, Value y) {
  return arith::SubFOp::create(b, loc, x, y);
}
Value MathFunctions::mul(Value x, Value y) {
  return arith::MulFOp::create(b, loc, x, y);
}
Value MathFunctions::div(Value x, Value y) {
  return arith::DivFOp::create(b, loc, x, y);
}
Value MathFunctions::fma(Value x, Value y, Value z) {
  return math::FmaOp::create(b, loc, x, y, z);
}
Value MathFunctions::abs(Value x) { return math::AbsFOp::create(b, loc, x); }
Value MathFunctions::roundEven(Value x) {
  return math::RoundEvenOp::create(b, loc, x);
}
Value MathFunctions::copySign(Value magnitude, Value sign) {
  return math::CopySignOp::create(b, loc, magnitude, sign);
}
Value MathFunctions::compare(CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, loc, predicate, x, y);
}
Value MathFunctions::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, loc, condition, x, y);
}

/// Leaves NaN alone.
Value MathFunctions::clamp(Value x, Value low, Value high) {
  Value raised = select(compare(CmpFPredicate::OLT, x, low), low, x);
  return select(compare(CmpFPredicate::OGT, raised, high), high, raised);
}

Value MathFunctions::bits(Value x) {
  unsigned width = getElementTypeOrSelf(x).getIntOrFloatBitWidth();
  return arith::BitcastOp::create(b, loc, like(b.getIntegerType(width)), x);
}

Value MathFunctions::fromBits(Value x) {
  bool wide = getElementTypeOrSelf(x).getIntOrFloatBitWidth() == 64;
  return arith::BitcastOp::create(b, loc, wide ? like(b.getF64Type()) : type,
                                  x);
}

/// sum_k coefficients[k] x^k, by Horner's rule.
Value MathFunctions::polynomial(Value x, ArrayRef<double> coefficients) {
  bool wide = getElementTypeOrSelf(x).isF64();
  auto make = [&](double value) {
    return wide ? constant64(value) : constant(value);
  };
  Value result = make(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = fma(result, x, make(coefficient));
  return result;
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// x * 2^power for an integer |power| < 252, given as power + 1.5 * 2^23: two
/// factors, since one alone may be out of range while the result is denormal.
Value MathFunctions::scaleByPower(Value x, Value power) {
  Type i32 = like(b.getI32Type());
  Value whole =
      arith::SubIOp::create(b, loc, i32, bits(power), integer(0x4b400000, 32));
  Value half = arith::ShRSIOp::create(b, loc, whole, integer(1, 32));
  Value rest = arith::SubIOp::create(b, loc, whole, half);
  for (Value part : {half, rest}) {
    Value biased = arith::AddIOp::create(b, loc, part, integer(127, 32));
    x = mul(x,
            fromBits(arith::ShLIOp::create(b, loc, biased, integer(23, 32))));
  }
  return x;
}

/// Adding it rounds to an integer, in the low bits.
constexpr double roundingMagic = 12582912.0; // 1.5 * 2^23

/// 2^f for |f| <= 1/2.
constexpr double exp2Coefficients[] = {1.0,
                                       0.6931471824645996,
                                       0.24022650718688965,
                                       0.055503278970718384,
                                       0.009618003852665424,
                                       0.0013400268508121371,
                                       0.0001547630236018449};

/// x * 2^power for x near one, where the result is not denormal.
Value MathFunctions::scaleByNearPower(Value x, Value power) {
  return fromBits(arith::AddIOp::create(
      b, loc, bits(x),
      arith::ShLIOp::create(b, loc, bits(power), integer(23, 32))));
}

Value MathFunctions::exp2(Value x) {
  x = clamp(x, constant(-152), constant(129));
  Value power = add(x, constant(roundingMagic));
  Value f = sub(x, sub(power, constant(roundingMagic)));
  return scaleByPower(polynomial(f, exp2Coefficients), power);
}

Value MathFunctions::exp2BelowZero(Value x) {
  Value power = add(x, constant(roundingMagic));
  Value f = sub(x, sub(power, constant(roundingMagic)));
  Value p = polynomial(f, {1.0, 0.69314697, 0.24022113, 0.055507132,
                           0.0096755413, 0.0013276472});
  // The integer part goes into the exponent field: no denormals, so down to
  // -100 only.
  Value scaled = scaleByNearPower(p, power);
  // Unordered, so that what is not a number stays so.
  Value large = compare(CmpFPredicate::UGE, x, constant(-100.0));
  return select(large, scaled, constant(0.0));
}

Value MathFunctions::exp(Value x) {
  x = clamp(x, constant(-105), constant(89.5));
  Value power = fma(x, constant(1.44269504088896341), constant(roundingMagic));
  Value n = sub(power, constant(roundingMagic));
  Value f = fma(n, constant(-0.693145751953125), x); // log 2, high part
  f = fma(n, constant(-1.42860677e-6), f);
  Value p = polynomial(f, {5.0000001201e-1, 1.6666665459e-1, 4.1665795894e-2,
                           8.3334519073e-3, 1.3981999507e-3, 1.9875691500e-4});
  p = add(constant(1), fma(mul(f, f), p, f));
  return scaleByPower(p, power);
}

/// W. Kahan: u = exp x rounded, then (u - 1) x / log u, whose errors cancel.
Value MathFunctions::expm1(Value x) {
  Value u = exp(x), one = constant(1), minusOne = constant(-1);
  Value difference = sub(u, one);
  Value result = mul(difference, div(x, log(u)));
  Value infinite = compare(CmpFPredicate::OEQ, u,
                           constant(std::numeric_limits<double>::infinity()));
  result = select(infinite, u, result);
  result = select(compare(CmpFPredicate::OEQ, difference, minusOne), minusOne,
                  result);
  return select(compare(CmpFPredicate::OEQ, u, one), x, result);
}

Value MathFunctions::tanh(Value x) {
  Value a = abs(x);
  Value z = mul(x, x);
  Value p =
      polynomial(z, {-3.33332819422e-1, 1.33314422036e-1, -5.37397155531e-2,
                     2.06390887954e-2, -5.70498872745e-3});
  Value small = fma(mul(p, z), x, x);
  // Ordered, so that what is not a number stays so.
  return select(compare(CmpFPredicate::OGE, a, constant(0.625)),
                copySign(tanhOfLarge(a), x), small);
}

/// For positive `a`, exact enough from 1/2 on: 1 - t (2 / (1 + t)) with
/// t = exp(-2a), where a polynomial costs less than a division.
Value MathFunctions::tanhOfLarge(Value a) {
  // Beyond 2^-28 one minus t is one.
  Value y = mul(a, constant(-2.88539008177792681));
  y = select(compare(CmpFPredicate::OLT, y, constant(-28)), constant(-28), y);
  Value power = add(y, constant(roundingMagic));
  Value f = sub(y, sub(power, constant(roundingMagic)));
  Value t = scaleByNearPower(polynomial(f, exp2Coefficients), power);
  Value q = polynomial(t, {2.0, -1.9999948740005493, 1.9997060298919678,
                           -1.9935966730117798, 1.932191014289856,
                           -1.615841269493103, 0.8085832595825195});
  return fma(sub(constant(0), t), q, constant(1));
}

Value MathFunctions::erf(Value x) {
  Value a = abs(x), s = mul(x, x);
  Value small = polynomial(s, {1.28379166e-1, -3.76125336e-1, 1.12819925e-1,
                               -2.67681349e-2, 4.99119423e-3, -5.96761703e-4});
  small = fma(small, x, x);
  // 1 - exp(-q(a)); one minus it is below half an ulp from 4 on.
  Value t = clamp(a, constant(0), constant(4));
  Value q = polynomial(t, {-1.28717512e-1, -6.34846687e-1, -1.06777877e-1,
                           2.42546219e-2, -3.88396438e-3, 3.83197126e-4,
                           -1.72853470e-5});
  q = fma(q, t, sub(constant(0), t));
  Value large = copySign(sub(constant(1), exp(q)), x);
  return select(compare(CmpFPredicate::OLE, a, constant(0.927734375)), small,
                large);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// For positive finite x.
MathFunctions::Logarithm MathFunctions::splitLogarithm(Value x) {
  Value denormal = compare(CmpFPredicate::OLT, x, constant(0x1p-126));
  x = select(denormal, mul(x, constant(0x1p23)), x);
  Value shift = select(denormal, constant(-23), constant(0));
  // The mantissa in [sqrt 1/2, sqrt 2): bits relative to those of sqrt 1/2.
  Value root = integer(0x3f3504f3, 32);
  Value relative = arith::SubIOp::create(b, loc, bits(x), root);
  Value e = arith::ShRSIOp::create(b, loc, relative, integer(23, 32));
  Value mantissa = arith::SubIOp::create(
      b, loc, bits(x), arith::ShLIOp::create(b, loc, e, integer(23, 32)));
  Value exponent = add(arith::SIToFPOp::create(b, loc, type, e), shift);
  Value f = sub(fromBits(mantissa), constant(1));
  Value z = mul(f, f);
  Value p = polynomial(f, {3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1,
                           -1.6668057665e-1, 1.4249322787e-1, -1.2420140846e-1,
                           1.1676998740e-1, -1.1514610310e-1, 7.0376836292e-2});
  Value rest = fma(constant(-0.5), z, mul(mul(p, z), f));
  return {exponent, f, rest};
}

/// Zero, negative numbers, infinity, NaN.
Value MathFunctions::logarithmCorners(Value x, Value result) {
  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  Value zero = constant(0);
  result =
      select(compare(CmpFPredicate::OEQ, x, zero), constant(-infinity), result);
  result =
      select(compare(CmpFPredicate::OEQ, x, constant(infinity)), x, result);
  return select(compare(CmpFPredicate::ULT, x, zero), constant(nan), result);
}

Value MathFunctions::log(Value x) {
  Logarithm l = splitLogarithm(x);
  Value rest = fma(l.exponent, constant(-2.12194440e-4), l.rest);
  Value sum = add(l.fraction, rest);
  return logarithmCorners(x, fma(l.exponent, constant(0.693359375), sum));
}

Value MathFunctions::log2(Value x) {
  // log2 e = 1 + 0.4427: the one is added last, exactly.
  Logarithm l = splitLogarithm(x);
  Value excess = constant(0.44269504088896340736);
  Value sum = fma(l.fraction, excess, mul(l.rest, excess));
  sum = add(add(sum, l.rest), l.fraction);
  return logarithmCorners(x, add(sum, l.exponent));
}

Value MathFunctions::log10(Value x) {
  // log10 e and log10 2 in two parts each.
  Logarithm l = splitLogarithm(x);
  Value sum = mul(add(l.fraction, l.rest), constant(7.00731903251827651129e-4));
  sum = fma(l.rest, constant(4.3359375e-1), sum);
  sum = fma(l.exponent, constant(2.48745663981195213739e-4), sum);
  sum = fma(l.fraction, constant(4.3359375e-1), sum);
  return logarithmCorners(x, fma(l.exponent, constant(3.0078125e-1), sum));
}

/// W. Kahan: u = 1 + x rounded, then log u * x / (u - 1).
Value MathFunctions::log1p(Value x) {
  Value one = constant(1);
  Value u = add(one, x);
  Value l = log(u);
  Value result = mul(l, div(x, sub(u, one)));
  Value infinite = compare(CmpFPredicate::OEQ, u,
                           constant(std::numeric_limits<double>::infinity()));
  result = select(infinite, l, result);
  return select(compare(CmpFPredicate::OEQ, u, one), x, result);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// For a positive normal f64: the exponent e and s = (m - 1) / (m + 1) of
/// x = 2^e m, m in [sqrt 1/2, sqrt 2), so that ln m = 2 atanh s.
std::pair<Value, Value> MathFunctions::splitF64(Value x) {
  Value root = integer(0x3fe6a09e667f3bcd, 64);
  Value relative = arith::SubIOp::create(b, loc, bits(x), root);
  Value e = arith::ShRSIOp::create(b, loc, relative, integer(52, 64));
  Value mantissa = fromBits(arith::SubIOp::create(
      b, loc, bits(x), arith::ShLIOp::create(b, loc, e, integer(52, 64))));
  Value s = div(sub(mantissa, constant64(1)), add(mantissa, constant64(1)));
  return {arith::SIToFPOp::create(b, loc, like(b.getF64Type()), e), s};
}

/// log2 of a positive f64 that came from an f32; minus infinity for zero.
Value MathFunctions::log2InF64(Value x) {
  double infinity = std::numeric_limits<double>::infinity();
  auto [exponent, s] = splitF64(x);
  Value p = polynomial(mul(s, s), {2.8853900817779192, 0.9617966939280823,
                                   0.5770780173242802, 0.41219829053343593,
                                   0.320626632110087, 0.26109265062077675,
                                   0.24713170947770718});
  Value result = fma(s, p, exponent);
  result = select(compare(CmpFPredicate::OEQ, x, constant64(0)),
                  constant64(-infinity), result);
  return select(
      compare(CmpFPredicate::UNO, x, x), x,
      select(compare(CmpFPredicate::OEQ, x, constant64(infinity)), x, result));
}

/// 2^x rounded to f32.
Value MathFunctions::exp2FromF64(Value x) {
  constexpr double magic = 6755399441055744.0; // 1.5 * 2^52
  x = clamp(x, constant64(-200), constant64(200));
  Value power = add(x, constant64(magic));
  Value f = sub(x, sub(power, constant64(magic)));
  Value p = polynomial(f, {1.0, 0.6931471805599476, 0.24022650695912276,
                           0.05550410866457137, 0.009618129106667863,
                           0.001333355821135478, 0.00015403531630433254,
                           1.5252667386361787e-05, 1.3214849449438221e-06,
                           1.0206900102969767e-07, 7.173452665904508e-09});
  Value shifted = arith::ShLIOp::create(b, loc, bits(power), integer(52, 64));
  Value scaled = fromBits(arith::AddIOp::create(b, loc, bits(p), shifted));
  scaled = select(compare(CmpFPredicate::UNO, x, x), x, scaled);
  return arith::TruncFOp::create(b, loc, type, scaled);
}

Value MathFunctions::pow(Value x, Value y) {
  Value zero = constant(0), one = constant(1), half = constant(0.5);
  auto widen = [&](Value value) {
    return arith::ExtFOp::create(b, loc, like(b.getF64Type()), value);
  };
  Value magnitude = log2InF64(widen(abs(x)));
  Value result = exp2FromF64(mul(widen(y), magnitude));

  Value whole = compare(CmpFPredicate::OEQ, roundEven(y), y);
  Value halfY = mul(y, half);
  Value odd = arith::AndIOp::create(
      b, loc, whole, compare(CmpFPredicate::ONE, roundEven(halfY), halfY));
  Value signedResult = select(odd, copySign(result, x), result);
  Value fraction =
      arith::AndIOp::create(b, loc, compare(CmpFPredicate::OLT, x, zero),
                            compare(CmpFPredicate::ONE, roundEven(y), y));
  Value nan = constant(std::numeric_limits<double>::quiet_NaN());
  Value unit = arith::OrIOp::create(b, loc, compare(CmpFPredicate::OEQ, x, one),
                                    compare(CmpFPredicate::OEQ, y, zero));
  return select(unit, one, select(fraction, nan, signedResult));
}

Value MathFunctions::log2OfF64(Value x) {
  double infinity = std::numeric_limits<double>::infinity();
  Value denormal = compare(CmpFPredicate::OLT, x, constant64(0x1p-1022));
  auto [exponent, s] =
      splitF64(select(denormal, mul(x, constant64(0x1p54)), x));
  exponent = add(exponent, select(denormal, constant64(-54), constant64(0)));
  // 2 atanh s / ln 2: s^2 is at most 0.0295.
  SmallVector<double> series;
  for (int k = 0; k < 12; ++k)
    series.push_back(2 / ((2 * k + 1) * llvm::numbers::ln2));
  Value result = fma(s, polynomial(mul(s, s), series), exponent);
  result = select(compare(CmpFPredicate::OEQ, x, constant64(0)),
                  constant64(-infinity), result);
  result =
      select(compare(CmpFPredicate::OEQ, x, constant64(infinity)), x, result);
  return select(compare(CmpFPredicate::ULT, x, constant64(0)),
                constant64(std::numeric_limits<double>::quiet_NaN()), result);
}

Value MathFunctions::exp2OfF64(Value x) {
  constexpr double magic = 6755399441055744.0; // 1.5 * 2^52
  x = clamp(x, constant64(-1080), constant64(1025));
  Value power = add(x, constant64(magic));
  Value f = sub(x, sub(power, constant64(magic)));
  // 2^f: |f ln 2| is at most 0.347.
  SmallVector<double> series = {1.0};
  for (int k = 1; k < 15; ++k)
    series.push_back(series.back() * llvm::numbers::ln2 / k);
  Value result = polynomial(f, series);
  // In two factors, since one alone may be out of range.
  Value whole = arith::SubIOp::create(
      b, loc, bits(power), integer(llvm::bit_cast<int64_t>(magic), 64));
  Value half = arith::ShRSIOp::create(b, loc, whole, integer(1, 64));
  for (Value part : {half, Value(arith::SubIOp::create(b, loc, whole, half))}) {
    Value biased = arith::AddIOp::create(b, loc, part, integer(1023, 64));
    result =
        mul(result,
            fromBits(arith::ShLIOp::create(b, loc, biased, integer(52, 64))));
  }
  return result;
}
