//===- Group.cpp - What is computed tile by tile --------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: linalg on tensors, one op a step of the graph. After: chains of
// elementwise ops are one op; a matrix product, its zeros and the elementwise
// op that reads it are one scf.forall over tiles of the result, so that the
// product is a tile of scratch, never a whole tensor.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseChains.h"
#include "Target.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "posenc/Plan/Passes.h"
#include "posenc/Plan/Product.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_GROUPPASS
#include "posenc/Plan/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// Elements between the rows of a tile in scratch: a cache line of f32.
static constexpr int64_t kRowPadding = 16;

/// Products that one op takes in: tiles of more would be over a thread's 1 MiB.
static constexpr size_t kMaxProducts = 2;

namespace {
/// Ops that share one loop over tiles of the last one's result.
struct Group {
  linalg::LinalgOp root;
  /// The products among them.
  llvm::SmallSetVector<Operation *, 2> products;
  /// What the loops of `root` are to the products; of a product that nothing
  /// follows, its own.
  SmallVector<int64_t> outer;
  int64_t row = -1, column = -1;
};
} // namespace

/// Of each loop of `product` the loop of `root` that runs over the same
/// dimension of its result, by `map`, by which `root` reads it; -1 for depth.
static SmallVector<int64_t> mapLoops(linalg::LinalgOp product, AffineMap map) {
  SmallVector<int64_t> toRoot(product.getNumLoops(), -1);
  AffineMap result =
      product.getMatchingIndexingMap(product.getDpsInitOperand(0));
  for (auto [mine, roots] :
       llvm::zip_equal(result.getResults(), map.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(mine))
      toRoot[loop.getPosition()] = cast<AffineDimExpr>(roots).getPosition();
  return toRoot;
}

/// The group of `root` and `product`, whose loops are loops of the root by
/// `toRoot`.
static Group makeGroup(linalg::LinalgOp root, linalg::LinalgOp product,
                       ArrayRef<int64_t> toRoot) {
  ProductLoops loops = *ProductLoops::of(product);
  Group group{root, {}, {}};
  group.products.insert(product);
  group.column = toRoot[loops.column];
  if (loops.row)
    group.row = toRoot[*loops.row];
  for (unsigned loop : loops.outer)
    group.outer.push_back(toRoot[loop]);
  return group;
}

/// Whether `op` is a product of tensors that has something to compute; upstream
/// cannot tile a loop of no iterations.
static bool isGroupable(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && succeeded(ProductLoops::of(op)) &&
         !llvm::is_contained(op.getStaticLoopRanges(), 0);
}

/// The product that `operand` of an elementwise op reads, if that op is all
/// that reads it and asks for each element once.
static linalg::LinalgOp getOwnProduct(OpOperand *operand) {
  auto root = cast<linalg::LinalgOp>(operand->getOwner());
  auto product = operand->get().getDefiningOp<linalg::LinalgOp>();
  if (!product || product->getBlock() != root->getBlock() ||
      !llvm::all_equal(product->getUsers()) ||
      !root.getMatchingIndexingMap(operand).isPermutation() ||
      !isGroupable(product))
    return nullptr;
  return product;
}

/// The group of `root`, elementwise, and the products that it reads; none where
/// it reads none. A product is taken in where its tiles are those of the first.
static std::optional<Group> getEpilogue(linalg::LinalgOp root) {
  if (!root.hasPureTensorSemantics() || !linalg::isElementwise(root))
    return std::nullopt;
  std::optional<Group> group;
  for (OpOperand *operand : root.getDpsInputOperands()) {
    linalg::LinalgOp product = getOwnProduct(operand);
    if (!product)
      continue;
    Group candidate = makeGroup(
        root, product, mapLoops(product, root.getMatchingIndexingMap(operand)));
    if (!group)
      group = candidate;
    else if (group->products.size() < kMaxProducts &&
             candidate.row == group->row && candidate.column == group->column)
      group->products.insert(product);
  }
  return group;
}

/// The groups around the products of `func`: with the elementwise op that takes
/// a product in, else the product alone.
static SmallVector<Group> findGroups(func::FuncOp func) {
  SmallVector<Group> groups;
  DenseSet<Operation *> taken;
  func.walk([&](linalg::LinalgOp op) {
    if (std::optional<Group> group = getEpilogue(op)) {
      taken.insert_range(group->products);
      groups.push_back(*group);
    }
  });
  func.walk([&](linalg::LinalgOp op) {
    if (!taken.contains(op) && isGroupable(op))
      groups.push_back(makeGroup(
          op, op, llvm::to_vector(llvm::seq<int64_t>(0, op.getNumLoops()))));
  });
  return groups;
}

/// Whether `product` reads rows of its right operand that are dense.
static bool hasRowsOfColumns(Operation *op) {
  auto product = cast<linalg::LinalgOp>(op);
  AffineMap map = product.getMatchingIndexingMap(product.getDpsInputOperand(1));
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && last.getPosition() == ProductLoops::of(product)->column;
}

/// The columns of a tile, by the number of rows: a constant where that is one.
static OpFoldResult chooseColumns(OpBuilder &b, Group &group,
                                  const GroupTiles &tiles) {
  OpFoldResult many = b.getIndexAttr(tiles.columns);
  OpFoldResult few = b.getIndexAttr(tiles.fewRowsColumns);
  if (!llvm::all_of(group.products, hasRowsOfColumns))
    return many;
  if (group.row < 0)
    return few;
  auto root = cast<TilingInterface>(group.root.getOperation());
  OpFoldResult rows = root.getIterationDomain(b)[group.row].size;
  if (std::optional<int64_t> constant = getConstantIntValue(rows))
    return *constant <= tiles.fewRows ? few : many;
  Location loc = group.root.getLoc();
  Value bound = arith::ConstantIndexOp::create(b, loc, tiles.fewRows);
  Value isFew = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                      cast<Value>(rows), bound);
  auto toValue = [&](OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(b, loc, size);
  };
  return OpFoldResult(
      arith::SelectOp::create(b, loc, isFew, toValue(few), toValue(many))
          .getResult());
}

/// The tiles of `group`. Row tiles are the fastest: neighbours in time read the
/// same columns of b.
static scf::SCFTilingOptions getTiling(OpBuilder &b, Group &group,
                                       const GroupTiles &tiles) {
  SmallVector<OpFoldResult> sizes(group.root.getNumLoops(), b.getIndexAttr(0));
  SmallVector<int64_t> order = group.outer;
  for (int64_t loop : group.outer)
    sizes[loop] = b.getIndexAttr(1);
  sizes[group.column] = chooseColumns(b, group, tiles);
  order.push_back(group.column);
  if (group.row >= 0) {
    sizes[group.row] = b.getIndexAttr(tiles.rows);
    order.push_back(group.row);
  }
  for (int64_t loop : llvm::seq<int64_t>(0, sizes.size()))
    if (!llvm::is_contained(order, loop))
      order.push_back(loop);
  return scf::SCFTilingOptions()
      .setLoopType(scf::SCFTilingOptions::LoopType::ForallOp)
      .setTileSizes(sizes)
      .setInterchange(order);
}

/// A tensor for a tile: a part of scratch, which has the extents of the largest
/// tile. One whose largest tile is not known has its own extents.
static Value createTile(RewriterBase &b, Location loc, RankedTensorType type,
                        ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> largest;
  for (OpFoldResult size : sizes) {
    // The least of all bounds, not the first.
    auto never = [](Value, std::optional<int64_t>, ValueBoundsConstraintSet &) {
      return false;
    };
    FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
        presburger::BoundType::UB, size, never, /*closedUB=*/true);
    if (failed(bound))
      return tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
    largest.push_back(*bound);
  }
  if (type.hasStaticShape())
    return tensor::EmptyOp::create(b, loc, largest, type.getElementType());
  // Rows a power of two apart would share the sets of a cache.
  largest.back() += kRowPadding;
  Value scratch =
      tensor::EmptyOp::create(b, loc, largest, type.getElementType());
  SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, type, scratch, zeros, sizes,
                                        ones);
}

/// Slices of uncomputed tensors, inside `loop`, become tensors of a tile's
/// size: the tile's intermediate results.
static void makeScratch(RewriterBase &rewriter, scf::ForallOp loop) {
  SmallVector<tensor::ExtractSliceOp> slices;
  loop.walk([&](tensor::ExtractSliceOp slice) {
    if (slice.getSource().getDefiningOp<tensor::EmptyOp>())
      slices.push_back(slice);
  });
  for (tensor::ExtractSliceOp slice : slices) {
    rewriter.setInsertionPoint(slice);
    rewriter.replaceOp(slice,
                       createTile(rewriter, slice.getLoc(), slice.getType(),
                                  slice.getMixedSizes()));
  }
}

/// Makes one scf.forall of `group`.
static LogicalResult tile(RewriterBase &rewriter, Group group,
                          const GroupTiles &tiles) {
  using ControlResult = scf::SCFTileAndFuseOptions::ControlFnResult;
  rewriter.setInsertionPoint(group.root);
  scf::SCFTileAndFuseOptions options;
  options.setTilingOptions(getTiling(rewriter, group, tiles));
  options.setFusionControlFn([&](tensor::ExtractSliceOp, OpResult producer,
                                 bool) -> std::optional<ControlResult> {
    Operation *op = producer.getOwner();
    if (group.products.contains(op) || isa<linalg::FillOp>(op))
      return ControlResult{};
    return std::nullopt;
  });
  auto root = cast<TilingInterface>(group.root.getOperation());
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, root, options);
  if (failed(tiled))
    return group.root->emitError("cannot be computed tile by tile");
  for (OpResult result : group.root->getResults())
    rewriter.replaceAllUsesWith(result, tiled->replacements.lookup(result));
  for (LoopLikeOpInterface loop : tiled->loops)
    makeScratch(rewriter, cast<scf::ForallOp>(loop));
  return success();
}

/// Takes away what refers to the whole of a tensor of which only tiles are
/// computed.
static LogicalResult resolveExtents(func::FuncOp func) {
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  affine::AffineMinOp::getCanonicalizationPatterns(patterns, context);
  scf::ForallOp::getCanonicalizationPatterns(patterns, context);
  return applyPatternsGreedily(func, std::move(patterns));
}

namespace {
struct GroupPass : posenc::impl::GroupPassBase<GroupPass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (failed(fuseElementwiseChains(func)))
      return signalPassFailure();
    SmallVector<Group> groups = findGroups(func);
    if (groups.empty())
      return;
    FailureOr<GroupTiles> tiles = chooseGroupTiles(func);
    if (failed(tiles))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (const Group &group : groups)
      if (failed(tile(rewriter, group, *tiles)))
        return signalPassFailure();
    if (failed(resolveExtents(func)))
      return signalPassFailure();
  }
};
} // namespace
