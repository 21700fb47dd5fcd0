//===- DropRowConstants.cpp - Terms that the softmax cancels --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: scores with added terms that are the same for every key of a row.
// After: scores without them: softmax(x + c) = softmax(x).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Formula/Dependence.h"
#include "posenc/Simplify/Passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

namespace mlir::posenc {
#define GEN_PASS_DEF_DROPROWCONSTANTSPASS
#include "posenc/Simplify/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Bounds of the absolute values of floats that are made of constants and
/// integers, each looked at once.
class Magnitudes {
public:
  /// Infinity where `value` may be infinite or is not bounded by its operands.
  /// An infinite term is not constant but a mask, or an error to keep.
  double find(Value value) {
    auto [it, isNew] = known.try_emplace(value, kInfinity);
    if (!isNew)
      return it->second;
    double bound = compute(value);
    auto type = dyn_cast<FloatType>(value.getType());
    if (!type ||
        bound > APFloat::getLargest(type.getFloatSemantics()).convertToDouble())
      bound = kInfinity;
    return known[value] = bound;
  }

private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  static double ofConstant(const APFloat &number) {
    return number.isFinite() ? std::fabs(number.convertToDouble()) : kInfinity;
  }
  static double ofTable(Value tensor) {
    DenseFPElementsAttr table;
    if (!matchPattern(tensor, m_Constant(&table)))
      return kInfinity;
    double greatest = 0;
    for (const APFloat &entry : table)
      greatest = std::max(greatest, ofConstant(entry));
    return greatest;
  }
  double compute(Value value) {
    FloatAttr number;
    if (matchPattern(value, m_Constant(&number)))
      return ofConstant(number.getValue());
    auto of = [&](Operation *op, unsigned operand) {
      return find(op->getOperand(operand));
    };
    return TypeSwitch<Operation *, double>(value.getDefiningOp())
        .Case<arith::SIToFPOp, arith::UIToFPOp>([](Operation *op) {
          Type type = op->getOperand(0).getType();
          return std::ldexp(1.0, type.getIntOrFloatBitWidth());
        })
        .Case([&](tensor::ExtractOp op) { return ofTable(op.getTensor()); })
        .Case(
            [&](arith::SelectOp op) { return std::max(of(op, 1), of(op, 2)); })
        .Case<arith::AddFOp, arith::SubFOp>(
            [&](Operation *op) { return of(op, 0) + of(op, 1); })
        .Case([&](arith::MulFOp op) {
          // Zero times infinity is no bound.
          double x = of(op, 0), y = of(op, 1);
          return std::isinf(x) || std::isinf(y) ? kInfinity : x * y;
        })
        .Case<arith::NegFOp, arith::ExtFOp, arith::TruncFOp, math::AbsFOp>(
            [&](Operation *op) { return of(op, 0); })
        .Default([](Operation *) { return kInfinity; });
  }

  llvm::DenseMap<Value, double> known;
};
} // namespace

/// The score that `yielded` = x + terms leaves when its terms constant along a
/// row are dropped; `yielded` itself if none can be.
static Value dropTerms(Value yielded, const Dependences &dependences) {
  Magnitudes magnitudes;
  auto drops = [&](Value term) {
    return dependences.of(term).isWithin(Dependence::Batch | Dependence::Head |
                                         Dependence::Row) &&
           std::isfinite(magnitudes.find(term));
  };
  while (
      isa_and_nonnull<arith::AddFOp, arith::SubFOp>(yielded.getDefiningOp())) {
    Operation *sum = yielded.getDefiningOp();
    Value lhs = sum->getOperand(0), rhs = sum->getOperand(1);
    if (drops(rhs))
      yielded = lhs;
    else if (isa<arith::AddFOp>(sum) && drops(lhs))
      yielded = rhs;
    else
      break;
  }
  return yielded;
}

/// Why a term must stay; empty where it may go.
static StringRef whyNotDropped(AttentionOp op) {
  if (op.getSinks())
    return "a sink is compared with the score as it is";
  if (op.getLogsumexpInit())
    return "the log-sum-exp is a result";
  return "";
}

namespace {
struct DropRowConstantsPass
    : posenc::impl::DropRowConstantsPassBase<DropRowConstantsPass> {
  using DropRowConstantsPassBase::DropRowConstantsPassBase;

  void runOnOperation() override {
    getOperation().walk([](AttentionOp op) {
      if (!op.getScore().empty())
        dropRowConstants(op);
    });
  }

private:
  static void dropRowConstants(AttentionOp op) {
    Block &score = op.getScore().front();
    Operation *yield = score.getTerminator();
    Value yielded = yield->getOperand(0);
    Value left = dropTerms(yielded, Dependences(op.getScore()));
    if (left == yielded)
      return;
    StringRef reason = whyNotDropped(op);
    Operation *term = yielded.getDefiningOp();
    StringRef name = term->getName().getStringRef();
    if (reason.empty()) {
      remarkDone(term, "drop-row-constants")
          << remark::add("'{0}' dropped from the score of {1}: what it adds is "
                         "the same for every key of a row",
                         name, nameWithPlace(op));
      yield->setOperand(0, left);
      return;
    }
    remarkMissed(term, "drop-row-constants")
        << remark::add("'{0}' stays in the score of {1}, although what it adds "
                       "is the same for every key of a row",
                       name, nameWithPlace(op))
        << remark::reason("{0}", reason);
  }
};
} // namespace
