//===- MovedElement.cpp - Elements of reshaped and sliced tensors ---------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that move elements without computing any: the walk only changes the
// indices. A read that may fall outside its source (a padding, a part of a
// concatenation) is clamped and then selected, so that every read is in range;
// that needs a source that cannot be empty.
//
//===----------------------------------------------------------------------===//

#include "ProducerFormula.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "posenc/Formula/FormulaOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Index arithmetic that leaves out what is constant zero or one.
struct Indices {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value get(OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(b, loc, size);
  }
  Value add(Value lhs, OpFoldResult rhs) {
    if (isConstantIntValue(rhs, 0))
      return lhs;
    return arith::AddIOp::create(b, loc, lhs, get(rhs));
  }
  Value subtract(Value lhs, OpFoldResult rhs) {
    if (isConstantIntValue(rhs, 0))
      return lhs;
    return arith::SubIOp::create(b, loc, lhs, get(rhs));
  }
  Value multiply(Value lhs, OpFoldResult rhs) {
    if (isConstantIntValue(rhs, 1))
      return lhs;
    return arith::MulIOp::create(b, loc, lhs, get(rhs));
  }

  /// Row-major number of the element at `at` of a tensor of `sizes`.
  Value linearize(ValueRange at, ArrayRef<OpFoldResult> sizes) {
    Value linear;
    for (auto [index, size] : llvm::zip_equal(at, sizes)) {
      if (isConstantIntValue(size, 1))
        continue;
      linear =
          linear ? arith::AddIOp::create(b, loc, multiply(linear, size), index)
                       .getResult()
                 : index;
    }
    return linear ? linear : constant(0);
  }

  /// The indices of element number `linear` of a tensor of `sizes`.
  SmallVector<Value> delinearize(Value linear, ArrayRef<OpFoldResult> sizes) {
    SmallVector<Value> at(sizes.size());
    int64_t first = 0, count = sizes.size();
    while (first < count && isConstantIntValue(sizes[first], 1))
      at[first++] = constant(0);
    for (int64_t i = count - 1; i > first; --i) {
      if (isConstantIntValue(sizes[i], 1)) {
        at[i] = constant(0);
        continue;
      }
      // Whatever is left belongs to the outermost axis that is not one.
      bool outermost =
          llvm::all_of(sizes.slice(first, i - first), [](OpFoldResult size) {
            return isConstantIntValue(size, 1);
          });
      Value size = outermost ? Value() : get(sizes[i]);
      at[i] = outermost
                  ? linear
                  : arith::RemSIOp::create(b, loc, linear, size).getResult();
      linear = outermost
                   ? constant(0)
                   : arith::DivSIOp::create(b, loc, linear, size).getResult();
    }
    if (first < count)
      at[first] = linear;
    return at;
  }

  /// Whether `low <= index < low + size`.
  Value within(Value index, OpFoldResult low, OpFoldResult size) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                 subtract(index, low), get(size));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value conjunction(Value lhs, Value rhs) {
    return lhs ? arith::AndIOp::create(b, loc, lhs, rhs).getResult() : rhs;
  }
  Value read(Value tensor, ValueRange at) {
    return tensor::ExtractOp::create(b, loc, tensor, at);
  }
  SmallVector<OpFoldResult> sizes(Value tensor) {
    return tensor::getMixedSizes(b, loc, tensor);
  }
};
} // namespace

static Value emitExpanded(Indices i, tensor::ExpandShapeOp op, ValueRange at) {
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<Value> from;
  for (ArrayRef<int64_t> group : op.getReassociationIndices())
    from.push_back(
        i.linearize(at.slice(group.front(), group.size()),
                    ArrayRef(sizes).slice(group.front(), group.size())));
  return i.read(op.getSrc(), from);
}

static Value emitCollapsed(Indices i, tensor::CollapseShapeOp op,
                           ValueRange at) {
  SmallVector<OpFoldResult> sizes = i.sizes(op.getSrc());
  SmallVector<Value> from;
  if (op.getReassociationIndices().empty()) // to a tensor of rank 0
    from.assign(sizes.size(), i.constant(0));
  for (auto [index, group] : llvm::zip_equal(at, op.getReassociationIndices()))
    from.append(i.delinearize(
        index, ArrayRef(sizes).slice(group.front(), group.size())));
  return i.read(op.getSrc(), from);
}

static Value emitReshaped(Indices i, tensor::ReshapeOp op, ValueRange at) {
  if (!isa<RankedTensorType>(op.getSource().getType()))
    return {};
  Value linear = i.linearize(at, i.sizes(op.getResult()));
  return i.read(op.getSource(), i.delinearize(linear, i.sizes(op.getSource())));
}

static Value emitSliced(Indices i, tensor::ExtractSliceOp op, ValueRange at) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<Value> from;
  const Value *next = nullptr;
  SmallVector<Value> kept(at);
  next = kept.begin();
  for (auto [axis, offset, stride] :
       llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides()))
    from.push_back(dropped[axis] ? i.get(offset)
                                 : i.add(i.multiply(*next++, stride), offset));
  return i.read(op.getSource(), from);
}

static Value emitInserted(Indices i, tensor::InsertSliceOp op, ValueRange at) {
  RankedTensorType source = op.getSourceType();
  if (!source.hasStaticShape() || source.getNumElements() == 0 ||
      source.getRank() != op.getDestType().getRank() || !op.hasUnitStride())
    return {};
  Value inside;
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  for (auto [index, offset, size] : llvm::zip_equal(at, offsets, sizes))
    inside = i.conjunction(inside, i.within(index, offset, size));
  if (!inside)
    return {};
  SmallVector<Value> from;
  for (auto [index, offset] : llvm::zip_equal(at, offsets))
    from.push_back(i.select(inside, i.subtract(index, offset), i.constant(0)));
  return i.select(inside, i.read(op.getSource(), from),
                  i.read(op.getDest(), at));
}

static Value emitConcatenated(Indices i, tensor::ConcatOp op, ValueRange at) {
  int64_t axis = op.getDim();
  for (Value part : op.getInputs()) {
    int64_t size = cast<RankedTensorType>(part.getType()).getDimSize(axis);
    if (ShapedType::isDynamic(size) || size == 0)
      return {};
  }
  Value element;
  int64_t offset = 0;
  for (Value part : op.getInputs()) {
    int64_t size = cast<RankedTensorType>(part.getType()).getDimSize(axis);
    Value inside =
        i.within(at[axis], i.b.getIndexAttr(offset), i.b.getIndexAttr(size));
    SmallVector<Value> from(at);
    from[axis] = i.select(
        inside, i.subtract(at[axis], i.b.getIndexAttr(offset)), i.constant(0));
    Value read = i.read(part, from);
    element = element ? i.select(inside, read, element) : read;
    offset += size;
  }
  return element;
}

static Value emitPadded(Indices i, tensor::PadOp op, ValueRange at) {
  Block &body = op.getRegion().front();
  if (!llvm::all_of(body.without_terminator(),
                    [](Operation &inner) { return isFormulaOp(&inner); }))
    return {};
  SmallVector<OpFoldResult> lows = op.getMixedLowPad();
  SmallVector<OpFoldResult> highs = op.getMixedHighPad();
  for (auto [axis, low, high] : llvm::enumerate(lows, highs)) {
    int64_t size = op.getSourceType().getDimSize(axis);
    bool padded = !isConstantIntValue(low, 0) || !isConstantIntValue(high, 0);
    if (padded && (ShapedType::isDynamic(size) || size == 0))
      return {};
  }
  SmallVector<OpFoldResult> sizes = i.sizes(op.getSource());
  Value inside;
  SmallVector<Value> from;
  for (auto [index, low, high, size] :
       llvm::zip_equal(at, lows, highs, sizes)) {
    if (isConstantIntValue(low, 0) && isConstantIntValue(high, 0)) {
      from.push_back(index);
      continue;
    }
    Value here = i.within(index, low, size);
    inside = i.conjunction(inside, here);
    from.push_back(i.select(here, i.subtract(index, low), i.constant(0)));
  }
  Value element = i.read(op.getSource(), from);
  if (!inside)
    return element;
  return i.select(inside, element, cloneBody(i.b, body, at).front());
}

static Value emitListed(Indices i, tensor::FromElementsOp op, ValueRange at) {
  if (op.getElements().size() > 8)
    return {};
  Value linear = i.linearize(at, i.sizes(op.getResult()));
  Value element;
  for (auto [number, value] : llvm::enumerate(op.getElements()))
    element = element
                  ? i.select(arith::CmpIOp::create(i.b, i.loc,
                                                   arith::CmpIPredicate::eq,
                                                   linear, i.constant(number)),
                             value, element)
                  : value;
  return element;
}

Value posenc::emitMovedElement(OpBuilder &b, Location loc, Operation *producer,
                               ValueRange at) {
  Indices i{b, loc};
  return TypeSwitch<Operation *, Value>(producer)
      .Case([&](tensor::CastOp op) {
        return isa<RankedTensorType>(op.getSource().getType())
                   ? i.read(op.getSource(), at)
                   : Value();
      })
      .Case([&](tensor::ExpandShapeOp op) { return emitExpanded(i, op, at); })
      .Case(
          [&](tensor::CollapseShapeOp op) { return emitCollapsed(i, op, at); })
      .Case([&](tensor::ReshapeOp op) { return emitReshaped(i, op, at); })
      .Case([&](tensor::ExtractSliceOp op) { return emitSliced(i, op, at); })
      .Case([&](tensor::InsertSliceOp op) { return emitInserted(i, op, at); })
      .Case([&](tensor::ConcatOp op) { return emitConcatenated(i, op, at); })
      .Case([&](tensor::PadOp op) { return emitPadded(i, op, at); })
      .Case([&](tensor::FromElementsOp op) { return emitListed(i, op, at); })
      .Default([](Operation *) { return Value(); });
}
