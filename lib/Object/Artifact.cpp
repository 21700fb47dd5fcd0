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
#include "CodeGenerator.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace mlir::posenc;

namespace {

class ArtifactBuilder {
public:
  ArtifactBuilder(ArrayRef<EntryFunction> entries, ArrayRef<Variant> variants,
                  const ObjectOptions &options)
      : entries(entries), variants(variants), options(options) {}

  llvm::Error build();
  llvm::Expected<std::string> emit(ArtifactKind kind);

private:
  llvm::Error translateEntries();
  llvm::Error linkVariant(const Variant &variant);
  llvm::Error linkRuntimeBitcode();
  SmallVector<std::string> getShownSymbols() const;
  void hideAllButShown();
  llvm::Expected<std::string> emitText(ArtifactKind kind);
  llvm::Expected<std::string> emitBinary(ArtifactKind kind);

  /// The one that all of them share: architecture and baseline.
  const CodegenTarget &getCommonTarget() const {
    return variants.front().target;
  }

  ArrayRef<EntryFunction> entries;
  ArrayRef<Variant> variants;
  const ObjectOptions &options;
  SmallVector<RuntimePart, 2> runtime;
  std::unique_ptr<CodeGenerator> generator;
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
  module = translateModuleToLLVMIR(*source, generator->getContext(), "posenc");
  if (!module)
    return generator->collected("the C functions do not translate to LLVM IR");
  module->setTargetTriple(generator->getMachine().getTargetTriple());
  module->setDataLayout(generator->getMachine().createDataLayout());
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
  std::unique_ptr<llvm::Module> body = translateModuleToLLVMIR(
      variant.module, generator->getContext(), "posenc");
  if (!body)
    return generator->collected("the module does not translate to LLVM IR");
  body->setTargetTriple(module->getTargetTriple());
  body->setDataLayout(module->getDataLayout());
  body->setPICLevel(llvm::PICLevel::BigPIC);
  setTargetAttributes(*body, variant.target);
  renameDefinitions(*body, variant.target.level->getSymbolSuffix());
  if (llvm::Linker::linkModules(*module, std::move(body)))
    return generator->collected("cannot link the code for " +
                                variant.target.level->name);
  return llvm::Error::success();
}

/// For readers: what runs is linked as objects.
llvm::Error ArtifactBuilder::linkRuntimeBitcode() {
  for (const RuntimePart &part : runtime) {
    llvm::Expected<std::unique_ptr<llvm::Module>> parsed =
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(part.bitcode, "runtime"),
                               generator->getContext());
    if (!parsed)
      return parsed.takeError();
    (*parsed)->setTargetTriple(module->getTargetTriple());
    (*parsed)->setDataLayout(module->getDataLayout());
    if (llvm::Linker::linkModules(*module, std::move(*parsed)))
      return generator->collected("cannot link the runtime");
  }
  hideAllButShown();
  return generator->runPasses(*module, "globaldce");
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

llvm::Error ArtifactBuilder::build() {
  llvm::Expected<std::unique_ptr<CodeGenerator>> created =
      CodeGenerator::create(getCommonTarget());
  if (!created)
    return created.takeError();
  generator = std::move(*created);
  runtime = getRuntimeParts(generator->getMachine().getTargetTriple().getArch(),
                            options.threads);
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
  // The code for several CPUs shares its constants.
  return generator->runPasses(*module, "constmerge,globaldce");
}

/// The whole program in one module, for readers and other compilers.
llvm::Expected<std::string> ArtifactBuilder::emitText(ArtifactKind kind) {
  if (llvm::Error error = generator->optimize(*module))
    return error;
  if (llvm::Error error = linkRuntimeBitcode())
    return error;
  if (kind == ArtifactKind::Assembly)
    return generator->emit(*module, llvm::CodeGenFileType::AssemblyFile);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

llvm::Expected<std::string> ArtifactBuilder::emitBinary(ArtifactKind kind) {
  llvm::Expected<SmallVector<std::string>> graph =
      compileObjects(std::move(module), *generator, getCommonTarget());
  if (!graph)
    return graph.takeError();
  SmallVector<StringRef> objects(graph->begin(), graph->end());
  for (const RuntimePart &part : runtime)
    objects.push_back(part.object);
  if (kind == ArtifactKind::SharedLibrary)
    return linkSharedLibrary(objects, generator->getMachine().getTargetTriple(),
                             options);
  llvm::Expected<std::string> merged = mergeObjects(objects, getShownSymbols());
  if (!merged || kind == ArtifactKind::Object)
    return merged;
  return archiveObject(*merged);
}

llvm::Expected<std::string> ArtifactBuilder::emit(ArtifactKind kind) {
  switch (kind) {
  case ArtifactKind::LLVMIR:
  case ArtifactKind::Assembly:
    return emitText(kind);
  case ArtifactKind::Object:
  case ArtifactKind::Archive:
  case ArtifactKind::SharedLibrary:
    return emitBinary(kind);
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
  if (llvm::Error error = builder.build())
    return error;
  return builder.emit(kind);
}
