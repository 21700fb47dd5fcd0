//===- Compile.cpp - From a graph to a library ----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses, runs the phases one by one, emits.
//
//===----------------------------------------------------------------------===//

#include "Messages.h"
#include "posenc/Codegen/CPU/Passes.h"
#include "posenc/Codegen/CPU/Target.h"
#include "posenc/Dialect/PosEnc/IR/EntryAbi.h"
#include "posenc/Fuse/Passes.h"
#include "posenc/Import/Passes.h"
#include "posenc/Object/Passes.h"
#include "posenc/Pipeline/Pipeline.h"
#include "posenc/Plan/Passes.h"
#include "posenc/Simplify/Passes.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/thread.h"

#include <chrono>

using namespace mlir;
using namespace mlir::posenc;

/// Brackets inside brackets, and operators one after another, that the parser
/// is asked to follow; it recurses on both.
constexpr unsigned maxNesting = 512, maxOperators = 10000;

/// The largest constant that IR for readers spells out: as elements, and as the
/// digits of a resource.
constexpr int64_t maxDumpedElements = 64, maxDumpedDigits = 1024;

/// What keeps the parser from being tried on `source`, if anything.
static llvm::Error checkSource(StringRef source, StringRef name) {
  if (isBytecode(llvm::MemoryBufferRef(source, name)))
    return llvm::createStringError(
        name + ": MLIR bytecode is not accepted: print it as text first");
  if (source.contains('\0'))
    return llvm::createStringError(name + ": is a binary file, not MLIR text");
  unsigned depth = 0, operators = 0;
  for (char c : source) {
    bool opens = StringRef("([{<").contains(c);
    bool closes = StringRef(")]}>").contains(c);
    if (opens)
      ++depth;
    else if (closes)
      depth -= depth > 0;
    if (opens || closes || StringRef(",:=\"").contains(c))
      operators = 0;
    else
      operators += StringRef("+-*").contains(c);
    if (depth > maxNesting)
      return llvm::createStringError(name + ": brackets nested deeper than " +
                                     llvm::Twine(maxNesting));
    if (operators > maxOperators)
      return llvm::createStringError(name + ": an expression of more than " +
                                     llvm::Twine(maxOperators) + " operators");
  }
  return llvm::Error::success();
}

namespace {

class Compilation {
public:
  Compilation(MLIRContext &context, StringRef sourceName,
              const CompileOptions &options, CompileResult &result)
      : context(context), sourceName(sourceName), options(options),
        result(result), firstError(&context, sourceName) {}

  llvm::Error run(StringRef source);

private:
  llvm::Error parse(StringRef source);
  llvm::Error checkWeights();
  llvm::Error refuseEmpty();
  llvm::Error chooseFunction();
  llvm::Error choosePlanned();
  llvm::Error resolve(StringRef cpu);
  void cloneForTargets();
  llvm::Error runPhase(const PhaseInfo &info);
  llvm::Error runPasses(ModuleOp on, StringRef phase, PassManager &pm);
  llvm::Error emit();
  void keep(unsigned number, StringRef phase) {
    if (!options.keepIR)
      return;
    OpPrintingFlags flags;
    if (!options.keepWeights)
      flags.elideLargeElementsAttrs(maxDumpedElements)
          .elideLargeResourceString(maxDumpedDigits);
    if (options.genericIR)
      flags.printGenericOpForm();
    result.ir.push_back({number, phase, print(flags)});
  }
  std::string print(OpPrintingFlags flags = OpPrintingFlags()) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, flags);
    return text;
  }
  template <typename Function>
  llvm::Error timed(StringLiteral what, Function step) {
    auto start = std::chrono::steady_clock::now();
    llvm::Error error = step();
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - start;
    result.times.emplace_back(what, spent.count());
    return error;
  }

  MLIRContext &context;
  StringRef sourceName;
  const CompileOptions &options;
  CompileResult &result;
  FirstError firstError;
  SmallVector<CodegenTarget, 1> targets;
  OwningOpRef<ModuleOp> module;
  /// From Plan on, one for each target: `module`, or the modules inside it.
  SmallVector<Variant, 1> variants;
};

} // namespace

llvm::Error Compilation::parse(StringRef source) {
  if (llvm::Error error = checkSource(source, sourceName))
    return error;
  // A copy: the parser reads the NUL after the last byte.
  std::string text = source.str();
  module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context), sourceName);
  if (!module)
    return firstError.take(sourceName + ": holds no MLIR module");
  return checkWeights();
}

/// IR for readers names large constants without their elements.
llvm::Error Compilation::checkWeights() {
  bool isWhole = true;
  AttrTypeWalker walker;
  walker.addWalk([&](DenseResourceElementsAttr constant) {
    isWhole &= constant.getRawHandle().getBlob() != nullptr;
  });
  module->walk([&](Operation *op) { walker.walk(op->getAttrDictionary()); });
  if (isWhole)
    return llvm::Error::success();
  return llvm::createStringError(
      sourceName + ": its weights were left out where it was written; write it "
                   "with --dump-weights");
}

/// Refuses what holds no graph.
llvm::Error Compilation::refuseEmpty() {
  std::string planned;
  for (auto nested : module->getOps<ModuleOp>())
    if (std::optional<CPUDescription> cpu = CPUDescription::read(nested))
      planned += (planned.empty() ? "" : ", ") + cpu->cpu.str();
  if (!planned.empty())
    return llvm::createStringError(
        sourceName + ": was planned for several CPUs (" + planned +
        "), which cannot go on from there; give the graph, or what one CPU was "
        "planned for");
  return llvm::createStringError(
      sourceName + ": holds no function to compile: a graph is a public "
                   "func.func with a body");
}

/// Leaves in the module what the function asked for needs, if one is.
llvm::Error Compilation::chooseFunction() {
  if ((*module)->hasAttr(kFunctionsAttr)) {
    if (options.function.empty())
      return llvm::Error::success();
    return llvm::createStringError(
        sourceName + ": is planned already: choose the function '" +
        options.function + "' where the graph is compiled");
  }
  auto graphs = llvm::to_vector(llvm::make_filter_range(
      module->getOps<func::FuncOp>(),
      [](func::FuncOp func) { return func.isPublic() && !func.isExternal(); }));
  if (graphs.empty())
    return refuseEmpty();
  if (options.function.empty())
    return llvm::Error::success();
  std::string known;
  for (func::FuncOp func : graphs)
    known += (known.empty() ? "'" : ", '") + func.getName().str() + "'";
  if (!llvm::is_contained(
          llvm::map_range(graphs,
                          [](func::FuncOp func) { return func.getName(); }),
          StringRef(options.function)))
    return llvm::createStringError(sourceName + ": there is no function '" +
                                   options.function + "'; there are " + known);
  for (func::FuncOp func : graphs)
    if (func.getName() != options.function)
      func.setPrivate();
  PassManager pm(&context);
  pm.addPass(createSymbolDCEPass());
  if (failed(pm.run(*module)))
    return firstError.take("cannot drop the other functions");
  return llvm::Error::success();
}

llvm::Error Compilation::resolve(StringRef cpu) {
  llvm::Expected<SmallVector<CodegenTarget, 1>> resolved = resolveTargets(cpu);
  if (!resolved)
    return resolved.takeError();
  targets = std::move(*resolved);
  return llvm::Error::success();
}

/// A planned module is for the CPU that it describes.
llvm::Error Compilation::choosePlanned() {
  std::optional<CPUDescription> planned = CPUDescription::read(*module);
  if (!planned)
    return llvm::Error::success();
  if (options.cpu.empty())
    return resolve(planned->cpu);
  if (targets.size() == 1 && targets.front().level->name == planned->cpu)
    return llvm::Error::success();
  return llvm::createStringError(sourceName + ": was planned for " +
                                 planned->cpu +
                                 ", not for --cpu=" + options.cpu +
                                 "; leave --cpu out, or give the graph");
}

/// Up to Fuse all targets share a module.
void Compilation::cloneForTargets() {
  if (targets.size() == 1) {
    variants.push_back({targets.front(), *module});
    return;
  }
  OwningOpRef<ModuleOp> all = ModuleOp::create(module->getLoc());
  for (const CodegenTarget &target : targets) {
    auto clone = cast<ModuleOp>((*module)->clone());
    clone.setSymName(target.level->name);
    all->push_back(clone);
    variants.push_back({target, clone});
  }
  module = std::move(all);
}

static void buildPhase(Phase phase, OpPassManager &pm,
                       const CompileOptions &options, StringRef cpu) {
  switch (phase) {
  case Phase::Import:
    return buildImportPipeline(pm);
  case Phase::Simplify:
    return buildSimplifyPipeline(pm);
  case Phase::Fuse: {
    FuseOptions fuse;
    fuse.noFuse = !options.fuse;
    return buildFusePipeline(pm, fuse);
  }
  case Phase::Plan: {
    PlanOptions plan;
    plan.cpu = cpu.str();
    return buildPlanPipeline(pm, plan);
  }
  case Phase::Codegen:
    return buildCodegenCPUPipeline(pm);
  }
}

/// Verifies after the last pass only; posenc-opt does after each.
llvm::Error Compilation::runPasses(ModuleOp on, StringRef phase,
                                   PassManager &pm) {
  pm.enableVerifier(false);
  if (failed(pm.run(on)) || failed(verify(on)))
    return firstError.take("the phase " + phase + " failed");
  return llvm::Error::success();
}

llvm::Error Compilation::runPhase(const PhaseInfo &info) {
  if (info.phase >= Phase::Plan && variants.empty())
    cloneForTargets();
  if (variants.empty()) {
    PassManager pm(&context);
    buildPhase(info.phase, pm, options, /*cpu=*/"");
    if (llvm::Error error = runPasses(*module, info.name, pm))
      return error;
  }
  for (const Variant &variant : variants) {
    PassManager pm(&context);
    buildPhase(info.phase, pm, options, variant.target.level->name);
    if (llvm::Error error = runPasses(variant.module, info.name, pm))
      return error;
  }
  keep(unsigned(info.phase) + 1, info.name);
  return llvm::Error::success();
}

llvm::Error Compilation::emit() {
  for (const Variant &variant : variants) {
    PassManager pm(&context);
    pm.addPass(createEmitBodiesPass());
    if (llvm::Error error = runPasses(variant.module, "object", pm))
      return error;
  }
  FailureOr<SmallVector<EntryFunction>> entries =
      readEntries(variants.front().module);
  if (failed(entries))
    return firstError.take("the module has no valid entries");
  llvm::Expected<std::string> bytes = emitArtifact(
      *entries, variants, options.emit, {options.threads, options.libraryName});
  if (!bytes)
    return firstError.take(llvm::toString(bytes.takeError()));
  result.artifact = std::move(*bytes);
  result.header = emitHeader(*entries, options.threads);
  return llvm::Error::success();
}

llvm::Error Compilation::run(StringRef source) {
  StringRef cpu = options.cpu.empty() ? StringRef(kNativeCPU) : options.cpu;
  if (llvm::Error error = resolve(cpu))
    return error;
  if (llvm::Error error = timed("parse", [&] { return parse(source); }))
    return error;
  keep(0, "input");
  if (llvm::Error error = chooseFunction())
    return error;
  // What was written after Plan goes on from there.
  bool isPlanned = (*module)->hasAttr(kFunctionsAttr);
  if (isPlanned)
    if (llvm::Error error = choosePlanned())
      return error;
  for (const PhaseInfo &info : getPhases()) {
    if (isPlanned && info.phase <= Phase::Plan)
      continue;
    if (llvm::Error error = timed(info.name, [&] { return runPhase(info); }))
      return error;
    if (options.to == info.phase)
      break;
  }
  if (options.to || options.emit == ArtifactKind::IR) {
    result.artifact = print();
    return llvm::Error::success();
  }
  return timed("object", [&] { return emit(); });
}

static llvm::Error compileHere(StringRef source, StringRef sourceName,
                               const CompileOptions &options,
                               CompileResult &result) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  if (options.remarks != RemarkFormat::None &&
      failed(
          collectRemarks(context, sourceName, options.remarks, result.remarks)))
    return llvm::createStringError("cannot collect remarks");
  return Compilation(context, sourceName, options, result).run(source);
}

llvm::Error posenc::compile(StringRef source, StringRef sourceName,
                            const CompileOptions &options,
                            CompileResult &result) {
  // Parser, verifier and code generator recurse, and the caller's stack may be
  // small.
  constexpr unsigned stackBytes = 64 << 20;
  llvm::Error error = llvm::Error::success();
  llvm::consumeError(std::move(error)); // about to be overwritten
  llvm::thread worker(std::optional<unsigned>(stackBytes), [&] {
    error = compileHere(source, sourceName, options, result);
  });
  worker.join();
  return error;
}
