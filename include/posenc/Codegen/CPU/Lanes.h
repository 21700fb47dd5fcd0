//===- Lanes.h - A formula as vector code -----------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A domain of the region interpreter. The kernel says which index varies from
// lane to lane; the domain emits what the formula means for all lanes at once,
// and emits each op in the outermost place where its operands are known.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_CODEGEN_CPU_LANES_H
#define POSENC_CODEGEN_CPU_LANES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>

namespace mlir::posenc {

/// What one value of a formula is in the lanes of a vector: a scalar that all
/// lanes share, a scalar plus a multiple of the lane's number, or a vector.
struct LaneValue {
  /// Of the formula's own type; null where `vector` is set.
  Value base = {};
  /// Lane `l` holds `base + l * step`; nonzero for integers and indices only.
  int64_t step = 0;
  /// One element a lane; indices as i32, or as i64 where `magnitude` is larger.
  Value vector = {};
  /// The innermost level whose index it depends on.
  unsigned level = 0;
  /// Of an index: the most that its absolute value may be. Sizes, positions and
  /// offsets, and sums of them, are below 2^31.
  int64_t magnitude = kPositions;
  static constexpr int64_t kPositions = std::numeric_limits<int32_t>::max();

  bool isUniform() const { return !vector && step == 0; }
  bool operator==(const LaneValue &other) const {
    return base == other.base && step == other.step && vector == other.vector &&
           level == other.level && magnitude == other.magnitude;
  }
};

/// The domain (see Formula/RegionInterpreter.h).
///
/// *Levels* are insertion points from the outside in: an op is emitted at the
/// level of its innermost operand. Each must dominate the next, and take new
/// ops after those already there.
///
/// Indices vary by i32 arithmetic: callers keep sizes plus offsets under 2^31.
/// What may be larger, as a product of indices and sizes (the linear index of
/// an element), varies by i64 arithmetic. Addresses are 64-bit: the scalar part
/// of an index stays `index`, and a lane's share of an address is i64 wherever
/// a run-time stride multiplies it.
class Lanes {
public:
  using Value = LaneValue;

  /// `active` (`vector<width x i1>`, may be null: all) says which lanes exist;
  /// nothing is read for the others. It must be visible at every level.
  Lanes(Location loc, int64_t width, ArrayRef<OpBuilder> levels,
        mlir::Value active = {})
      : loc(loc), width(width), levels(levels), active(active) {}

  /// What a read gives in all lanes where the caller has it at hand, as a
  /// vector emitted at the innermost level; null where it does not.
  using KnownRead = std::function<mlir::Value(memref::LoadOp)>;
  void setKnownReads(KnownRead read) { knownRead = std::move(read); }

  LaneValue capture(mlir::Value value);
  LaneValue index(int64_t constant);
  SmallVector<LaneValue> apply(Operation *op, ArrayRef<LaneValue> operands);

  /// Loops of many trips stay loops, at the innermost level: unrolled, they
  /// would be most of the kernel.
  bool keepsLoop(scf::ForOp loop) const;
  SmallVector<LaneValue>
  emitLoop(scf::ForOp loop, ArrayRef<LaneValue> carried,
           llvm::function_ref<SmallVector<LaneValue>(ArrayRef<LaneValue>)>
               interpretBody);

  /// All lanes as a vector; indices as i32 or i64.
  mlir::Value asVector(const LaneValue &value);

private:
  /// The type of a vector of `type` in all lanes, of indices up to `magnitude`.
  VectorType vectorType(Type type,
                        int64_t magnitude = LaneValue::kPositions) const;
  /// An index's lanes as i64.
  mlir::Value asWideVector(const LaneValue &value);
  SmallVector<LaneValue> emit(Operation *op, ArrayRef<LaneValue> operands,
                              unsigned level);
  std::optional<LaneValue>
  emitAffine(Operation *op, ArrayRef<LaneValue> operands, unsigned level);
  LaneValue emitQuotient(Operation *op, ArrayRef<LaneValue> operands,
                         unsigned level);
  LaneValue emitIndexCast(Operation *op, const LaneValue &operand,
                          unsigned level);
  SmallVector<LaneValue>
  emitElementwise(Operation *op, ArrayRef<LaneValue> operands, unsigned level);

  // Loads: LaneLoads.cpp.
  LaneValue emitLoad(memref::LoadOp load, ArrayRef<LaneValue> operands,
                     unsigned level);
  mlir::Value emitContiguousLoad(OpBuilder &b, Type element, mlir::Value memref,
                                 ValueRange at);
  mlir::Value emitGather(OpBuilder &b, Type element, mlir::Value memref,
                         ArrayRef<LaneValue> at);
  mlir::Value emitBitsLoad(OpBuilder &b, Type element, mlir::Value memref,
                           ArrayRef<LaneValue> at, bool contiguous);
  mlir::Value linearOffset(OpBuilder &b, mlir::Value memref,
                           ArrayRef<LaneValue> at);
  mlir::Value laneOffsets(OpBuilder &b, mlir::Value memref,
                          ArrayRef<LaneValue> at);
  mlir::Value activeLanes(OpBuilder &b);

  Location loc;
  int64_t width;
  SmallVector<OpBuilder> levels;
  mlir::Value active;
  KnownRead knownRead;
  /// What ops above the innermost level gave, so that rows share it.
  struct Emitted {
    SmallVector<LaneValue> operands, results;
  };
  llvm::DenseMap<Operation *, SmallVector<Emitted, 1>> hoisted;
};

} // namespace mlir::posenc

#endif // POSENC_CODEGEN_CPU_LANES_H
