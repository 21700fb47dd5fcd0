//===- Proof.cpp - Whether two formulas are the same ----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/Proof.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Formula/Assignment.h"
#include "posenc/Formula/CaseProof.h"
#include "posenc/Formula/Dependence.h"
#include "posenc/Formula/RegionInterpreter.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::posenc;

namespace {
constexpr int64_t kTrials = 12, kPointsPerTrial = 512;
/// Extents of the trials that count through tables, and the least and greatest
/// of those that look for what only long sequences show.
constexpr int64_t kNearExtent = 13, kLeastFar = 160, kGreatestFar = 1 << 21;

/// Draws points of an index space.
class Points {
public:
  Points(ArrayRef<int64_t> extents, uint64_t seed)
      : extents(extents), generator(seed) {}

  SmallVector<int64_t> draw() {
    SmallVector<int64_t> at;
    for (int64_t extent : extents)
      at.push_back(drawBelow(extent));
    return at;
  }
  /// One of the first and last two indices of each axis.
  SmallVector<int64_t> drawCorner() {
    SmallVector<int64_t> at;
    for (int64_t extent : extents) {
      int64_t corner = drawBelow(4);
      at.push_back(corner < 2 ? std::min(corner, extent - 1)
                              : std::max<int64_t>(extent + 1 - corner, 0));
    }
    return at;
  }
  /// Point `number` in row-major order of the axes `fixed`, the others drawn.
  SmallVector<int64_t> count(int64_t number,
                             const llvm::SmallBitVector &fixed) {
    SmallVector<int64_t> at = draw();
    for (int64_t axis = static_cast<int64_t>(extents.size()) - 1; axis >= 0;
         --axis) {
      if (!fixed[axis])
        continue;
      at[axis] = number % extents[axis];
      number /= extents[axis];
    }
    return at;
  }

private:
  int64_t drawBelow(int64_t extent) {
    return static_cast<int64_t>(generator() % static_cast<uint64_t>(extent));
  }

  ArrayRef<int64_t> extents;
  std::mt19937_64 generator;
};

class Comparison {
public:
  Comparison(const ElementFormula &seen, const ElementFormula &candidate);
  std::optional<std::string> run();

private:
  /// Whether the formulas differ at `at`.
  bool differAt(ArrayRef<int64_t> at, Assignment &assignment);
  bool differ(const Number &seen, const Number &candidate,
              ArrayRef<int64_t> at) const;
  std::string describe(ArrayRef<int64_t> at) const;
  /// Compares under one choice of extents, at most `largestExtent` where the
  /// graph leaves them open, and of leaves.
  std::optional<std::string> runTrial(uint64_t seed, int64_t largestExtent);

  /// What no draw shows.
  std::optional<std::string> compareCases();

  const ElementFormula &seen, &candidate;
  int64_t rank;
  /// Axes that select the entry of a constant table.
  llvm::SmallBitVector tableAxes;
  /// Extents up to this are drawn, so that most differences show soon.
  int64_t farExtent;
  bool computesAngles = false;
  int64_t known = 0, visited = 0;
  /// Whether a trial met every element.
  bool isExhaustive = false;
};
} // namespace

/// Adds the axes that select the entry of a table which `formula` reads.
static void collectTableAxes(const ElementFormula &formula,
                             llvm::SmallBitVector &axes) {
  if (axes.size() > Dependence::kMostAxes) {
    axes.set();
    return;
  }
  SmallVector<Dependence> arguments;
  for (unsigned axis = 0; axis < axes.size(); ++axis)
    arguments.push_back(Dependence::onAxis(axis));
  Recording<DependenceDomain> recording;
  recording.run(formula.getRegion().front(), arguments);
  formula.getRegion().walk([&](tensor::ExtractOp read) {
    if (!matchPattern(read.getTensor(), m_Constant()))
      return;
    // Inside of a loop any axis may select.
    bool inLoop = read->getParentRegion() != &formula.getRegion();
    for (Value index : read.getIndices())
      for (unsigned axis = 0; axis < axes.size(); ++axis)
        if (inLoop || recording.find(index)->isOnAxis(axis))
          axes.set(axis);
  });
}

/// The largest integer constant that `formula`, or a scalar it captures, is
/// computed with: a window, a length at which frequencies switch.
static int64_t getLargestConstant(const ElementFormula &formula) {
  SetVector<Value> scalars;
  auto addScalars = [&](ValueRange values) {
    for (Value value : values)
      if (!isa<ShapedType>(value.getType()))
        scalars.insert(value);
  };
  formula.getRegion().walk(
      [&](Operation *op) { addScalars(op->getOperands()); });
  int64_t largest = 0;
  constexpr size_t most = 1024;
  for (size_t i = 0; i < scalars.size() && i < most; ++i) {
    APInt constant;
    if (matchPattern(scalars[i], m_ConstantInt(&constant))) {
      std::optional<int64_t> value = constant.trySExtValue();
      // What is larger stands for "no bound".
      if (value && *value < kGreatestFar / 2 && *value > -kGreatestFar / 2)
        largest = std::max(largest, std::abs(*value));
    } else if (Operation *op = scalars[i].getDefiningOp()) {
      addScalars(op->getOperands());
    }
  }
  return largest;
}

Comparison::Comparison(const ElementFormula &seen,
                       const ElementFormula &candidate)
    : seen(seen), candidate(candidate),
      rank(static_cast<int64_t>(seen.getIndices().size())), tableAxes(rank),
      farExtent(std::clamp(
          3 * std::max(getLargestConstant(seen), getLargestConstant(candidate)),
          kLeastFar, kGreatestFar)) {
  collectTableAxes(seen, tableAxes);
  candidate.getRegion().walk([&](CosSinOp) { computesAngles = true; });
}

bool Comparison::differ(const Number &a, const Number &b,
                        ArrayRef<int64_t> at) const {
  if (a.isInteger() && b.isInteger())
    return a.getInteger() != b.getInteger();
  if (!a.isReal() || !b.isReal())
    return true;
  double x = a.getReal(), y = b.getReal();
  if (std::isnan(x) || std::isnan(y))
    return !(std::isnan(x) && std::isnan(y));
  if (std::isinf(x) || std::isinf(y))
    return x != y;
  double tolerance = 1e-5 * std::fabs(x) + 1e-7;
  // An angle as large as the position, of a frequency and a product that were
  // rounded to f32; drawn positions are below 64.
  if (computesAngles)
    tolerance += 0x1p-22 * static_cast<double>(64 + *llvm::max_element(at));
  return std::fabs(x - y) > tolerance;
}

bool Comparison::differAt(ArrayRef<int64_t> at, Assignment &assignment) {
  NumberDomain domain = assignment.getDomain();
  SmallVector<Number> indices(llvm::map_range(at, Number::ofInteger));
  ++visited;
  Number number = interpret(seen.getRegion(), indices, domain).front();
  // Elements that are undefined in the graph may be anything.
  if (!number.isKnown())
    return false;
  ++known;
  return differ(number,
                interpret(candidate.getRegion(), indices, domain).front(), at);
}

std::string Comparison::describe(ArrayRef<int64_t> at) const {
  std::string text = "they differ at [";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(at, os);
  os << "]";
  return text;
}

std::optional<std::string> Comparison::runTrial(uint64_t seed,
                                                int64_t largestExtent) {
  Assignment assignment(seed, largestExtent);
  SmallVector<int64_t> extents;
  int64_t size = 1, entries = 1;
  for (int64_t axis = 0; axis < rank; ++axis) {
    extents.push_back(assignment.getExtent(seen.getTensor(), axis));
    if (extents.back() <= 0)
      return std::nullopt;
    size *= extents.back();
    // Tables are counted through where extents are near.
    bool counted = tableAxes[axis] && largestExtent == kNearExtent;
    entries *= counted ? extents.back() : 1;
  }
  if (entries > kLargestTable)
    return "its tables have more than " + std::to_string(kLargestTable) +
           " entries, too many to compare";
  Points points(extents, seed);
  llvm::SmallBitVector all(rank, true);
  bool small = size <= kPointsPerTrial;
  int64_t count = small ? size : std::max(entries, kPointsPerTrial);
  isExhaustive |= size == (small ? size : entries);
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<int64_t> at = small         ? points.count(i, all)
                              : i < entries ? points.count(i, tableAxes)
                              : i % 2       ? points.draw()
                                            : points.drawCorner();
    if (differAt(at, assignment))
      return describe(at);
  }
  return std::nullopt;
}

std::optional<std::string> Comparison::run() {
  for (uint64_t seed = 1; seed <= kTrials; ++seed) {
    bool far = seed % 2 == 0;
    // A table that was compared entry by entry leaves nothing to further draws.
    if (!far && visited > 16 * kTrials * kPointsPerTrial)
      continue;
    if (std::optional<std::string> difference =
            runTrial(seed, far ? farExtent : kNearExtent))
      return difference;
  }
  if (4 * known < visited || known == 0)
    return "too few of its elements have known values";
  return compareCases();
}

std::optional<std::string> Comparison::compareCases() {
  CaseProof proof;
  for (int64_t axis = 0; axis < rank; ++axis) {
    proof.addIndex(seen.getIndices()[axis], seen.getTensor(), axis);
    proof.addIndex(candidate.getIndices()[axis], seen.getIndices()[axis]);
  }
  std::optional<std::string> difference =
      proof.findDifference(seen.getElement(), candidate.getElement(),
                           [&](ArrayRef<int64_t> at, Assignment &assignment) {
                             return differAt(at, assignment);
                           });
  // Of constants alone every element has been compared.
  if (difference && isExhaustive && proof.isAboutConstants())
    return std::nullopt;
  return difference;
}

std::optional<std::string>
posenc::findDifference(const ElementFormula &seen,
                       const ElementFormula &candidate) {
  return Comparison(seen, candidate).run();
}
