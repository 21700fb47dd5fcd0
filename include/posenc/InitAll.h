//===- InitAll.h - Everything posenc registers ------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_INITALL_H
#define POSENC_INITALL_H

#include "mlir/IR/DialectRegistry.h"
#include "posenc/Codegen/CPU/Passes.h"
#include "posenc/Codegen/CPU/Target.h"
#include "posenc/Dialect/PosEnc/IR/BufferizableOpInterfaceImpl.h"
#include "posenc/Dialect/PosEnc/IR/PosEnc.h"
#include "posenc/Fuse/Passes.h"
#include "posenc/Import/Passes.h"
#include "posenc/Object/Passes.h"
#include "posenc/Plan/Passes.h"
#include "posenc/Simplify/Passes.h"

namespace mlir::posenc {

/// The dialect and the interfaces it implements for other dialects' passes.
inline void registerAllDialects(DialectRegistry &registry) {
  registry.insert<PosEncDialect>();
  registerImportDialects(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
  registerFuseExternalModels(registry);
  registerPlanExternalModels(registry);
  registerCPUTarget(registry);
}

/// The passes and pipelines of every phase.
inline void registerAllPasses() {
  registerImportPasses();
  registerImportPipeline();
  registerSimplifyPasses();
  registerSimplifyPipeline();
  registerFusePasses();
  registerFusePipeline();
  registerPlanPasses();
  registerPlanPipeline();
  registerCodegenCPUPasses();
  registerCodegenCPUPipeline();
  registerObjectPasses();
}

} // namespace mlir::posenc

#endif // POSENC_INITALL_H
