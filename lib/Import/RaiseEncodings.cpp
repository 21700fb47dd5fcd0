//===- RaiseEncodings.cpp - Encodings from primitive ops ------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc.attention reads rotated queries and keys, masks and biases
// that are computed by primitive ops. After: those that are an encoding come
// from its op. Derived by the walker, proposed by the ops, proved by numbers.
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Formula/Number.h"
#include "posenc/Formula/Proof.h"
#include "posenc/Formula/RegionInterpreter.h"
#include "posenc/Import/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_RAISEENCODINGSPASS
#include "posenc/Import/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// How many producers of a tensor are looked at.
static constexpr size_t kMostProducers = 64;

namespace {
class Raiser {
public:
  explicit Raiser(MLIRContext *context);

  /// Raises what `read`, the `role` of `reader`, is computed by.
  void raise(Value read, StringRef role, AttentionOp reader);

private:
  enum class Outcome { Raised, IsEncoding, Nothing };

  Outcome raiseTensor(Value tensor);
  /// Tries every proposal for `formula`, an element of `tensor`.
  Outcome prove(Value tensor, const ElementFormula &formula);
  /// Whether the candidate computes the formula; notes where it does not.
  bool isProved(const ElementFormula &formula, Operation *candidate);
  Outcome raiseConstantMask(Value tensor);

  SmallVector<RegisteredOperationName> encodings;
  IRRewriter rewriter;
  llvm::DenseSet<Value> visited;
  /// Where the last proposal that was refuted differs.
  std::string difference;
};
} // namespace

Raiser::Raiser(MLIRContext *context) : rewriter(context) {
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.hasInterface<RaisableOpInterface>())
      encodings.push_back(op);
}

/// The tensors that the elements of `tensor` are formulas of, a step back.
static SmallVector<Value> getSources(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  SmallVector<Value> sources;
  if (!op || isa<AttentionOp>(op) ||
      (linalgOp && linalgOp.getNumReductionLoops() > 0))
    return sources;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) &&
        !operand.getDefiningOp<tensor::EmptyOp>())
      sources.push_back(operand);
  return sources;
}

/// `tensor` and what it is computed from, the nearest first.
static SmallVector<Value> getProducers(Value tensor) {
  llvm::SetVector<Value> found;
  found.insert(tensor);
  for (size_t i = 0; i < found.size() && found.size() < kMostProducers; ++i)
    for (Value source : getSources(found[i]))
      found.insert(source);
  return SmallVector<Value>(found.begin(), found.end());
}

/// Whether `tensor` is the result of an op like `candidate` already.
static bool isResultOf(Value tensor, Operation *candidate) {
  Operation *producer = tensor.getDefiningOp();
  return producer &&
         OperationEquivalence::isEquivalentTo(
             producer, candidate, OperationEquivalence::IgnoreLocations);
}

/// What is an encoding already may only become one of its own kind: caches
/// become frequencies, but a window no other mask.
static bool mayBecome(Value tensor, RegisteredOperationName encoding) {
  auto known = tensor.getDefiningOp<FormulaOpInterface>();
  return !known || known->getName() == encoding;
}

bool Raiser::isProved(const ElementFormula &formula, Operation *candidate) {
  auto isLeaf = [&](Value tensor) {
    return llvm::is_contained(formula.getLeaves(), tensor);
  };
  std::optional<std::string> refuted = findDifference(
      formula, ElementFormula::derive(candidate->getResult(0), isLeaf));
  if (refuted)
    difference =
        ("it is not '" + candidate->getName().getStringRef() + "': " + *refuted)
            .str();
  return !refuted;
}

static void reportRaised(Operation *raised, Operation *replaced) {
  StringRef name = raised->getName().getStringRef();
  StringRef from = replaced->getName().getStringRef();
  std::string how = ("raised from what '" + from + "' computes").str();
  if (from == name) {
    // Equal parameters of equal types: only who computes a size changed.
    std::string before = getParameters(replaced);
    if (before == getParameters(raised) &&
        replaced->getOperandTypes() == raised->getOperandTypes())
      return;
    how = "replaces '" + from.str() + "'" + before +
          "; operands: " + std::to_string(replaced->getNumOperands()) +
          " before, " + std::to_string(raised->getNumOperands()) + " now";
  }
  remarkDone(raised, "raise-encodings")
      << remark::add("'{0}'{1} {2}", name, getParameters(raised), how);
}

Raiser::Outcome Raiser::prove(Value tensor, const ElementFormula &formula) {
  // What a proposal needs (a size) is emitted right behind the tensor and reads
  // it on; the proposal itself comes after that.
  rewriter.setInsertionPointAfterValue(tensor);
  SmallVector<OpOperand *> uses(llvm::make_pointer_range(tensor.getUses()));
  Outcome outcome = Outcome::Nothing;
  SmallVector<Operation *> candidates;
  OpBuilder detached(tensor.getContext());
  for (RegisteredOperationName encoding : encodings)
    if (mayBecome(tensor, encoding))
      encoding.getInterface<RaisableOpInterface>()->propose(formula, detached,
                                                            candidates);
  for (Operation *candidate : candidates) {
    rewriter.insert(candidate);
    if (outcome == Outcome::Nothing && isResultOf(tensor, candidate))
      outcome = Outcome::IsEncoding;
    if (outcome != Outcome::Nothing || !isProved(formula, candidate)) {
      rewriter.eraseOp(candidate);
      continue;
    }
    for (OpOperand *use : uses)
      rewriter.modifyOpInPlace(use->getOwner(),
                               [&] { use->set(candidate->getResult(0)); });
    reportRaised(candidate, tensor.getDefiningOp());
    outcome = Outcome::Raised;
  }
  return outcome;
}

Raiser::Outcome Raiser::raiseTensor(Value tensor) {
  Outcome outcome = prove(tensor, ElementFormula::derive(tensor));
  if (outcome != Outcome::Nothing)
    return outcome;
  // An encoding may be applied to a tensor of the same type, which is then the
  // leaf where the formula ends.
  for (Value input : getProducers(tensor)) {
    if (input == tensor || input.getType() != tensor.getType())
      continue;
    outcome = prove(tensor, ElementFormula::derive(tensor, [&](Value leaf) {
                      return leaf == input;
                    }));
    if (outcome != Outcome::Nothing)
      return outcome;
  }
  return raiseConstantMask(tensor);
}

/// Whether `tensor` is computed with an angle's functions, or mixes elements of
/// one tensor, as rotations do and norms do not.
static bool looksEncoded(Value tensor) {
  ElementFormula formula = ElementFormula::derive(tensor);
  llvm::DenseMap<Value, SmallVector<Value>> reads;
  return formula.getRegion()
      .walk([&](Operation *op) {
        auto read = dyn_cast<tensor::ExtractOp>(op);
        if (!read)
          return isa<math::CosOp, math::SinOp>(op) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
        auto type = cast<RankedTensorType>(read.getTensor().getType());
        auto [first, isNew] = reads.try_emplace(read.getTensor());
        if (isNew)
          first->second = SmallVector<Value>(read.getIndices());
        bool isAnother = !isNew && type.getRank() == 4 &&
                         !llvm::equal(first->second, read.getIndices());
        return isAnother ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether `op` is an encoding that reads no computed table: there is nothing
/// to recognise in it.
static bool isFinal(Operation *op) {
  auto rotary = dyn_cast<RotaryOpInterface>(op);
  if (!rotary && !isa<FormulaOpInterface>(op))
    return false;
  return llvm::none_of(op->getOpOperands(), [&](OpOperand &operand) {
    bool isRotated = rotary && &operand == &rotary.getRotatedOperand();
    return !isRotated && isa<TensorType>(operand.get().getType()) &&
           operand.get().getDefiningOp();
  });
}

void Raiser::raise(Value read, StringRef role, AttentionOp reader) {
  difference.clear();
  llvm::SetVector<Value> pending;
  pending.insert(read);
  bool isEncoding = false;
  for (size_t i = 0; i < pending.size() && i < kMostProducers; ++i) {
    Value tensor = pending[i];
    if (!tensor.getDefiningOp() || !visited.insert(tensor).second)
      continue;
    if (!isFinal(tensor.getDefiningOp()) &&
        raiseTensor(tensor) != Outcome::Nothing) {
      isEncoding = true;
      continue;
    }
    isEncoding |=
        isa<FormulaOpInterface, RotaryOpInterface>(tensor.getDefiningOp());
    for (Value source : getSources(tensor))
      pending.insert(source);
  }
  if (isEncoding || pending.size() == 1)
    return;
  if (difference.empty() && looksEncoded(read))
    difference = "no op of posenc proposes to compute what it does";
  if (!difference.empty())
    remarkMissed(read.getDefiningOp(), "raise-encodings")
        << remark::add("'{0}', {1} of {2}, is not recognised as an encoding",
                       read.getDefiningOp()->getName().getStringRef(), role,
                       nameWithPlace(reader))
        << remark::reason("{0}", difference)
        << remark::suggest("write it with an op of posenc, if it is one");
}

namespace {
/// A constant of zeros and one negative number, which stands for a mask.
struct FoldedMask {
  SmallVector<bool> visible;
  double penalty = 0;
};
} // namespace

static std::optional<FoldedMask> getFoldedMask(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Attribute constant;
  if (!matchPattern(tensor, m_Constant(&constant)) ||
      isa<SplatElementsAttr>(constant) || !type.hasStaticShape() ||
      type.getNumElements() > kLargestTable ||
      !isa<FloatType>(type.getElementType()))
    return std::nullopt;
  ElementFormula formula = ElementFormula::derive(tensor);
  FoldedMask mask;
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  for (int64_t entry = 0; entry < type.getNumElements(); ++entry) {
    SmallVector<Number> at(
        llvm::map_range(delinearize(entry, strides), Number::ofInteger));
    NumberDomain domain;
    Number number = interpret(formula.getRegion(), at, domain).front();
    if (!number.isReal())
      return std::nullopt;
    mask.visible.push_back(number.getReal() == 0);
    if (mask.visible.back())
      continue;
    if (mask.penalty != 0 && mask.penalty != number.getReal())
      return std::nullopt;
    mask.penalty = number.getReal();
  }
  return mask.penalty < 0 ? std::optional(mask) : std::nullopt;
}

/// Emits `visible ? 0 : penalty`, as a tensor of `type`.
static linalg::GenericOp createSelection(OpBuilder &b, Location loc,
                                         RankedTensorType type, Value visible,
                                         double penalty) {
  Value empty =
      tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      b, loc, type, visible, empty, maps, loops,
      [&](OpBuilder &b, Location loc, ValueRange elements) {
        auto real = [&](double value) -> Value {
          return arith::ConstantOp::create(
              b, loc, b.getFloatAttr(type.getElementType(), value));
        };
        Value element = arith::SelectOp::create(b, loc, elements[0], real(0),
                                                real(penalty));
        linalg::YieldOp::create(b, loc, element);
      });
}

/// A mask that was folded to a penalty a key is split into the condition, which
/// may be an encoding, and the selection.
Raiser::Outcome Raiser::raiseConstantMask(Value tensor) {
  std::optional<FoldedMask> mask = getFoldedMask(tensor);
  if (!mask)
    return Outcome::Nothing;
  auto type = cast<RankedTensorType>(tensor.getType());
  rewriter.setInsertionPointAfterValue(tensor);
  Value visible = arith::ConstantOp::create(
      rewriter, tensor.getLoc(),
      DenseElementsAttr::get(type.clone(rewriter.getI1Type()), mask->visible));
  linalg::GenericOp selection =
      createSelection(rewriter, tensor.getLoc(), type, visible, mask->penalty);
  Outcome outcome = prove(visible, ElementFormula::derive(visible));
  if (outcome == Outcome::Raised)
    rewriter.replaceAllUsesWith(tensor, selection.getResult(0));
  else
    rewriter.eraseOp(selection);
  return outcome;
}

namespace {
struct RaiseEncodingsPass
    : public posenc::impl::RaiseEncodingsPassBase<RaiseEncodingsPass> {
  void runOnOperation() override {
    Raiser raiser(&getContext());
    getOperation().walk([&](AttentionOp op) {
      raiser.raise(op.getQuery(), "the query", op);
      raiser.raise(op.getKey(), "the key", op);
      SetVector<Value> reads;
      getUsedValuesDefinedAbove(op->getRegions(), reads);
      for (Value read : reads)
        if (isa<RankedTensorType>(read.getType()))
          raiser.raise(read, "a term of the score", op);
    });
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
