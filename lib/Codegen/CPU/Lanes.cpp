//===- Lanes.cpp - A formula as vector code -------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Codegen/CPU/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::posenc;

LaneValue Lanes::index(int64_t constant) {
  return {arith::ConstantIndexOp::create(levels.front(), loc, constant)};
}

VectorType Lanes::vectorType(Type type) const {
  if (type.isIndex())
    type = IntegerType::get(type.getContext(), 32);
  return VectorType::get({width}, type);
}

mlir::Value Lanes::asVector(const LaneValue &value) {
  if (value.vector)
    return value.vector;
  OpBuilder &b = levels[value.level];
  mlir::Value scalar = value.base;
  if (scalar.getType().isIndex())
    scalar = arith::IndexCastOp::create(b, loc, b.getI32Type(), scalar);
  VectorType type = vectorType(scalar.getType());
  mlir::Value vector = vector::BroadcastOp::create(b, loc, type, scalar);
  if (value.step == 0)
    return vector;
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < width; ++lane)
    steps.push_back(IntegerAttr::get(scalar.getType(), lane * value.step));
  return arith::AddIOp::create(
      b, loc, vector,
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, steps)));
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
  if (!innermost)
    hoisted[op].push_back({llvm::to_vector(operands), results});
  return results;
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
      return LaneValue{result, 0, {}, level};
    });
  }
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return {emitLoad(load, operands, level)};
  if (std::optional<LaneValue> affine = emitAffine(op, operands, level))
    return {*affine};
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return {emitIndexCast(op, operands.front(), level)};
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
  else if (isa<arith::IndexCastOp>(op))
    step = operands[0].step;
  else if (isa<arith::MulIOp>(op)) {
    const LaneValue &varying = operands[operands[0].isUniform() ? 1 : 0];
    const LaneValue &uniform = operands[operands[0].isUniform() ? 0 : 1];
    std::optional<int64_t> factor =
        uniform.isUniform() ? getConstantIntValue(uniform.base) : std::nullopt;
    if (!factor)
      return std::nullopt;
    step = varying.step * *factor;
  } else {
    return std::nullopt;
  }
  OpBuilder &b = levels[level];
  OperationState state(loc, op->getName());
  for (const LaneValue &operand : operands)
    state.addOperands(operand.base);
  state.addTypes(op->getResultTypes());
  return LaneValue{b.create(state)->getResult(0), step, {}, level};
}

/// Lanes of indices are i32 already.
LaneValue Lanes::emitIndexCast(Operation *op, const LaneValue &operand,
                               unsigned level) {
  OpBuilder &b = levels[level];
  mlir::Value vector = asVector(operand);
  VectorType type = vectorType(op->getResult(0).getType());
  unsigned from = getElementTypeOrSelf(vector).getIntOrFloatBitWidth();
  unsigned to = type.getElementTypeBitWidth();
  if (from > to)
    vector = arith::TruncIOp::create(b, loc, type, vector);
  else if (from < to && isa<arith::IndexCastUIOp>(op))
    vector = arith::ExtUIOp::create(b, loc, type, vector);
  else if (from < to)
    vector = arith::ExtSIOp::create(b, loc, type, vector);
  return {{}, 0, vector, level};
}

SmallVector<LaneValue> Lanes::emitElementwise(Operation *op,
                                              ArrayRef<LaneValue> operands,
                                              unsigned level) {
  OpBuilder &b = levels[level];
  SmallVector<mlir::Value> vectors;
  for (const LaneValue &operand : operands)
    vectors.push_back(asVector(operand));
  // A lane that does not exist holds zero, by which one must not divide.
  if (active &&
      isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) {
    mlir::Value one =
        arith::ConstantOp::create(b, loc, b.getOneAttr(vectors[1].getType()));
    vectors[1] = arith::SelectOp::create(b, loc, active, vectors[1], one);
  }
  OperationState state(loc, op->getName());
  state.addOperands(vectors);
  for (Type type : op->getResultTypes())
    state.addTypes(vectorType(type));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return llvm::map_to_vector(
      b.create(state)->getResults(),
      [&](mlir::Value result) { return LaneValue{{}, 0, result, level}; });
}
