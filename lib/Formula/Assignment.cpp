//===- Assignment.cpp - Numbers for what a formula captures ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/Assignment.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Formula/FormulaOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::posenc;

/// The finaliser of SplitMix64.
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t Assignment::getKey(Value leaf) {
  uint64_t number = keys.try_emplace(leaf, keys.size()).first->second;
  return mix(seed ^ mix(number));
}

int64_t Assignment::getIntegerLimit() const {
  constexpr int64_t least = 64;
  return integerBase ? least + *integerBase : std::max(least, largestExtent);
}

Number Assignment::draw(Type type, uint64_t key) {
  uint64_t bits = mix(key);
  if (isa<FloatType>(type))
    return Number::ofReal((static_cast<double>(bits >> 11) * 0x1p-51 - 2) *
                          magnitude);
  if (type.isInteger(1))
    return Number::ofInteger(static_cast<int64_t>(bits % 2));
  if (integerBase)
    return Number::ofInteger(*integerBase);
  auto limit = static_cast<uint64_t>(getIntegerLimit());
  if (!type.isIndex() && type.getIntOrFloatBitWidth() < 64)
    limit = std::min(limit, uint64_t(1) << (type.getIntOrFloatBitWidth() - 1));
  return Number::ofInteger(static_cast<int64_t>(bits % limit));
}

Number Assignment::getElement(Value tensor, ArrayRef<int64_t> at) {
  Number given = read(tensor, at);
  if (given.isKnown())
    return given;
  uint64_t key = getKey(tensor);
  for (int64_t index : at)
    key = mix(key ^ static_cast<uint64_t>(index));
  Type type = cast<ShapedType>(tensor.getType()).getElementType();
  if (integerBase && type.isIntOrIndex() && !type.isInteger(1))
    return Number::ofInteger(
        std::accumulate(at.begin(), at.end(), *integerBase));
  return draw(type, key);
}

void Assignment::set(const SymbolicExtent::Factor &factor, int64_t number) {
  if (factor.axis)
    extents[{factor.value, *factor.axis}] = number;
  else
    scalars[factor.value] = Number::ofInteger(number);
}

void Assignment::setExtent(Value tensor, int64_t axis, int64_t extent) {
  SymbolicExtent known = SymbolicExtent::ofAxis(tensor, axis);
  if (known.getFactors().size() == 1 && known.getCoefficient() == 1)
    set(known.getFactors().front(), extent);
}

int64_t Assignment::getFactor(const SymbolicExtent::Factor &factor) {
  if (!factor.axis) {
    Number number = getScalar(factor.value);
    return number.isInteger() ? number.getInteger() : 1;
  }
  if (auto concat = factor.value.getDefiningOp<tensor::ConcatOp>()) {
    int64_t sum = 0;
    for (Value part : concat.getInputs())
      sum += getExtent(part, *factor.axis);
    return sum;
  }
  auto given = extents.find({factor.value, *factor.axis});
  if (given != extents.end())
    return given->second;
  if (integerBase)
    return *integerBase;
  uint64_t key = getKey(factor.value) ^ static_cast<uint64_t>(*factor.axis);
  return 1 +
         static_cast<int64_t>(mix(key) % static_cast<uint64_t>(largestExtent));
}

int64_t Assignment::getExtent(Value tensor, int64_t axis) {
  SymbolicExtent extent = SymbolicExtent::ofAxis(tensor, axis);
  int64_t product = extent.getCoefficient();
  for (const SymbolicExtent::Factor &factor : extent.getFactors())
    product *= getFactor(factor);
  return product;
}

Number Assignment::getScalar(Value scalar) {
  auto known = scalars.find(scalar);
  if (known != scalars.end())
    return known->second;
  Operation *op = scalar.getDefiningOp();
  Number number;
  if (op && op->getNumRegions() == 0 && isFormulaOp(op)) {
    NumberDomain domain = getDomain();
    SmallVector<Number> operands;
    for (Value operand : op->getOperands())
      operands.push_back(domain.capture(operand));
    unsigned result = cast<OpResult>(scalar).getResultNumber();
    number = domain.apply(op, operands)[result];
  } else {
    number = draw(scalar.getType(), getKey(scalar));
  }
  scalars[scalar] = number;
  return number;
}

NumberDomain Assignment::getDomain() {
  return NumberDomain([this](Value scalar) { return getScalar(scalar); },
                      [this](Value tensor, ArrayRef<int64_t> at) {
                        return getElement(tensor, at);
                      },
                      [this](Value tensor, int64_t axis) {
                        return Number::ofInteger(getExtent(tensor, axis));
                      });
}
