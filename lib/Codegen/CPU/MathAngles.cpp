//===- MathAngles.cpp - Sines, cosines, arctangents in arith --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::posenc;
using arith::CmpFPredicate;

/// Cosine and sine of `quarters` quarter turns and `turns` more, |turns| up to
/// 0.1335. Quarters are compared as floats: no conversion can overflow.
std::pair<Value, Value> MathFunctions::cosSinOfTurns(Value quarters,
                                                     Value turns) {
  Value s = mul(turns, turns);
  Value sine = mul(turns, polynomial(s, {6.2831854820251465, -41.34170150756836,
                                         81.60518646240234, -76.69548034667969,
                                         41.39120101928711}));
  Value cosine = polynomial(s, {1.0, -19.739208221435547, 64.93939208984375,
                                -85.45674896240234, 60.23660659790039,
                                -26.014049530029297});
  Value fours = math::FloorOp::create(b, loc, mul(quarters, constant(0.25)));
  Value phase = fma(fours, constant(-4), quarters); // 0, 1, 2 or 3
  auto is = [&](double value) {
    return compare(CmpFPredicate::OEQ, phase, constant(value));
  };
  auto either = [&](Value lhs, Value rhs) -> Value {
    return arith::OrIOp::create(b, loc, lhs, rhs);
  };
  Value first = is(1), second = is(2), third = is(3);
  Value swap = either(first, third);
  auto negateIf = [&](Value condition, Value x) {
    return select(condition, arith::NegFOp::create(b, loc, x), x);
  };
  return {negateIf(either(first, second), select(swap, sine, cosine)),
          negateIf(either(second, third), select(swap, cosine, sine))};
}

std::pair<Value, Value> MathFunctions::cosSin(Value position, Value hi,
                                              Value lo) {
  Value p = mul(position, hi);
  Value error = fma(position, hi, arith::NegFOp::create(b, loc, p));
  Value quarters = roundEven(mul(p, constant(4)));
  Value turns = fma(quarters, constant(-0.25), p); // exact
  turns = add(turns, fma(position, lo, error));
  return cosSinOfTurns(quarters, turns);
}

/// Reduces in f64. Beyond 2^30 an f32 angle is coarser than a turn; there, and
/// for infinity and NaN, the argument stands for zero or the result is NaN.
std::pair<Value, Value> MathFunctions::cosSinOfRadians(Value x) {
  Type f64 = like(b.getF64Type());
  Value inRange = compare(CmpFPredicate::OLE, abs(x), constant(0x1p30));
  Value usable = select(inRange, x, constant(0));
  Value wide = arith::ExtFOp::create(b, loc, f64, usable);
  Value inTurns = mul(wide, constant64(0.15915494309189535));
  Value quarters = roundEven(mul(inTurns, constant64(4)));
  Value turns = fma(quarters, constant64(-0.25), inTurns);
  // Whole turns go in f64, where the count is exact.
  Value whole = math::FloorOp::create(b, loc, mul(quarters, constant64(0.25)));
  Value phase = fma(whole, constant64(-4), quarters);
  auto [cosine, sine] =
      cosSinOfTurns(arith::TruncFOp::create(b, loc, type, phase),
                    arith::TruncFOp::create(b, loc, type, turns));
  Value nothing = sub(x, x); // NaN for infinity and NaN, else zero
  return {add(cosine, nothing), add(sine, nothing)};
}

Value MathFunctions::sin(Value x) { return cosSinOfRadians(x).second; }
Value MathFunctions::cos(Value x) { return cosSinOfRadians(x).first; }

Value MathFunctions::atan(Value x) {
  // atan a = pi/2 - atan 1/a = pi/4 + atan((a - 1) / (a + 1)).
  Value a = abs(x), one = constant(1);
  Value isLarge = compare(CmpFPredicate::OGT, a, constant(2.414213562373095));
  Value isMiddle = compare(CmpFPredicate::OGT, a, constant(0.4142135623730950));
  Value numerator =
      select(isLarge, constant(-1), select(isMiddle, sub(a, one), a));
  Value denominator = select(isLarge, a, select(isMiddle, add(a, one), one));
  Value offset =
      select(isLarge, constant(1.5707963267948966),
             select(isMiddle, constant(0.7853981633974483), constant(0)));
  Value t = div(numerator, denominator);
  Value z = mul(t, t);
  Value p = polynomial(z, {-3.33329491539e-1, 1.99777106478e-1,
                           -1.38776856032e-1, 8.05374449538e-2});
  return copySign(add(offset, fma(mul(p, z), t, t)), x);
}
