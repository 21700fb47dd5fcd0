//===- AttentionDecomposition.cpp - Attention as linalg -------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc.attention on tensors. After: the contraction of queries and
// keys, the softmax, and the contraction with the values as linalg.generic ops
// on f32 tensors, the whole matrix of scores among them.
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Rotation.h"
#include <limits>

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Loops and tensor axes are letters: batch b, key head g, query head r of the
/// group of g, row i, key j, lane d of queries and keys, lane v of values. The
/// query head is h = g * (Hq / Hkv) + r; where every group has one head there
/// is no r.
class Decomposition {
public:
  Decomposition(AttentionOp op, OpBuilder &b) : op(op), b(b), loc(op.getLoc()) {}

  SmallVector<Value> run();

private:
  /// A tensor and its axes.
  struct Operand {
    Value tensor;
    StringRef axes;
  };
  using Body = function_ref<Value(ValueRange)>;

  void measure();
  Value splitHeads(Value tensor, StringRef axes);
  Value joinHeads(Value tensor, RankedTensorType type, StringRef axes);
  Value gatherPages(Value pages, Layout layout, StringRef axes);

  Value scores(Operand query, Operand key);
  Value rowMaximum(Value x);
  Value weights(Value x, Value maximum);
  Value rowSum(Value p, Value maximum);
  Value accumulate(Value p, Operand value);

  /// A linalg.generic over `loops` that writes `init`; `body` gets the elements
  /// of `inputs`, then the one of `init`, as f32.
  Value generic(StringRef loops, StringRef reduced, ArrayRef<Operand> inputs,
                Operand init, Body body);
  SmallVector<Value> apply(Region &region, ValueRange arguments);
  Value index(char axis);
  Value queryHead();

  std::string ungroup(StringRef axes) const;
  Value empty(StringRef axes, Type elementType);
  Value filled(StringRef axes, float value);
  Value constant(float value);
  Value isMinusInfinity(Value x);

  AttentionOp op;
  OpBuilder &b;
  Location loc;
  bool grouped = true;
  llvm::SmallDenseMap<char, OpFoldResult> extents;
  std::string currentLoops;
};
} // namespace

static constexpr float minusInfinity = -std::numeric_limits<float>::infinity();

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

std::string Decomposition::ungroup(StringRef axes) const {
  std::string text = axes.str();
  if (!grouped)
    llvm::erase(text, 'r');
  return text;
}

void Decomposition::measure() {
  auto extent = [&](Value tensor, Layout layout, int64_t axis) {
    return tensor::getMixedSize(b, loc, tensor,
                                AttentionOp::getAxis(layout, axis));
  };
  extents['b'] = extent(op.getQuery(), op.getQueryLayout(), 0);
  extents['g'] = extent(op.getKey(), op.getKeyLayout(), 1);
  extents['i'] = extent(op.getQuery(), op.getQueryLayout(), 2);
  extents['j'] = extent(op.getKey(), op.getKeyLayout(), 2);
  extents['d'] = extent(op.getQuery(), op.getQueryLayout(), 3);
  extents['v'] = extent(op.getValue(), op.getValueLayout(), 3);
  if (Value blockTable = op.getBlockTable()) {
    Value pages = tensor::DimOp::create(b, loc, blockTable, 1);
    Value page = getValueOrCreateConstantIndexOp(b, loc, extents['j']);
    extents['j'] = arith::MulIOp::create(b, loc, pages, page).getResult();
  }
  std::optional<int64_t> group = op.getStaticHeadGroup();
  grouped = group != 1;
  if (group) {
    extents['r'] = b.getIndexAttr(*group);
    return;
  }
  Value queryHeads = getValueOrCreateConstantIndexOp(
      b, loc, extent(op.getQuery(), op.getQueryLayout(), 1));
  Value keyHeads = getValueOrCreateConstantIndexOp(b, loc, extents['g']);
  extents['r'] =
      arith::DivUIOp::create(b, loc, queryHeads, keyHeads).getResult();
}

/// The dimensions of axes with "gr" that the joint head dimension stands for.
static SmallVector<ReassociationIndices> getHeadReassociation(StringRef axes) {
  SmallVector<ReassociationIndices> reassociation;
  for (auto [dim, axis] : llvm::enumerate(axes)) {
    if (axis == 'r')
      reassociation.back().push_back(dim);
    else
      reassociation.push_back({static_cast<int64_t>(dim)});
  }
  return reassociation;
}

Value Decomposition::splitHeads(Value tensor, StringRef axes) {
  if (!grouped)
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes;
  for (char axis : axes)
    sizes.push_back(extents[axis]);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), tensor,
      getHeadReassociation(axes), sizes);
}

Value Decomposition::joinHeads(Value tensor, RankedTensorType type,
                               StringRef axes) {
  if (grouped)
    tensor = tensor::CollapseShapeOp::create(b, loc, tensor,
                                             getHeadReassociation(axes));
  if (tensor.getType() == type)
    return tensor;
  return tensor::CastOp::create(b, loc, type, tensor);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value Decomposition::empty(StringRef axes, Type elementType) {
  SmallVector<OpFoldResult> sizes;
  for (char axis : ungroup(axes))
    sizes.push_back(extents[axis]);
  return tensor::EmptyOp::create(b, loc, sizes, elementType);
}

Value Decomposition::constant(float value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
}

Value Decomposition::filled(StringRef axes, float value) {
  return linalg::FillOp::create(b, loc, constant(value),
                                empty(axes, b.getF32Type()))
      .getResult(0);
}

Value Decomposition::isMinusInfinity(Value x) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x,
                               constant(minusInfinity));
}

Value Decomposition::generic(StringRef loopNames, StringRef reduced,
                             ArrayRef<Operand> inputs, Operand init,
                             Body body) {
  std::string loops = ungroup(loopNames);
  SmallVector<AffineMap> maps;
  SmallVector<Value> tensors;
  auto addMap = [&](StringRef axes) {
    SmallVector<AffineExpr> dims;
    for (char axis : ungroup(axes))
      dims.push_back(b.getAffineDimExpr(loops.find(axis)));
    maps.push_back(AffineMap::get(loops.size(), 0, dims, b.getContext()));
  };
  for (Operand input : inputs) {
    tensors.push_back(input.tensor);
    addMap(input.axes);
  }
  addMap(init.axes);
  SmallVector<utils::IteratorType> iterators;
  for (char loop : loops)
    iterators.push_back(reduced.contains(loop)
                            ? utils::IteratorType::reduction
                            : utils::IteratorType::parallel);
  currentLoops = loops;
  Type elementType = cast<ShapedType>(init.tensor.getType()).getElementType();
  return linalg::GenericOp::create(
             b, loc, init.tensor.getType(), tensors, init.tensor, maps,
             iterators,
             [&](OpBuilder &inner, Location, ValueRange arguments) {
               OpBuilder::InsertionGuard guard(b);
               b.setInsertionPointToEnd(inner.getInsertionBlock());
               SmallVector<Value> elements;
               for (Value argument : arguments)
                 elements.push_back(castToF32(b, loc, argument));
               Value result = body(elements);
               if (!elementType.isF32())
                 result = arith::TruncFOp::create(b, loc, elementType, result);
               linalg::YieldOp::create(b, loc, result);
             })
      .getResult(0);
}

Value Decomposition::index(char axis) {
  return linalg::IndexOp::create(b, loc, currentLoops.find(axis));
}

Value Decomposition::queryHead() {
  if (!grouped)
    return index('g');
  Value group = getValueOrCreateConstantIndexOp(b, loc, extents['r']);
  Value first = arith::MulIOp::create(b, loc, index('g'), group);
  return arith::AddIOp::create(b, loc, first, index('r'));
}

SmallVector<Value> Decomposition::apply(Region &region, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(region.getArguments(), arguments);
  for (Operation &inner : region.front().without_terminator())
    b.clone(inner, mapping);
  SmallVector<Value> yielded;
  for (Value operand : region.front().getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(operand));
  return yielded;
}

/// The keys or values of every sequence, read from their pages.
Value Decomposition::gatherPages(Value pages, Layout layout, StringRef axes) {
  auto type = cast<RankedTensorType>(pages.getType());
  int64_t rowDim = AttentionOp::getAxis(layout, 2);
  Value page = tensor::DimOp::create(b, loc, pages, rowDim);
  Value init = empty(axes, type.getElementType());
  return generic(axes, "", {}, {init, axes}, [&](ValueRange) {
    Value blockIndex = arith::DivUIOp::create(b, loc, index('j'), page);
    Value block = tensor::ExtractOp::create(b, loc, op.getBlockTable(),
                                            ValueRange{index('b'), blockIndex});
    SmallVector<Value> at(4);
    at[0] = castToIndex(b, loc, block);
    at[AttentionOp::getAxis(layout, 1)] = index('g');
    at[rowDim] = arith::RemUIOp::create(b, loc, index('j'), page);
    at[3] = index(axes.back());
    return castToF32(b, loc, tensor::ExtractOp::create(b, loc, pages, at));
  });
}

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

/// x[b,g,r,i,j]: scores after `score`, minus infinity where masked, so that
/// not even a score that is not a number goes on.
Value Decomposition::scores(Operand query, Operand key) {
  Value dot = generic(
      "bgrijd", "d", {query, key}, {filled("bgrij", 0.0f), "bgrij"},
      [&](ValueRange e) -> Value {
        return arith::AddFOp::create(
            b, loc, e[2], arith::MulFOp::create(b, loc, e[0], e[1]));
      });
  return generic(
      "bgrij", "", {{dot, "bgrij"}},
      {empty("bgrij", b.getF32Type()), "bgrij"}, [&](ValueRange e) -> Value {
        Value x = arith::MulFOp::create(b, loc, e[0], op.getScale());
        SmallVector<Value> at = {index('b'), queryHead(), index('i'),
                                 index('j')};
        if (!op.getScore().empty()) {
          SmallVector<Value> arguments = {x};
          arguments.append(at);
          x = apply(op.getScore(), arguments).front();
        }
        if (op.getMask().empty())
          return x;
        return arith::SelectOp::create(b, loc, apply(op.getMask(), at).front(),
                                       x, constant(minusInfinity));
      });
}

/// m[b,g,r,i]: the largest score, the sink of the head included.
Value Decomposition::rowMaximum(Value x) {
  Value init = filled("bgri", minusInfinity);
  if (Value sinks = op.getSinks())
    init = generic("bgri", "", {}, {init, "bgri"}, [&](ValueRange) -> Value {
      return tensor::ExtractOp::create(b, loc, sinks, queryHead());
    });
  return generic("bgrij", "j", {{x, "bgrij"}}, {init, "bgri"},
                 [&](ValueRange e) -> Value {
                   return arith::MaximumFOp::create(b, loc, e[0], e[1]);
                 });
}

/// p[b,g,r,i,j] = exp(x - m); in a row without a key zero, or one where such a
/// row is the average of all values.
Value Decomposition::weights(Value x, Value maximum) {
  bool average = op.getEmptyRows() == EmptyRows::Average;
  return generic(
      "bgrij", "", {{x, "bgrij"}, {maximum, "bgri"}},
      {empty("bgrij", b.getF32Type()), "bgrij"}, [&](ValueRange e) -> Value {
        Value p = math::ExpOp::create(
            b, loc, arith::SubFOp::create(b, loc, e[0], e[1]));
        return arith::SelectOp::create(b, loc, isMinusInfinity(e[1]),
                                       constant(average ? 1.0f : 0.0f), p);
      });
}

/// s[b,g,r,i]: the sum of the weights, the sink's included.
Value Decomposition::rowSum(Value p, Value maximum) {
  Value init = filled("bgri", 0.0f);
  if (Value sinks = op.getSinks())
    init = generic(
        "bgri", "", {{maximum, "bgri"}}, {init, "bgri"},
        [&](ValueRange e) -> Value {
          Value sink = tensor::ExtractOp::create(b, loc, sinks, queryHead());
          Value weight = math::ExpOp::create(
              b, loc, arith::SubFOp::create(b, loc, sink, e[0]));
          return arith::SelectOp::create(b, loc, isMinusInfinity(e[0]),
                                         constant(0.0f), weight);
        });
  return generic("bgrij", "j", {{p, "bgrij"}}, {init, "bgri"},
                 [&](ValueRange e) -> Value {
                   return arith::AddFOp::create(b, loc, e[0], e[1]);
                 });
}

/// sum over j of p v[b,g,r,i,v]. Where an element may be masked, one of weight
/// zero contributes nothing even if its value is not a number.
Value Decomposition::accumulate(Value p, Operand value) {
  bool mayMask = !op.getMask().empty() || !op.getScore().empty();
  return generic(
      "bgrijv", "j", {{p, "bgrij"}, value}, {filled("bgriv", 0.0f), "bgriv"},
      [&](ValueRange e) -> Value {
        Value contribution = arith::MulFOp::create(b, loc, e[0], e[1]);
        if (mayMask) {
          Value zero = constant(0.0f);
          Value unseen = arith::CmpFOp::create(
              b, loc, arith::CmpFPredicate::OEQ, e[0], zero);
          contribution =
              arith::SelectOp::create(b, loc, unseen, zero, contribution);
        }
        return arith::AddFOp::create(b, loc, e[2], contribution);
      });
}

SmallVector<Value> Decomposition::run() {
  measure();
  auto axesOf = [](Layout layout, StringRef bhld, StringRef blhd) {
    return layout == Layout::BHLD ? bhld : blhd;
  };
  Value query = op.getQuery(), key = op.getKey(), value = op.getValue();
  Layout keyLayout = op.getKeyLayout(), valueLayout = op.getValueLayout();
  if (op.getBlockTable()) {
    key = gatherPages(key, keyLayout, "bgjd");
    value = gatherPages(value, valueLayout, "bgjv");
    keyLayout = valueLayout = Layout::BHLD;
  }
  auto rotate = [&](Value tensor, Layout layout, std::optional<LanesAttr> lanes,
                    Region &region) {
    if (region.empty())
      return tensor;
    return decomposeRotation(
        b, loc, tensor, layout, *lanes, b.getF32Type(),
        [&](OpBuilder &inner, Location, ValueRange row, Value pair) {
          IRMapping mapping;
          mapping.map(region.getArguments().take_front(3), row);
          mapping.map(region.getArgument(3), pair);
          for (Operation &ops : region.front().without_terminator())
            inner.clone(ops, mapping);
          OperandRange yielded = region.front().getTerminator()->getOperands();
          return std::make_pair(mapping.lookupOrDefault(yielded[0]),
                                mapping.lookupOrDefault(yielded[1]));
        });
  };
  query = rotate(query, op.getQueryLayout(), op.getQueryLanes(),
                 op.getRotateQuery());
  key = rotate(key, keyLayout, op.getKeyLanes(), op.getRotateKey());
  StringRef queryAxes = axesOf(op.getQueryLayout(), "bgrid", "bigrd");
  Value x = scores({splitHeads(query, queryAxes), queryAxes},
                   {key, axesOf(keyLayout, "bgjd", "bjgd")});
  Value maximum = rowMaximum(x);
  Value p = weights(x, maximum);
  Value sum = rowSum(p, maximum);
  Value total =
      accumulate(p, {value, axesOf(valueLayout, "bgjv", "bjgv")});

  StringRef outputAxes = axesOf(op.getOutputLayout(), "bgriv", "bigrv");
  Value output = generic(
      "bgriv", "", {{total, "bgriv"}, {sum, "bgri"}},
      {splitHeads(op.getOutputInit(), outputAxes), outputAxes},
      [&](ValueRange e) -> Value {
        Value zero = constant(0.0f);
        Value isEmpty = arith::CmpFOp::create(
            b, loc, arith::CmpFPredicate::OEQ, e[1], zero);
        return arith::SelectOp::create(
            b, loc, isEmpty, zero,
            arith::DivFOp::create(b, loc, e[0], e[1]));
      });
  SmallVector<Value> results = {joinHeads(
      output, cast<RankedTensorType>(op.getOutputInit().getType()), outputAxes)};
  if (Value init = op.getLogsumexpInit()) {
    Value logsumexp = generic(
        "bgri", "", {{maximum, "bgri"}, {sum, "bgri"}},
        {splitHeads(init, "bgri"), "bgri"}, [&](ValueRange e) -> Value {
          Value natural = arith::AddFOp::create(
              b, loc, e[0], math::LogOp::create(b, loc, e[1]));
          return arith::SelectOp::create(b, loc, isMinusInfinity(e[0]),
                                         constant(minusInfinity), natural);
        });
    results.push_back(
        joinHeads(logsumexp, cast<RankedTensorType>(init.getType()), "bgri"));
  }
  return results;
}

FailureOr<SmallVector<Value>> AttentionOp::decomposeOperation(OpBuilder &b) {
  if (!hasTensorSemantics())
    return emitOpError("is on memrefs; decompose it before bufferization");
  return Decomposition(*this, b).run();
}
