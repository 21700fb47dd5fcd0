//===- Number.cpp - A formula evaluated on numbers ------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/Number.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::posenc;

Number Number::ofInteger(int64_t value) {
  Number number;
  number.kind = Kind::Integer;
  number.integer = value;
  return number;
}

Number Number::ofReal(double value) {
  Number number;
  number.kind = Kind::Real;
  number.real = value;
  return number;
}

Number Number::ofTensor(mlir::Value value) {
  Number number;
  number.kind = Kind::Tensor;
  number.tensor = value;
  return number;
}

Number Number::ofAttribute(Attribute attribute) {
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute)) {
    const APInt &value = integer.getValue();
    if (value.getBitWidth() == 1)
      return ofInteger(value.getZExtValue());
    return value.isSignedIntN(64) ? ofInteger(value.getSExtValue()) : Number();
  }
  if (auto real = dyn_cast_or_null<FloatAttr>(attribute))
    return ofReal(real.getValueAsDouble());
  return {};
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Bits of an integer type; index counts as 64.
static unsigned getWidth(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// `value` wrapped to the width of `type`: sign-extended, i1 as 0 or 1.
static Number wrap(Type type, int64_t value) {
  unsigned width = getWidth(type);
  if (width == 1)
    return Number::ofInteger(value & 1);
  return Number::ofInteger(width >= 64 ? value
                                       : llvm::SignExtend64(value, width));
}

static uint64_t asUnsigned(Type type, int64_t value) {
  unsigned width = getWidth(type);
  return width >= 64 ? value : value & llvm::maskTrailingOnes<uint64_t>(width);
}

/// What signed ops take `value` for: true is -1 to them.
static int64_t asSigned(Type type, int64_t value) {
  return getWidth(type) == 1 ? -value : value;
}

/// The least number of a signed integer type.
static int64_t getLeast(Type type) {
  return llvm::minIntN(std::min(getWidth(type), 64u));
}

static bool compare(arith::CmpIPredicate predicate, Type type, int64_t a,
                    int64_t b) {
  a = asSigned(type, a);
  b = asSigned(type, b);
  uint64_t ua = asUnsigned(type, a), ub = asUnsigned(type, b);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  llvm_unreachable("a predicate without a meaning");
}

/// Signed division; unknown where it has no result: by zero, and of the least
/// number by -1.
static Number divideSigned(Operation *op, Type type, int64_t a, int64_t b) {
  if (b == 0 || (a == getLeast(type) && b == -1))
    return {};
  return TypeSwitch<Operation *, Number>(op)
      .Case([&](arith::DivSIOp) { return wrap(type, a / b); })
      .Case([&](arith::RemSIOp) { return wrap(type, a % b); })
      .Case([&](arith::FloorDivSIOp) {
        return wrap(type, llvm::divideFloorSigned(a, b));
      })
      .Case([&](arith::CeilDivSIOp) {
        return wrap(type, llvm::divideCeilSigned(a, b));
      });
}

static Number divideUnsigned(Operation *op, Type type, uint64_t a, uint64_t b) {
  if (b == 0)
    return {};
  return TypeSwitch<Operation *, Number>(op)
      .Case([&](arith::DivUIOp) { return wrap(type, a / b); })
      .Case([&](arith::RemUIOp) { return wrap(type, a % b); })
      .Case(
          [&](arith::CeilDivUIOp) { return wrap(type, a / b + (a % b != 0)); });
}

/// A shift; unknown where it moves by the width or more.
static Number shift(Operation *op, Type type, int64_t a, uint64_t by) {
  if (by >= getWidth(type))
    return {};
  return TypeSwitch<Operation *, Number>(op)
      .Case([&](arith::ShLIOp) { return wrap(type, uint64_t(a) << by); })
      .Case([&](arith::ShRSIOp) { return wrap(type, asSigned(type, a) >> by); })
      .Case([&](arith::ShRUIOp) {
        return wrap(type, asUnsigned(type, a) >> by);
      });
}

/// Of two integers of `type` as Number keeps them.
static Number applyInteger(Operation *op, Type type, int64_t a, int64_t b) {
  int64_t sa = asSigned(type, a), sb = asSigned(type, b);
  uint64_t ua = asUnsigned(type, a), ub = asUnsigned(type, b);
  return TypeSwitch<Operation *, Number>(op)
      .Case([&](arith::AddIOp) { return wrap(type, ua + ub); })
      .Case([&](arith::SubIOp) { return wrap(type, ua - ub); })
      .Case([&](arith::MulIOp) { return wrap(type, ua * ub); })
      .Case([&](arith::AndIOp) { return wrap(type, a & b); })
      .Case([&](arith::OrIOp) { return wrap(type, a | b); })
      .Case([&](arith::XOrIOp) { return wrap(type, a ^ b); })
      .Case([&](arith::MinSIOp) { return wrap(type, std::min(sa, sb)); })
      .Case([&](arith::MaxSIOp) { return wrap(type, std::max(sa, sb)); })
      .Case([&](arith::MinUIOp) { return wrap(type, std::min(ua, ub)); })
      .Case([&](arith::MaxUIOp) { return wrap(type, std::max(ua, ub)); })
      .Case<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp>(
          [&](Operation *op) { return divideSigned(op, type, sa, sb); })
      .Case<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(
          [&](Operation *op) { return divideUnsigned(op, type, ua, ub); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [&](Operation *op) { return shift(op, type, a, ub); })
      .Case([&](arith::CmpIOp cmp) {
        return Number::ofInteger(compare(cmp.getPredicate(), type, a, b));
      })
      .Default([](Operation *) { return Number(); });
}

//===----------------------------------------------------------------------===//
// Reals
//===----------------------------------------------------------------------===//

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !unordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || a == b;
  case arith::CmpFPredicate::UGT:
    return unordered || a > b;
  case arith::CmpFPredicate::UGE:
    return unordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return unordered || a < b;
  case arith::CmpFPredicate::ULE:
    return unordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return unordered || a != b;
  case arith::CmpFPredicate::UNO:
    return unordered;
  }
  llvm_unreachable("a predicate without a meaning");
}

static std::optional<double> applyUnary(Operation *op, double x) {
  return TypeSwitch<Operation *, std::optional<double>>(op)
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return x; })
      .Case([&](arith::NegFOp) { return -x; })
      .Case([&](math::AbsFOp) { return std::fabs(x); })
      .Case([&](math::CeilOp) { return std::ceil(x); })
      .Case([&](math::CosOp) { return std::cos(x); })
      .Case([&](math::ErfOp) { return std::erf(x); })
      .Case([&](math::ExpOp) { return std::exp(x); })
      .Case([&](math::Exp2Op) { return std::exp2(x); })
      .Case([&](math::ExpM1Op) { return std::expm1(x); })
      .Case([&](math::FloorOp) { return std::floor(x); })
      .Case([&](math::LogOp) { return std::log(x); })
      .Case([&](math::Log2Op) { return std::log2(x); })
      .Case([&](math::Log1pOp) { return std::log1p(x); })
      .Case([&](math::RoundOp) { return std::round(x); })
      .Case([&](math::RoundEvenOp) { return std::nearbyint(x); })
      .Case([&](math::RsqrtOp) { return 1 / std::sqrt(x); })
      .Case([&](math::SinOp) { return std::sin(x); })
      .Case([&](math::SqrtOp) { return std::sqrt(x); })
      .Case([&](math::TanhOp) { return std::tanh(x); })
      .Case([&](math::TruncOp) { return std::trunc(x); })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<double> applyBinary(Operation *op, double x, double y) {
  // The `num` forms prefer a number to a NaN, the `imum` forms the NaN.
  bool anyNaN = std::isnan(x) || std::isnan(y);
  return TypeSwitch<Operation *, std::optional<double>>(op)
      .Case([&](arith::AddFOp) { return x + y; })
      .Case([&](arith::SubFOp) { return x - y; })
      .Case([&](arith::MulFOp) { return x * y; })
      .Case([&](arith::DivFOp) { return x / y; })
      .Case([&](arith::RemFOp) { return std::fmod(x, y); })
      .Case([&](arith::MaximumFOp) { return anyNaN ? x + y : std::fmax(x, y); })
      .Case([&](arith::MinimumFOp) { return anyNaN ? x + y : std::fmin(x, y); })
      .Case([&](arith::MaxNumFOp) { return std::fmax(x, y); })
      .Case([&](arith::MinNumFOp) { return std::fmin(x, y); })
      .Case([&](math::Atan2Op) { return std::atan2(x, y); })
      .Case([&](math::CopySignOp) { return std::copysign(x, y); })
      .Case([&](math::PowFOp) { return std::pow(x, y); })
      .Default([](Operation *) { return std::nullopt; });
}

static Number applyReal(Operation *op, ArrayRef<Number> operands) {
  if (!llvm::all_of(operands, [](const Number &n) { return n.isReal(); }))
    return {};
  std::optional<double> result;
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    return Number::ofInteger(compare(cmp.getPredicate(), operands[0].getReal(),
                                     operands[1].getReal()));
  if (operands.size() == 1)
    result = applyUnary(op, operands[0].getReal());
  else if (operands.size() == 2)
    result = applyBinary(op, operands[0].getReal(), operands[1].getReal());
  else if (isa<math::FmaOp>(op))
    result = std::fma(operands[0].getReal(), operands[1].getReal(),
                      operands[2].getReal());
  return result ? Number::ofReal(*result) : Number();
}

//===----------------------------------------------------------------------===//
// Conversions, reads, constants
//===----------------------------------------------------------------------===//

/// The integer of `type` that `x` is rounded to; unknown if there is none.
static Number roundToInteger(Operation *op, Type type, double x) {
  unsigned width = std::min(getWidth(type), 64u);
  bool isSigned = isa<arith::FPToSIOp>(op);
  double least = isSigned ? -std::ldexp(1.0, width - 1) : 0;
  double limit = std::ldexp(1.0, isSigned ? width - 1 : width);
  double whole = std::trunc(x);
  if (!(whole >= least && whole < limit))
    return {};
  return wrap(type, isSigned
                        ? static_cast<int64_t>(whole)
                        : static_cast<int64_t>(static_cast<uint64_t>(whole)));
}

/// Conversions between integers, and between integers and reals.
static Number applyConversion(Operation *op, const Number &x) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (x.isReal() && isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return roundToInteger(op, to, x.getReal());
  if (!x.isInteger())
    return {};
  int64_t number = asSigned(from, x.getInteger());
  uint64_t natural = asUnsigned(from, x.getInteger());
  return TypeSwitch<Operation *, Number>(op)
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](auto) { return wrap(to, number); })
      .Case<arith::IndexCastUIOp, arith::ExtUIOp>(
          [&](auto) { return wrap(to, natural); })
      // The least number is its own negative.
      .Case([&](math::AbsIOp) {
        return wrap(to, number < 0 ? 0 - uint64_t(number) : number);
      })
      .Case([&](arith::SIToFPOp) {
        return Number::ofReal(static_cast<double>(number));
      })
      .Case([&](arith::UIToFPOp) {
        return Number::ofReal(static_cast<double>(natural));
      })
      .Default([](Operation *) { return Number(); });
}

Number NumberDomain::capture(mlir::Value value) {
  if (isa<ShapedType>(value.getType()))
    return Number::ofTensor(value);
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return Number::ofAttribute(constant);
  return captured(value);
}

/// Element `linear` of a constant; the blob of a resource is read in place.
static Number readConstant(Attribute constant, int64_t linear) {
  if (auto dense = dyn_cast<DenseElementsAttr>(constant)) {
    if (auto reals = dyn_cast<DenseFPElementsAttr>(dense))
      return Number::ofReal(
          (*(reals.value_begin<APFloat>() + linear)).convertToDouble());
    return Number::ofAttribute(*(dense.value_begin<Attribute>() + linear));
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return {};
  Type type = resource.getElementType();
  // A resource may be shorter than its type says.
  uint64_t bytes = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() / 8 : 0;
  if (bytes == 0 || (linear + 1) * bytes > blob->getData().size())
    return {};
  auto element = [&](auto zero) {
    std::memcpy(&zero, blob->getData().data() + linear * sizeof(zero),
                sizeof(zero));
    return zero;
  };
  if (type.isF32())
    return Number::ofReal(element(float()));
  if (type.isF64())
    return Number::ofReal(element(double()));
  if (type.isInteger(64))
    return Number::ofInteger(element(int64_t()));
  if (type.isInteger(32))
    return Number::ofInteger(element(int32_t()));
  return {};
}

Number NumberDomain::readElement(ArrayRef<Number> operands) {
  mlir::Value tensor = operands[0].getTensor();
  SmallVector<int64_t> at;
  for (const Number &index : operands.drop_front()) {
    if (!index.isInteger())
      return {};
    at.push_back(index.getInteger());
  }
  Attribute constant;
  if (!matchPattern(tensor, m_Constant(&constant)))
    return read(tensor, at);
  int64_t linear = 0;
  for (auto [index, extent] :
       llvm::zip_equal(at, cast<ShapedType>(tensor.getType()).getShape())) {
    if (index < 0 || index >= extent)
      return {};
    linear = linear * extent + index;
  }
  return readConstant(constant, linear);
}

SmallVector<Number> NumberDomain::apply(Operation *op,
                                        ArrayRef<Number> operands) {
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant)))
    return {isa<ShapedType>(op->getResult(0).getType())
                ? Number::ofTensor(op->getResult(0))
                : Number::ofAttribute(constant)};
  if (isa<arith::SelectOp>(op) && operands[0].isInteger())
    return {operands[0].getInteger() ? operands[1] : operands[2]};
  // Only the taken branch of a selection need be known.
  if (!llvm::all_of(operands, [](const Number &n) { return n.isKnown(); }))
    return SmallVector<Number>(op->getNumResults());
  if (isa<tensor::ExtractOp, memref::LoadOp>(op))
    return {readElement(operands)};
  if (isa<tensor::DimOp, memref::DimOp>(op) && operands[1].isInteger()) {
    mlir::Value tensor = operands[0].getTensor();
    auto type = cast<ShapedType>(tensor.getType());
    int64_t axis = operands[1].getInteger();
    if (!type.hasRank() || axis < 0 || axis >= type.getRank())
      return {Number()};
    int64_t size = type.getDimSize(axis);
    return {ShapedType::isDynamic(size) ? extent(tensor, axis)
                                        : Number::ofInteger(size)};
  }
  if (isa<CosSinOp>(op)) {
    if (!llvm::all_of(operands, [](const Number &n) { return n.isReal(); }))
      return {Number(), Number()};
    double turns =
        operands[0].getReal() * (operands[1].getReal() + operands[2].getReal());
    double angle = 2 * llvm::numbers::pi * (turns - std::round(turns));
    return {Number::ofReal(std::cos(angle)), Number::ofReal(std::sin(angle))};
  }
  auto isWide = [](Type type) {
    return type.isInteger() && type.getIntOrFloatBitWidth() > 64;
  };
  if (op->getNumResults() != 1 || llvm::any_of(op->getOperandTypes(), isWide) ||
      isWide(op->getResult(0).getType()))
    return SmallVector<Number>(op->getNumResults());
  if (operands.size() == 2 && operands[0].isInteger() &&
      operands[1].isInteger())
    return {applyInteger(op, op->getOperand(0).getType(),
                         operands[0].getInteger(), operands[1].getInteger())};
  if (operands.size() == 1) {
    Number converted = applyConversion(op, operands[0]);
    if (converted.isKnown())
      return {converted};
  }
  return {applyReal(op, operands)};
}
