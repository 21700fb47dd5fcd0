//===- Description.cpp - What a module says of its CPU --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Codegen/CPU/Target.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::posenc;

static constexpr llvm::StringLiteral kName = "cpu";
static constexpr llvm::StringLiteral kVectorBits = "max_vector_op_width";
static constexpr llvm::StringLiteral kL2Bytes = "L2_cache_size_in_bytes";

CPUDescription CPUDescription::of(const CPULevel &level) {
  return {level.name, level.vectorBits, level.l2Bytes};
}

TargetDeviceSpecInterface CPUDescription::toAttr(MLIRContext *context) const {
  Builder b(context);
  auto entry = [&](StringRef key, Attribute value) -> DataLayoutEntryInterface {
    return DataLayoutEntryAttr::get(b.getStringAttr(key), value);
  };
  return TargetDeviceSpecAttr::get(
      context, {entry(kName, b.getStringAttr(cpu)),
                entry(kVectorBits, b.getI64IntegerAttr(vectorBits)),
                entry(kL2Bytes, b.getI64IntegerAttr(l2Bytes))});
}

std::optional<CPUDescription> CPUDescription::read(Operation *op) {
  auto query = [&](StringRef key) -> Attribute {
    FailureOr<Attribute> value =
        dlti::query(op, ArrayRef<StringRef>{kDevice, key});
    return succeeded(value) ? *value : Attribute();
  };
  auto cpu = dyn_cast_or_null<StringAttr>(query(kName));
  auto vectorBits = dyn_cast_or_null<IntegerAttr>(query(kVectorBits));
  auto l2Bytes = dyn_cast_or_null<IntegerAttr>(query(kL2Bytes));
  if (!cpu || !vectorBits || !l2Bytes)
    return std::nullopt;
  return CPUDescription{cpu.getValue(), vectorBits.getInt(), l2Bytes.getInt()};
}

RegisterTile CPUDescription::getRegisterTile() const {
  // Lanes: four vectors of 512 bits, since an FMA's broadcast must be used four
  // times; two of 256 and four of 128 bits, which leave room for the
  // accumulators. A sixth row of strided scalars does not fit beside NEON's.
  if (vectorBits >= 512)
    return {/*lanes=*/64, /*rows=*/6};
  return {/*lanes=*/16, /*rows=*/vectorBits == 128 ? 5 : 6};
}
