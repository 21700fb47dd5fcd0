//===- Proof.cpp - Whether two formulas are the same ----------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Formula/Proof.h"

#include "TableReads.h"
#include "mlir/IR/Matchers.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Formula/Assignment.h"
#include "posenc/Formula/CaseProof.h"
#include "posenc/Formula/RegionInterpreter.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::posenc;

namespace {
constexpr uint64_t kTrials = 12, kPointsPerTrial = 512;
/// After as many, a table that was compared entry by entry leaves nothing to
/// further draws.
constexpr int64_t kEnoughPoints = 16 * kTrials * kPointsPerTrial;
/// Extents of the trials that count through tables of known rows, and the least
/// and greatest of those that look for what only long sequences show.
constexpr int64_t kNearExtent = 13, kLeastFar = 160, kGreatestFar = 1 << 21;

/// What a formula does with large or small elements only (a clamp, a threshold)
/// shows among elements of that size. An odd number, so that each meets near
/// and far extents.
constexpr double kMagnitudes[] = {0x1p-12, 1, 0x1p17, 1, 0x1p7};

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
  std::optional<std::string> compareAt(ArrayRef<int64_t> at,
                                       Assignment &assignment);
  /// Whether two numbers differ that follow from positions up to `reach` and
  /// reals of `magnitude`.
  bool differ(const Number &seen, const Number &candidate, int64_t reach,
              double magnitude) const;
  std::string describe(ArrayRef<int64_t> at) const;
  /// Compares under one choice of extents, at most `largestExtent` where the
  /// graph leaves them open, and of leaves.
  std::optional<std::string> runTrial(uint64_t seed, int64_t largestExtent);

  /// What no draw shows.
  std::optional<std::string> compareCases();
  /// Compares at the rows of tables that trials may not reach.
  std::optional<std::string> compareOpenRows();
  /// The same with one or every open axis as long as a table.
  std::optional<std::string>
  countOpenRows(const llvm::SmallBitVector &longAxes);

  const ElementFormula &seen, &candidate;
  int64_t rank;
  TableReads tables;
  /// Extents up to this are drawn, so that most differences show soon.
  int64_t farExtent;
  bool computesAngles = false;
  /// Whether rows of tables are counted through.
  bool countsRows = false;
  int64_t known = 0, visited = 0;
  /// Whether a trial met every element.
  bool isExhaustive = false;
};
} // namespace

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
      rank(static_cast<int64_t>(seen.getIndices().size())), tables(seen),
      farExtent(std::clamp(
          3 * std::max(getLargestConstant(seen), getLargestConstant(candidate)),
          kLeastFar, kGreatestFar)) {
  candidate.getRegion().walk([&](CosSinOp) { computesAngles = true; });
}

bool Comparison::differ(const Number &a, const Number &b, int64_t reach,
                        double magnitude) const {
  if (a.isInteger() && b.isInteger())
    return a.getInteger() != b.getInteger();
  if (!a.isReal() || !b.isReal())
    return true;
  double x = a.getReal(), y = b.getReal();
  if (std::isnan(x) || std::isnan(y))
    return !(std::isnan(x) && std::isnan(y));
  if (std::isinf(x) || std::isinf(y))
    return x != y;
  double tolerance = 1e-5 * std::fabs(x) + 1e-7 * magnitude;
  // An angle as large as the position, of a frequency and a product that were
  // rounded to f32.
  if (computesAngles)
    tolerance += 0x1p-22 * magnitude * static_cast<double>(reach);
  return std::fabs(x - y) > tolerance;
}

bool Comparison::differAt(ArrayRef<int64_t> at, Assignment &assignment) {
  NumberDomain domain = assignment.getDomain();
  SmallVector<Number> indices(llvm::map_range(at, Number::ofInteger));
  ++visited;
  RegionInterpreter<NumberDomain> interpreter(domain);
  Number number =
      interpreter.interpret(seen.getRegion().front(), indices).front();
  // Elements that are undefined in the graph may be anything.
  if (!number.isKnown())
    return false;
  ++known;
  if (countsRows)
    tables.note(interpreter.takeMeanings());
  return differ(number,
                interpret(candidate.getRegion(), indices, domain).front(),
                assignment.getIntegerLimit() + *llvm::max_element(at),
                assignment.getMagnitude());
}

std::string Comparison::describe(ArrayRef<int64_t> at) const {
  std::string text = "they differ at [";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(at, os);
  os << "]";
  return text;
}

static std::string describeLargeTables() {
  return "its tables have more than " + std::to_string(kLargestTable) +
         " entries, too many to compare";
}

std::optional<std::string> Comparison::compareAt(ArrayRef<int64_t> at,
                                                 Assignment &assignment) {
  if (differAt(at, assignment))
    return describe(at);
  return std::nullopt;
}

std::optional<std::string> Comparison::runTrial(uint64_t seed,
                                                int64_t largestExtent) {
  Assignment assignment(seed, largestExtent);
  assignment.setMagnitude(kMagnitudes[seed % std::size(kMagnitudes)]);
  SmallVector<int64_t> extents;
  uint64_t size = 1, entries = 1;
  for (int64_t axis = 0; axis < rank; ++axis) {
    extents.push_back(assignment.getExtent(seen.getTensor(), axis));
    if (extents.back() <= 0)
      return std::nullopt;
    auto extent = static_cast<uint64_t>(extents.back());
    size = llvm::SaturatingMultiply(size, extent);
    // Tables are counted through where extents are near.
    if (tables.getAxes()[axis] && largestExtent == kNearExtent)
      entries = llvm::SaturatingMultiply(entries, extent);
  }
  if (entries > kLargestTable)
    return describeLargeTables();
  Points points(extents, seed);
  llvm::SmallBitVector all(rank, true);
  bool small = size <= kPointsPerTrial;
  uint64_t count = small ? size : std::max(entries, kPointsPerTrial);
  isExhaustive |= size == (small ? size : entries);
  for (uint64_t i = 0; i < count; ++i) {
    SmallVector<int64_t> at = small         ? points.count(i, all)
                              : i < entries ? points.count(i, tables.getAxes())
                              : i % 2       ? points.draw()
                                            : points.drawCorner();
    if (std::optional<std::string> difference = compareAt(at, assignment))
      return difference;
  }
  return std::nullopt;
}

std::optional<std::string> Comparison::run() {
  // Several magnitudes, since the tolerance of an angle grows with it.
  const int64_t farExtents[] = {farExtent, 1 << 12, 1 << 16, kGreatestFar};
  for (uint64_t seed = 1; seed <= kTrials; ++seed) {
    bool far = seed % 2 == 0;
    if (!far && visited > kEnoughPoints)
      continue;
    auto counts = std::tie(known, visited);
    std::pair before(known, visited);
    if (std::optional<std::string> difference =
            runTrial(seed, far ? farExtents[seed / 2 % 4] : kNearExtent))
      return difference;
    // What is far mostly lies past the ends of tables.
    if (far)
      counts = before;
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
  // Equal terms are equal at whatever rows.
  if (!difference && proof.hasComparedReals())
    return compareOpenRows();
  return difference;
}

std::optional<std::string>
Comparison::countOpenRows(const llvm::SmallBitVector &longAxes) {
  const int64_t rows = tables.getMostRows();
  auto type = cast<RankedTensorType>(seen.getTensor().getType());
  SmallVector<int64_t> extents;
  uint64_t entries = 1;
  int64_t step = 1;
  for (int64_t axis = 0; axis < rank; ++axis) {
    extents.push_back(!type.isDynamicDim(axis) ? type.getDimSize(axis)
                      : longAxes[axis]         ? rows
                                               : 1);
    if (tables.getAxes()[axis])
      entries = llvm::SaturatingMultiply<uint64_t>(entries, extents.back());
    if (tables.getOpenAxes()[axis])
      step = std::max(step, extents.back());
  }
  uint64_t passes = llvm::divideCeil(rows, step);
  if (llvm::SaturatingMultiply(entries, passes) > kLargestTable)
    return describeLargeTables();
  for (uint64_t pass = 0; pass < passes; ++pass) {
    Assignment assignment(/*seed=*/1);
    assignment.setIntegers(static_cast<int64_t>(pass) * step);
    for (int64_t axis = 0; axis < rank; ++axis)
      assignment.setExtent(seen.getTensor(), axis, extents[axis]);
    Points points(extents, /*seed=*/1);
    for (uint64_t i = 0; i < entries; ++i)
      if (std::optional<std::string> difference =
              compareAt(points.count(i, tables.getAxes()), assignment))
        return difference;
  }
  return std::nullopt;
}

std::optional<std::string> Comparison::compareOpenRows() {
  if (tables.getMostRows() == 0)
    return std::nullopt;
  countsRows = true;
  // Rows are mostly selected by one axis, the last that is open.
  llvm::SmallBitVector one(rank);
  auto type = cast<RankedTensorType>(seen.getTensor().getType());
  for (int64_t axis = 0; axis < rank; ++axis)
    if (tables.getOpenAxes()[axis] && type.isDynamicDim(axis))
      one.reset().set(axis);
  for (const llvm::SmallBitVector &longAxes : {one, tables.getOpenAxes()}) {
    if (std::optional<std::string> difference = countOpenRows(longAxes))
      return difference;
    if (tables.isComplete())
      return std::nullopt;
  }
  return "its tables have rows that no comparison reaches";
}

std::optional<std::string>
posenc::findDifference(const ElementFormula &seen,
                       const ElementFormula &candidate) {
  return Comparison(seen, candidate).run();
}
