//===- Artifact.cpp - Files from a compiled module ------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates, links with the runtime's bitcode, optimises, emits.
//
//===----------------------------------------------------------------------===//

#include "posenc/Object/Artifact.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace mlir::posenc;

namespace {

/// Collects what LLVM reports as errors.
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

class ArtifactBuilder {
public:
  explicit ArtifactBuilder(const ObjectOptions &options) : options(options) {
    context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  }

  llvm::Error build(ModuleOp source);
  llvm::Expected<std::string> emit(ArtifactKind kind);

private:
  void setTargetAttributes(ArrayRef<EntryFunction> entries);
  llvm::Error linkRuntime();
  void hideAllBut(ArrayRef<EntryFunction> entries);
  void runPasses(
      llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)> build);
  llvm::Expected<std::string> emitCode(llvm::CodeGenFileType type);
  llvm::Error collected(StringRef what) {
    return llvm::createStringError(what +
                                   (errors.empty() ? "" : ": " + errors));
  }

  const ObjectOptions &options;
  std::string errors;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

} // namespace

/// The C functions run before the CPU is known to have more than the baseline.
void ArtifactBuilder::setTargetAttributes(ArrayRef<EntryFunction> entries) {
  for (llvm::Function &function : *module) {
    if (function.isDeclaration())
      continue;
    bool isEntry = !function.hasLocalLinkage() &&
                   llvm::any_of(entries, [&](const EntryFunction &entry) {
                     return function.getName() == entry.name ||
                            function.getName() == entry.getShapesName();
                   });
    const CodegenTarget &target = options.target;
    function.addFnAttr("target-cpu", isEntry ? target.baseline : target.cpu);
    if (isEntry)
      continue;
    function.addFnAttr("tune-cpu", target.tune);
    function.addFnAttr("prefer-vector-width",
                       std::to_string(target.vectorBits));
    function.addFnAttr("no-trapping-math", "true");
  }
}

llvm::Error ArtifactBuilder::linkRuntime() {
  llvm::Triple::ArchType arch = options.target.triple.getArch();
  for (StringRef bytes : {getRuntimeCoreBitcode(arch),
                          getRuntimeThreadsBitcode(arch, options.threads)}) {
    if (bytes.empty())
      return llvm::createStringError(
          "--cpu=" + options.target.name +
          ": this compiler was built without a runtime for that architecture");
    llvm::Expected<std::unique_ptr<llvm::Module>> runtime =
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "runtime"),
                               context);
    if (!runtime)
      return runtime.takeError();
    (*runtime)->setTargetTriple(module->getTargetTriple());
    (*runtime)->setDataLayout(module->getDataLayout());
    if (llvm::Linker::linkModules(*module, std::move(*runtime)))
      return collected("cannot link the runtime");
  }
  return llvm::Error::success();
}

/// The library shows its C functions, their table and the runtime's weak ones,
/// else nothing.
void ArtifactBuilder::hideAllBut(ArrayRef<EntryFunction> entries) {
  llvm::StringSet<> shown;
  for (StringRef name : getRuntimeExports(options.threads))
    shown.insert(name);
  shown.insert(kLibrarySymbol);
  for (const EntryFunction &entry : entries) {
    shown.insert(entry.name);
    shown.insert(entry.getShapesName());
  }
  llvm::internalizeModule(*module, [&](const llvm::GlobalValue &value) {
    return shown.contains(value.getName());
  });
}

void ArtifactBuilder::runPasses(
    llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)> build) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(machine.get(), tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  build(builder).run(*module, modules);
}

llvm::Error ArtifactBuilder::build(ModuleOp source) {
  FailureOr<SmallVector<EntryFunction>> entries = readEntries(source);
  if (failed(entries))
    return llvm::createStringError("the module has no valid entries");
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> created =
      createTargetMachine(options.target);
  if (!created)
    return created.takeError();
  machine = std::move(*created);
  module = translateModuleToLLVMIR(source, context, "posenc");
  if (!module)
    return collected("the module does not translate to LLVM IR");
  module->setTargetTriple(options.target.triple);
  module->setDataLayout(machine->createDataLayout());
  module->setPICLevel(llvm::PICLevel::BigPIC);
  setTargetAttributes(*entries);
  hideAllBut(*entries);
  runPasses([](llvm::PassBuilder &builder) {
    return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  });
  // The runtime comes optimised: what is left to do is to drop the unused.
  if (llvm::Error error = linkRuntime())
    return error;
  hideAllBut(*entries);
  runPasses([](llvm::PassBuilder &) {
    llvm::ModulePassManager passes;
    passes.addPass(llvm::GlobalDCEPass());
    return passes;
  });
  if (!errors.empty())
    return collected("LLVM");
  return llvm::Error::success();
}

llvm::Expected<std::string>
ArtifactBuilder::emitCode(llvm::CodeGenFileType type) {
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, type))
    return llvm::createStringError("no code generator for " +
                                   options.target.name);
  passes.run(*module);
  if (!errors.empty())
    return collected("LLVM");
  return std::string(bytes.begin(), bytes.end());
}

llvm::Expected<std::string> ArtifactBuilder::emit(ArtifactKind kind) {
  switch (kind) {
  case ArtifactKind::LLVMIR: {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, nullptr);
    return text;
  }
  case ArtifactKind::Assembly:
    return emitCode(llvm::CodeGenFileType::AssemblyFile);
  case ArtifactKind::Object:
    return emitCode(llvm::CodeGenFileType::ObjectFile);
  case ArtifactKind::Archive:
  case ArtifactKind::SharedLibrary: {
    llvm::Expected<std::string> object =
        emitCode(llvm::CodeGenFileType::ObjectFile);
    if (!object)
      return object.takeError();
    return kind == ArtifactKind::Archive ? archiveObject(*object, options)
                                         : linkSharedLibrary(*object, options);
  }
  case ArtifactKind::IR:
    break;
  }
  llvm_unreachable("IR is printed by the pipeline");
}

llvm::Expected<std::string> posenc::emitArtifact(ModuleOp module,
                                                 ArtifactKind kind,
                                                 const ObjectOptions &options) {
  ArtifactBuilder builder(options);
  if (llvm::Error error = builder.build(module))
    return error;
  return builder.emit(kind);
}
