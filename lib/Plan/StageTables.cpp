//===- StageTables.cpp - What is computed once a call ---------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: posenc.attention whose regions compute expensive values of i alone,
// of j alone or of j - i alone, or few ones of both. After: a linalg.generic
// before it computes them into a table, which the region reads. What such a
// table computes anew for each of its rows or columns alike becomes a smaller
// table.
//
//===----------------------------------------------------------------------===//

#include "FactorTables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "posenc/Dialect/PosEnc/IR/AttentionDependences.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "posenc/Formula/FormulaOps.h"
#include "posenc/Plan/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_STAGETABLESPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// A region that is searched for what to stage.
struct StagedRegion {
  Region *region;
  ArrayRef<RegionArgument> signature;

  BlockArgument getArgument(Dependence::Index index) const {
    for (auto [argument, value] :
         llvm::zip_equal(signature, region->getArguments()))
      if (getDependenceIndex(argument) == index)
        return value;
    return {};
  }
};
} // namespace

static SmallVector<StagedRegion> getRegions(AttentionOp op) {
  SmallVector<StagedRegion> regions;
  for (Region *region :
       {&op.getScore(), &op.getRotateQuery(), &op.getRotateKey()})
    if (!region->empty())
      regions.push_back(
          {region, AttentionOp::getRegionSignatures()[region->getRegionNumber()]
                       .arguments});
  return regions;
}

//===----------------------------------------------------------------------===//
// What to stage
//===----------------------------------------------------------------------===//

/// Whether an op on what depends on j - i alone costs more than reading a table
/// by distance in order, which stands for gathers and divisions.
static bool isExpensiveOfDistance(Operation *op) {
  return isCostlierThanRead(op) ||
         isa<tensor::ExtractOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
             arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op);
}

/// Whether a table over `indices` has one row or key, or one distance, an
/// entry.
static bool isTableIndices(unsigned indices, const StagedRegion &region) {
  unsigned positions =
      indices & (Dependence::Row | Dependence::Key | Dependence::Distance);
  if (!llvm::isPowerOf2_32(positions))
    return false;
  return llvm::all_of(region.signature, [&](RegionArgument argument) {
    // A table cannot be indexed by the score.
    return argument != RegionArgument::X ||
           !(indices & getDependenceIndex(argument));
  });
}

/// Whether all values that depend on `indices`, a row and a key among them, are
/// few enough to be computed once a call and kept, and are read by several
/// batch entries.
static bool areFewPairs(unsigned indices, AttentionOp op) {
  constexpr int64_t kMostBytes = 1 << 20;
  if ((indices & ~(Dependence::Head | Dependence::Row | Dependence::Key)) ||
      op.getBlockTable())
    return false;
  SmallVector<int64_t> shape =
      AttentionOp::getShapeBHLD(op.getQuery(), op.getQueryLayout());
  int64_t heads = indices & Dependence::Head ? shape[1] : 1, rows = shape[2];
  int64_t keys = AttentionOp::getShapeBHLD(op.getKey(), op.getKeyLayout())[2];
  if (shape[0] == 1 ||
      llvm::any_of(ArrayRef({heads, rows, keys}), ShapedType::isDynamic))
    return false;
  constexpr int64_t kMostElements = kMostBytes / sizeof(float);
  return rows <= kMostElements && keys <= kMostElements &&
         heads <= kMostElements &&
         (rows * keys <= kMostElements / std::max<int64_t>(heads, 1));
}

/// Whether an op on what depends on a row and a key costs more than reading a
/// table of them in order: a gather by an index of both does.
static bool isExpensiveOfPair(Operation *op, const Dependences &dependences) {
  constexpr unsigned pair = Dependence::Row | Dependence::Key;
  auto isOfPair = [&](Value value) {
    unsigned indices = dependences.of(value).getIndices();
    return (indices & Dependence::Distance) || (indices & pair) == pair;
  };
  if (!isOfPair(op->getResult(0)))
    return false;
  auto read = dyn_cast<tensor::ExtractOp>(op);
  return read ? llvm::any_of(read.getIndices(), isOfPair)
              : isCostlierThanRead(op);
}

/// The values of `region` to be staged, by the indices they depend on: the last
/// ones of their kind.
static llvm::MapVector<unsigned, SmallVector<Value>>
findStaged(AttentionOp attention, const StagedRegion &region) {
  Block &block = region.region->front();
  Dependences dependences(*region.region);
  auto getIndices = [&](Value value) {
    return dependences.of(value).getIndices();
  };
  // What a head or batch alone decides is computed once for many positions.
  auto dependsOnPosition = [&](Operation *op) {
    return getIndices(op->getResult(0)) &
           (Dependence::Row | Dependence::Key | Dependence::Distance);
  };
  auto isLast = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      Operation *inBlock = block.findAncestorOpInBlock(*user);
      return inBlock == block.getTerminator() ||
             llvm::any_of(inBlock->getResults(), [&](Value result) {
               return getIndices(result) != getIndices(value);
             });
    });
  };
  llvm::MapVector<unsigned, SmallVector<Value>> staged;
  for (Operation &op : block.without_terminator()) {
    for (Value value : op.getResults()) {
      unsigned indices = getIndices(value);
      bool ofPair = (indices & Dependence::Row) && (indices & Dependence::Key);
      if (!(ofPair ? areFewPairs(indices, attention)
                   : isTableIndices(indices, region)) ||
          !isLast(value))
        continue;
      bool ofDistance = indices & Dependence::Distance;
      bool worthwhile =
          llvm::any_of(getFormulaSlice(value, block), [&](Operation *op) {
            if (ofPair)
              return isExpensiveOfPair(op, dependences);
            return dependsOnPosition(op) &&
                   (ofDistance ? isExpensiveOfDistance(op)
                               : isCostlierThanRead(op));
          });
      if (worthwhile)
        staged[indices].push_back(value);
    }
  }
  return staged;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// `i + Lk - 1 - j`: where the table holds the distance of i and j, in the
/// order of i.
static Value emitDistanceIndex(OpBuilder &b, Location loc, Value row, Value key,
                               Value numKeys) {
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value offset = arith::SubIOp::create(b, loc, numKeys, one);
  Value distance = arith::SubIOp::create(b, loc, row, key);
  return arith::AddIOp::create(b, loc, distance, offset);
}

/// The number of distances, `Lq + Lk - 1`; none without rows or keys.
static OpFoldResult emitNumDistances(OpBuilder &b, Location loc,
                                     OpFoldResult numRows,
                                     OpFoldResult numKeys) {
  std::optional<int64_t> staticRows = getConstantIntValue(numRows);
  std::optional<int64_t> staticKeys = getConstantIntValue(numKeys);
  if (staticRows && staticKeys)
    return b.getIndexAttr(
        *staticRows && *staticKeys ? *staticRows + *staticKeys - 1 : 0);
  Value rows = getValueOrCreateConstantIndexOp(b, loc, numRows);
  Value keys = getValueOrCreateConstantIndexOp(b, loc, numKeys);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value some =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                            arith::MinSIOp::create(b, loc, rows, keys), zero);
  Value count = arith::SubIOp::create(
      b, loc, arith::AddIOp::create(b, loc, rows, keys), one);
  return arith::SelectOp::create(b, loc, some, count, zero).getResult();
}

/// Maps row and key to the first pair whose distance index is `at`.
static void mapDistance(OpBuilder &b, Location loc, Value at, Value numKeys,
                        const StagedRegion &region, IRMapping &map) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value last = arith::SubIOp::create(b, loc, numKeys, one);
  Value distance = arith::SubIOp::create(b, loc, at, last);
  Value row = arith::MaxSIOp::create(b, loc, distance, zero);
  map.map(region.getArgument(Dependence::Row), row);
  map.map(region.getArgument(Dependence::Key),
          arith::SubIOp::create(b, loc, row, distance));
}

namespace {
/// The dimensions of a table over a set of indices: b, h, then the row, key or
/// distance, or key and row, then the pair.
struct TableShape {
  SmallVector<Dependence::Index> dimensions;
  SmallVector<OpFoldResult> sizes;
  /// Set for a table by distance.
  Value numKeys;
};
} // namespace

static TableShape getShape(OpBuilder &b, AttentionOp op,
                           const StagedRegion &region, unsigned indices) {
  TableShape shape;
  for (RegionArgument argument : region.signature) {
    Dependence::Index index = getDependenceIndex(argument);
    bool isLastOfDistance =
        (indices & Dependence::Distance) && index == Dependence::Key;
    if (isLastOfDistance) {
      OpFoldResult numKeys = op.getExtent(b, argument);
      shape.numKeys = getValueOrCreateConstantIndexOp(b, op.getLoc(), numKeys);
      shape.dimensions.push_back(Dependence::Distance);
      shape.sizes.push_back(emitNumDistances(
          b, op.getLoc(), op.getExtent(b, RegionArgument::I), numKeys));
    } else if (indices & index) {
      shape.dimensions.push_back(index);
      shape.sizes.push_back(op.getExtent(b, argument));
    }
  }
  // Lanes of rows read in order.
  if ((indices & Dependence::Row) && (indices & Dependence::Key)) {
    std::swap(*(shape.dimensions.end() - 2), shape.dimensions.back());
    std::swap(*(shape.sizes.end() - 2), shape.sizes.back());
  }
  return shape;
}

/// A generic op that computes `values` of `region`, one table each.
static linalg::GenericOp buildTables(OpBuilder &b, Location loc,
                                     const StagedRegion &region,
                                     const TableShape &shape,
                                     ArrayRef<Value> values) {
  int64_t rank = shape.sizes.size();
  SmallVector<Value> inits;
  for (Value value : values)
    inits.push_back(
        tensor::EmptyOp::create(b, loc, shape.sizes, value.getType()));
  SmallVector<AffineMap> maps(values.size(), b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      b, loc, ValueRange(inits).getTypes(), /*inputs=*/ValueRange(), inits,
      maps, iterators, [&](OpBuilder &b, Location loc, ValueRange) {
        IRMapping map;
        Value zero = arith::ConstantIndexOp::create(b, loc, 0);
        for (BlockArgument argument : region.region->getArguments())
          if (argument.getType().isIndex())
            map.map(argument, zero);
        for (auto [d, index] : llvm::enumerate(shape.dimensions)) {
          Value at = linalg::IndexOp::create(b, loc, d);
          if (index == Dependence::Distance)
            mapDistance(b, loc, at, shape.numKeys, region, map);
          else
            map.map(region.getArgument(index), at);
        }
        cloneFormulaSlice(b, values, region.region->front(), map);
        linalg::YieldOp::create(b, loc,
                                llvm::map_to_vector(values, [&](Value value) {
                                  return map.lookup(value);
                                }));
      });
}

/// Replaces `value` by the element of `table` for the region's arguments.
static void readTable(const StagedRegion &region, const TableShape &shape,
                      Value value, Value table) {
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  Location loc = value.getLoc();
  SmallVector<Value> at;
  for (Dependence::Index index : shape.dimensions) {
    if (index == Dependence::Distance)
      at.push_back(emitDistanceIndex(
          b, loc, region.getArgument(Dependence::Row),
          region.getArgument(Dependence::Key), shape.numKeys));
    else
      at.push_back(region.getArgument(index));
  }
  value.replaceAllUsesWith(tensor::ExtractOp::create(b, loc, table, at));
}

static StringRef getKind(unsigned indices) {
  if (indices & Dependence::Distance)
    return "key minus query row";
  if ((indices & Dependence::Row) && (indices & Dependence::Key))
    return "key row and query row";
  return indices & Dependence::Row ? "query row" : "key row";
}

/// `2 tables of 4096 bytes each`; the type of a table whose extents are
/// dynamic.
static std::string describeTables(linalg::GenericOp tables) {
  auto type = cast<RankedTensorType>(tables.getResult(0).getType());
  int64_t count = tables.getNumResults();
  std::string what =
      count == 1 ? "a table" : llvm::formatv("{0} tables", count).str();
  if (!type.hasStaticShape())
    return llvm::formatv("{0} of type {1}", what, type);
  int64_t bytes =
      llvm::divideCeil(type.getNumElements() * DataLayout().getTypeSizeInBits(
                                                   type.getElementType()),
                       8);
  return llvm::formatv("{0} of {1} bytes{2}", what, bytes,
                       count == 1 ? "" : " each");
}

/// What is expensive, stands in no table and does not depend on the score is
/// computed for every row and key again.
static void reportUnstaged(AttentionOp op, const StagedRegion &region) {
  Block &block = region.region->front();
  Dependences dependences(*region.region);
  SmallVector<Value> yielded(block.getTerminator()->getOperands());
  for (Operation *inner : getFormulaSlice(yielded, block)) {
    unsigned indices = dependences.of(inner->getResult(0)).getIndices();
    constexpr unsigned positions =
        Dependence::Row | Dependence::Key | Dependence::Distance;
    if (!isCostlierThanRead(inner) || llvm::popcount(indices & positions) < 2 ||
        (indices & Dependence::Other))
      continue;
    remarkMissed(inner, "stage-tables")
        << remark::add("'{0}' is computed for every query row and key of {1}",
                       inner->getName().getStringRef(), nameWithPlace(op))
        << remark::reason(
               "it depends on both, and not on their distance alone");
  }
}

static void stage(AttentionOp op) {
  OpBuilder b(op);
  for (StagedRegion &region : getRegions(op)) {
    for (auto &[indices, values] : findStaged(op, region)) {
      TableShape shape = getShape(b, op, region, indices);
      linalg::GenericOp tables =
          buildTables(b, op.getLoc(), region, shape, values);
      for (auto [value, table] : llvm::zip_equal(values, tables.getResults()))
        readTable(region, shape, value, table);
      remarkDone(op, "stage-tables")
          << remark::add("'{0}' reads {1}, computed once a call by {2}",
                         op->getName().getStringRef(), describeTables(tables),
                         getKind(indices));
    }
    reportUnstaged(op, region);
  }
}

namespace {
struct StageTablesPass : posenc::impl::StageTablesPassBase<StageTablesPass> {
  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation().walk([&](AttentionOp op) {
      if (op.hasTensorSemantics())
        ops.push_back(op);
    });
    for (AttentionOp op : ops)
      stage(op);
    SmallVector<linalg::GenericOp> tables;
    getOperation().walk([&](linalg::GenericOp op) { tables.push_back(op); });
    for (linalg::GenericOp table : tables)
      factorTable(table);
    // Drops what the regions no longer compute.
    if (failed(applyPatternsGreedily(getOperation(),
                                     RewritePatternSet(&getContext()))))
      signalPassFailure();
  }
};
} // namespace
