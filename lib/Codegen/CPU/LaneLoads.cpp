//===- LaneLoads.cpp - Reads of all lanes at once -------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A read whose last index moves by one from lane to lane is a vector load, any
// other a gather. Two kinds of elements are read as integers of their size: i1,
// a byte in memory, of which a vector would be read as bits; and the 16-bit
// floats, whose masked loads LLVM takes apart into conversions.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "posenc/Codegen/CPU/Lanes.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Dialect/PosEnc/IR/Remarks.h"

using namespace mlir;
using namespace mlir::posenc;

/// Neighbouring lanes that are no neighbours in memory cost a load each.
static void reportGather(memref::LoadOp load) {
  auto op = load->getParentOfType<AttentionOp>();
  if (!op)
    return;
  MemRefType type = load.getMemRefType();
  remarkMissed(load, "attention")
      << remark::add("'{0}' gathers from a {1}, an element a lane",
                     op->getName().getStringRef(),
                     MemRefType::get(type.getShape(), type.getElementType()))
      << remark::reason("its last index is not the next one from lane to lane");
}

LaneValue Lanes::emitLoad(memref::LoadOp load, ArrayRef<LaneValue> operands,
                          unsigned level) {
  OpBuilder &b = levels[level];
  mlir::Value memref = operands.front().base;
  ArrayRef<LaneValue> at = operands.drop_front();
  Type element = load.getType();
  bool contiguous = !at.empty() && load.getMemRefType().isLastDimUnitStride() &&
                    !at.back().vector && at.back().step == 1 &&
                    llvm::all_of(at.drop_back(), [](const LaneValue &index) {
                      return index.isUniform();
                    });
  if (!contiguous)
    reportGather(load);
  mlir::Value lanes;
  if (element.isInteger(1) || isa<BFloat16Type, Float16Type>(element))
    lanes = emitBitsLoad(b, element, memref, at, contiguous);
  else if (contiguous)
    lanes = emitContiguousLoad(
        b, element, memref,
        llvm::map_to_vector(at, [](const LaneValue &i) { return i.base; }));
  else
    lanes = emitGather(b, element, memref, at);
  return {{}, 0, lanes, level};
}

mlir::Value Lanes::activeLanes(OpBuilder &b) {
  if (active)
    return active;
  return arith::ConstantOp::create(
      b, loc, b.getOneAttr(VectorType::get({width}, b.getI1Type())));
}

mlir::Value Lanes::emitContiguousLoad(OpBuilder &b, Type element,
                                      mlir::Value memref, ValueRange at) {
  auto type = VectorType::get({width}, element);
  mlir::Value lanes;
  if (active)
    lanes = vector::MaskedLoadOp::create(
        b, loc, type, memref, at, active,
        arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
  else
    lanes = vector::LoadOp::create(b, loc, type, memref, at);
  return element.isIndex()
             ? arith::IndexCastOp::create(b, loc, vectorType(element), lanes)
             : lanes;
}

/// The address of lane 0's scalar parts, in elements from the buffer's start.
mlir::Value Lanes::linearOffset(OpBuilder &b, mlir::Value memref,
                                ArrayRef<LaneValue> at) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  mlir::Value offset = metadata.getOffset();
  for (auto [index, stride] : llvm::zip_equal(at, metadata.getStrides())) {
    if (index.vector)
      continue;
    mlir::Value product = arith::MulIOp::create(b, loc, index.base, stride);
    offset = arith::AddIOp::create(b, loc, offset, product);
  }
  return offset;
}

/// What each lane adds to that address: i64, since a run-time stride may be
/// large.
mlir::Value Lanes::laneOffsets(OpBuilder &b, mlir::Value memref,
                               ArrayRef<LaneValue> at) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  auto type = VectorType::get({width}, b.getI64Type());
  mlir::Value sum;
  for (auto [index, stride] : llvm::zip_equal(at, metadata.getStrides())) {
    if (index.isUniform())
      continue;
    mlir::Value lanes;
    if (index.vector) {
      lanes = index.vector.getType() == type
                  ? index.vector
                  : arith::ExtSIOp::create(b, loc, type, index.vector);
    } else {
      SmallVector<int64_t> steps;
      for (int64_t lane = 0; lane < width; ++lane)
        steps.push_back(lane * index.step);
      lanes = arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(type, ArrayRef(steps)));
    }
    mlir::Value wide =
        arith::IndexCastOp::create(b, loc, b.getI64Type(), stride);
    mlir::Value product = arith::MulIOp::create(
        b, loc, lanes, vector::BroadcastOp::create(b, loc, type, wide));
    sum = sum ? arith::AddIOp::create(b, loc, sum, product) : product;
  }
  return sum;
}

mlir::Value Lanes::emitGather(OpBuilder &b, Type element, mlir::Value memref,
                              ArrayRef<LaneValue> at) {
  // The buffer as one dimension, from lane 0's address on.
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1});
  constexpr int64_t extent = std::numeric_limits<int32_t>::max();
  auto lineType =
      MemRefType::get({extent}, element, layout,
                      cast<MemRefType>(memref.getType()).getMemorySpace());
  mlir::Value line = memref::ReinterpretCastOp::create(
      b, loc, lineType, metadata.getBaseBuffer(),
      OpFoldResult(linearOffset(b, memref, at)),
      ArrayRef<OpFoldResult>{b.getIndexAttr(extent)},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  auto type = VectorType::get({width}, element);
  mlir::Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  mlir::Value lanes = vector::GatherOp::create(
      b, loc, type, line, ValueRange{zero}, laneOffsets(b, memref, at),
      activeLanes(b), arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
  return element.isIndex()
             ? arith::IndexCastOp::create(b, loc, vectorType(element), lanes)
             : lanes;
}

mlir::Value Lanes::emitBitsLoad(OpBuilder &b, Type element, mlir::Value memref,
                                ArrayRef<LaneValue> at, bool contiguous) {
  auto pointerType = LLVM::LLVMPointerType::get(b.getContext());
  unsigned bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  Type storage = b.getIntegerType(8 * bytes);
  auto type = VectorType::get({width}, storage);
  mlir::Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  auto toI64 = [&](mlir::Value index) -> mlir::Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  };
  mlir::Value buffer = LLVM::IntToPtrOp::create(
      b, loc, pointerType,
      toI64(memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref)));
  mlir::Value start =
      LLVM::GEPOp::create(b, loc, pointerType, storage, buffer,
                          ValueRange{toI64(linearOffset(b, memref, at))});
  mlir::Value bits;
  if (contiguous && !active) {
    bits = LLVM::LoadOp::create(b, loc, type, start, bytes);
  } else if (contiguous) {
    bits = LLVM::MaskedLoadOp::create(b, loc, type, start, active, zero, bytes);
  } else {
    mlir::Value pointers = LLVM::GEPOp::create(
        b, loc, VectorType::get({width}, pointerType), storage, start,
        ValueRange{laneOffsets(b, memref, at)});
    bits = LLVM::masked_gather::create(b, loc, type, pointers, activeLanes(b),
                                       zero, bytes);
  }
  if (element.isInteger(1))
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bits, zero);
  return arith::BitcastOp::create(b, loc, VectorType::get({width}, element),
                                  bits);
}
