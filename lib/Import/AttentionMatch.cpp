//===- AttentionMatch.cpp - Attention in primitive ops --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two contractions are found by structure. Everything between and around
// them is followed by the element walker, at the coordinates of attention, and
// what an index means is decided by its numbers: so it does not matter in which
// shapes the contractions are written.
//
//===----------------------------------------------------------------------===//

#include "AttentionMatch.h"

#include "SoftmaxMatch.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

bool posenc::isContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      linalgOp.getNumReductionLoops() != 1 ||
      !linalg::isaContractionOpInterface(linalgOp))
    return false;
  ElementFormula start =
      ElementFormula::derive(linalgOp.getDpsInitOperand(0)->get());
  return getConstantReal(start.getElement()) == 0.0;
}

/// The loops that read or write element `at` under `map`; null where none.
static SmallVector<Value> getIteration(linalg::LinalgOp op, ValueRange at,
                                       Value reduced) {
  SmallVector<Value> iteration(op.getNumLoops());
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  iteration[reductions.front()] = reduced;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [expr, index] : llvm::zip_equal(map.getResults(), at))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      iteration[dim.getPosition()] = index;
  return iteration;
}

static SmallVector<Value> getOperandIndices(linalg::LinalgOp op,
                                            unsigned operand,
                                            ArrayRef<Value> iteration) {
  SmallVector<Value> at;
  for (AffineExpr expr :
       op.getMatchingIndexingMap(op.getDpsInputOperand(operand)).getResults())
    at.push_back(iteration[cast<AffineDimExpr>(expr).getPosition()]);
  return at;
}

/// The operand and axis that the one reduction loop runs over.
static std::pair<Value, int64_t> getReducedAxis(linalg::LinalgOp op,
                                                unsigned operand) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  OpOperand *input = op.getDpsInputOperand(operand);
  std::optional<unsigned> axis =
      op.getMatchingIndexingMap(input).getResultPosition(
          getAffineDimExpr(reductions.front(), op.getContext()));
  return {input->get(), *axis};
}

/// The ops that `tensor` is computed by, back to the nearest contractions and
/// with them.
static llvm::SetVector<Operation *> getOpsFromContractions(Value tensor) {
  llvm::SetVector<Operation *> found;
  if (Operation *op = tensor.getDefiningOp())
    found.insert(op);
  for (size_t i = 0; i < found.size(); ++i) {
    if (isContraction(found[i]))
      continue;
    for (Value operand : found[i]->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        found.insert(producer);
  }
  return found;
}

/// The contractions that `tensor` is computed from, with none in between.
static SmallVector<linalg::LinalgOp> getNearestContractions(Value tensor) {
  SmallVector<linalg::LinalgOp> found;
  for (Operation *op : getOpsFromContractions(tensor))
    if (isContraction(op))
      found.push_back(cast<linalg::LinalgOp>(op));
  return found;
}

/// Whether `op` sums exponentials.
static bool sumsExponentials(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || linalgOp.getNumReductionLoops() == 0 || isContraction(op) ||
      linalgOp.getBlock()->getOps<arith::AddFOp>().empty())
    return false;
  return llvm::any_of(op->getOperands(), [](Value operand) {
    return llvm::any_of(getOpsFromContractions(operand), [](Operation *op) {
      return op
          ->walk([](Operation *inner) {
            return isa<math::ExpOp, math::Exp2Op>(inner)
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
    });
  });
}

/// Whether a contraction reads what looks like the softmax of another one's
/// result, however it is written.
static bool readsSoftmax(linalg::LinalgOp values) {
  return llvm::any_of(values.getDpsInputs(), [](Value input) {
    llvm::SetVector<Operation *> ops = getOpsFromContractions(input);
    return llvm::any_of(ops, isContraction) &&
           llvm::any_of(ops, sumsExponentials);
  });
}

//===----------------------------------------------------------------------===//
// Queries, keys and values
//===----------------------------------------------------------------------===//

/// Why `tensor`, `role` of the attention, cannot be its operand.
static std::string whyNotHeads(StringRef role, Value tensor) {
  return llvm::formatv(
      "its {0}, {1} of type {2}, is not a tensor of batch, heads, rows and "
      "lanes whose heads divide those of the result; reshape or transpose it "
      "to [batch, heads, rows, lanes]",
      role, nameOf(tensor), tensor.getType());
}

bool AttentionMatch::matchProducts(linalg::LinalgOp keys, std::string &reason) {
  auto first = reads.front().getDefiningOp<tensor::ExtractOp>();
  SmallVector<Value> at(first.getIndices());
  for (Value other : reads) {
    auto read = other.getDefiningOp<tensor::ExtractOp>();
    if (!scratch.areEqual(at, SmallVector<Value>(read.getIndices()))) {
      reason = "the score of a key reads products of other rows or keys";
      return false;
    }
  }
  auto [lanes, laneAxis] = getReducedAxis(keys, 0);
  scratch.setRange(Coordinate::Lane, lanes, laneAxis);
  SmallVector<Value> iteration =
      getIteration(keys, at, scratch.get(Coordinate::Lane));
  reason.clear();
  for (unsigned operand : {0u, 1u}) {
    auto find = [&](unsigned number, Coordinate row) {
      return findHeads(keys.getDpsInputOperand(number)->get(),
                       getOperandIndices(keys, number, iteration), row,
                       Coordinate::Lane);
    };
    std::optional<Heads> queries = find(operand, Coordinate::Row);
    std::optional<Heads> allKeys = find(1 - operand, Coordinate::Key);
    if (!queries || !allKeys) {
      if (reason.empty())
        reason = whyNotHeads(
            queries ? "key" : "query",
            keys.getDpsInputOperand(queries ? 1 - operand : operand)->get());
      continue;
    }
    query = *queries;
    key = *allKeys;
    scale *= query.scale * key.scale;
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

Operation *AttentionMatch::findReaderOutside(Operation *keys) const {
  llvm::SetVector<Operation *> forward, backward;
  getForwardSlice(keys, &forward);
  forward.insert(keys);
  Operation *last = output.tensor.getDefiningOp();
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  if (failed(getBackwardSlice(last, &backward, options)))
    return last;
  Block *block = last->getBlock();
  for (Operation *op : backward) {
    if (op == last || op->getBlock() != block || !forward.contains(op))
      continue;
    for (Operation *user : op->getUsers()) {
      // The formulas under examination stand in no block of the graph.
      Operation *reader = block->findAncestorOpInBlock(*user);
      if (reader && !backward.contains(reader) && !isOpTriviallyDead(reader))
        return reader;
    }
  }
  return nullptr;
}

bool AttentionMatch::matchKeys(linalg::LinalgOp keys, std::string &reason) {
  llvm::SetVector<Operation *> dependents;
  getForwardSlice(keys.getOperation(), &dependents);
  llvm::DenseMap<Value, bool> uniform;
  // Masks and biases stay whole, but a constant is part of the formula.
  auto isLeaf = [&](Value tensor) {
    Operation *producer = tensor.getDefiningOp();
    if (!producer || producer == keys)
      return true;
    if (dependents.contains(producer))
      return false;
    auto [known, isNew] = uniform.try_emplace(tensor);
    if (isNew)
      known->second =
          getConstantReal(ElementFormula::derive(tensor).getElement())
              .has_value();
    return !known->second;
  };
  auto [probabilities, keyAxis] = getReducedAxis(values, probabilityOperand);
  Value probability = scratch.emitElement(
      probabilities,
      getOperandIndices(values, probabilityOperand, valuesIteration), isLeaf);
  std::optional<SoftmaxMatch> softmax = matchSoftmax(
      scratch, probability, SymbolicExtent::ofAxis(probabilities, keyAxis),
      isLeaf, reason);
  if (!softmax)
    return false;
  score = softmax->score;
  guarded = softmax->guarded;
  if (!matchScore(keys, reason) || !matchProducts(keys, reason))
    return false;
  for (const Heads &heads : {query, key, value, output}) {
    Type element = getElementTypeOrSelf(heads.tensor.getType());
    if (!element.isF32() && !element.isF16() && !element.isBF16()) {
      llvm::raw_string_ostream(reason)
          << "it computes in " << element << "; cast it to f32, f16 or bf16";
      return false;
    }
  }
  if (Operation *reader = findReaderOutside(keys)) {
    reason = "its scores or probabilities are read outside of it, by " +
             nameWithPlace(reader) +
             ", so they must be computed anyway; drop what reads them";
    return false;
  }
  simplifyReads();
  return true;
}

bool AttentionMatch::matchOutput(Value candidate, std::string &reason) {
  for (Layout layout : {Layout::BHLD, Layout::BLHD}) {
    output = {candidate, layout, 1};
    auto axis = [&](int64_t of) { return AttentionOp::getAxis(layout, of); };
    SmallVector<Value> at(4);
    constexpr Coordinate coordinates[] = {Coordinate::Batch, Coordinate::Head,
                                          Coordinate::Row,
                                          Coordinate::ValueLane};
    for (auto [position, coordinate] : llvm::enumerate(coordinates)) {
      at[axis(position)] = scratch.get(coordinate);
      scratch.setRange(coordinate, candidate, axis(position));
    }
    Value element = scratch.emitElement(candidate, at, [&](Value tensor) {
      return tensor == values->getResult(0);
    });
    auto read = element.getDefiningOp<tensor::ExtractOp>();
    if (!read || read.getTensor() != values->getResult(0))
      return false;
    valuesIteration =
        getIteration(values, read.getIndices(), scratch.get(Coordinate::Key));
    for (unsigned operand : {0u, 1u}) {
      probabilityOperand = operand;
      auto [keyed, keyAxis] = getReducedAxis(values, operand);
      scratch.setRange(Coordinate::Key, keyed, keyAxis);
      std::optional<Heads> found =
          findHeads(values.getDpsInputOperand(1 - operand)->get(),
                    getOperandIndices(values, 1 - operand, valuesIteration),
                    Coordinate::Key, Coordinate::ValueLane);
      if (!found || found->scale != 1) {
        if (reason.empty() && operand == 0)
          reason =
              found ? "its values are multiplied by a constant; multiply "
                      "the result instead"
                    : whyNotHeads("value", values.getDpsInputOperand(1)->get());
        continue;
      }
      value = *found;
      for (linalg::LinalgOp keys : getNearestContractions(keyed)) {
        reads.clear();
        scale = 1;
        if (matchKeys(keys, reason))
          return true;
      }
    }
  }
  return false;
}

/// `result` and what moves it on, as long as nobody else reads it.
static SmallVector<Value> getMoved(Value result) {
  SmallVector<Value> chain = {result};
  while (chain.back().hasOneUse()) {
    Operation *user = *chain.back().user_begin();
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp,
             linalg::TransposeOp>(user) ||
        user->getOperand(0) != chain.back())
      break;
    chain.push_back(user->getResult(0));
  }
  return chain;
}

static bool isCandidate(Value moved) {
  return cast<RankedTensorType>(moved.getType()).getRank() == 4;
}

bool AttentionMatch::hasCandidate(linalg::LinalgOp values) {
  return llvm::any_of(getMoved(values->getResult(0)), isCandidate);
}

std::unique_ptr<AttentionMatch> AttentionMatch::match(linalg::LinalgOp values,
                                                      std::string &reason) {
  for (Value candidate : getMoved(values->getResult(0))) {
    if (!isCandidate(candidate))
      continue;
    std::unique_ptr<AttentionMatch> match(new AttentionMatch(values.getLoc()));
    match->values = values;
    if (match->matchOutput(candidate, reason))
      return match;
  }
  if (!readsSoftmax(values))
    reason.clear();
  else if (reason.empty())
    reason = llvm::formatv("its result of type {0} is no tensor of batch, "
                           "heads, rows and lanes; add the axes that lack, of "
                           "extent 1",
                           values->getResult(0).getType());
  return nullptr;
}
