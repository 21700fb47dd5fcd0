//===- AssertExtents.cpp - What is read lies in its tensor ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: attention, linalg and slices, which take for granted that dynamic
// extents agree and that slices lie in their tensors. After: cf.assert of it
// before each. Assertions on extents of arguments move to the shapes function
// in entry-abi, those that symbols imply fold away.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "posenc/Dialect/PosEnc/IR/EntryAbi.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Plan/Passes.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_ASSERTEXTENTSPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// One dimension of a tensor, of the one whose extents it has from the start
/// where it is a later value of that.
struct Dimension {
  Value tensor;
  int64_t number;

  Dimension(Value tensor, int64_t number) : tensor(tensor), number(number) {
    while (auto result = dyn_cast<OpResult>(this->tensor)) {
      if (auto op = dyn_cast<tensor::InsertSliceOp>(result.getOwner()))
        this->tensor = op.getDest();
      else if (auto op =
                   dyn_cast<DestinationStyleOpInterface>(result.getOwner()))
        this->tensor = op.getTiedOpOperand(result)->get();
      else
        break;
    }
  }

  OpFoldResult getExtent(OpBuilder &b) const {
    return tensor::getMixedSize(b, tensor.getLoc(), tensor, number);
  }

  /// What messages call it: "dimension 2 of 'k'".
  std::string getName() const {
    std::string text = "dimension " + std::to_string(number) + " of ";
    if (Operation *producer = tensor.getDefiningOp())
      return text + "what " + producer->getName().getStringRef().str() +
             " computes";
    auto argument = cast<BlockArgument>(tensor);
    if (auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        kNameAttr))
        return text + "'" + name.str() + "'";
    return text + "'input" + std::to_string(argument.getArgNumber()) + "'";
  }
};

/// Emits assertions on what one op takes for granted, as soon as the values
/// are known that they are about: bufferization may compute what the op inserts
/// into a tensor in place, long before the op.
class Assertions {
public:
  explicit Assertions(Operation *op) : op(op), b(op), loc(op->getLoc()) {}

  void requireEqual(const Dimension &x, const Dimension &y) {
    setInsertionPointAfter({x.tensor, y.tensor});
    OpFoldResult left = x.getExtent(b), right = y.getExtent(b);
    require(arith::CmpIPredicate::eq, left, right,
            withSize(y, right) + " must equal " + withSize(x, left));
  }

  /// Indices below the extent of `count` are used for `dimension`.
  void requireRoom(const Dimension &dimension, const Dimension &count) {
    setInsertionPointAfter({dimension.tensor, count.tensor});
    require(arith::CmpIPredicate::uge, dimension.getExtent(b),
            count.getExtent(b),
            dimension.getName() + " must not be less than " + count.getName());
  }

  /// Whole groups of `x` for each of `y`.
  void requireMultiple(const Dimension &x, const Dimension &y) {
    setInsertionPointAfter({x.tensor, y.tensor});
    OpFoldResult many = x.getExtent(b), few = y.getExtent(b);
    if (getConstantIntValue(many) && getConstantIntValue(few))
      return;
    // Without heads there is nothing to group, nor to divide by.
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value divisor = arith::MaxUIOp::create(b, loc, value(few), one);
    Value rest = arith::RemUIOp::create(b, loc, value(many), divisor);
    require(arith::CmpIPredicate::eq, rest, b.getIndexAttr(0),
            x.getName() + " must be a multiple of " + y.getName());
  }

  /// Elements `offset`, `offset + stride`, ... lie in `dimension`.
  void requireSlice(const Dimension &dimension, OpFoldResult offset,
                    OpFoldResult size, OpFoldResult stride) {
    std::string message = "a slice reaches outside " + dimension.getName();
    setInsertionPointAfter({dimension.tensor, dyn_cast<Value>(offset),
                            dyn_cast<Value>(size), dyn_cast<Value>(stride)});
    OpFoldResult extent = dimension.getExtent(b);
    // Elements from the first to the last; sizes are too small to overflow.
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value steps = b.createOrFold<arith::SubIOp>(loc, value(size), one);
    Value span = b.createOrFold<arith::AddIOp>(
        loc, b.createOrFold<arith::MulIOp>(loc, steps, value(stride)), one);
    Value last = b.createOrFold<arith::SubIOp>(loc, value(extent), span);
    require(arith::CmpIPredicate::sge, offset, b.getIndexAttr(0), message);
    require(arith::CmpIPredicate::sle, offset, last, message);
  }

private:
  /// The dimension's name, with the number that its extent is, if it is one.
  static std::string withSize(const Dimension &dimension, OpFoldResult extent) {
    std::optional<int64_t> number = getConstantIntValue(extent);
    return dimension.getName() +
           (number ? " (" + std::to_string(*number) + ")" : "");
  }

  /// Behind the definitions of `values`, which may be null, in the op's block.
  void setInsertionPointAfter(ArrayRef<Value> values) {
    Operation *latest = nullptr;
    for (Value value : values) {
      Operation *definition = value ? value.getDefiningOp() : nullptr;
      if (definition && definition->getBlock() == op->getBlock() &&
          (!latest || latest->isBeforeInBlock(definition)))
        latest = definition;
    }
    if (latest)
      b.setInsertionPointAfter(latest);
    else
      b.setInsertionPointToStart(op->getBlock());
  }

  Value value(OpFoldResult x) {
    return getValueOrCreateConstantIndexOp(b, loc, x);
  }

  /// Static extents are their ops' verifiers' business.
  void require(arith::CmpIPredicate predicate, OpFoldResult x, OpFoldResult y,
               const std::string &message) {
    if (getConstantIntValue(x) && getConstantIntValue(y))
      return;
    Value holds = arith::CmpIOp::create(b, loc, predicate, value(x), value(y));
    cf::AssertOp::create(b, loc, holds, message);
  }

  Operation *op;
  OpBuilder b;
  Location loc;
};
} // namespace

/// The tensors that `region` reads with a plain index, and the dimension that
/// the index counts: `counted` maps an index to it.
static void
requireReads(Operation *op, Region &region,
             function_ref<std::optional<Dimension>(Value)> counted) {
  region.walk([&](tensor::ExtractOp read) {
    // What the region computes itself is not to be had before it.
    if (region.isAncestor(read.getTensor().getParentRegion()))
      return;
    for (auto [number, index] : llvm::enumerate(read.getIndices()))
      if (std::optional<Dimension> count = counted(index))
        Assertions(op).requireRoom(
            {read.getTensor(), static_cast<int64_t>(number)}, *count);
  });
}

static void assertAttention(AttentionOp op) {
  auto axis = [](Value operand, Layout layout, int64_t bhld) {
    return Dimension{operand, AttentionOp::getAxis(layout, bhld)};
  };
  Assertions assertions(op);
  for (int64_t bhl = 0; bhl < 3; ++bhl) {
    Dimension query = axis(op.getQuery(), op.getQueryLayout(), bhl);
    Dimension key = axis(op.getKey(), op.getKeyLayout(), bhl);
    if (bhl == 0 && !op.getBlockTable())
      assertions.requireEqual(query, key);
    assertions.requireEqual(key, axis(op.getValue(), op.getValueLayout(), bhl));
    assertions.requireEqual(
        query, axis(op.getOutputInit(), op.getOutputLayout(), bhl));
    if (Value logsumexp = op.getLogsumexpInit())
      assertions.requireEqual(query, {logsumexp, bhl});
  }
  if (Value sinks = op.getSinks())
    assertions.requireEqual(axis(op.getQuery(), op.getQueryLayout(), 1),
                            {sinks, 0});
  assertions.requireMultiple(axis(op.getQuery(), op.getQueryLayout(), 1),
                             axis(op.getKey(), op.getKeyLayout(), 1));
  if (Value blockTable = op.getBlockTable())
    assertions.requireEqual(axis(op.getQuery(), op.getQueryLayout(), 0),
                            {blockTable, 0});
  for (Region &region : op->getRegions())
    requireReads(op, region, [&](Value value) -> std::optional<Dimension> {
      std::optional<RegionArgument> index =
          AttentionOp::getRegionArgument(value);
      auto indexed = index ? op.getIndexedDimension(*index) : std::nullopt;
      if (!indexed)
        return std::nullopt;
      return Dimension{indexed->first, indexed->second};
    });
}

static void assertLinalg(linalg::LinalgOp op) {
  Assertions assertions(op);
  // The first operand dimension that a loop runs over.
  SmallVector<std::optional<Dimension>> loops(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [number, expression] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expression);
      if (!loop)
        continue;
      Dimension dimension{operand.get(), static_cast<int64_t>(number)};
      std::optional<Dimension> &first = loops[loop.getPosition()];
      if (first)
        assertions.requireEqual(*first, dimension);
      else
        first = dimension;
    }
  }
  requireReads(op, op->getRegion(0),
               [&](Value index) -> std::optional<Dimension> {
                 auto counter = index.getDefiningOp<linalg::IndexOp>();
                 return counter ? loops[counter.getDim()] : std::nullopt;
               });
}

/// `tensor` is what the slice is taken of or put into.
static void assertSlice(OffsetSizeAndStrideOpInterface op, Value tensor) {
  Assertions assertions(op);
  for (auto [number, offset, size, stride] : llvm::enumerate(
           op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides()))
    assertions.requireSlice({tensor, static_cast<int64_t>(number)}, offset,
                            size, stride);
}

namespace {
struct AssertExtentsPass
    : posenc::impl::AssertExtentsPassBase<AssertExtentsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    // Assertions behind one value then come in the order of their ops.
    for (Operation *op : llvm::reverse(ops)) {
      if (auto attention = dyn_cast<AttentionOp>(op)) {
        if (attention.hasTensorSemantics())
          assertAttention(attention);
      } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        if (linalgOp.hasPureTensorSemantics())
          assertLinalg(linalgOp);
      } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
        assertSlice(slice, slice.getSource());
      } else if (auto slice = dyn_cast<tensor::InsertSliceOp>(op)) {
        assertSlice(slice, slice.getDest());
      }
    }
  }
};
} // namespace
