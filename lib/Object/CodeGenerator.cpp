//===- CodeGenerator.cpp - Machine code of LLVM modules -------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeGenerator.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::posenc;

namespace {
/// Keeps the first error that LLVM reports.
struct ErrorCollector : llvm::DiagnosticHandler {
  explicit ErrorCollector(std::string &text) : text(text) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error || !text.empty())
      return true;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

  std::string &text;
};
} // namespace

CodeGenerator::CodeGenerator() {
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
}

llvm::Expected<std::unique_ptr<CodeGenerator>>
CodeGenerator::create(const CodegenTarget &target) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  std::unique_ptr<CodeGenerator> generator(new CodeGenerator());
  generator->machine = std::move(*machine);
  return generator;
}

llvm::Error CodeGenerator::collected(const llvm::Twine &what) {
  return llvm::createStringError(what + (errors.empty() ? "" : ": " + errors));
}

llvm::Error CodeGenerator::runPasses(llvm::Module &module,
                                     llvm::StringRef pipeline) {
  llvm::PassBuilder builder(machine.get());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, pipeline))
    return error;
  passes.run(module, modules);
  return errors.empty() ? llvm::Error::success() : collected("LLVM");
}

llvm::Error CodeGenerator::optimize(llvm::Module &module) {
  // Kernels come tiled, unrolled and in vectors, so that half of LLVM's default
  // pipeline would find nothing to do, in most of its time. What this adds:
  // loops of elementwise ops in vectors, shared and hoisted addresses.
  return runPasses(
      module, "function<eager-inv>("
              "sroa,early-cse<memssa>,simplifycfg,"
              "instcombine<no-verify-fixpoint>,"
              "loop-mssa(loop-rotate,licm<allowspeculation>),gvn,loop(indvars),"
              "loop-vectorize,instcombine<no-verify-fixpoint>,simplifycfg,"
              "loop-mssa(licm<allowspeculation>),slp-vectorizer)");
}

llvm::Expected<std::string> CodeGenerator::emit(llvm::Module &module,
                                                llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, type))
    return llvm::createStringError("no code generator for " +
                                   machine->getTargetTriple().str());
  passes.run(module);
  if (!errors.empty())
    return collected("LLVM");
  return std::string(bytes.begin(), bytes.end());
}
