//===- AttentionOp.cpp - posenc.attention: verifier and interfaces --------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Formula/FormulaOps.h"

using namespace mlir;
using namespace mlir::posenc;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

int64_t AttentionOp::getAxis(Layout layout, int64_t bhldAxis) {
  if (layout == Layout::BLHD && (bhldAxis == 1 || bhldAxis == 2))
    return 3 - bhldAxis;
  return bhldAxis;
}

SmallVector<int64_t> AttentionOp::getShapeBHLD(Value operand, Layout layout) {
  auto type = cast<ShapedType>(operand.getType());
  SmallVector<int64_t> shape;
  for (int64_t axis = 0; axis < 4; ++axis)
    shape.push_back(type.getDimSize(getAxis(layout, axis)));
  return shape;
}

std::optional<int64_t> AttentionOp::getStaticHeadGroup() {
  int64_t queryHeads = getShapeBHLD(getQuery(), getQueryLayout())[1];
  int64_t keyHeads = getShapeBHLD(getKey(), getKeyLayout())[1];
  if (ShapedType::isDynamic(queryHeads) || ShapedType::isDynamic(keyHeads) ||
      keyHeads == 0)
    return std::nullopt;
  return queryHeads / keyHeads;
}

MutableOperandRange AttentionOp::getDpsInitsMutable() {
  unsigned count = getLogsumexpInit() ? 2 : 1;
  return MutableOperandRange(*this, getNumOperands() - count, count);
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &b,
                               ReifiedRankedShapedTypeDims &shapes) {
  for (Value init : getDpsInits())
    if (isa<TensorType>(init.getType()))
      shapes.push_back(tensor::getMixedSizes(b, getLoc(), init));
  return success();
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

/// `[2, 8, ?, 64]`.
static std::string toString(ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shape, os, [&](int64_t extent) {
    ShapedType::isDynamic(extent) ? os << "?" : os << extent;
  });
  os << "]";
  return text;
}

namespace {
/// Checks what the shapes of an attention's operands must agree on.
class ShapeVerifier {
public:
  explicit ShapeVerifier(AttentionOp op)
      : op(op),
        query{"query", op.getShapeBHLD(op.getQuery(), op.getQueryLayout())},
        key{"key", op.getShapeBHLD(op.getKey(), op.getKeyLayout())},
        value{"value", op.getShapeBHLD(op.getValue(), op.getValueLayout())},
        output{"output_init",
               op.getShapeBHLD(op.getOutputInit(), op.getOutputLayout())} {}

  LogicalResult verify() {
    return success(succeeded(verifyBatches()) && succeeded(verifyHeadSizes()) &&
                   succeeded(verifyKeysAndValues()) &&
                   succeeded(verifyOutput()) && succeeded(verifyLogsumexp()) &&
                   succeeded(verifySinks()) && succeeded(verifyBlockTable()));
  }

private:
  struct Operand {
    StringRef name;
    SmallVector<int64_t> shape;
  };

  LogicalResult agree(const Operand &first, const Operand &second, int64_t axis,
                      StringRef what) {
    if (extentsMayAgree(first.shape[axis], second.shape[axis]))
      return success();
    return op.emitOpError()
           << "'" << first.name << "' (b, h, l, d) is " << toString(first.shape)
           << " and '" << second.name << "' " << toString(second.shape)
           << "; they must agree on the " << what;
  }

  LogicalResult verifyBatches() { // C1
    if (failed(agree(query, output, 0, "batch size")))
      return failure();
    if (op.getBlockTable())
      return success();
    return success(succeeded(agree(query, key, 0, "batch size")) &&
                   succeeded(agree(query, value, 0, "batch size")));
  }

  LogicalResult verifyHeadSizes() { // C2
    if (failed(agree(query, key, 3, "head size")))
      return failure();
    if (llvm::none_of(
            ArrayRef{query.shape[3], key.shape[3], value.shape[3]},
            [](int64_t extent) { return ShapedType::isDynamic(extent); }))
      return success();
    return op.emitOpError()
           << "'query' (b, h, l, d) is " << toString(query.shape) << ", 'key' "
           << toString(key.shape) << ", 'value' " << toString(value.shape)
           << "; head sizes must be static: specialise the graph to its head "
              "size";
  }

  LogicalResult verifyKeysAndValues() { // C3
    if (failed(agree(key, value, 1, "number of heads")) ||
        failed(agree(key, value, 2, "number of rows")))
      return failure();
    int64_t queryHeads = query.shape[1], keyHeads = key.shape[1];
    if (ShapedType::isDynamic(queryHeads) || ShapedType::isDynamic(keyHeads) ||
        (keyHeads != 0 && queryHeads % keyHeads == 0))
      return success();
    return op.emitOpError()
           << "has " << queryHeads << " query heads and " << keyHeads
           << " key heads; the second must divide the first";
  }

  LogicalResult verifyOutput() { // C4
    return success(succeeded(agree(query, output, 1, "number of heads")) &&
                   succeeded(agree(query, output, 2, "number of rows")) &&
                   succeeded(agree(value, output, 3, "head size of values")));
  }

  LogicalResult verifyLogsumexp() { // C5
    Value init = op.getLogsumexpInit();
    if (!init)
      return success();
    auto shape = cast<ShapedType>(init.getType()).getShape();
    auto rows = ArrayRef(query.shape).take_front(3);
    if (llvm::all_of_zip(shape, rows, extentsMayAgree))
      return success();
    return op.emitOpError()
           << "'logsumexp_init' is " << toString(shape)
           << "; for 'query' (b, h, l, d) " << toString(query.shape)
           << " it must be " << toString(rows);
  }

  LogicalResult verifySinks() { // C5
    Value sinks = op.getSinks();
    if (!sinks)
      return success();
    int64_t count = cast<ShapedType>(sinks.getType()).getDimSize(0);
    if (extentsMayAgree(count, query.shape[1]))
      return success();
    return op.emitOpError()
           << "has " << count << " 'sinks' for " << query.shape[1]
           << " query heads; one each is needed";
  }

  LogicalResult verifyBlockTable() { // C9
    Value table = op.getBlockTable();
    if (!table)
      return success();
    int64_t rows = cast<ShapedType>(table.getType()).getDimSize(0);
    if (extentsMayAgree(rows, query.shape[0]))
      return success();
    return op.emitOpError() << "'block_table' has " << rows
                            << " rows for a batch of " << query.shape[0]
                            << "; one row of page numbers a sequence is needed";
  }

  AttentionOp op;
  Operand query, key, value, output;
};
} // namespace

LogicalResult AttentionOp::verify() {
  if (failed(ShapeVerifier(*this).verify()))
    return failure();
  bool tensors = hasTensorSemantics();
  for (Value operand : getOperands())
    if (isa<ShapedType>(operand.getType()) &&
        isa<TensorType>(operand.getType()) != tensors) // C6
      return emitOpError("mixes tensors and memrefs; all shaped operands must "
                         "be of one kind");
  if (getNumResults() != (tensors ? getDpsInits().size() : 0)) // C6
    return emitOpError() << "has " << getNumResults() << " results for "
                         << getDpsInits().size()
                         << " destinations; on tensors each destination has "
                            "one result, on memrefs there are none";
  for (auto [result, init] : llvm::zip(getResults(), getDpsInits()))
    if (result.getType() != init.getType()) // C6
      return emitOpError() << "result type " << result.getType()
                           << " differs from its destination's "
                           << init.getType();
  int64_t headSize = getShapeBHLD(getQuery(), getQueryLayout())[3];
  auto verifyLanes = [&](StringRef side, Region &rotation,
                         std::optional<LanesAttr> lanes) -> LogicalResult {
    if (rotation.empty() == !lanes &&
        (!lanes || lanes->getFirst() <= headSize - lanes->getCount()))
      return success();
    return emitOpError() << "needs 'rotate_" << side << "' and '" << side
                         << "_lanes' together, the lanes within a head of "
                         << headSize;
  };
  if (failed(verifyLanes("query", getRotateQuery(), getQueryLanes())) ||
      failed(verifyLanes("key", getRotateKey(), getKeyLanes()))) // C7
    return failure();
  return success();
}

/// C8: one block with the arguments of `signature`, that yields its results,
/// of formula ops only.
static LogicalResult verifyRegion(AttentionOp op, Region &region,
                                  const FormulaRegionSignature &signature) {
  if (region.empty())
    return success();
  Block &block = region.front();
  auto where = [&]() {
    return op.emitOpError() << "region '" << signature.name << "' ";
  };
  MLIRContext *context = op.getContext();
  SmallVector<Type> arguments = signature.getArgumentTypes(context);
  if (!llvm::equal(block.getArgumentTypes(), arguments))
    return where() << "takes (" << block.getArgumentTypes()
                   << "); it must take (" << arguments << ")";
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return where() << "must end with posenc.yield";
  SmallVector<Type> results = signature.getResultTypes(context);
  if (!llvm::equal(yield.getOperandTypes(), results))
    return where() << "yields (" << yield.getOperandTypes()
                   << "); it must yield (" << results << ")";
  for (Operation &inner : block.without_terminator())
    if (!isFormulaOp(&inner))
      return where() << "holds '" << inner.getName()
                     << "', which is not a formula op: only scalar arith and "
                        "math, element reads, dims, posenc.cos_sin, and "
                        "scf.for over indices with constant bounds, a "
                        "positive step and at most "
                     << kMostTrips << " trips are";
  return success();
}

LogicalResult AttentionOp::verifyRegions() {
  for (auto [region, signature] :
       llvm::zip_equal(getOperation()->getRegions(), getFormulaRegions()))
    if (failed(verifyRegion(*this, region, signature)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Effects and control flow
//===----------------------------------------------------------------------===//

void AttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : (*this)->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

void AttentionOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    for (Region &region : (*this)->getRegions())
      if (!region.empty())
        successors.emplace_back(&region);
  successors.push_back(
      RegionSuccessor(getOperation(), (*this)->getResults().take_front(0)));
}

MutableOperandRange YieldOp::getMutableSuccessorOperands(RegionSuccessor) {
  return MutableOperandRange(*this, /*start=*/0, /*length=*/0);
}
