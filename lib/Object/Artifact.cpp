//===- Artifact.cpp - Files from a compiled module ------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates the compilations for each CPU and the C functions over them, links
// and optimises these, emits, and links with the runtime.
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
  ArtifactBuilder(ArrayRef<EntryFunction> entries, ArrayRef<Variant> variants,
                  const ObjectOptions &options)
      : entries(entries), variants(variants), options(options) {
    context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  }

  llvm::Error build(ArtifactKind kind);
  llvm::Expected<std::string> emit(ArtifactKind kind);

private:
  llvm::Error translateEntries();
  llvm::Error linkVariant(const Variant &variant);
  llvm::Error linkRuntimeBitcode();
  SmallVector<std::string> getShownSymbols() const;
  void hideAllButShown();
  llvm::Error runPasses(StringRef pipeline);
  llvm::Expected<std::string> emitCode(llvm::CodeGenFileType type);
  llvm::Expected<std::string> linkObjects(ArtifactKind kind, StringRef graph);
  llvm::Error collected(const llvm::Twine &what) {
    return llvm::createStringError(what +
                                   (errors.empty() ? "" : ": " + errors));
  }

  /// The one that all of them share: architecture and baseline.
  const CodegenTarget &getCommonTarget() const {
    return variants.front().target;
  }

  ArrayRef<EntryFunction> entries;
  ArrayRef<Variant> variants;
  const ObjectOptions &options;
  SmallVector<RuntimePart, 2> runtime;
  std::string errors;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

} // namespace

/// The C functions run before the CPU is known to have more than the baseline.
llvm::Error ArtifactBuilder::translateEntries() {
  MLIRContext *mlirContext = variants.front().module->getContext();
  OwningOpRef<ModuleOp> source = ModuleOp::create(UnknownLoc::get(mlirContext));
  emitEntries(*source, entries,
              llvm::map_to_vector(variants, [](const Variant &variant) {
                return variant.target.level;
              }));
  module = translateModuleToLLVMIR(*source, context, "posenc");
  if (!module)
    return collected("the C functions do not translate to LLVM IR");
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  module->setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : *module)
    if (!function.isDeclaration())
      function.addFnAttr("target-cpu", getCommonTarget().level->baseline);
  return llvm::Error::success();
}

static void setTargetAttributes(llvm::Module &module,
                                const CodegenTarget &target) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.level->baseline);
    function.addFnAttr("target-features", target.getFeatures());
    function.addFnAttr("tune-cpu", target.tune);
    function.addFnAttr("prefer-vector-width",
                       std::to_string(target.level->vectorBits));
    function.addFnAttr("no-trapping-math", "true");
  }
}

/// What `module` defines gets `suffix`, and its constants no identity, so that
/// LLVM may keep one of several equal ones.
static void renameDefinitions(llvm::Module &module, StringRef suffix) {
  for (llvm::GlobalValue &value : module.global_values())
    if (!value.isDeclaration())
      value.setName(value.getName() + suffix);
  for (llvm::GlobalVariable &global : module.globals())
    if (global.hasLocalLinkage() && global.isConstant())
      global.setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
}

llvm::Error ArtifactBuilder::linkVariant(const Variant &variant) {
  std::unique_ptr<llvm::Module> body =
      translateModuleToLLVMIR(variant.module, context, "posenc");
  if (!body)
    return collected("the module does not translate to LLVM IR");
  body->setTargetTriple(module->getTargetTriple());
  body->setDataLayout(module->getDataLayout());
  body->setPICLevel(llvm::PICLevel::BigPIC);
  setTargetAttributes(*body, variant.target);
  renameDefinitions(*body, variant.target.level->getSymbolSuffix());
  if (llvm::Linker::linkModules(*module, std::move(body)))
    return collected("cannot link the code for " + variant.target.level->name);
  return llvm::Error::success();
}

/// For readers: what runs is linked as objects.
llvm::Error ArtifactBuilder::linkRuntimeBitcode() {
  for (const RuntimePart &part : runtime) {
    llvm::Expected<std::unique_ptr<llvm::Module>> parsed =
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(part.bitcode, "runtime"),
                               context);
    if (!parsed)
      return parsed.takeError();
    (*parsed)->setTargetTriple(module->getTargetTriple());
    (*parsed)->setDataLayout(module->getDataLayout());
    if (llvm::Linker::linkModules(*module, std::move(*parsed)))
      return collected("cannot link the runtime");
  }
  hideAllButShown();
  return runPasses("globaldce");
}

/// The library shows its C functions, their table and the runtime's weak ones,
/// else nothing.
SmallVector<std::string> ArtifactBuilder::getShownSymbols() const {
  SmallVector<std::string> shown = {kLibrarySymbol.str()};
  for (StringRef name : getRuntimeExports(options.threads))
    shown.push_back(name.str());
  for (const EntryFunction &entry : entries)
    shown.append({entry.name.str(), entry.getShapesName()});
  return shown;
}

void ArtifactBuilder::hideAllButShown() {
  SmallVector<std::string> shown = getShownSymbols();
  llvm::internalizeModule(*module, [&](const llvm::GlobalValue &value) {
    return llvm::is_contained(shown, value.getName());
  });
}

/// Kernels come tiled, unrolled and in vectors, so that half of LLVM's default
/// pipeline would find nothing to do, in most of its time. What it adds: loops
/// of elementwise ops in vectors, shared and hoisted addresses.
static constexpr StringLiteral kOptimizations =
    "function<eager-inv>("
    "sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm<allowspeculation>),gvn,loop(indvars),"
    "loop-vectorize,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(licm<allowspeculation>)),"
    "globaldce";

llvm::Error ArtifactBuilder::runPasses(StringRef pipeline) {
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
  passes.run(*module, modules);
  return llvm::Error::success();
}

llvm::Error ArtifactBuilder::build(ArtifactKind kind) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> created =
      createTargetMachine(getCommonTarget());
  if (!created)
    return created.takeError();
  machine = std::move(*created);
  runtime =
      getRuntimeParts(machine->getTargetTriple().getArch(), options.threads);
  if (runtime.empty())
    return llvm::createStringError(
        "--cpu=" + getCommonTarget().level->name +
        ": this compiler was built without a runtime for that architecture");
  if (llvm::Error error = translateEntries())
    return error;
  for (const Variant &variant : variants)
    if (llvm::Error error = linkVariant(variant))
      return error;
  hideAllButShown();
  if (llvm::Error error = runPasses(kOptimizations))
    return error;
  if (kind == ArtifactKind::LLVMIR || kind == ArtifactKind::Assembly)
    if (llvm::Error error = linkRuntimeBitcode())
      return error;
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
                                   getCommonTarget().level->name);
  passes.run(*module);
  if (!errors.empty())
    return collected("LLVM");
  return std::string(bytes.begin(), bytes.end());
}

/// A file of `kind` from the object `graph` and the runtime's.
llvm::Expected<std::string> ArtifactBuilder::linkObjects(ArtifactKind kind,
                                                         StringRef graph) {
  SmallVector<StringRef> objects = {graph};
  for (const RuntimePart &part : runtime)
    objects.push_back(part.object);
  if (kind == ArtifactKind::SharedLibrary)
    return linkSharedLibrary(objects, machine->getTargetTriple(), options);
  llvm::Expected<std::string> merged = mergeObjects(objects, getShownSymbols());
  if (!merged || kind == ArtifactKind::Object)
    return merged;
  return archiveObject(*merged);
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
  case ArtifactKind::Archive:
  case ArtifactKind::SharedLibrary: {
    llvm::Expected<std::string> graph =
        emitCode(llvm::CodeGenFileType::ObjectFile);
    if (!graph)
      return graph.takeError();
    return linkObjects(kind, *graph);
  }
  case ArtifactKind::IR:
    break;
  }
  llvm_unreachable("IR is printed by the pipeline");
}

llvm::Expected<std::string>
posenc::emitArtifact(ArrayRef<EntryFunction> entries,
                     ArrayRef<Variant> variants, ArtifactKind kind,
                     const ObjectOptions &options) {
  ArtifactBuilder builder(entries, variants, options);
  if (llvm::Error error = builder.build(kind))
    return error;
  return builder.emit(kind);
}
