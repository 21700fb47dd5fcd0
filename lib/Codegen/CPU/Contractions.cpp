//===- Contractions.cpp - Matrix products as register tiles ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: linalg contractions on memrefs that sum in f32. After: for each a
// loop over blocks of its result, parallel unless it stands in a parallel loop.
// A block packs a panel of `b` (kDepth steps by one tile of lanes) as f32,
// which stays in the nearest cache, and runs the micro-kernel of attention over
// its rows; where there are no more rows than one tile has, the micro-kernel
// reads `b` itself. Sums have two levels: a panel's from zero, step by step,
// then the total; so a row's bits do not depend on how many rows there are.
// What does not fit the scheme is left to loops.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "MicroKernel.h"
#include "ProductPanels.h"
#include "posenc/Codegen/CPU/Passes.h"
#include "posenc/Codegen/CPU/Target.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_CONTRACTIONSPASS
#include "posenc/Codegen/CPU/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

/// Rows a block computes with the panels it packs: sixteen tiles of six.
static constexpr int64_t kRows = 96;
/// Columns of a block.
static constexpr int64_t kColumns = 128;
/// Rows of `b` that are read side by side where there are few rows of `a`:
/// as many streams as prefetchers follow.
static constexpr int64_t kStreams = 8;
/// Columns of which sums are kept meanwhile: with f32 a page of a row of `b`.
static constexpr int64_t kStreamColumns = 1024;

namespace {
/// Emits the code of one contraction.
class ContractionEmitter {
public:
  ContractionEmitter(KernelBuilder &b, linalg::LinalgOp op, ProductLoops loops,
                     RegisterTile tile)
      : b(b), access(b, op, loops), lanes(tile.lanes), tileRows(tile.rows) {
    tileHeights.push_back(tileRows);
    for (int64_t height = llvm::bit_floor<uint64_t>(tileRows - 1); height > 0;
         height /= 2)
      tileHeights.push_back(height);
  }

  void emit();

private:
  /// Emits the code of `count` rows from `row` on.
  using RowsBody = function_ref<void(Value row, int64_t count)>;

  void emitParallel(Value rows, Value columns);
  void emitBlock(Span rows, Span columns);
  void emitManyRows(Span rows, Span columns);
  void emitFewRows(Span rows, Span columns);
  void emitStreams(Span rows, Span columns, Span depth);
  void emitPanel(Span rows, Value column, Value columns, Span depth,
                 ArrayRef<int64_t> heights);
  void emitRows(Span rows, ArrayRef<int64_t> heights, RowsBody body);
  SmallVector<Value> loadRows(Value row, int64_t count, Value step);
  void addToResult(Value sum, Value row, Value column, Value mask);
  Value getMask(Value columns) {
    return vector::CreateMaskOp::create(
        b, VectorType::get({lanes}, b.getI1Type()), columns);
  }
  /// Loops over the panels of the reduction.
  void forPanels(function_ref<void(Span depth)> body) {
    Value steps = access.sizes[access.loops.depth];
    b.loop(b.index(0), steps, kProductDepth, [&](Value first) {
      body({first, b.min(b.add(first, kProductDepth), steps)});
    });
  }

  KernelBuilder &b;
  ProductAccess access;
  int64_t lanes, tileRows;
  /// Heights of tiles: the full one, then four, two and one for what is left.
  SmallVector<int64_t> tileHeights;
  /// Scratch: the packed panel of `b`; a panel of the block's rows of `a` as
  /// f32, null where they are that already; a panel's sums of few rows.
  Value panel, staged, partial;
  /// The first row and step in `staged`, the first row and column in `partial`.
  Value firstRow, firstStep, firstColumn;
};
} // namespace

void ContractionEmitter::emit() {
  const ProductLoops &loops = access.loops;
  Value rows = loops.row ? access.sizes[*loops.row] : b.index(1);
  Value columns = access.sizes[loops.column];
  if (!access.op->getParentOfType<scf::ForallOp>())
    return emitParallel(rows, columns);
  std::function<void(ArrayRef<unsigned>)> emitOuter =
      [&](ArrayRef<unsigned> outer) {
        if (!outer.empty())
          return b.loop(b.index(0), access.sizes[outer.front()], 1,
                        [&](Value i) {
                          access.at[outer.front()] = i;
                          emitOuter(outer.drop_front());
                        });
        b.loop(b.index(0), rows, kRows, [&](Value first) {
          Value end = b.min(b.add(first, kRows), rows);
          emitBlock({first, end}, {b.index(0), columns});
        });
      };
  emitOuter(loops.outer);
}

/// Row blocks are the fastest, so that neighbours in time read the same columns
/// of b.
void ContractionEmitter::emitParallel(Value rows, Value columns) {
  Value rowBlocks = b.ceilDiv(rows, kRows);
  Value columnBlocks = b.ceilDiv(columns, kColumns);
  Value count = b.mul(rowBlocks, columnBlocks);
  for (unsigned loop : access.loops.outer)
    count = b.mul(count, access.sizes[loop]);
  b.parallel(count, [&](Value task) {
    Value row = b.mul(b.rem(task, rowBlocks), kRows);
    task = b.div(task, rowBlocks);
    Value column = b.mul(b.rem(task, columnBlocks), kColumns);
    task = b.div(task, columnBlocks);
    for (unsigned loop : llvm::reverse(access.loops.outer)) {
      access.at[loop] = b.rem(task, access.sizes[loop]);
      task = b.div(task, access.sizes[loop]);
    }
    emitBlock({row, b.min(b.add(row, kRows), rows)},
              {column, b.min(b.add(column, kColumns), columns)});
  });
}

/// A block of at most kRows rows.
void ContractionEmitter::emitBlock(Span rows, Span columns) {
  panel = b.scratch({kProductDepth, lanes});
  partial = b.scratch({tileRows, kStreamColumns});
  bool isWide = getElementTypeOrSelf(access.getA()->get()).isF32();
  staged = isWide ? Value() : b.scratch({kRows, kProductDepth});
  firstRow = rows.begin;
  Value few = b.compare(arith::CmpIPredicate::sle, b.sub(rows.end, rows.begin),
                        b.index(tileRows));
  b.ifElse(
      few, [&] { emitFewRows(rows, columns); },
      [&] { emitManyRows(rows, columns); });
  b.freeScratch();
}

/// Rows enough that a part of `a` is worth keeping for all columns.
void ContractionEmitter::emitManyRows(Span rows, Span columns) {
  forPanels([&](Span depth) {
    firstStep = depth.begin;
    if (staged)
      emitStageA(access, staged, rows, depth);
    b.loop(columns.begin, columns.end, lanes, [&](Value column) {
      emitPanel(rows, column, b.sub(columns.end, column), depth, tileHeights);
    });
  });
}

/// No more rows than a tile: the time is that of reading `b`. Its rows are read
/// as they are, by long pieces; its columns packed, one tile of lanes after the
/// other.
void ContractionEmitter::emitFewRows(Span rows, Span columns) {
  Value rest = columns.begin;
  SmallVector<int64_t> heights = tileHeights;
  auto stage = [&](Span depth) {
    firstStep = depth.begin;
    if (staged)
      emitStageA(access, staged, rows, depth);
  };
  if (access.isContiguousAlong(access.getB(), access.loops.column)) {
    Value tiles = b.div(b.sub(columns.end, columns.begin), lanes);
    rest = b.add(columns.begin, b.mul(tiles, lanes));
    heights = {1}; // for less than one tile of lanes
    b.loop(columns.begin, rest, kStreamColumns, [&](Value column) {
      Value end = b.min(b.add(column, kStreamColumns), rest);
      forPanels([&](Span depth) {
        stage(depth);
        emitStreams(rows, {column, end}, depth);
      });
    });
  }
  b.loop(rest, columns.end, lanes, [&](Value column) {
    forPanels([&](Span depth) {
      stage(depth);
      emitPanel(rows, column, b.sub(columns.end, column), depth, heights);
    });
  });
}

/// Adds a panel's share to few rows, from rows of `b` that are read side by
/// side. The sums of the panel are kept in `partial` between them.
void ContractionEmitter::emitStreams(Span rows, Span columns, Span depth) {
  auto forTiles = [&](ArrayRef<int64_t> heights, RowsBody body) {
    b.loop(columns.begin, columns.end, lanes, [&](Value column) {
      firstColumn = column;
      emitRows(rows, heights, body);
    });
  };
  auto place = [&](Value row, int64_t r) -> SmallVector<Value> {
    return {b.add(b.sub(row, rows.begin), r),
            b.sub(firstColumn, columns.begin)};
  };
  auto accumulate = [&](Value step, Value count, ArrayRef<int64_t> heights) {
    forTiles(heights, [&](Value row, int64_t height) {
      SmallVector<Value> sums;
      for (int64_t r = 0; r < height; ++r)
        sums.push_back(b.loadVector(lanes, partial, place(row, r)));
      sums = emitMicroKernel(
          b, count, sums,
          {[&](Value k) { return loadRows(row, height, b.add(step, k)); },
           [&](Value k) {
             return access.loadVector(lanes, access.getB(), {}, firstColumn,
                                      b.add(step, k));
           }});
      for (auto [r, sum] : llvm::enumerate(sums))
        b.storeVector(sum, partial, place(row, r));
    });
  };
  forTiles({1}, [&](Value row, int64_t) {
    b.storeVector(b.splat(lanes, 0), partial, place(row, 0));
  });
  Value groups = b.div(b.sub(depth.end, depth.begin), kStreams);
  Value rest = b.add(depth.begin, b.mul(groups, kStreams));
  b.loop(depth.begin, rest, kStreams,
         [&](Value step) { accumulate(step, b.index(kStreams), tileHeights); });
  accumulate(rest, b.sub(depth.end, rest), {1});
  Value all = getMask(b.index(lanes));
  forTiles({1}, [&](Value row, int64_t) {
    addToResult(b.loadVector(lanes, partial, place(row, 0)), row, firstColumn,
                all);
  });
}

/// Adds a panel's share to one tile of lanes, of which `columns` are columns.
void ContractionEmitter::emitPanel(Span rows, Value column, Value columns,
                                   Span depth, ArrayRef<int64_t> heights) {
  Value mask = getMask(columns);
  emitPackPanel(access, panel, {column, b.min(columns, b.index(lanes)), mask},
                depth);
  emitRows(rows, heights, [&](Value row, int64_t count) {
    SmallVector<Value> zeros(count, b.splat(lanes, 0));
    SmallVector<Value> sums = emitMicroKernel(
        b, b.sub(depth.end, depth.begin), zeros,
        {[&](Value k) { return loadRows(row, count, b.add(depth.begin, k)); },
         [&](Value k) { return b.loadVector(lanes, panel, {k, b.index(0)}); }});
    for (auto [r, sum] : llvm::enumerate(sums))
      addToResult(sum, b.add(row, int64_t(r)), column, mask);
  });
}

/// All rows by tiles of these heights, each as often as it fits.
void ContractionEmitter::emitRows(Span rows, ArrayRef<int64_t> heights,
                                  RowsBody body) {
  Value begin = rows.begin;
  for (int64_t height : heights) {
    Value count = b.div(b.sub(rows.end, begin), height);
    Value end = b.add(begin, b.mul(count, height));
    b.loop(begin, end, height, [&](Value row) { body(row, height); });
    begin = end;
  }
}

/// a[.., row + r, step] for r in [0, count), as f32.
SmallVector<Value> ContractionEmitter::loadRows(Value row, int64_t count,
                                                Value step) {
  SmallVector<Value> scalars;
  for (int64_t r = 0; r < count; ++r) {
    Value at = b.add(row, r);
    scalars.push_back(
        staged ? b.load(staged, {b.sub(at, firstRow), b.sub(step, firstStep)})
               : access.loadElement(access.getA(), at, {}, step));
  }
  return scalars;
}

void ContractionEmitter::addToResult(Value sum, Value row, Value column,
                                     Value mask) {
  Value memory = access.getC()->get();
  SmallVector<Value> at = access.getIndices(access.getC(), row, column, {});
  Value before = vector::MaskedLoadOp::create(b, b.vectorType(lanes), memory,
                                              at, mask, b.splat(lanes, 0));
  vector::MaskedStoreOp::create(b, memory, at, mask, b.fadd(before, sum));
}

/// The loops of `op` on memrefs, if the scheme fits it: lanes are columns, of
/// the result always neighbours in memory. Else `reason` says what is in the
/// way.
static FailureOr<ProductLoops> match(linalg::LinalgOp op, StringRef &reason) {
  FailureOr<ProductLoops> loops = ProductLoops::of(op, &reason);
  auto type = cast<MemRefType>(op.getDpsInitOperand(0)->get().getType());
  if (failed(loops) || type.isLastDimUnitStride())
    return loops;
  reason = ProductLoops::kColumnsApart;
  return failure();
}

/// The register tile of the module's CPU; of the least one where the module
/// does not say which.
static RegisterTile getRegisterTile(Operation *op) {
  CPUDescription least{/*cpu=*/"", /*vectorBits=*/128, /*l2Bytes=*/0};
  return CPUDescription::read(op).value_or(least).getRegisterTile();
}

namespace {
struct ContractionsPass : posenc::impl::ContractionsPassBase<ContractionsPass> {
  void runOnOperation() override {
    SmallVector<std::pair<linalg::LinalgOp, ProductLoops>> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!op.hasPureBufferSemantics() ||
          !linalg::isaContractionOpInterface(op))
        return;
      StringRef reason;
      FailureOr<ProductLoops> loops = match(op, reason);
      if (succeeded(loops))
        contractions.emplace_back(op, *loops);
      else
        remarkMissed(op, "contractions")
            << remark::add("'{0}' runs as scalar loops, not in tiles",
                           op->getName().getStringRef())
            << remark::reason("{0}", reason);
    });
    RegisterTile tile = getRegisterTile(getOperation());
    for (auto [op, loops] : contractions) {
      KernelBuilder b(op.getLoc(), op);
      ContractionEmitter(b, op, loops, tile).emit();
      op->erase();
    }
  }
};
} // namespace
