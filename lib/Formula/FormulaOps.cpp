//===- FormulaOps.cpp - What a formula may hold ---------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/FormulaOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::posenc;

/// Whether `loop` and the loops around it, up to its region, are few enough
/// trips over indices to be taken one by one.
static bool hasFewTrips(scf::ForOp loop) {
  int64_t trips = 1;
  for (; loop; loop = dyn_cast<scf::ForOp>(loop->getParentOp())) {
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
    std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!loop.getInductionVar().getType().isIndex() || loop.getUnsignedCmp() ||
        !lower || !upper || !step || *step <= 0)
      return false;
    std::optional<APInt> count = loop.getStaticTripCount();
    if (!count || count->ugt(kMostTrips))
      return false;
    trips *= std::max<int64_t>(count->getZExtValue(), 1);
    if (trips > kMostTrips)
      return false;
  }
  return true;
}

bool posenc::isFormulaOp(Operation *op) {
  return TypeSwitch<Operation *, bool>(op)
      // A constant may be a table that the formula reads.
      .Case<arith::ConstantOp, tensor::ExtractOp, tensor::DimOp, memref::LoadOp,
            memref::DimOp, CosSinOp>([](auto) { return true; })
      .Case([](scf::ForOp loop) {
        return hasFewTrips(loop) &&
               llvm::all_of(
                   loop.getBody()->without_terminator(),
                   [](Operation &inner) { return isFormulaOp(&inner); });
      })
      .Default([](Operation *op) {
        return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
                   op->getDialect()) &&
               llvm::all_of(op->getResultTypes(), [](Type type) {
                 return type.isIntOrIndexOrFloat();
               });
      });
}

bool posenc::holdsPositions(Type type) {
  return type.isIndex() ||
         (type.isInteger() && type.getIntOrFloatBitWidth() >= 32);
}

bool posenc::isCastOfPositions(Operation *op) {
  return isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op) &&
         holdsPositions(op->getOperand(0).getType()) &&
         holdsPositions(op->getResult(0).getType());
}

bool posenc::isCostlierThanRead(Operation *op) {
  if (isa<CosSinOp, scf::ForOp>(op))
    return true;
  return isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
              math::FloorOp, math::FmaOp, math::RoundOp, math::RoundEvenOp,
              math::TruncOp>(op);
}

SmallVector<Operation *> posenc::getFormulaSlice(ValueRange values,
                                                 const Block &block) {
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> pending(values);
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (op && op->getBlock() == &block && slice.insert(op))
      op->walk([&](Operation *inner) {
        pending.append(inner->operand_begin(), inner->operand_end());
      });
  }
  SmallVector<Operation *> ops = slice.takeVector();
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

void posenc::cloneFormulaSlice(OpBuilder &b, ValueRange values,
                               const Block &block, IRMapping &map) {
  for (Operation *op : getFormulaSlice(values, block))
    b.clone(*op, map);
}

SmallVector<Value> posenc::cloneBody(OpBuilder &b, Block &body,
                                     ValueRange arguments) {
  IRMapping map;
  map.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator())
    b.clone(op, map);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value operand) { return map.lookupOrDefault(operand); });
}

Operation *posenc::createLike(OpBuilder &b, Location loc, Operation *op,
                              ValueRange operands, TypeRange types) {
  OperationState state(loc, op->getName(), operands, types,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return b.create(state);
}
