//===- Contractions.cpp - Matrix products as register tiles ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before: linalg contractions on memrefs that sum in f32. After: for each a
// parallel loop over tiles of its result. A task packs a panel of `b` (kDepth
// steps by one tile of lanes), which stays in the nearest cache, and runs the
// micro-kernel of attention over its rows. Sums have two levels: a panel's from
// zero, then the total. What does not fit the scheme is left to loops.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "MicroKernel.h"
#include "RowStaging.h"
#include "posenc/Codegen/CPU/Passes.h"
#include "posenc/Codegen/CPU/Target.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

namespace mlir::posenc {
#define GEN_PASS_DEF_CONTRACTIONSPASS
#include "posenc/Codegen/CPU/Passes.h.inc"
} // namespace mlir::posenc

using namespace mlir;
using namespace mlir::posenc;

namespace {
/// Steps of the reduction a panel holds: with 64 lanes 32 KiB.
constexpr int64_t kDepth = 128;
/// Rows a task computes with the panels it packs: sixteen tiles of six.
constexpr int64_t kRows = 96;

/// A contraction c[.., m, n] += sum over k of a[.., m, k] * b[.., k, n]. Loops
/// are numbered as the op numbers them; `outer` are its batch loops and all
/// row loops but one.
struct Contraction {
  linalg::LinalgOp op;
  SmallVector<unsigned> outer;
  std::optional<unsigned> row;
  unsigned column, depth;

  Value getA() { return op.getDpsInputOperand(0)->get(); }
  Value getB() { return op.getDpsInputOperand(1)->get(); }
  Value getC() { return op.getDpsInitOperand(0)->get(); }
};
} // namespace

/// Whether a contraction's body multiplies, and adds to what was there, in f32
/// and does nothing else but widen what it reads.
static bool isSumOfProductsInF32(Block &body) {
  return llvm::all_of(body.getArgumentTypes(),
                      llvm::IsaPred<Float32Type, Float16Type, BFloat16Type>) &&
         llvm::all_of(body.without_terminator(), [](Operation &op) {
           return isa<arith::MulFOp, arith::AddFOp, arith::ExtFOp>(op) &&
                  op.getResult(0).getType().isF32();
         });
}

/// `op`, a contraction on memrefs, as the scheme fits it; or `reason` says what
/// is in the way.
static FailureOr<Contraction> match(linalg::LinalgOp op, StringRef &reason) {
  reason = "it does more than sum products of f32, f16 or bf16 in f32";
  if (!isSumOfProductsInF32(*op.getBlock()))
    return failure();
  reason = "it does not have one loop over columns and one over products";
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->n.size() != 1 || dims->k.size() != 1)
    return failure();
  Contraction contraction{op, llvm::to_vector(dims->batch), std::nullopt,
                          dims->n.front(), dims->k.front()};
  if (!dims->m.empty()) {
    contraction.row = dims->m.back();
    llvm::append_range(contraction.outer, ArrayRef(dims->m).drop_back());
  }
  // Lanes are columns: of the result always neighbours in memory.
  reason = "the columns of its result are no neighbours in memory";
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto last = dyn_cast<AffineDimExpr>(result.getResults().back());
  if (!last || last.getPosition() != contraction.column ||
      !cast<MemRefType>(contraction.getC().getType()).isLastDimUnitStride())
    return failure();
  return contraction;
}

namespace {
/// Emits the code of one contraction.
class ContractionEmitter {
public:
  ContractionEmitter(KernelBuilder &b, Contraction contraction,
                     RegisterTile tile)
      : b(b), contraction(contraction), lanes(tile.lanes), tileRows(tile.rows) {
  }

  void emit() {
    linalg::LinalgOp op = contraction.op;
    for (Range range : op.createLoopRanges(b, op.getLoc()))
      sizes.push_back(
          getValueOrCreateConstantIndexOp(b, b.getLoc(), range.size));
    Value rows = contraction.row ? sizes[*contraction.row] : b.index(1);
    Value rowBlocks = b.ceilDiv(rows, kRows);
    Value columnBlocks = b.ceilDiv(sizes[contraction.column], lanes);
    Value count = b.mul(rowBlocks, columnBlocks);
    for (unsigned loop : contraction.outer)
      count = b.mul(count, sizes[loop]);
    b.parallel(count, [&](Value task) {
      // The task's place: row blocks are the fastest, so that neighbours in
      // time read the same columns of b.
      at.assign(sizes.size(), b.index(0));
      Value firstRow = b.mul(b.rem(task, rowBlocks), kRows);
      task = b.div(task, rowBlocks);
      firstColumn = b.mul(b.rem(task, columnBlocks), lanes);
      task = b.div(task, columnBlocks);
      for (unsigned loop : llvm::reverse(contraction.outer)) {
        at[loop] = b.rem(task, sizes[loop]);
        task = b.div(task, sizes[loop]);
      }
      emitTask(firstRow, b.min(b.add(firstRow, kRows), rows));
    });
  }

private:
  void emitTask(Value firstRow, Value endRow) {
    Value columns = b.sub(sizes[contraction.column], firstColumn);
    mask = vector::CreateMaskOp::create(
        b, VectorType::get({lanes}, b.getI1Type()), columns);
    panel = b.scratch({kDepth, lanes});
    Value depth = sizes[contraction.depth];
    b.loop(b.index(0), depth, kDepth, [&](Value first) {
      Value count = b.min(b.sub(depth, first), b.index(kDepth));
      emitPacking(first, count, columns);
      Value full =
          b.mul(b.div(b.sub(endRow, firstRow), b.index(tileRows)), tileRows);
      Value endFull = b.add(firstRow, full);
      b.loop(firstRow, endFull, tileRows,
             [&](Value row) { emitTile(row, tileRows, first, count); });
      b.loop(endFull, endRow, 1,
             [&](Value row) { emitTile(row, 1, first, count); });
    });
    b.freeScratch();
  }

  /// panel[k][lane] = b[.., first + k, firstColumn + lane], zero past the end.
  void emitPacking(Value first, Value count, Value columns) {
    OpOperand *operand = contraction.op.getDpsInputOperand(1);
    AffineMap map = contraction.op.getMatchingIndexingMap(operand);
    auto last = cast<AffineDimExpr>(map.getResults().back());
    auto type = cast<MemRefType>(operand->get().getType());
    if (last.getPosition() != contraction.column || !type.isLastDimUnitStride())
      return packElements(operand, first, count, columns);
    if (type.getElementType().isF32())
      return packRows(operand, first, count, [&](ValueRange at) -> Value {
        return vector::MaskedLoadOp::create(b, b.vectorType(lanes),
                                            operand->get(), at, mask,
                                            b.splat(lanes, 0));
      });
    // LLVM takes masked vectors of 16-bit floats apart, lane by lane.
    Value isFull =
        b.compare(arith::CmpIPredicate::sge, columns, b.index(lanes));
    b.ifElse(
        isFull,
        [&] {
          packRows(operand, first, count, [&](ValueRange at) {
            return emitToF32(b, b.loadVector(lanes, operand->get(), at));
          });
        },
        [&] { packElements(operand, first, count, columns); });
  }

  /// Columns that are neighbours, a row at a time.
  void packRows(OpOperand *operand, Value first, Value count,
                function_ref<Value(ValueRange)> loadRow) {
    b.loop(b.index(0), count, 1, [&](Value k) {
      Value row =
          loadRow(getIndices(operand, {}, firstColumn, b.add(first, k)));
      b.storeVector(row, panel, {k, b.index(0)});
    });
  }

  void packElements(OpOperand *operand, Value first, Value count,
                    Value columns) {
    b.loop(b.index(0), count, 1, [&](Value k) {
      b.storeVector(b.splat(lanes, 0), panel, {k, b.index(0)});
    });
    Value present = b.min(columns, b.index(lanes));
    b.loop(b.index(0), present, 1, [&](Value lane) {
      b.loop(b.index(0), count, 1, [&](Value k) {
        b.store(
            loadElement(operand, {}, b.add(firstColumn, lane), b.add(first, k)),
            panel, {k, lane});
      });
    });
  }

  /// Adds the panel's share to `count` rows from `row` on.
  void emitTile(Value row, int64_t count, Value first, Value depth) {
    SmallVector<Value> zeros(count, b.splat(lanes, 0));
    OpOperand *left = contraction.op.getDpsInputOperand(0);
    auto column = [&](Value k) {
      SmallVector<Value> scalars;
      for (int64_t r = 0; r < count; ++r)
        scalars.push_back(
            loadElement(left, b.add(row, r), {}, b.add(first, k)));
      return scalars;
    };
    auto lanesOfPanel = [&](Value k) {
      return b.loadVector(lanes, panel, {k, b.index(0)});
    };
    SmallVector<Value> sums =
        emitMicroKernel(b, depth, zeros, {column, lanesOfPanel});
    OpOperand *result = contraction.op.getDpsInitOperand(0);
    for (auto [r, sum] : llvm::enumerate(sums)) {
      SmallVector<Value> indices =
          getIndices(result, b.add(row, int64_t(r)), firstColumn, {});
      Value before =
          vector::MaskedLoadOp::create(b, b.vectorType(lanes), result->get(),
                                       indices, mask, b.splat(lanes, 0));
      vector::MaskedStoreOp::create(b, result->get(), indices, mask,
                                    b.fadd(before, sum));
    }
  }

  /// One element of an input, in f32.
  Value loadElement(OpOperand *operand, Value row, Value column, Value depth) {
    return emitToF32(
        b, b.load(operand->get(), getIndices(operand, row, column, depth)));
  }

  /// The operand's indices with the named loops at these values.
  SmallVector<Value> getIndices(OpOperand *operand, Value row, Value column,
                                Value depth) {
    SmallVector<Value> indices;
    AffineMap map = contraction.op.getMatchingIndexingMap(operand);
    for (AffineExpr expr : map.getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      indices.push_back(contraction.row == loop      ? row
                        : loop == contraction.column ? column
                        : loop == contraction.depth  ? depth
                                                     : at[loop]);
    }
    return indices;
  }

  KernelBuilder &b;
  Contraction contraction;
  int64_t lanes, tileRows;
  /// Extents of the op's loops, and the task's place in the outer ones.
  SmallVector<Value> sizes, at;
  Value firstColumn, mask, panel;
};

/// The register tile of the module's CPU; of the least one where the module
/// does not say which.
RegisterTile getRegisterTile(Operation *op) {
  CPUDescription least{/*cpu=*/"", /*vectorBits=*/128, /*l2Bytes=*/0};
  return CPUDescription::read(op).value_or(least).getRegisterTile();
}

struct ContractionsPass : posenc::impl::ContractionsPassBase<ContractionsPass> {
  void runOnOperation() override {
    SmallVector<Contraction> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!op.hasPureBufferSemantics() ||
          !linalg::isaContractionOpInterface(op))
        return;
      StringRef reason;
      FailureOr<Contraction> contraction = match(op, reason);
      if (succeeded(contraction))
        contractions.push_back(*contraction);
      else
        remarkMissed(op, "contractions")
            << remark::add("'{0}' runs as scalar loops, not in tiles",
                           op->getName().getStringRef())
            << remark::reason("{0}", reason);
    });
    RegisterTile tile = getRegisterTile(getOperation());
    for (Contraction contraction : contractions) {
      KernelBuilder b(contraction.op.getLoc(), contraction.op);
      ContractionEmitter(b, contraction, tile).emit();
      contraction.op->erase();
    }
  }
};
} // namespace
