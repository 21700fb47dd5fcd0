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
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Rotation.h"
#include "posenc/Formula/FormulaOps.h"
#include <limits>

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Loops and tensor axes are letters: batch b, key head g, query head r of the
/// group of g, row i, key j, lane d of queries and keys, lane v of values. The
/// query head is h = g * (Hq / Hkv) + r; where every group has one head there
/// is no r. Where Hq / Hkv is unknown, keys and values are repeated first, so
/// that it is 1.
class Decomposition {
public:
  Decomposition(AttentionOp op, OpBuilder &b)
      : op(op), b(b), loc(op.getLoc()) {}

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
  void repeatHeads(Operand &keys, Operand &values);
  Value rotated(Value heads, Layout layout, std::optional<LanesAttr> lanes,
                Region &region);

  Value scores(Operand query, Operand key);
  Value rowMaximum(Value x);
  Value weights(Value x, Value maximum);
  Value rowSum(Value p, Value maximum);
  Value accumulate(Value p, Operand value);
  Value normalized(Value total, Value sum);
  Value logsumexp(Value maximum, Value sum);

  /// A linalg.generic over `loops` that writes `init`; `body` gets the elements
  /// of `inputs`, then the one of `init`, as f32.
  Value generic(StringRef loops, StringRef reduced, ArrayRef<Operand> inputs,
                Operand init, Body body);
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
  extents['b'] = op.getExtent(b, RegionArgument::B);
  extents['g'] = op.getExtent(b, RegionArgument::G);
  extents['i'] = op.getExtent(b, RegionArgument::I);
  extents['j'] = op.getExtent(b, RegionArgument::J);
  extents['d'] = tensor::getMixedSize(b, loc, op.getQuery(), 3);
  extents['v'] = tensor::getMixedSize(b, loc, op.getValue(), 3);
  std::optional<int64_t> group = op.getStaticHeadGroup();
  grouped = group && *group != 1;
  extents['r'] = b.getIndexAttr(group.value_or(1));
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
    iterators.push_back(reduced.contains(loop) ? utils::IteratorType::reduction
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

/// Keys and values with a head for every query head.
void Decomposition::repeatHeads(Operand &keys, Operand &values) {
  OpFoldResult heads = op.getExtent(b, RegionArgument::H);
  Value queryHeads = getValueOrCreateConstantIndexOp(b, loc, heads);
  Value keyHeads = getValueOrCreateConstantIndexOp(b, loc, extents['g']);
  extents['g'] = heads;
  for (Operand *operand : {&keys, &values}) {
    StringRef axes = operand->axes;
    Value source = operand->tensor;
    Value init =
        empty(axes, cast<ShapedType>(source.getType()).getElementType());
    operand->tensor = generic(axes, "", {}, {init, axes}, [&](ValueRange) {
      // h / (Hq / Hkv), the division that may be by zero left out.
      Value head = arith::DivUIOp::create(
          b, loc, arith::MulIOp::create(b, loc, index('g'), keyHeads),
          queryHeads);
      SmallVector<Value> at;
      for (char axis : axes)
        at.push_back(axis == 'g' ? head : index(axis));
      return castToF32(b, loc, tensor::ExtractOp::create(b, loc, source, at));
    });
  }
}

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

/// x[b,g,r,i,j]: scores after `score`, minus infinity where masked, so that
/// not even a score that is not a number goes on.
Value Decomposition::scores(Operand query, Operand key) {
  Value dot =
      generic("bgrijd", "d", {query, key}, {filled("bgrij", 0.0f), "bgrij"},
              [&](ValueRange e) -> Value {
                return arith::AddFOp::create(
                    b, loc, e[2], arith::MulFOp::create(b, loc, e[0], e[1]));
              });
  return generic("bgrij", "", {{dot, "bgrij"}},
                 {empty("bgrij", b.getF32Type()), "bgrij"},
                 [&](ValueRange e) -> Value {
                   Value x = arith::MulFOp::create(b, loc, e[0], op.getScale());
                   SmallVector<Value> at = {index('b'), queryHead(), index('i'),
                                            index('j')};
                   if (!op.getScore().empty()) {
                     SmallVector<Value> arguments = {x};
                     arguments.append(at);
                     x = cloneBody(b, op.getScore().front(), arguments).front();
                   }
                   if (op.getMask().empty())
                     return x;
                   return arith::SelectOp::create(
                       b, loc, cloneBody(b, op.getMask().front(), at).front(),
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
    init = generic("bgri", "", {{maximum, "bgri"}}, {init, "bgri"},
                   [&](ValueRange e) -> Value {
                     Value sink =
                         tensor::ExtractOp::create(b, loc, sinks, queryHead());
                     Value weight = math::ExpOp::create(
                         b, loc, arith::SubFOp::create(b, loc, sink, e[0]));
                     return arith::SelectOp::create(
                         b, loc, isMinusInfinity(e[0]), constant(0.0f), weight);
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
  return generic("bgrijv", "j", {{p, "bgrij"}, value},
                 {filled("bgriv", 0.0f), "bgriv"}, [&](ValueRange e) -> Value {
                   Value contribution =
                       arith::MulFOp::create(b, loc, e[0], e[1]);
                   if (mayMask) {
                     Value zero = constant(0.0f);
                     Value unseen = arith::CmpFOp::create(
                         b, loc, arith::CmpFPredicate::OEQ, e[0], zero);
                     contribution = arith::SelectOp::create(b, loc, unseen,
                                                            zero, contribution);
                   }
                   return arith::AddFOp::create(b, loc, e[2], contribution);
                 });
}

Value Decomposition::normalized(Value total, Value sum) {
  StringRef axes = op.getOutputLayout() == Layout::BHLD ? "bgriv" : "bigrv";
  Value output = generic(
      "bgriv", "", {{total, "bgriv"}, {sum, "bgri"}},
      {splitHeads(op.getOutputInit(), axes), axes}, [&](ValueRange e) -> Value {
        Value zero = constant(0.0f);
        Value isEmpty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                              e[1], zero);
        return arith::SelectOp::create(
            b, loc, isEmpty, zero, arith::DivFOp::create(b, loc, e[0], e[1]));
      });
  return joinHeads(output, cast<RankedTensorType>(op.getOutputInit().getType()),
                   axes);
}

Value Decomposition::logsumexp(Value maximum, Value sum) {
  Value init = op.getLogsumexpInit();
  Value result = generic(
      "bgri", "", {{maximum, "bgri"}, {sum, "bgri"}},
      {splitHeads(init, "bgri"), "bgri"}, [&](ValueRange e) -> Value {
        Value natural = arith::AddFOp::create(
            b, loc, e[0], math::LogOp::create(b, loc, e[1]));
        return arith::SelectOp::create(b, loc, isMinusInfinity(e[0]),
                                       constant(minusInfinity), natural);
      });
  return joinHeads(result, cast<RankedTensorType>(init.getType()), "bgri");
}

Value Decomposition::rotated(Value heads, Layout layout,
                             std::optional<LanesAttr> lanes, Region &region) {
  if (region.empty())
    return heads;
  return decomposeRotation(
      b, loc, heads, layout, *lanes, b.getF32Type(),
      [&](OpBuilder &b, Location, ValueRange row, Value pair) {
        SmallVector<Value> at(row);
        at.push_back(pair);
        SmallVector<Value> cosSin = cloneBody(b, region.front(), at);
        return std::make_pair(cosSin[0], cosSin[1]);
      });
}

SmallVector<Value> Decomposition::run() {
  measure();
  Value key = op.getKey(), value = op.getValue();
  Layout keyLayout = op.getKeyLayout(), valueLayout = op.getValueLayout();
  if (op.getBlockTable()) {
    key = gatherPages(key, keyLayout, "bgjd");
    value = gatherPages(value, valueLayout, "bgjv");
    keyLayout = valueLayout = Layout::BHLD;
  }
  Value query = rotated(op.getQuery(), op.getQueryLayout(), op.getQueryLanes(),
                        op.getRotateQuery());
  key = rotated(key, keyLayout, op.getKeyLanes(), op.getRotateKey());
  StringRef queryAxes = op.getQueryLayout() == Layout::BHLD ? "bgrid" : "bigrd";
  Operand keys = {key, keyLayout == Layout::BHLD ? "bgjd" : "bjgd"};
  Operand values = {value, valueLayout == Layout::BHLD ? "bgjv" : "bjgv"};
  if (!op.getStaticHeadGroup())
    repeatHeads(keys, values);

  Value x = scores({splitHeads(query, queryAxes), queryAxes}, keys);
  Value maximum = rowMaximum(x);
  Value p = weights(x, maximum);
  Value sum = rowSum(p, maximum);
  SmallVector<Value> results = {normalized(accumulate(p, values), sum)};
  if (op.getLogsumexpInit())
    results.push_back(logsumexp(maximum, sum));
  return results;
}

FailureOr<SmallVector<Value>> AttentionOp::decomposeOperation(OpBuilder &b) {
  if (!hasTensorSemantics())
    return emitOpError("is on memrefs; decompose it before bufferization");
  return Decomposition(*this, b).run();
}
