//===- CaseProof.cpp - Whether values are equal case by case --------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/CaseProof.h"

using namespace mlir;
using namespace mlir::posenc;

void CaseProof::addIndex(Value index, Value tensor, int64_t axis) {
  axes.push_back({values.addIndex(index, tensor, axis), tensor, axis});
}

bool CaseProof::isAboutConstants() const {
  for (unsigned number = 0; number < unknowns.size(); ++number)
    if (unknowns[number].kind == Unknowns::Kind::Factor ||
        unknowns[number].kind == Unknowns::Kind::Element)
      return false;
  return true;
}

static std::string describe(StringRef verb, ArrayRef<int64_t> at) {
  std::string text = ("they " + verb + " at [").str();
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(at, os);
  os << "]";
  return text;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

/// Points at which `conditions` hold: some one, and those at the least and the
/// greatest of every index. What is read or given is small where it can be, as
/// the numbers of an assignment are.
SmallVector<Unknowns::Point>
CaseProof::collectPoints(Conditions conditions) const {
  Conditions small = conditions;
  constexpr int64_t greatest = 63;
  for (unsigned number = 0; number < unknowns.size(); ++number) {
    const Unknowns::Unknown &unknown = unknowns[number];
    if (unknown.kind != Unknowns::Kind::Element &&
        (unknown.kind != Unknowns::Kind::Factor || unknown.factor.axis))
      continue;
    bool matters = llvm::any_of(conditions, [&](const AffineSum &sum) {
      return number < sum.coefficients.size() && sum.coefficients[number] != 0;
    });
    if (!matters)
      continue;
    AffineSum self = AffineSum::ofUnknown(number);
    small.push_back(self);
    small.push_back(*addMultiple(AffineSum::of(greatest), self, -1));
  }
  if (!unknowns.areContradictory(small))
    conditions = small;
  SmallVector<Unknowns::Point> points;
  auto add = [&](std::optional<Unknowns::Point> point) {
    if (point)
      points.push_back(std::move(*point));
    return point.has_value();
  };
  if (!add(unknowns.findPoint(conditions)))
    return points;
  for (const Axis &axis : axes)
    for (bool largest : {false, true})
      add(unknowns.findExtremePoint(conditions, axis.unknown, largest));
  return points;
}

SmallVector<int64_t> CaseProof::getIndices(const Unknowns::Point &point,
                                           Assignment &assignment) const {
  SmallVector<int64_t> at;
  for (auto [number, axis] : llvm::enumerate(axes)) {
    if (point[axis.unknown]) {
      at.push_back(*point[axis.unknown]);
      continue;
    }
    int64_t extent =
        axis.tensor ? assignment.getExtent(axis.tensor, axis.axis) : 1;
    constexpr int64_t stride = 7919; // a prime: other indices move apart
    at.push_back(extent > 0 ? stride * (number + 1) % extent : 0);
  }
  return at;
}

bool CaseProof::differAtPoint(const Unknowns::Point &point, uint64_t seed,
                              DifferAt differAt,
                              SmallVectorImpl<int64_t> &at) const {
  auto evaluate = [&](const AffineSum &sum) {
    int64_t value = sum.constant;
    for (auto [number, factor] : llvm::enumerate(sum.coefficients))
      value += factor * point[number].value_or(0);
    return value;
  };
  Assignment assignment(
      seed, /*largestExtent=*/13, [&](Value tensor, ArrayRef<int64_t> indices) {
        for (auto [number, value] : llvm::enumerate(point)) {
          const Unknowns::Unknown &unknown = unknowns[number];
          if (value && unknown.kind == Unknowns::Kind::Element &&
              unknown.factor.value == tensor &&
              llvm::equal(indices, llvm::map_range(unknown.at, evaluate)))
            return Number::ofInteger(*value);
        }
        return Number();
      });
  for (auto [number, value] : llvm::enumerate(point))
    if (value && unknowns[number].kind == Unknowns::Kind::Factor)
      assignment.set(unknowns[number].factor, *value);
  at = getIndices(point, assignment);
  return differAt(at, assignment);
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

std::optional<std::string>
CaseProof::compareIntegers(const SymbolicValues::PairOfCases &pair) const {
  std::optional<AffineSum> difference = addMultiple(pair.x.sum, pair.y.sum, -1);
  if (!difference)
    return "their numbers are too large to compare";
  for (int64_t sign : {1, -1}) {
    // The difference, or its negation, is at least one.
    std::optional<AffineSum> differs =
        addMultiple(AffineSum::of(-1), *difference, sign);
    if (!differs)
      return "their numbers are too large to compare";
    if (differs->isConstant() && differs->constant < 0)
      continue;
    Conditions conditions = pair.conditions;
    conditions.push_back(*differs);
    std::optional<Unknowns::Point> point = unknowns.findPoint(conditions);
    if (!point)
      continue;
    Assignment assignment(/*seed=*/1);
    return describe("may differ", getIndices(*point, assignment));
  }
  return std::nullopt;
}

/// Whether the case ends, or a real changes, where no sum of integers says.
bool CaseProof::hasThreshold(const SymbolicValues::PairOfCases &pair) const {
  return values.hasThreshold(pair.x) || values.hasThreshold(pair.y) ||
         llvm::any_of(pair.conditions, [&](const AffineSum &sum) {
           return unknowns.hasThreshold(sum);
         });
}

std::optional<std::string>
CaseProof::compareReals(const SymbolicValues::PairOfCases &pair,
                        DifferAt differAt) {
  comparedReals = true;
  if (hasThreshold(pair))
    return "they have thresholds that are not solved for";
  for (const Unknowns::Point &point : collectPoints(pair.conditions))
    for (uint64_t seed : {1, 2}) {
      SmallVector<int64_t> at;
      if (differAtPoint(point, seed, differAt, at))
        return describe("differ", at);
    }
  return std::nullopt;
}

std::optional<std::string> CaseProof::findDifference(Value x, Value y,
                                                     DifferAt differAt) {
  std::optional<Cases> ofX = values.of(x), ofY = values.of(y);
  if (!ofX || !ofY)
    return "they have too many cases to compare";
  for (const SymbolicValues::PairOfCases &pair : values.pair(*ofX, *ofY)) {
    if (pair.x.kind != pair.y.kind || pair.x.kind == Meaning::Kind::Tensor)
      return "they are of other types";
    if (pair.x.isInteger() ? pair.x.sum == pair.y.sum
                           : pair.x.term == pair.y.term)
      continue;
    std::optional<std::string> difference = pair.x.isInteger()
                                                ? compareIntegers(pair)
                                                : compareReals(pair, differAt);
    if (difference)
      return difference;
  }
  return std::nullopt;
}
