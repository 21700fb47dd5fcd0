//===- SplitMask.cpp - Minus infinity in the score becomes the mask -------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: scores that are minus infinity, or the lowest finite value of their
// type, where a key must not be seen. After: those conditions in `mask`.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "posenc/Dialect/PosEnc/IR/AttentionDependences.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Formula/FormulaOps.h"
#include "posenc/Fuse/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_SPLITMASKPASS
#include "posenc/Fuse/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// What marks a score as not to be seen.
enum class Penalty { MinusInfinity, LowestFinite };

/// A value as `visible ? value : penalty`; always visible if `visible` is null,
/// never if `value` is.
struct Split {
  Value value, visible;
  /// Whether the penalty is the lowest value of a narrower type, extended.
  bool isExtended = false;

  bool hasPenalty() const { return !value || visible; }
};

/// Splits values of a score region, emitting what it needs behind them.
class Splitter {
public:
  Splitter(OpBuilder &b, Penalty penalty) : b(b), penalty(penalty) {}

  Split split(Value value);
  /// How many sums of two values that both may be the penalty were met.
  bool addsPenalties() const { return sumsOfPenalties > 0; }
  /// Whether a lowest value was met beside scores of a wider type, or beside
  /// that type's lowest: rows of such values are no average of all.
  bool widensPenalties() const { return widenedPenalties > 0; }

private:
  Split compute(Value value);
  Split splitSelect(arith::SelectOp op);
  Split splitSum(arith::AddFOp op);
  Split splitCast(Operation *op);
  Split splitRead(tensor::ExtractOp op);
  bool isPenalty(Value value) const;
  bool isPenalty(const APFloat &number) const;
  Value conjunction(Value lhs, Value rhs, Location loc);
  Value negation(Value condition, Location loc);

  OpBuilder &b;
  Penalty penalty;
  /// What each value was split into: the terms of a score may share some.
  llvm::DenseMap<Value, Split> splits;
  int64_t sumsOfPenalties = 0, widenedPenalties = 0;
};
} // namespace

bool Splitter::isPenalty(const APFloat &number) const {
  return number.isNegative() &&
         (penalty == Penalty::MinusInfinity ? number.isInfinity()
                                            : number.isLargest());
}

bool Splitter::isPenalty(Value value) const {
  FloatAttr attribute;
  return matchPattern(value, m_Constant(&attribute)) &&
         isPenalty(attribute.getValue());
}

Value Splitter::conjunction(Value lhs, Value rhs, Location loc) {
  if (!lhs || !rhs || lhs == rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(b, loc, lhs, rhs);
}

Value Splitter::negation(Value condition, Location loc) {
  Value isTrue = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  return arith::XOrIOp::create(b, loc, condition, isTrue);
}

Split Splitter::split(Value value) {
  auto known = splits.find(value);
  if (known != splits.end())
    return known->second;
  Split found = compute(value);
  splits[value] = found;
  return found;
}

Split Splitter::compute(Value value) {
  if (isPenalty(value))
    return {};
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
    return splitSelect(select);
  if (auto sum = dyn_cast_or_null<arith::AddFOp>(op))
    return splitSum(sum);
  if (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(op))
    return splitCast(op);
  if (auto read = dyn_cast_or_null<tensor::ExtractOp>(op))
    return splitRead(read);
  return {value, Value()};
}

Split Splitter::splitSelect(arith::SelectOp op) {
  Location loc = op.getLoc();
  Split yes = split(op.getTrueValue()), no = split(op.getFalseValue());
  bool isExtended = yes.isExtended || no.isExtended;
  if (yes.hasPenalty() && no.hasPenalty() && yes.isExtended != no.isExtended)
    ++widenedPenalties;
  Value condition = op.getCondition();
  if (!yes.value && !no.value)
    return {Value(), Value(), isExtended};
  if (!no.value)
    return {yes.value, conjunction(condition, yes.visible, loc), isExtended};
  if (!yes.value)
    return {no.value, conjunction(negation(condition, loc), no.visible, loc),
            isExtended};
  if (!yes.visible && !no.visible)
    return {op, Value()};
  auto orTrue = [&](Value visible) -> Value {
    return visible ? visible
                   : arith::ConstantOp::create(b, loc, b.getBoolAttr(true))
                         .getResult();
  };
  return {arith::SelectOp::create(b, loc, condition, yes.value, no.value),
          arith::SelectOp::create(b, loc, condition, orTrue(yes.visible),
                                  orTrue(no.visible)),
          isExtended};
}

Split Splitter::splitSum(arith::AddFOp op) {
  Split lhs = split(op.getLhs()), rhs = split(op.getRhs());
  if (lhs.hasPenalty() && rhs.hasPenalty())
    ++sumsOfPenalties;
  // Only the lowest value of the sum's own type takes in what is added to it.
  if (lhs.isExtended || rhs.isExtended)
    ++widenedPenalties;
  if (!lhs.value || !rhs.value)
    return {};
  if (!lhs.visible && !rhs.visible)
    return {op, Value()};
  Location loc = op.getLoc();
  Value visible = conjunction(lhs.visible, rhs.visible, loc);
  // Most masks add zero where they let a key be seen.
  if (matchPattern(rhs.value, m_AnyZeroFloat()))
    return {lhs.value, visible};
  if (matchPattern(lhs.value, m_AnyZeroFloat()))
    return {rhs.value, visible};
  return {arith::AddFOp::create(b, loc, lhs.value, rhs.value, op.getFastmath()),
          visible};
}

Split Splitter::splitCast(Operation *op) {
  Split inner = split(op->getOperand(0));
  if (!inner.hasPenalty())
    return {op->getResult(0), Value()};
  bool isExtended = inner.isExtended || (penalty == Penalty::LowestFinite &&
                                         isa<arith::ExtFOp>(op));
  if (!inner.value)
    return {Value(), Value(), isExtended};
  Operation *cast = b.clone(*op);
  cast->setOperand(0, inner.value);
  return {cast->getResult(0), inner.visible, isExtended};
}

/// The real numbers of a constant table, also of one kept as a resource; null
/// for anything else.
static DenseElementsAttr getReals(Value table) {
  Attribute constant;
  if (!matchPattern(table, m_Constant(&constant)))
    return {};
  if (auto reals = dyn_cast<DenseFPElementsAttr>(constant))
    return reals;
  auto resource = dyn_cast<DenseF32ResourceElementsAttr>(constant);
  std::optional<ArrayRef<float>> floats =
      resource ? resource.tryGetAsArrayRef() : std::nullopt;
  return floats ? DenseElementsAttr::get(resource.getType(), *floats)
                : DenseElementsAttr();
}

/// A table that an exporter folded: its penalties become a table of i1.
Split Splitter::splitRead(tensor::ExtractOp op) {
  DenseElementsAttr table = getReals(op.getTensor());
  if (!table || llvm::none_of(table.getValues<APFloat>(),
                              [&](const APFloat &x) { return isPenalty(x); }))
    return {op, Value()};
  SmallVector<bool> visible;
  SmallVector<APFloat> values;
  for (const APFloat &entry : table.getValues<APFloat>()) {
    visible.push_back(!isPenalty(entry));
    values.push_back(visible.back() ? entry
                                    : APFloat::getZero(entry.getSemantics()));
  }
  Location loc = op.getLoc();
  auto read = [&](DenseElementsAttr entries) -> Value {
    Value constant = arith::ConstantOp::create(b, loc, entries);
    return tensor::ExtractOp::create(b, loc, constant, op.getIndices());
  };
  ShapedType type = table.getType();
  Value seen = read(DenseElementsAttr::get(type.clone(b.getI1Type()), visible));
  if (llvm::all_of(values, [](const APFloat &x) { return x.isZero(); }))
    return {
        arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType())),
        seen};
  return {read(DenseElementsAttr::get(type, values)), seen};
}

/// Calls `visit` for every value that `value` is computed from, itself first;
/// values from outside of `block` are not looked into.
static void visitSources(Value value, Block *block,
                         function_ref<void(Value)> visit) {
  llvm::SetVector<Value> sources;
  sources.insert(value);
  for (size_t i = 0; i < sources.size(); ++i) {
    visit(sources[i]);
    Operation *producer = sources[i].getDefiningOp();
    if (producer && producer->getBlock() == block)
      producer->walk([&](Operation *inner) {
        sources.insert(inner->operand_begin(), inner->operand_end());
      });
  }
}

/// Moves the condition `visible` of a score region into the mask.
static void addToMask(AttentionOp op, Value visible, OpBuilder &b) {
  Location loc = visible.getLoc();
  OpBuilder::InsertionGuard guard(b);
  if (op.getMask().empty()) {
    op.createRegionBlock(b, op.getMask());
    Value isTrue = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    YieldOp::create(b, loc, isTrue);
  }
  Block &score = op.getScore().front(), &mask = op.getMask().front();
  Operation *yield = mask.getTerminator();
  b.setInsertionPoint(yield);
  // The condition does not depend on the score: its part of the region is
  // cloned over the same indices.
  IRMapping mapping;
  mapping.map(score.getArguments().drop_front(), mask.getArguments());
  cloneFormulaSlice(b, visible, score, mapping);
  Value condition = mapping.lookupOrDefault(visible);
  yield->setOperand(
      0, arith::AndIOp::create(b, loc, yield->getOperand(0), condition));
}

/// Whether `value` may be as low as a penalty: where it reads such a number, or
/// real numbers computed before attention, of which only the graph's user knows
/// how low they are.
static bool mayBeAPenalty(Value value, Block &score) {
  // In the highest quarter of the exponents of its type: 4e28 in f32.
  auto isLow = [](const APFloat &number) {
    return number.isNegative() &&
           ilogb(number) >
               APFloat::semanticsMaxExponent(number.getSemantics()) * 3 / 4;
  };
  bool found = false;
  visitSources(value, &score, [&](Value source) {
    FloatAttr number;
    if (matchPattern(source, m_Constant(&number)))
      found |= isLow(number.getValue());
    else if (DenseElementsAttr table = getReals(source))
      found |= llvm::any_of(table.getValues<APFloat>(), isLow);
    else
      found |= isa<FloatType>(getElementTypeOrSelf(source)) &&
               !score.getParent()->isAncestor(source.getParentRegion());
  });
  return found;
}

/// Whether `value` is a constant such as those that stand for minus infinity
/// without being it, or the lowest value, of which was told.
static bool isFinitePenalty(Value value) {
  constexpr double largest = -100;
  FloatAttr number;
  return matchPattern(value, m_Constant(&number)) &&
         number.getValue().isFinite() && !number.getValue().isLargest() &&
         number.getValueAsDouble() <= largest;
}

namespace {
struct SplitMaskPass : posenc::impl::SplitMaskPassBase<SplitMaskPass> {
  using SplitMaskPassBase::SplitMaskPassBase;

  void runOnOperation() override {
    getOperation().walk([](AttentionOp op) {
      if (op.getScore().empty())
        return;
      splitMask(op, Penalty::MinusInfinity);
      splitMask(op, Penalty::LowestFinite);
      reportFinitePenalties(op);
    });
  }

private:
  /// A large finite penalty that a selection adds hides keys in all but name.
  static void reportFinitePenalties(AttentionOp op) {
    Block &score = op.getScore().front();
    llvm::SetVector<Operation *> selections;
    visitSources(score.getTerminator()->getOperand(0), &score, [&](Value x) {
      auto select = x.getDefiningOp<arith::SelectOp>();
      if (select && (isFinitePenalty(select.getTrueValue()) ||
                     isFinitePenalty(select.getFalseValue())))
        selections.insert(select);
    });
    for (Operation *select : selections)
      remarkMissed(select, "split-mask")
          << remark::add("'{0}' of a large negative number stays a bias of {1}",
                         select->getName().getStringRef(), nameWithPlace(op))
          << remark::reason("a key with a finite penalty still takes part in "
                            "the softmax, so no tile of keys is skipped")
          << remark::suggest("use minus infinity to hide a key");
  }

  static void splitMask(AttentionOp op, Penalty penalty) {
    Block &score = op.getScore().front();
    Operation *yield = score.getTerminator();
    Value yielded = yield->getOperand(0);
    OpBuilder b(yield);
    Splitter splitter(b, penalty);
    Split split = splitter.split(yielded);
    if (split.value && !split.visible)
      return;
    bool isLowest = penalty == Penalty::LowestFinite;
    StringRef spelled = isLowest ? "the lowest finite value" : "minus infinity";
    StringRef reason = whyNotSplit(op, split, isLowest, splitter);
    if (!reason.empty()) {
      Operation *term = yielded.getDefiningOp();
      remarkMissed(term, "split-mask")
          << remark::add("'{0}' leaves {1} in the score of {2}, no mask",
                         term->getName().getStringRef(), spelled,
                         nameWithPlace(op))
          << remark::reason("{0}", reason);
      return;
    }
    remarkDone(op, "split-mask")
        << remark::add("'{0}' masks the keys whose score is {1}{2}",
                       op->getName().getStringRef(), spelled,
                       isLowest ? "; a row without a key averages all" : "");
    addToMask(op, split.visible, b);
    yield->setOperand(0, split.value);
    // A sink takes the whole weight of a row without a key either way.
    if (isLowest && !op.getSinks())
      op.setEmptyRows(EmptyRows::Average);
  }

  /// Why the penalty must stay a bias; empty where it may become the mask.
  static StringRef whyNotSplit(AttentionOp op, Split split, bool isLowest,
                               const Splitter &splitter) {
    if (!split.value)
      return "every score is the penalty";
    Block &score = op.getScore().front();
    // The score is the only argument that is no index.
    if (Dependences(op.getScore()).of(split.visible).isOn(Dependence::Other))
      return "the condition depends on the score";
    if (!isLowest || op.getSinks())
      return "";
    if (!op.getMask().empty())
      return "with another mask, a row of lowest finite values is the average "
             "of what that mask leaves, not of all values";
    if (mayBeAPenalty(split.value, score))
      return "another term may be as low, so that a row of lowest finite "
             "values "
             "is the average of other keys";
    if (splitter.widensPenalties())
      return "the lowest finite value of a narrower type is not the lowest of "
             "the type it is added or chosen in";
    if (splitter.addsPenalties())
      return "two lowest finite values add up to minus infinity";
    if (op.getLogsumexpInit())
      return "the log-sum-exp of a row without a key would be another";
    return "";
  }
};
} // namespace
