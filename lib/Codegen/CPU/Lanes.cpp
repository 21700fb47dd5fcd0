//===- Lanes.cpp - A formula as vector code -------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Codegen/CPU/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "posenc/Formula/FormulaOps.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

using namespace mlir;
using namespace mlir::posenc;

static int64_t getAbsolute(int64_t value) {
  return value == std::numeric_limits<int64_t>::min()
             ? std::numeric_limits<int64_t>::max()
             : std::abs(value);
}

LaneValue Lanes::index(int64_t constant) {
  return capture(arith::ConstantIndexOp::create(levels.front(), loc, constant));
}

LaneValue Lanes::capture(mlir::Value value) {
  LaneValue lanes{value};
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    lanes.magnitude = getAbsolute(*constant);
  return lanes;
}

VectorType Lanes::vectorType(Type type, int64_t magnitude) const {
  if (type.isIndex())
    type = IntegerType::get(type.getContext(),
                            magnitude > LaneValue::kPositions ? 64 : 32);
  return VectorType::get({width}, type);
}

mlir::Value Lanes::asWideVector(const LaneValue &value) {
  LaneValue wide = value;
  wide.magnitude = std::numeric_limits<int64_t>::max();
  mlir::Value vector = asVector(wide);
  VectorType type =
      VectorType::get({width}, IntegerType::get(vector.getContext(), 64));
  return vector.getType() == type
             ? vector
             : arith::ExtSIOp::create(levels[value.level], loc, type, vector);
}

mlir::Value Lanes::asVector(const LaneValue &value) {
  if (value.vector)
    return value.vector;
  OpBuilder &b = levels[value.level];
  mlir::Value scalar = value.base;
  // Lanes that do not exist go beyond the magnitude.
  bool isWide = value.magnitude > LaneValue::kPositions ||
                getAbsolute(value.step) > LaneValue::kPositions / width;
  VectorType type = vectorType(
      scalar.getType(), isWide ? std::numeric_limits<int64_t>::max() : 0);
  if (scalar.getType().isIndex())
    scalar = arith::IndexCastOp::create(b, loc, type.getElementType(), scalar);
  mlir::Value vector = vector::BroadcastOp::create(b, loc, type, scalar);
  if (value.step == 0)
    return vector;
  SmallVector<APInt> steps;
  for (int64_t lane = 0; lane < width; ++lane)
    steps.emplace_back(type.getElementTypeBitWidth(), lane * value.step,
                       /*isSigned=*/true, /*implicitTrunc=*/true);
  mlir::Value sum = arith::AddIOp::create(
      b, loc, vector,
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, steps)));
  // Where only lanes that do not exist are so large the others fit.
  VectorType narrow = vectorType(value.base.getType(), value.magnitude);
  return narrow == type ? sum : arith::TruncIOp::create(b, loc, narrow, sum);
}

/// The magnitude of the index that `op` gives.
static int64_t getMagnitude(Operation *op, ArrayRef<LaneValue> operands) {
  constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();
  Type type = op->getResult(0).getType();
  if (type.isInteger() && type.getIntOrFloatBitWidth() <= 32)
    return LaneValue::kPositions;
  int64_t largest = 0;
  for (const LaneValue &operand : operands)
    largest = std::max(largest, operand.magnitude);
  bool ofPositions = largest <= LaneValue::kPositions;
  int64_t result;
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    bool overflows =
        llvm::AddOverflow(operands[0].magnitude, operands[1].magnitude, result);
    return ofPositions ? LaneValue::kPositions
                       : (overflows ? unbounded : result);
  }
  if (isa<arith::MulIOp>(op))
    return llvm::MulOverflow(operands[0].magnitude, operands[1].magnitude,
                             result)
               ? unbounded
               : result;
  if (isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op)) {
    std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
    return divisor && *divisor > 0 ? operands[0].magnitude / *divisor + 1
                                   : operands[0].magnitude;
  }
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return std::min(operands[0].magnitude, operands[1].magnitude);
  if (isa<arith::MinSIOp, arith::MaxSIOp, arith::IndexCastOp, arith::ExtSIOp,
          math::AbsIOp>(op))
    return largest;
  if (isa<arith::SelectOp>(op))
    return std::max(operands[1].magnitude, operands[2].magnitude);
  // What tensors hold are positions, where it becomes an index.
  return isa<memref::LoadOp, memref::DimOp>(op) ? LaneValue::kPositions
                                                : unbounded;
}

SmallVector<LaneValue> Lanes::apply(Operation *op,
                                    ArrayRef<LaneValue> operands) {
  if (auto load = dyn_cast<memref::LoadOp>(op); load && knownRead)
    if (mlir::Value vector = knownRead(load))
      return {LaneValue{{}, 0, vector, unsigned(levels.size() - 1)}};
  unsigned level = 0;
  for (const LaneValue &operand : operands)
    level = std::max(level, operand.level);
  bool innermost = level + 1 == levels.size();
  if (!innermost)
    for (const Emitted &emitted : hoisted[op])
      if (ArrayRef(emitted.operands) == operands)
        return emitted.results;
  SmallVector<LaneValue> results = emit(op, operands, level);
  for (auto [result, lanes] : llvm::zip_equal(op->getResults(), results))
    if (!isa<arith::ConstantOp>(op) && result.getType().isIntOrIndex())
      lanes.magnitude = getMagnitude(op, operands);
  if (!innermost)
    hoisted[op].push_back({llvm::to_vector(operands), results});
  return results;
}

bool Lanes::keepsLoop(scf::ForOp loop) const {
  constexpr int64_t kFewTrips = 8;
  return width > 1 && loop.getStaticTripCount()->sgt(kFewTrips) &&
         llvm::all_of(loop.getResultTypes(), llvm::IsaPred<FloatType>);
}

SmallVector<LaneValue>
Lanes::emitLoop(scf::ForOp loop, ArrayRef<LaneValue> carried,
                llvm::function_ref<SmallVector<LaneValue>(ArrayRef<LaneValue>)>
                    interpretBody) {
  unsigned outside = levels.size() - 1;
  auto constant = [&](mlir::Value bound) -> mlir::Value {
    return arith::ConstantIndexOp::create(levels.front(), loc,
                                          *getConstantIntValue(bound));
  };
  auto vectors = [&](ArrayRef<LaneValue> values) {
    return llvm::map_to_vector(
        values, [&](const LaneValue &value) { return asVector(value); });
  };
  SmallVector<mlir::Value> inits = vectors(carried);
  auto kept = scf::ForOp::create(
      levels[outside], loc, constant(loop.getLowerBound()),
      constant(loop.getUpperBound()), constant(loop.getStep()), inits);
  // The body is a level of its own; what does not depend on the trip goes
  // before the loop.
  levels[outside].setInsertionPoint(kept);
  levels.push_back(OpBuilder::atBlockBegin(kept.getBody()));
  // Known reads are emitted behind the loop.
  KnownRead known = std::exchange(knownRead, nullptr);
  SmallVector<LaneValue> arguments = {
      LaneValue{kept.getInductionVar(), 0, {}, outside + 1}};
  for (mlir::Value argument : kept.getRegionIterArgs())
    arguments.push_back(LaneValue{{}, 0, argument, outside + 1});
  SmallVector<mlir::Value> yielded = vectors(interpretBody(arguments));
  scf::YieldOp::create(levels.back(), loc, yielded);
  levels.pop_back();
  levels[outside].setInsertionPointAfter(kept);
  knownRead = std::move(known);
  return llvm::map_to_vector(kept.getResults(), [&](mlir::Value result) {
    return LaneValue{{}, 0, result, outside};
  });
}

SmallVector<LaneValue> Lanes::emit(Operation *op, ArrayRef<LaneValue> operands,
                                   unsigned level) {
  if (llvm::all_of(operands, [](const LaneValue &operand) {
        return operand.isUniform();
      })) {
    IRMapping bases;
    for (auto [value, operand] : llvm::zip_equal(op->getOperands(), operands))
      bases.map(value, operand.base);
    Operation *clone = levels[level].clone(*op, bases);
    clone->setLoc(loc);
    return llvm::map_to_vector(clone->getResults(), [&](mlir::Value result) {
      LaneValue lanes = capture(result);
      lanes.level = level;
      return lanes;
    });
  }
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return {emitLoad(load, operands, level)};
  if (std::optional<LaneValue> affine = emitAffine(op, operands, level))
    return {*affine};
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return {emitIndexCast(op, operands.front(), level)};
  if (isa<arith::DivFOp>(op) && operands[1].isUniform())
    return {emitQuotient(op, operands, level)};
  return emitElementwise(op, operands, level);
}

/// Sums, differences and constant multiples of `scalar + step * lane` stay so.
std::optional<LaneValue>
Lanes::emitAffine(Operation *op, ArrayRef<LaneValue> operands, unsigned level) {
  if (llvm::any_of(operands, [](const LaneValue &operand) {
        return static_cast<bool>(operand.vector);
      }))
    return std::nullopt;
  int64_t step;
  if (isa<arith::AddIOp>(op))
    step = operands[0].step + operands[1].step;
  else if (isa<arith::SubIOp>(op))
    step = operands[0].step - operands[1].step;
  else if (isCastOfPositions(op) && isa<arith::IndexCastOp>(op))
    step = operands[0].step;
  else if (isa<arith::MulIOp>(op)) {
    const LaneValue &varying = operands[operands[0].isUniform() ? 1 : 0];
    const LaneValue &uniform = operands[operands[0].isUniform() ? 0 : 1];
    std::optional<int64_t> factor =
        uniform.isUniform() ? getConstantIntValue(uniform.base) : std::nullopt;
    if (!factor)
      return std::nullopt;
    if (llvm::MulOverflow(varying.step, *factor, step))
      return std::nullopt;
  } else {
    return std::nullopt;
  }
  OpBuilder &b = levels[level];
  SmallVector<mlir::Value> bases = llvm::map_to_vector(
      operands, [](const LaneValue &operand) { return operand.base; });
  Operation *ofBases = createLike(b, loc, op, bases, op->getResultTypes());
  return LaneValue{ofBases->getResult(0), step, {}, level};
}

/// One division for all lanes, of one by the divisor: a vector's takes as long
/// as tens of products.
LaneValue Lanes::emitQuotient(Operation *op, ArrayRef<LaneValue> operands,
                              unsigned level) {
  LaneValue inverse = operands[1];
  OpBuilder &outer = levels[inverse.level];
  mlir::Value one = arith::ConstantOp::create(
      outer, loc, outer.getOneAttr(inverse.base.getType()));
  inverse.base = arith::DivFOp::create(outer, loc, one, inverse.base);
  mlir::Value product = arith::MulFOp::create(
      levels[level], loc, asVector(operands[0]), asVector(inverse));
  return {{}, 0, product, level};
}

/// Lanes of indices are i32 or i64 already.
LaneValue Lanes::emitIndexCast(Operation *op, const LaneValue &operand,
                               unsigned level) {
  OpBuilder &b = levels[level];
  bool isUnsigned = isa<arith::IndexCastUIOp>(op);
  bool fromIndex = op->getOperand(0).getType().isIndex();
  // The sign of an index is in its high bits.
  mlir::Value vector =
      isUnsigned && fromIndex ? asWideVector(operand) : asVector(operand);
  VectorType type =
      vectorType(op->getResult(0).getType(), getMagnitude(op, {operand}));
  unsigned from = getElementTypeOrSelf(vector).getIntOrFloatBitWidth();
  unsigned to = type.getElementTypeBitWidth();
  if (from > to)
    vector = arith::TruncIOp::create(b, loc, type, vector);
  else if (from < to && isUnsigned)
    vector = arith::ExtUIOp::create(b, loc, type, vector);
  else if (from < to)
    vector = arith::ExtSIOp::create(b, loc, type, vector);
  return {{}, 0, vector, level};
}

SmallVector<LaneValue> Lanes::emitElementwise(Operation *op,
                                              ArrayRef<LaneValue> operands,
                                              unsigned level) {
  OpBuilder &b = levels[level];
  // One width for all indices: that of the largest, or of any where the op
  // takes negative ones for huge.
  auto isIndex = [](Type type) { return type.isIndex(); };
  bool isUnsigned = isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp,
                        arith::ShRUIOp, arith::MulSIExtendedOp,
                        arith::MulUIExtendedOp, arith::AddUIExtendedOp>(op);
  int64_t magnitude = isUnsigned ? std::numeric_limits<int64_t>::max() : 0;
  if (llvm::any_of(op->getResultTypes(), isIndex))
    magnitude = std::max(magnitude, getMagnitude(op, operands));
  for (auto [operand, type] : llvm::zip_equal(operands, op->getOperandTypes()))
    if (type.isIndex())
      magnitude = std::max(magnitude, operand.magnitude);
  bool isWide = magnitude > LaneValue::kPositions;
  SmallVector<mlir::Value> vectors;
  for (auto [operand, type] : llvm::zip_equal(operands, op->getOperandTypes()))
    vectors.push_back(isWide && type.isIndex() ? asWideVector(operand)
                                               : asVector(operand));
  // A lane that does not exist holds zero, by which one must not divide.
  if (active &&
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) {
    mlir::Value one =
        arith::ConstantOp::create(b, loc, b.getOneAttr(vectors[1].getType()));
    vectors[1] = arith::SelectOp::create(b, loc, active, vectors[1], one);
  }
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Type {
        return vectorType(type, magnitude);
      });
  Operation *emitted = createLike(b, loc, op, vectors, types);
  return llvm::map_to_vector(
      llvm::zip_equal(emitted->getResults(), op->getResultTypes()),
      [&](auto pair) {
        auto [result, type] = pair;
        VectorType own = vectorType(type, getMagnitude(op, operands));
        mlir::Value vector =
            own == result.getType()
                ? mlir::Value(result)
                : arith::TruncIOp::create(b, loc, own, result).getResult();
        return LaneValue{{}, 0, vector, level};
      });
}
