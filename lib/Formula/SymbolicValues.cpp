//===- SymbolicValues.cpp - A formula as cases of sums --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/SymbolicValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Formula/FormulaOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::posenc;

/// More cases than this are not told apart.
static constexpr size_t kMostCases = 128;

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

/// Adds `more` to `conditions`; false where one of them cannot hold.
static bool addTo(Conditions &conditions, ArrayRef<AffineSum> more) {
  for (const AffineSum &condition : more) {
    if (condition.isConstant() && condition.constant < 0)
      return false;
    if (!condition.isConstant() && !llvm::is_contained(conditions, condition))
      conditions.push_back(condition);
  }
  return true;
}

std::optional<Conditions> SymbolicValues::merge(const Conditions &x,
                                                const Conditions &y) {
  Conditions merged = x;
  addTo(merged, y);
  // What one of them says alone can hold.
  if (merged.size() == x.size() || merged.size() == y.size() ||
      !unknowns.areContradictory(merged))
    return merged;
  return std::nullopt;
}

void SymbolicValues::append(Cases &cases, const Conditions &conditions,
                            ArrayRef<AffineSum> more, Meaning meaning) {
  Conditions merged = conditions;
  if (!addTo(merged, more) ||
      (merged.size() != conditions.size() && unknowns.areContradictory(merged)))
    return;
  if (cases.size() >= kMostCases)
    tooMany = true;
  else
    cases.push_back({std::move(merged), std::move(meaning)});
}

Cases SymbolicValues::forEach(
    Operation *op,
    llvm::function_ref<void(Pick, const Conditions &, Cases &)> emit) {
  SmallVector<Cases, 2> operands;
  for (Value operand : op->getOperands())
    operands.push_back(find(operand));
  Cases cases;
  SmallVector<const Meaning *> pick;
  auto visit = [&](auto &&self, const Conditions &conditions) -> void {
    if (tooMany)
      return;
    if (pick.size() == operands.size())
      return emit(pick, conditions, cases);
    for (const Case &next : operands[pick.size()]) {
      std::optional<Conditions> merged = merge(conditions, next.conditions);
      if (!merged)
        continue;
      pick.push_back(&next.meaning);
      self(self, *merged);
      pick.pop_back();
    }
  };
  visit(visit, {});
  return cases;
}

std::vector<SymbolicValues::PairOfCases> SymbolicValues::pair(const Cases &x,
                                                              const Cases &y) {
  std::vector<PairOfCases> pairs;
  for (const Case &a : x)
    for (const Case &b : y)
      if (std::optional<Conditions> merged = merge(a.conditions, b.conditions))
        pairs.push_back({*merged, a.meaning, b.meaning});
  return pairs;
}

Cases SymbolicValues::decide(const Cases &condition) {
  Cases decided;
  for (const Case &one : condition) {
    const AffineSum &sum = one.meaning.sum;
    append(decided, one.conditions, {scale(sum, 1, -1)},
           Meaning::ofInteger(AffineSum::of(1)));
    append(decided, one.conditions, {scale(sum, -1)},
           Meaning::ofInteger(AffineSum::of(0)));
  }
  return decided;
}

bool SymbolicValues::isNonNegative(const AffineSum &sum,
                                   const Conditions &conditions) {
  auto bounds = unknowns.getBounds(sum);
  if (bounds && bounds->first >= 0)
    return true;
  Conditions negative = conditions;
  negative.push_back(scale(sum, -1, -1));
  return unknowns.areContradictory(negative);
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

static void appendMeaning(SmallVectorImpl<uint64_t> &key,
                          const Meaning &meaning) {
  key.push_back(static_cast<uint64_t>(meaning.kind));
  if (meaning.isInteger()) {
    appendKey(key, meaning.sum);
  } else if (meaning.kind == Meaning::Kind::Real) {
    key.push_back(meaning.term);
  } else {
    // Equal constants are one tensor.
    Attribute constant;
    const void *which = matchPattern(meaning.tensor, m_Constant(&constant))
                            ? constant.getAsOpaquePointer()
                            : meaning.tensor.getAsOpaquePointer();
    key.push_back(reinterpret_cast<uint64_t>(which));
  }
}

/// The range of a signed integer type, i1 from 0 to 1; of wide ones a range
/// whose sums do not overflow.
static std::pair<int64_t, int64_t> getRange(Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width == 1)
    return {0, 1};
  width = std::min(width, 60u);
  return {llvm::minIntN(width), llvm::maxIntN(width)};
}

unsigned SymbolicValues::getReal(ArrayRef<uint64_t> key) {
  auto [it, isNew] =
      termNumbers.try_emplace(SmallVector<uint64_t>(key), terms.size());
  if (isNew)
    terms.emplace_back();
  return it->second;
}

bool SymbolicValues::isOfIntegers(const Meaning &meaning) const {
  if (meaning.kind == Meaning::Kind::Real)
    return terms[meaning.term].isOfIntegers;
  // Both values of a condition are met wherever elements are drawn.
  return llvm::any_of(
      llvm::enumerate(meaning.sum.coefficients), [&](auto factor) {
        const Unknowns::Unknown &unknown = unknowns[factor.index()];
        return factor.value() != 0 &&
               !(unknown.kind == Unknowns::Kind::Element &&
                 unknown.least == 0 && unknown.greatest == 1);
      });
}

bool SymbolicValues::hasThreshold(const Meaning &meaning) const {
  if (meaning.kind == Meaning::Kind::Real)
    return terms[meaning.term].hasThreshold;
  return unknowns.hasThreshold(meaning.sum);
}

/// Whether a real op changes its way at some value of its operands.
static bool hasThresholds(Operation *op) {
  return isa<arith::MinimumFOp, arith::MaximumFOp, arith::MinNumFOp,
             arith::MaxNumFOp, arith::RemFOp, math::FloorOp, math::CeilOp,
             math::RoundOp, math::RoundEvenOp, math::TruncOp>(op);
}

Meaning SymbolicValues::getTerm(Operation *op, unsigned result, Pick operands) {
  SmallVector<uint64_t> key = {
      reinterpret_cast<uint64_t>(op->getName().getAsOpaquePointer()), result,
      reinterpret_cast<uint64_t>(
          op->getPropertiesAsAttribute().getAsOpaquePointer())};
  // Reals are not told apart by type: they count by what they mean, not by
  // their rounding (Number.h).
  auto addType = [&](Type type) {
    if (!isa<FloatType>(type))
      key.push_back(reinterpret_cast<uint64_t>(type.getAsOpaquePointer()));
  };
  Type type = op->getResult(result).getType();
  addType(type);
  for (auto [meaning, operand] :
       llvm::zip_equal(operands, op->getOperandTypes())) {
    addType(operand);
    appendMeaning(key, *meaning);
  }
  bool isRead = isa<tensor::ExtractOp>(op);
  bool ofIntegers = llvm::any_of(
      operands, [&](const Meaning *x) { return isOfIntegers(*x); });
  bool ofThresholds = llvm::any_of(
      operands, [&](const Meaning *x) { return hasThreshold(*x); });
  if (isa<FloatType>(type)) {
    unsigned number = getReal(key);
    terms[number].isOfIntegers = !isRead && ofIntegers;
    terms[number].hasThreshold =
        ofThresholds || (ofIntegers && hasThresholds(op));
    return Meaning::ofReal(number);
  }
  unsigned number = unknowns.get(key, [&] {
    auto [least, greatest] = getRange(type);
    return Unknowns::Unknown{Unknowns::Kind::Computed, least, greatest};
  });
  if (ofThresholds || (!isRead && ofIntegers))
    unknowns.setThreshold(number);
  return Meaning::ofInteger(AffineSum::ofUnknown(number));
}

Cases SymbolicValues::makeTerm(Operation *op, unsigned result) {
  return forEach(
      op, [&](Pick operands, const Conditions &conditions, Cases &cases) {
        append(cases, conditions, {}, getTerm(op, result, operands));
      });
}

Meaning SymbolicValues::wrap(Operation *op, Pick operands,
                             std::optional<AffineSum> sum) {
  Type type = op->getResult(0).getType();
  auto bounds = sum ? unknowns.getBounds(*sum) : std::nullopt;
  auto [least, greatest] = getRange(type);
  bool fits = bounds && bounds->first >= least && bounds->second <= greatest;
  // Sizes plus offsets are below 2^31 by the contract of attention.
  constexpr unsigned mostPositions = 4;
  auto isPosition = [&](auto factor) {
    const Unknowns::Unknown &unknown = unknowns[factor.index()];
    return factor.value() == 0 ||
           ((factor.value() == 1 || factor.value() == -1) &&
            (unknown.kind != Unknowns::Kind::Computed ||
             (llvm::isInt<32>(unknown.least) &&
              llvm::isInt<32>(unknown.greatest))));
  };
  bool isSumOfPositions =
      bounds && holdsPositions(type) && llvm::isInt<32>(sum->constant) &&
      llvm::count_if(sum->coefficients, [](int64_t c) { return c != 0; }) <=
          mostPositions &&
      llvm::all_of(llvm::enumerate(sum->coefficients), isPosition);
  return fits || isSumOfPositions ? Meaning::ofInteger(*sum)
                                  : getTerm(op, 0, operands);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Cases SymbolicValues::dim(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  std::optional<int64_t> axis = getConstantIntValue(op->getOperand(1));
  if (!type || !axis || *axis < 0 || *axis >= type.getRank())
    return makeTerm(op, 0);
  return {{{}, Meaning::ofInteger(getExtent(op->getOperand(0), *axis))}};
}

AffineSum SymbolicValues::getExtent(Value tensor, int64_t axis) {
  SymbolicExtent extent = SymbolicExtent::ofAxis(tensor, axis);
  if (extent.getFactors().size() != 1 || extent.getCoefficient() != 1)
    return unknowns.getExtent(extent);
  // A sum of others, rather than an unknown of its own.
  const SymbolicExtent::Factor &factor = extent.getFactors().front();
  if (auto concat = factor.value.getDefiningOp<tensor::ConcatOp>();
      concat && factor.axis) {
    std::optional<AffineSum> sum = AffineSum();
    for (Value part : concat.getInputs())
      sum = addMultiple(*sum, getExtent(part, *factor.axis), 1);
    return *sum;
  }
  if (!factor.axis && factor.value.getDefiningOp()) {
    Cases cases = find(factor.value);
    if (cases.size() == 1)
      return cases.front().meaning.sum;
  }
  return unknowns.getExtent(extent);
}

Cases SymbolicValues::read(Operation *op) {
  Type type = op->getResult(0).getType();
  return forEach(op, [&](Pick x, const Conditions &conditions, Cases &cases) {
    SplatElementsAttr splat;
    if (type.isIntOrIndex() && matchPattern(x[0]->tensor, m_Constant(&splat))) {
      APInt value = splat.getSplatValue<APInt>();
      return append(cases, conditions, {},
                    Meaning::ofInteger(AffineSum::of(
                        type.isInteger(1) ? value.getZExtValue()
                                          : value.getSExtValue())));
    }
    Meaning element = getTerm(op, 0, x);
    append(cases, conditions, {}, element);
    if (!element.isInteger() || matchPattern(x[0]->tensor, m_Constant()))
      return;
    SmallVector<AffineSum, 2> at;
    for (const Meaning *index : x.drop_front())
      at.push_back(index->sum);
    unknowns.setElement(element.sum.coefficients.size() - 1, x[0]->tensor, at);
  });
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

unsigned SymbolicValues::addIndex(Value index, Value tensor, int64_t axis) {
  AffineSum extent = getExtent(tensor, axis);
  auto bounds = unknowns.getBounds(extent);
  unsigned number = unknowns.add(
      {Unknowns::Kind::Index, 0,
       std::max<int64_t>(0, bounds ? bounds->second - 1 : INT32_MAX)});
  AffineSum self = AffineSum::ofUnknown(number);
  unknowns.setConditions(number,
                         {*addMultiple(scale(extent, 1, -1), self, -1)});
  known[index] = {{{}, Meaning::ofInteger(self)}};
  return number;
}

std::optional<Cases> SymbolicValues::of(Value value) {
  tooMany = false;
  Cases cases = find(value);
  if (tooMany)
    return std::nullopt;
  return cases;
}

Cases SymbolicValues::find(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  Cases cases = tooMany ? Cases() : compute(value);
  if (!tooMany)
    known[value] = cases;
  return cases;
}

Cases SymbolicValues::compute(Value value) {
  Type type = value.getType();
  if (isa<ShapedType>(type))
    return {{{}, Meaning{Meaning::Kind::Tensor, {}, 0, value}}};
  APInt integer;
  if (matchPattern(value, m_ConstantInt(&integer)) && integer.isSignedIntN(60))
    return {{{},
             Meaning::ofInteger(AffineSum::of(type.isInteger(1)
                                                  ? integer.getZExtValue()
                                                  : integer.getSExtValue()))}};
  FloatAttr real;
  if (matchPattern(value, m_Constant(&real))) {
    SmallVector<uint64_t> key = {
        'c', llvm::bit_cast<uint64_t>(real.getValueAsDouble())};
    return {{{}, Meaning::ofReal(getReal(key))}};
  }
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(op))
    return find(op->getOperand(0));
  if (op && op->getNumRegions() == 0 && isFormulaOp(op))
    return computeOp(op, llvm::cast<OpResult>(value).getResultNumber());
  if (type.isIntOrIndex())
    return {{{},
             Meaning::ofInteger(
                 unknowns.getExtent(SymbolicExtent::ofValue(value)))}};
  SmallVector<uint64_t> key = {
      'v', reinterpret_cast<uint64_t>(value.getAsOpaquePointer())};
  return {{{}, Meaning::ofReal(getReal(key))}};
}

Cases SymbolicValues::computeOp(Operation *op, unsigned result) {
  bool ofConditions =
      op->getNumOperands() != 0 && op->getOperand(0).getType().isInteger(1);
  bool ofIntegers = llvm::all_of(op->getOperandTypes(),
                                 [](Type type) { return type.isIntOrIndex(); });
  if (isa<tensor::DimOp>(op))
    return dim(op);
  if (isa<tensor::ExtractOp>(op))
    return read(op);
  if (isa<arith::SelectOp>(op))
    return choose(op);
  if (!ofIntegers || op->getNumOperands() == 0)
    return makeTerm(op, result);
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return compare(comparison);
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
          arith::IndexCastUIOp>(op))
    return cast(op);
  if (ofConditions)
    return isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::AddIOp,
               arith::SubIOp>(op)
               ? connect(op)
               : makeTerm(op, result);
  return TypeSwitch<Operation *, Cases>(op)
      .Case<arith::AddIOp>([&](Operation *op) { return add(op, 1); })
      .Case<arith::SubIOp>([&](Operation *op) { return add(op, -1); })
      .Case<arith::MulIOp>([&](Operation *op) { return multiply(op); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](Operation *op) { return divide(op); })
      .Case<arith::MinSIOp, arith::MaxSIOp, math::AbsIOp>(
          [&](Operation *op) { return choose(op); })
      .Default([&](Operation *op) { return makeTerm(op, result); });
}
