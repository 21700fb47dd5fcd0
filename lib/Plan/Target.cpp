//===- Target.cpp - What Plan knows of a CPU ------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::posenc;

static constexpr StringLiteral kDevice = "CPU";
static constexpr StringLiteral kName = "cpu";
static constexpr StringLiteral kVectorBits = "max_vector_op_width";
static constexpr StringLiteral kL2Bytes = "L2_cache_size_in_bytes";

static TargetCPU getHostCPU() {
  if (llvm::Triple(llvm::sys::getProcessTriple()).isAArch64())
    return TargetCPU::AArch64;
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (!features.lookup("avx512f") || !features.lookup("avx512vl"))
    return TargetCPU::X86V3;
  return features.lookup("amx-bf16") ? TargetCPU::SapphireRapids
                                     : TargetCPU::X86V4;
}

Target Target::get(TargetCPU cpu) {
  constexpr int64_t kib = 1024;
  switch (cpu) {
  case TargetCPU::Native:
    return get(getHostCPU());
  case TargetCPU::X86V3:
    return {"x86-64-v3", 256, 256 * kib};
  case TargetCPU::X86V4:
    return {"x86-64-v4", 512, 1024 * kib};
  case TargetCPU::SapphireRapids:
    return {"sapphirerapids", 512, 2048 * kib};
  case TargetCPU::AArch64:
    return {"generic-aarch64", 128, 512 * kib};
  }
  llvm_unreachable("every CPU is listed");
}

void Target::attachTo(ModuleOp module) const {
  Builder b(module.getContext());
  auto entry = [&](StringRef key, Attribute value) -> DataLayoutEntryInterface {
    return DataLayoutEntryAttr::get(b.getStringAttr(key), value);
  };
  auto device = TargetDeviceSpecAttr::get(
      module.getContext(), {entry(kName, b.getStringAttr(cpu)),
                            entry(kVectorBits, b.getI64IntegerAttr(vectorBits)),
                            entry(kL2Bytes, b.getI64IntegerAttr(l2Bytes))});
  module->setAttr(
      DLTIDialect::kTargetSystemDescAttrName,
      TargetSystemSpecAttr::get(module.getContext(), {entry(kDevice, device)}));
}

FailureOr<Target> Target::read(Operation *op) {
  auto query = [&](StringRef key) -> Attribute {
    FailureOr<Attribute> value =
        dlti::query(op, ArrayRef<StringRef>{kDevice, key});
    return succeeded(value) ? *value : Attribute();
  };
  auto cpu = dyn_cast_or_null<StringAttr>(query(kName));
  auto vectorBits = dyn_cast_or_null<IntegerAttr>(query(kVectorBits));
  auto l2Bytes = dyn_cast_or_null<IntegerAttr>(query(kL2Bytes));
  if (!cpu || !vectorBits || !l2Bytes)
    return op->emitError() << "the module does not say what CPU it is for; run "
                              "posenc-attach-target before";
  return Target{cpu.str(), vectorBits.getInt(), l2Bytes.getInt()};
}
