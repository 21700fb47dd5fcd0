//===- KernelBuilder.h - Short spellings for kernel code --------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builder that the CPU kernels emit with: folded index arithmetic, f32
// vectors, loops whose bodies are functions.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_CODEGEN_CPU_KERNELBUILDER_H
#define POSENC_LIB_CODEGEN_CPU_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::posenc {

class KernelBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  //===--------------------------------------------------------------------===//
  // Indices
  //===--------------------------------------------------------------------===//

  Value index(int64_t value);
  Value add(Value a, Value b) { return createOrFold<arith::AddIOp>(a, b); }
  Value add(Value a, int64_t b) { return b ? add(a, index(b)) : a; }
  Value sub(Value a, Value b) { return createOrFold<arith::SubIOp>(a, b); }
  Value mul(Value a, Value b) { return createOrFold<arith::MulIOp>(a, b); }
  Value mul(Value a, int64_t b) { return mul(a, index(b)); }
  /// Quotient and remainder of indices that are not negative.
  Value div(Value a, Value b) { return createOrFold<arith::DivUIOp>(a, b); }
  Value div(Value a, int64_t b) { return div(a, index(b)); }
  Value rem(Value a, Value b) { return createOrFold<arith::RemUIOp>(a, b); }
  Value rem(Value a, int64_t b) { return rem(a, index(b)); }
  /// The least number of blocks of `b` that cover `a >= 0`.
  Value ceilDiv(Value a, int64_t b) { return div(add(a, b - 1), b); }
  Value min(Value a, Value b) { return createOrFold<arith::MinSIOp>(a, b); }
  Value max(Value a, Value b) { return createOrFold<arith::MaxSIOp>(a, b); }
  /// `value` within `[low, high]`.
  Value clamp(Value value, Value low, Value high) {
    return min(max(value, low), high);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return createOrFold<arith::CmpIOp>(predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return createOrFold<arith::SelectOp>(condition, a, b);
  }
  Value boolean(bool value);

  //===--------------------------------------------------------------------===//
  // f32 scalars and vectors
  //===--------------------------------------------------------------------===//

  VectorType vectorType(int64_t width) {
    return VectorType::get({width}, getF32Type());
  }
  Value f32(float value);
  Value splat(int64_t width, float value);
  Value broadcast(int64_t width, Value scalar);
  Value fadd(Value a, Value b) { return createOrFold<arith::AddFOp>(a, b); }
  Value fsub(Value a, Value b) { return createOrFold<arith::SubFOp>(a, b); }
  Value fmul(Value a, Value b) { return createOrFold<arith::MulFOp>(a, b); }
  Value fdiv(Value a, Value b) { return createOrFold<arith::DivFOp>(a, b); }
  /// a * b + c, of vectors.
  Value fma(Value a, Value b, Value c) {
    return vector::FMAOp::create(*this, a, b, c);
  }
  /// The larger of two, `b` where either is not a number: one instruction.
  Value fmax(Value a, Value b);
  /// The constant of `like`'s type (f32 or a vector of it).
  Value constantLike(Value like, float value);

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// Scratch of a task: constant size, aligned to a cache line, freed by
  /// `freeScratch`.
  Value scratch(ArrayRef<int64_t> shape);
  void freeScratch();
  Value load(Value memref, ValueRange at) {
    return memref::LoadOp::create(*this, memref, at);
  }
  void store(Value value, Value memref, ValueRange at) {
    memref::StoreOp::create(*this, value, memref, at);
  }
  /// `width` neighbours, in the element type of `memref`.
  Value loadVector(int64_t width, Value memref, ValueRange at);
  void storeVector(Value vector, Value memref, ValueRange at) {
    vector::StoreOp::create(*this, vector, memref, at);
  }
  /// Asks for the cache line of an element; `locality` 3 is the nearest cache.
  void prefetch(Value memref, ValueRange at, unsigned locality);

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  void loop(Value lower, Value upper, int64_t step,
            function_ref<void(Value)> body);
  SmallVector<Value>
  loop(Value lower, Value upper, int64_t step, ValueRange init,
       function_ref<SmallVector<Value>(Value, ValueRange)> body);
  void ifElse(Value condition, function_ref<void()> whenTrue,
              function_ref<void()> whenFalse = {});
  /// One parallel loop over `[0, count)`.
  void parallel(Value count, function_ref<void(Value)> body);

private:
  SmallVector<Value> scratchBuffers;
};

} // namespace mlir::posenc

#endif // POSENC_LIB_CODEGEN_CPU_KERNELBUILDER_H
