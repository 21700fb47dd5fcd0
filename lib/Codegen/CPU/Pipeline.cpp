//===- Pipeline.cpp - The phase CodegenCPU --------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "posenc/Codegen/CPU/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// posenc and linalg on memrefs become loops, vectors and tasks: no scf.forall,
/// no linalg, no math function is left.
static void buildKernels(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(posenc::createAttentionPass());
  pm.addNestedPass<func::FuncOp>(posenc::createContractionsPass());
  pm.addNestedPass<func::FuncOp>(posenc::createLoopsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(posenc::createOutlineTasksPass());
  // No CPU adds in bf16; LLVM would round its sums by a library call.
  arith::ArithEmulateUnsupportedFloatsOptions wide;
  wide.sourceTypeStrs = {"bf16"};
  wide.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(wide));
  pm.addNestedPass<func::FuncOp>(posenc::createExpandMathPass());
  pm.addNestedPass<func::FuncOp>(posenc::createLowerVectorsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Structured control flow, vectors and memrefs become the LLVM dialect.
static void buildLowering(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createConvertVectorToSCFPass());
  pm.addPass(posenc::createLowerAssertsPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addNestedPass<func::FuncOp>(posenc::createLowerReshapesPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addNestedPass<func::FuncOp>(affine::createAffineExpandIndexOpsPass());
  pm.addPass(createLowerAffinePass());
  // Before anything that lowers math.fma to a call.
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertVectorToLLVMPass());
  FinalizeMemRefToLLVMConversionPassOptions memrefs;
  memrefs.useAlignedAlloc = true;
  memrefs.useGenericFunctions = true;
  pm.addPass(createFinalizeMemRefToLLVMConversionPass(memrefs));
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void posenc::buildCodegenCPUPipeline(OpPassManager &pm) {
  buildKernels(pm);
  buildLowering(pm);
}

void posenc::registerCodegenCPUPipeline() {
  PassPipelineRegistration<>(
      "posenc-codegen-cpu",
      "turns attention and linalg on memrefs into vector code and the LLVM "
      "dialect",
      buildCodegenCPUPipeline);
}
