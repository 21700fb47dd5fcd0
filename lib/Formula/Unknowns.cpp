//===- Unknowns.cpp - Integers that formulas compute with -----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/Unknowns.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::posenc;
using llvm::DynamicAPInt;

/// Sizes, positions and offsets are below this.
static constexpr int64_t kPositions = int64_t(1) << 31;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

AffineSum AffineSum::ofUnknown(unsigned unknown) {
  AffineSum sum;
  sum.coefficients.assign(unknown + 1, 0);
  sum.coefficients.back() = 1;
  return sum;
}

std::optional<AffineSum>
posenc::addMultiple(const AffineSum &x, const AffineSum &y, int64_t factor) {
  AffineSum sum = x;
  auto add = [&](int64_t &to, int64_t more) {
    int64_t product;
    return !llvm::MulOverflow(factor, more, product) &&
           !llvm::AddOverflow(to, product, to);
  };
  if (sum.coefficients.size() < y.coefficients.size())
    sum.coefficients.resize(y.coefficients.size());
  for (auto [to, more] : llvm::zip(sum.coefficients, y.coefficients))
    if (!add(to, more))
      return std::nullopt;
  if (!add(sum.constant, y.constant))
    return std::nullopt;
  while (!sum.coefficients.empty() && sum.coefficients.back() == 0)
    sum.coefficients.pop_back();
  return sum;
}

AffineSum posenc::scale(const AffineSum &x, int64_t factor, int64_t constant) {
  return *addMultiple(AffineSum::of(constant), x, factor);
}

void posenc::appendKey(SmallVectorImpl<uint64_t> &key, const AffineSum &sum) {
  key.push_back(sum.coefficients.size());
  key.append(sum.coefficients.begin(), sum.coefficients.end());
  key.push_back(sum.constant);
}

//===----------------------------------------------------------------------===//
// Making unknowns
//===----------------------------------------------------------------------===//

unsigned Unknowns::add(Unknown unknown) {
  unknowns.push_back(std::move(unknown));
  return unknowns.size() - 1;
}

unsigned Unknowns::get(ArrayRef<uint64_t> key,
                       llvm::function_ref<Unknown()> make) {
  SmallVector<uint64_t> own(key);
  auto it = numbers.find(own);
  if (it == numbers.end())
    it = numbers.emplace(std::move(own), add(make())).first;
  return it->second;
}

bool Unknowns::hasThreshold(const AffineSum &sum) const {
  return llvm::any_of(llvm::enumerate(sum.coefficients), [&](auto factor) {
    return factor.value() != 0 && unknowns[factor.index()].isThreshold;
  });
}

AffineSum Unknowns::getExtent(const SymbolicExtent &extent) {
  SmallVector<unsigned> factors;
  for (const SymbolicExtent::Factor &factor : extent.getFactors()) {
    // An extent is not negative; a given scalar may be.
    bool isExtent = factor.axis.has_value();
    uint64_t key[] = {
        'f', reinterpret_cast<uint64_t>(factor.value.getAsOpaquePointer()),
        isExtent ? uint64_t(*factor.axis) + 1 : 0};
    factors.push_back(get(key, [&] {
      return Unknown{Kind::Factor, isExtent ? 0 : 1 - kPositions,
                     kPositions - 1, factor};
    }));
  }
  if (factors.empty())
    return AffineSum::of(extent.getCoefficient());
  unsigned product = factors.front();
  if (factors.size() > 1) {
    llvm::sort(factors);
    SmallVector<uint64_t> key = {'p'};
    key.append(factors.begin(), factors.end());
    constexpr int64_t most = int64_t(1) << 62;
    product = get(key, [&] {
      return Unknown{Kind::Computed, extent.isNonNegative() ? 0 : -most, most};
    });
  }
  AffineSum sum = AffineSum::ofUnknown(product);
  return *addMultiple(AffineSum(), sum, extent.getCoefficient());
}

AffineSum Unknowns::getQuotient(const AffineSum &dividend, int64_t divisor) {
  SmallVector<uint64_t> key = {'q', uint64_t(divisor)};
  appendKey(key, dividend);
  bool isNew = false;
  unsigned number = get(key, [&] {
    isNew = true;
    auto [least, greatest] = *getBounds(dividend);
    return Unknown{Kind::Computed, llvm::divideFloorSigned(least, divisor),
                   llvm::divideFloorSigned(greatest, divisor)};
  });
  AffineSum quotient = AffineSum::ofUnknown(number);
  if (isNew) {
    // 0 <= dividend - divisor * quotient <= divisor - 1.
    AffineSum rest = *addMultiple(dividend, quotient, -divisor);
    AffineSum most = *addMultiple(AffineSum::of(divisor - 1), rest, -1);
    unknowns[number].conditions = {rest, most};
  }
  return quotient;
}

std::optional<std::pair<int64_t, int64_t>>
Unknowns::getBounds(const AffineSum &sum) const {
  int64_t least = sum.constant, greatest = sum.constant;
  for (auto [number, factor] : llvm::enumerate(sum.coefficients)) {
    if (factor == 0)
      continue;
    int64_t low = unknowns[number].least, high = unknowns[number].greatest;
    if (factor < 0)
      std::swap(low, high);
    if (llvm::MulOverflow(factor, low, low) ||
        llvm::MulOverflow(factor, high, high) ||
        llvm::AddOverflow(least, low, least) ||
        llvm::AddOverflow(greatest, high, greatest))
      return std::nullopt;
  }
  return std::make_pair(least, greatest);
}

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

SmallVector<unsigned> Unknowns::collect(ArrayRef<AffineSum> conditions) const {
  llvm::SetVector<unsigned> used;
  auto addAll = [&](const AffineSum &sum) {
    for (auto [number, factor] : llvm::enumerate(sum.coefficients))
      if (factor != 0)
        used.insert(number);
  };
  llvm::for_each(conditions, addAll);
  for (unsigned i = 0; i < used.size(); ++i)
    llvm::for_each(unknowns[used[i]].conditions, addAll);
  return used.takeVector();
}

presburger::IntegerPolyhedron Unknowns::build(ArrayRef<AffineSum> conditions,
                                              ArrayRef<unsigned> used) const {
  presburger::IntegerPolyhedron set(
      presburger::PresburgerSpace::getSetSpace(used.size()));
  auto add = [&](const AffineSum &sum) {
    SmallVector<int64_t> row;
    for (unsigned number : used)
      row.push_back(number < sum.coefficients.size() ? sum.coefficients[number]
                                                     : 0);
    row.push_back(sum.constant);
    set.addInequality(row);
  };
  llvm::for_each(conditions, add);
  for (auto [column, number] : llvm::enumerate(used)) {
    const Unknown &unknown = unknowns[number];
    set.addBound(presburger::BoundType::LB, column, unknown.least);
    set.addBound(presburger::BoundType::UB, column, unknown.greatest);
    llvm::for_each(unknown.conditions, add);
  }
  return set;
}

bool Unknowns::areContradictory(ArrayRef<AffineSum> conditions) const {
  SmallVector<unsigned> used = collect(conditions);
  return presburger::Simplex(build(conditions, used)).isEmpty();
}

static Unknowns::Point getPoint(ArrayRef<DynamicAPInt> sample,
                                ArrayRef<unsigned> used, unsigned size) {
  Unknowns::Point point(size);
  for (auto [number, value] : llvm::zip_equal(used, sample))
    point[number] = static_cast<int64_t>(value);
  return point;
}

std::optional<Unknowns::Point>
Unknowns::findPoint(ArrayRef<AffineSum> conditions) const {
  SmallVector<unsigned> used = collect(conditions);
  auto sample = build(conditions, used).findIntegerSample();
  if (!sample)
    return std::nullopt;
  return getPoint(*sample, used, size());
}

std::optional<Unknowns::Point>
Unknowns::findExtremePoint(ArrayRef<AffineSum> conditions, unsigned number,
                           bool largest) const {
  SmallVector<unsigned> used = collect(conditions);
  auto *column = llvm::find(used, number);
  if (column == used.end())
    return std::nullopt;
  presburger::IntegerPolyhedron set = build(conditions, used);
  SmallVector<DynamicAPInt> row(used.size() + 1, DynamicAPInt(0));
  row[column - used.begin()] = DynamicAPInt(1);
  presburger::Simplex simplex(set);
  if (simplex.isEmpty())
    return std::nullopt;
  auto [least, greatest] = simplex.computeIntegerBounds(row);
  auto &bound = largest ? greatest : least;
  if (!bound.isBounded())
    return std::nullopt;
  set.addBound(presburger::BoundType::EQ, column - used.begin(), *bound);
  auto sample = set.findIntegerSample();
  if (!sample)
    return std::nullopt;
  return getPoint(*sample, used, size());
}
