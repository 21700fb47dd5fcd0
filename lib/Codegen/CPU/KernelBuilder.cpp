//===- KernelBuilder.cpp - Short spellings for kernel code ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace mlir;
using namespace mlir::posenc;

Value KernelBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value KernelBuilder::boolean(bool value) {
  return arith::ConstantOp::create(*this, getBoolAttr(value));
}

Value KernelBuilder::f32(float value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(value));
}

Value KernelBuilder::splat(int64_t width, float value) {
  return arith::ConstantOp::create(
      *this, DenseElementsAttr::get(vectorType(width), value));
}

Value KernelBuilder::broadcast(int64_t width, Value scalar) {
  return vector::BroadcastOp::create(
      *this, VectorType::get({width}, scalar.getType()), scalar);
}

Value KernelBuilder::fmax(Value a, Value b) {
  Value larger = arith::CmpFOp::create(*this, arith::CmpFPredicate::OGT, a, b);
  return arith::SelectOp::create(*this, larger, a, b);
}

Value KernelBuilder::constantLike(Value like, float value) {
  if (auto type = dyn_cast<VectorType>(like.getType()))
    return splat(type.getDimSize(0), value);
  return f32(value);
}

Value KernelBuilder::scratch(ArrayRef<int64_t> shape) {
  Value buffer = memref::AllocOp::create(
      *this, MemRefType::get(shape, getF32Type()), getI64IntegerAttr(64));
  scratchBuffers.push_back(buffer);
  return buffer;
}

void KernelBuilder::freeScratch() {
  for (Value buffer : llvm::reverse(scratchBuffers))
    memref::DeallocOp::create(*this, buffer);
  scratchBuffers.clear();
}

Value KernelBuilder::loadVector(int64_t width, Value memref, ValueRange at) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  return vector::LoadOp::create(*this, VectorType::get({width}, element),
                                memref, at);
}

void KernelBuilder::prefetch(Value memref, ValueRange at, unsigned locality) {
  memref::PrefetchOp::create(*this, memref, at, /*isWrite=*/false, locality,
                             /*isDataCache=*/true);
}

void KernelBuilder::loop(Value lower, Value upper, int64_t step,
                         function_ref<void(Value)> body) {
  loop(lower, upper, step, {}, [&](Value at, ValueRange) {
    body(at);
    return SmallVector<Value>();
  });
}

SmallVector<Value>
KernelBuilder::loop(Value lower, Value upper, int64_t step, ValueRange init,
                    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(
      *this, lower, upper, index(step), init,
      [&](OpBuilder &, Location, Value at, ValueRange carried) {
        scf::YieldOp::create(*this, body(at, carried));
      });
  return loop.getResults();
}

void KernelBuilder::ifElse(Value condition, function_ref<void()> whenTrue,
                           function_ref<void()> whenFalse) {
  auto emit = [&](function_ref<void()> body) {
    return [this, body](OpBuilder &, Location) {
      body();
      scf::YieldOp::create(*this);
    };
  };
  if (whenFalse)
    scf::IfOp::create(*this, condition, emit(whenTrue), emit(whenFalse));
  else
    scf::IfOp::create(*this, condition, emit(whenTrue));
}

void KernelBuilder::parallel(Value count, function_ref<void(Value)> body) {
  scf::ForallOp::create(
      *this, ArrayRef<OpFoldResult>{count}, /*outputs=*/ValueRange(),
      /*mapping=*/std::nullopt, [&](OpBuilder &, Location, ValueRange at) {
        body(at.front());
        scf::InParallelOp::create(*this);
      });
}
