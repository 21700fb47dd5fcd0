//===- SoftmaxMatch.cpp - The softmax in a formula ------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoftmaxMatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::posenc;

Value posenc::stripFloatCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {
enum class Reduction { Sum, Max, And };

class Matcher {
public:
  Matcher(Scratch &scratch, const SymbolicExtent &keys, IsLeaf isLeaf,
          std::string &reason)
      : scratch(scratch), keys(keys), isLeaf(isLeaf), reason(reason) {}

  std::optional<SoftmaxMatch> match(Value probability);

private:
  /// The element at the key coordinate of what `value` reduces over the keys;
  /// null if it is no such reduction.
  Value getReduced(Value value, Reduction kind);
  bool isGuard(Value condition, Value probability, Value score);
  std::nullopt_t fail(const char *text) {
    reason = text;
    return std::nullopt;
  }

  Scratch &scratch;
  const SymbolicExtent &keys;
  IsLeaf isLeaf;
  std::string &reason;
};
} // namespace

/// The op that combines the input element with result `number` of the body;
/// null if it combines anything else.
static Operation *getCombiner(linalg::LinalgOp op, unsigned number) {
  Block *body = op.getBlock();
  Operation *combiner =
      body->getTerminator()->getOperand(number).getDefiningOp();
  if (!combiner || combiner->getNumOperands() != 2)
    return nullptr;
  Value in = op.getMatchingBlockArgument(op.getDpsInputOperand(0));
  Value out = op.getMatchingBlockArgument(op.getDpsInitOperand(number));
  Value lhs = combiner->getOperand(0), rhs = combiner->getOperand(1);
  bool matches = (lhs == in && rhs == out) || (lhs == out && rhs == in);
  return matches ? combiner : nullptr;
}

/// Whether `combiner` is of the kind and starts from what changes nothing.
static bool isReduction(Operation *combiner, Value init, Reduction kind) {
  constexpr double lowest = std::numeric_limits<float>::lowest();
  ElementFormula formula = ElementFormula::derive(init);
  if (kind == Reduction::And)
    return isa<arith::AndIOp>(combiner) &&
           matchPattern(formula.getElement(), m_One());
  std::optional<double> start = getConstantReal(formula.getElement());
  if (!start)
    return false;
  if (kind == Reduction::Sum)
    return isa<arith::AddFOp>(combiner) && *start == 0;
  // maxnumf prefers a number to a NaN.
  return (isa<arith::MaximumFOp>(combiner) && *start <= lowest) ||
         (isa<arith::MaxNumFOp>(combiner) && !(*start > lowest));
}

Value Matcher::getReduced(Value value, Reduction kind) {
  auto read = value.getDefiningOp<tensor::ExtractOp>();
  auto op = read ? read.getTensor().getDefiningOp<linalg::LinalgOp>()
                 : linalg::LinalgOp();
  if (!op || op.getNumReductionLoops() != 1 || op.getNumDpsInputs() != 1)
    return {};
  unsigned number = cast<OpResult>(read.getTensor()).getResultNumber();
  OpOperand *input = op.getDpsInputOperand(0);
  OpOperand *init = op.getDpsInitOperand(number);
  Operation *combiner = getCombiner(op, number);
  if (!combiner || !isReduction(combiner, init->get(), kind))
    return {};
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  SmallVector<Value> iteration(op.getNumLoops());
  iteration[reduced.front()] = scratch.get(Coordinate::Key);
  for (auto [expr, index] : llvm::zip_equal(
           op.getMatchingIndexingMap(init).getResults(), read.getIndices()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      iteration[dim.getPosition()] = index;
  SmallVector<Value> at;
  for (auto [axis, expr] :
       llvm::enumerate(op.getMatchingIndexingMap(input).getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !iteration[dim.getPosition()])
      return {};
    if (dim.getPosition() == reduced.front() &&
        !(SymbolicExtent::ofAxis(input->get(), axis) == keys))
      return {};
    at.push_back(iteration[dim.getPosition()]);
  }
  return scratch.emitElement(input->get(), at, isLeaf);
}

bool Matcher::isGuard(Value condition, Value probability, Value score) {
  if (auto isNaN = condition.getDefiningOp<arith::CmpFOp>())
    return (isNaN.getPredicate() == arith::CmpFPredicate::UNO ||
            isNaN.getPredicate() == arith::CmpFPredicate::UNE) &&
           stripFloatCasts(isNaN.getLhs()) == probability &&
           stripFloatCasts(isNaN.getRhs()) == probability;
  Value masked = getReduced(condition, Reduction::And);
  if (!masked)
    return false;
  OpBuilder &b = scratch.getBuilder();
  Value minusInfinity = arith::ConstantOp::create(
      b, scratch.getLoc(),
      b.getFloatAttr(score.getType(),
                     -std::numeric_limits<double>::infinity()));
  Value expected = arith::CmpFOp::create(
      b, scratch.getLoc(), arith::CmpFPredicate::OEQ, score, minusInfinity);
  return scratch.areEqual(masked, expected);
}

std::optional<SoftmaxMatch> Matcher::match(Value probability) {
  probability = stripFloatCasts(probability);
  Value guard;
  if (auto select = probability.getDefiningOp<arith::SelectOp>())
    if (getConstantReal(select.getTrueValue()) == 0.0) {
      guard = select.getCondition();
      probability = stripFloatCasts(select.getFalseValue());
    }
  auto quotient = probability.getDefiningOp<arith::DivFOp>();
  if (!quotient)
    return fail("its probabilities are no quotient of an exponential and its "
                "sum; write them as a softmax");
  Value weight = stripFloatCasts(quotient.getLhs());
  auto exponential = weight.getDefiningOp<math::ExpOp>();
  if (!exponential)
    return fail("the numerator of its softmax is no 'math.exp'; write it as a "
                "softmax");
  auto difference =
      stripFloatCasts(exponential.getOperand()).getDefiningOp<arith::SubFOp>();
  if (!difference)
    return fail(
        "the softmax does not subtract its maximum; subtract it, or write a "
        "softmax");
  Value score = stripFloatCasts(difference.getLhs());
  Value maximum =
      getReduced(stripFloatCasts(difference.getRhs()), Reduction::Max);
  Value sum = getReduced(stripFloatCasts(quotient.getRhs()), Reduction::Sum);
  if (!maximum || !sum)
    return fail("the softmax is not over the keys of the second contraction; "
                "take it over the axis which that sums");
  if (!scratch.areEqual({stripFloatCasts(maximum), stripFloatCasts(sum)},
                        {score, weight}))
    return fail("its maximum and sum are not those of a row of scores over the "
                "keys; take both over the axis that the second contraction "
                "sums");
  if (guard && !isGuard(guard, probability, score))
    return fail("the selection after the softmax is no guard for rows without "
                "a key; mask the scores before the softmax");
  return SoftmaxMatch{score, static_cast<bool>(guard)};
}

std::optional<SoftmaxMatch> posenc::matchSoftmax(Scratch &scratch,
                                                 Value probability,
                                                 const SymbolicExtent &keys,
                                                 IsLeaf isLeaf,
                                                 std::string &reason) {
  return Matcher(scratch, keys, isLeaf, reason).match(probability);
}
