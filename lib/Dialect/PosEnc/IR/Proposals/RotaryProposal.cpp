//===- RotaryProposal.cpp - Which rotation a formula may be ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rotation is linear in its input, so it is read off the formula by what it
// does to unit vectors: which lanes mix gives the pairs, how much they mix at
// positions 0, 1, 2, 4, ... gives the angles, however the graph writes them.
//
//===----------------------------------------------------------------------===//

#include "Captures.h"
#include "FrequencyFit.h"
#include "posenc/Dialect/PosEnc/IR/Encodings.h"
#include "posenc/Formula/Assignment.h"
#include "posenc/Formula/RegionInterpreter.h"
#include <cmath>
#include <set>

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Cosine and sine of one pair.
struct Turn {
  double cos, sin;
  double getAngle() const { return std::atan2(sin, cos); }
};

/// Asks a formula how it mixes the lanes of its input.
class Prober {
public:
  Prober(const ElementFormula &seen, Value input, Value positions,
         Layout layout)
      : seen(seen), input(input), positions(positions), layout(layout) {}

  /// The coefficient of input lane `from` in lane `to` at `position`, under
  /// assignment `trial`.
  std::optional<double> getCoefficient(int64_t to, int64_t from,
                                       int64_t position, unsigned trial = 0);
  /// The input lanes that lane `to` is made of.
  std::set<int64_t> getSources(int64_t to);

  std::optional<Turn> getTurn(std::pair<int64_t, int64_t> lanes,
                              int64_t position, unsigned trial = 0);
  MutableArrayRef<Assignment> getAssignments() { return assignments; }

private:
  std::optional<double> evaluate(int64_t to, int64_t position, unsigned trial,
                                 llvm::function_ref<double(int64_t)> lane);
  Number read(Value leaf, ArrayRef<int64_t> at) const;
  Assignment assign(uint64_t seed) {
    return Assignment(seed, 13, [this](Value leaf, ArrayRef<int64_t> at) {
      return read(leaf, at);
    });
  }

  const ElementFormula &seen;
  Value input, positions;
  Layout layout;
  Assignment assignments[2] = {assign(1), assign(2)};
  /// What the current evaluation reads of the input's lanes and as position.
  llvm::function_ref<double(int64_t)> lane;
  int64_t position = 0;
};
} // namespace

Number Prober::read(Value leaf, ArrayRef<int64_t> at) const {
  if (leaf == input)
    return Number::ofReal(lane(at.back()));
  return leaf == positions ? Number::ofInteger(position) : Number();
}

std::optional<double>
Prober::evaluate(int64_t to, int64_t position, unsigned trial,
                 llvm::function_ref<double(int64_t)> lane) {
  this->lane = lane;
  this->position = position;
  NumberDomain domain = assignments[trial].getDomain();
  SmallVector<Number> at(4, Number::ofInteger(0));
  at[AttentionOp::getAxis(layout, 2)] =
      Number::ofInteger(positions ? 0 : position);
  at[3] = Number::ofInteger(to);
  Number number = interpret(seen.getRegion(), at, domain).front();
  if (!number.isReal())
    return std::nullopt;
  return number.getReal();
}

std::optional<double> Prober::getCoefficient(int64_t to, int64_t from,
                                             int64_t position, unsigned trial) {
  return evaluate(to, position, trial,
                  [&](int64_t lane) { return lane == from ? 1.0 : 0.0; });
}

std::set<int64_t> Prober::getSources(int64_t to) {
  std::set<int64_t> read, sources;
  for (int64_t position : {0, 1, 3})
    (void)evaluate(to, position, 0, [&](int64_t lane) {
      read.insert(lane);
      return 1.0;
    });
  for (int64_t from : read)
    for (int64_t position : {0, 1, 3})
      if (getCoefficient(to, from, position).value_or(0) != 0)
        sources.insert(from);
  return sources;
}

std::optional<Turn> Prober::getTurn(std::pair<int64_t, int64_t> lanes,
                                    int64_t position, unsigned trial) {
  auto cos = getCoefficient(lanes.first, lanes.first, position, trial);
  auto sin = getCoefficient(lanes.second, lanes.first, position, trial);
  if (!cos || !sin)
    return std::nullopt;
  return Turn{*cos, *sin};
}

/// Which lanes pair up; null if it is neither of the two pairings.
static LanesAttr findLanes(MLIRContext *context, Prober &prober,
                           int64_t headSize) {
  SmallVector<int64_t> partners(headSize, -1);
  int64_t first = headSize, last = -1;
  for (int64_t lane = 0; lane < headSize; ++lane) {
    std::set<int64_t> sources = prober.getSources(lane);
    sources.erase(lane);
    if (sources.empty())
      continue;
    if (sources.size() > 1)
      return {};
    partners[lane] = *sources.begin();
    first = std::min(first, lane);
    last = lane;
  }
  int64_t count = last + 1 - first;
  if (count <= 0 || count % 2)
    return {};
  Pairing pairing = partners[first] == first + count / 2 ? Pairing::Half
                                                         : Pairing::Interleaved;
  auto lanes = LanesAttr::get(context, pairing, first, count);
  for (int64_t pair = 0; pair < lanes.getNumPairs(); ++pair) {
    auto [x, y] = lanes.getPair(pair);
    if (partners[x] != y || partners[y] != x)
      return {};
  }
  return lanes;
}

/// `angle` less whole turns, within half a turn.
static double wrap(double angle) {
  return std::remainder(angle, 2 * llvm::numbers::pi);
}

/// Radians a position of one pair, from ever farther positions: the error of a
/// table's entries is divided by the distance.
static std::optional<double> findFrequency(Prober &prober,
                                           std::pair<int64_t, int64_t> lanes) {
  std::optional<Turn> start = prober.getTurn(lanes, 0);
  std::optional<Turn> next = prober.getTurn(lanes, 1);
  if (!start || !next)
    return std::nullopt;
  double frequency = wrap(next->getAngle() - start->getAngle());
  for (int64_t distance = 2; distance <= 64; distance *= 2) {
    std::optional<Turn> turn = prober.getTurn(lanes, distance);
    if (!turn)
      break;
    double predicted = static_cast<double>(distance) * frequency;
    double rest = wrap(turn->getAngle() - start->getAngle() - predicted);
    // Behind the last row of a table there is some other row's angle.
    if (std::fabs(rest) > 1e-3)
      break;
    frequency += rest / static_cast<double>(distance);
  }
  return frequency;
}

/// The position of row 0, given the frequencies: the pair that turns slowest
/// tells it without ambiguity.
static std::optional<int64_t> findStart(Prober &prober, LanesAttr lanes,
                                        ArrayRef<double> frequencies,
                                        unsigned trial) {
  auto slowest = llvm::min_element(frequencies, [](double a, double b) {
    return std::fabs(a) < std::fabs(b);
  });
  int64_t pair = slowest - frequencies.begin();
  std::optional<Turn> turn = prober.getTurn(lanes.getPair(pair), 0, trial);
  if (!turn)
    return std::nullopt;
  return static_cast<int64_t>(std::llround(turn->getAngle() / *slowest));
}

static void proposeRotation(const ElementFormula &seen, Value input,
                            Value positions, Layout layout, OpBuilder &b,
                            SmallVectorImpl<Operation *> &candidates) {
  Prober prober(seen, input, positions, layout);
  int64_t headSize = cast<RankedTensorType>(input.getType()).getDimSize(3);
  LanesAttr lanes = findLanes(b.getContext(), prober, headSize);
  if (!lanes)
    return;
  SmallVector<double> frequencies;
  for (int64_t pair = 0; pair < lanes.getNumPairs(); ++pair) {
    std::optional<double> found = findFrequency(prober, lanes.getPair(pair));
    if (!found || *found == 0)
      return;
    frequencies.push_back(*found);
  }
  std::optional<Turn> turn = prober.getTurn(lanes.getPair(0), 0);
  double factor = std::hypot(turn->cos, turn->sin);
  bool inverse = frequencies.front() < 0;
  Value offset;
  if (!positions) {
    SmallVector<int64_t> starts;
    for (unsigned trial : {0u, 1u}) {
      std::optional<int64_t> start =
          findStart(prober, lanes, frequencies, trial);
      if (!start)
        return;
      starts.push_back(*start);
    }
    bool startsAtZero = llvm::all_of(starts, [](int64_t s) { return s == 0; });
    offset = startsAtZero ? Value()
                          : findOffset(seen, prober.getAssignments(), starts);
    if (!startsAtZero && !offset)
      return;
  }
  if (inverse)
    for (double &frequency : frequencies)
      frequency = -frequency;
  candidates.push_back(RotaryOp::create(
      b, seen.getTensor().getLoc(), input.getType(), input, positions, offset,
      /*cos=*/Value(), /*sin=*/Value(), /*length=*/Value(), /*centre=*/Value(),
      lanes, fitFrequencies(b.getContext(), frequencies, factor),
      /*sections=*/SectionsAttr(), /*decay=*/XposAttr(), layout, inverse));
}

void RotaryOp::propose(const ElementFormula &seen, OpBuilder &b,
                       SmallVectorImpl<Operation *> &candidates) {
  auto type = dyn_cast<RankedTensorType>(seen.getTensor().getType());
  if (!type || type.getRank() != 4 || type.isDynamicDim(3) ||
      !isa<FloatType>(type.getElementType()))
    return;
  Value input, positions;
  for (Value leaf : seen.getLeaves()) {
    auto leafType = cast<RankedTensorType>(leaf.getType());
    bool isPosition = leafType.getRank() <= 2 && leafType.getRank() > 0 &&
                      leafType.getElementType().isInteger();
    Value &role = isPosition ? positions : input;
    if (role || (!isPosition && leafType != type))
      return;
    role = leaf;
  }
  if (!input)
    return;
  for (Layout layout : {Layout::BHLD, Layout::BLHD})
    proposeRotation(seen, input, positions, layout, b, candidates);
}
