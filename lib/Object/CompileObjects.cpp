//===- CompileObjects.cpp - A module in parts, side by side ---------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An LLVM context is of one thread. So the functions of a module are dealt out
// to parts; all but the first, which keeps the data, go through bitcode into
// contexts of their own.
//
//===----------------------------------------------------------------------===//

#include "CodeGenerator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <atomic>

using namespace mlir::posenc;

/// A part has about so many instructions, so that it is worth its overhead.
constexpr unsigned kInstructionsAPart = 1000, kMostParts = 16;

/// A code generator recurses on what it compiles.
constexpr unsigned kStackBytes = 64 << 20;

using Object = llvm::Expected<std::string>;

/// The part of each function that has a body, by weight: the heaviest first, to
/// the lightest part. Part 0 is not empty.
static llvm::DenseMap<const llvm::GlobalValue *, unsigned>
dealOut(llvm::Module &module, unsigned &numParts) {
  llvm::SmallVector<std::pair<unsigned, llvm::Function *>> functions;
  unsigned total = 0;
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      functions.push_back({function.getInstructionCount(), &function});
      total += functions.back().first;
    }
  llvm::sort(functions, [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first
                              : a.second->getName() < b.second->getName();
  });
  numParts = std::clamp(total / kInstructionsAPart, 1u, kMostParts);
  llvm::SmallVector<unsigned> weights(numParts, 0);
  llvm::DenseMap<const llvm::GlobalValue *, unsigned> parts;
  for (auto [weight, function] : functions) {
    unsigned lightest = llvm::min_element(weights) - weights.begin();
    parts[function] = lightest;
    weights[lightest] += weight;
  }
  return parts;
}

/// What is local becomes known to all parts, and to nobody else.
static void shareLocals(llvm::Module &module) {
  for (llvm::GlobalValue &value : module.global_values()) {
    if (!value.hasLocalLinkage())
      continue;
    if (!value.hasName())
      value.setName("posenc_data");
    value.setLinkage(llvm::GlobalValue::ExternalLinkage);
    value.setVisibility(llvm::GlobalValue::HiddenVisibility);
  }
}

static std::string toBitcode(const llvm::Module &module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

static Object compileModule(llvm::Module &module, CodeGenerator &generator) {
  if (llvm::Error error = generator.optimize(module))
    return error;
  return generator.emit(module, llvm::CodeGenFileType::ObjectFile);
}

static Object compileBitcode(llvm::StringRef bitcode,
                             const CodegenTarget &target) {
  llvm::Expected<std::unique_ptr<CodeGenerator>> generator =
      CodeGenerator::create(target);
  if (!generator)
    return generator.takeError();
  llvm::Expected<std::unique_ptr<llvm::Module>> module = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(bitcode, "part"), (*generator)->getContext());
  if (!module)
    return module.takeError();
  return compileModule(**module, **generator);
}

/// Moves all parts but the first out of `module`, as bitcode.
static llvm::SmallVector<std::string> splitOff(llvm::Module &module) {
  unsigned numParts;
  llvm::DenseMap<const llvm::GlobalValue *, unsigned> parts =
      dealOut(module, numParts);
  if (numParts == 1)
    return {};
  shareLocals(module);
  llvm::SmallVector<std::string> others;
  for (unsigned part = 1; part < numParts; ++part) {
    llvm::ValueToValueMapTy map;
    others.push_back(toBitcode(
        *llvm::CloneModule(module, map, [&](const llvm::GlobalValue *value) {
          return parts.lookup(value) == part;
        })));
  }
  for (llvm::Function &function : module)
    if (parts.lookup(&function) != 0)
      function.deleteBody();
  return others;
}

llvm::Expected<llvm::SmallVector<std::string>>
mlir::posenc::compileObjects(std::unique_ptr<llvm::Module> module,
                             CodeGenerator &generator,
                             const CodegenTarget &target) {
  llvm::SmallVector<std::string> others = splitOff(*module);
  llvm::SmallVector<std::optional<Object>> results(1 + others.size());
  std::atomic<size_t> next = 0;
  auto takeParts = [&] {
    for (size_t part; (part = next++) < others.size();)
      results[1 + part] = compileBitcode(others[part], target);
  };
  llvm::SmallVector<llvm::thread> threads;
  size_t cores = std::max(1u, llvm::thread::hardware_concurrency());
  for (size_t i = 0; i < std::min(cores - 1, others.size()); ++i)
    threads.emplace_back(std::optional<unsigned>(kStackBytes), takeParts);
  results[0] = compileModule(*module, generator);
  takeParts();
  for (llvm::thread &thread : threads)
    thread.join();
  llvm::SmallVector<std::string> objects;
  llvm::Error errors = llvm::Error::success();
  for (std::optional<Object> &result : results) {
    if (*result)
      objects.push_back(std::move(**result));
    else
      errors = llvm::joinErrors(std::move(errors), result->takeError());
  }
  if (errors)
    return std::move(errors);
  return objects;
}
