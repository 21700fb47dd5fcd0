//===- Options.cpp - Phases and options by name ---------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows how phases and options are spelt.
//
//===----------------------------------------------------------------------===//

#include "posenc/Pipeline/Pipeline.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::posenc;

ArrayRef<PhaseInfo> posenc::getPhases() {
  static constexpr PhaseInfo phases[] = {
      {Phase::Import, "import",
       "linalg on tensors, with attention and encodings as posenc ops"},
      {Phase::Simplify, "simplify", "the same, smaller"},
      {Phase::Fuse, "fuse",
       "no encoding that could move into attention is left"},
      {Phase::Plan, "plan", "on memrefs; attention has bounds and a schedule"},
      {Phase::Codegen, "codegen", "the LLVM dialect"},
  };
  return phases;
}

namespace {
template <typename T> struct Named {
  StringLiteral name;
  T value;
};
} // namespace

static constexpr Named<RuntimeThreads> threadKinds[] = {
    {"pool", RuntimeThreads::Pool},
    {"host", RuntimeThreads::Host},
    {"serial", RuntimeThreads::Serial},
    {"openmp", RuntimeThreads::OpenMP}};

static constexpr Named<ArtifactKind> artifactKinds[] = {
    {"so", ArtifactKind::SharedLibrary}, {"a", ArtifactKind::Archive},
    {"o", ArtifactKind::Object},         {"s", ArtifactKind::Assembly},
    {"ll", ArtifactKind::LLVMIR},        {"mlir", ArtifactKind::IR}};

static constexpr Named<RemarkFormat> remarkFormats[] = {
    {"true", RemarkFormat::Text},
    {"false", RemarkFormat::None},
    {"yaml", RemarkFormat::YAML}};

static constexpr Named<bool> switches[] = {{"true", true}, {"false", false}};

/// The value called `name` in `table`.
template <typename Row>
static auto lookUp(StringRef option, StringRef name, ArrayRef<Row> table)
    -> llvm::Expected<decltype(Row::value)> {
  std::string known;
  for (const Row &row : table) {
    if (row.name == name)
      return row.value;
    known += (known.empty() ? "" : ", ") + row.name.str();
  }
  return llvm::createStringError("unknown value '" + name + "' of --" + option +
                                 ": use one of " + known);
}

template <typename T, typename Row>
static llvm::Error assign(T &field, StringRef option, StringRef name,
                          ArrayRef<Row> table) {
  auto value = lookUp(option, name, table);
  if (!value)
    return value.takeError();
  field = *value;
  return llvm::Error::success();
}

/// The answer to what the command line is to take in a later version.
static llvm::Error notThereYet(StringRef name, StringRef value, StringRef what,
                               StringRef remedy) {
  return llvm::createStringError("--" + name + "=" + value + ": " + what +
                                 " not there yet; " + remedy);
}

static llvm::Error gpuNotThereYet(StringRef name, StringRef value) {
  return notThereYet(name, value, "code for NVIDIA GPUs is",
                     "compile with --target=cpu to so, a, o, s, ll or mlir");
}

static llvm::Error setCPU(CompileOptions &options, StringRef value) {
  options.cpu = value.str();
  return resolveTargets(value).takeError();
}

static llvm::Error setTarget(StringRef value) {
  if (value == "cpu")
    return llvm::Error::success();
  if (value == "cuda")
    return gpuNotThereYet("target", value);
  return llvm::createStringError("unknown value '" + value +
                                 "' of --target: use one of cpu, cuda");
}

static bool isGPUArtifact(StringRef kind) {
  return kind == "ptx" || kind == "cubin" || kind == "fatbin";
}

/// What the suffix of the file to write says.
static llvm::Error setOutput(CompileOptions &options, StringRef file) {
  StringRef suffix = llvm::sys::path::extension(file);
  StringRef kind = suffix.ltrim('.');
  if (isGPUArtifact(kind))
    return gpuNotThereYet("emit", kind);
  std::string known;
  for (const Named<ArtifactKind> &row : artifactKinds) {
    if (row.name == kind) {
      options.emit = row.value;
      return llvm::Error::success();
    }
    known += " ." + row.name.str();
  }
  return llvm::createStringError("the suffix '" + suffix + "' of " + file +
                                 " does not say what to write: use one of" +
                                 known + ", or --emit");
}

static llvm::Error setThreads(CompileOptions &options, StringRef value) {
  unsigned count;
  if (!value.getAsInteger(10, count))
    return llvm::createStringError(
        "--threads=" + value +
        " is a number, but says what runs parallel work: use one of pool, "
        "host, serial, openmp; how many is POSENC_NUM_THREADS=" +
        value + " where the library runs");
  return assign(options.threads, "threads", value, ArrayRef(threadKinds));
}

static llvm::Error setFunction(CompileOptions &options, StringRef value) {
  if (value.empty())
    return llvm::createStringError(
        "--function= names no function; leave it out for all public ones");
  options.function = value.str();
  return llvm::Error::success();
}

llvm::Error posenc::setOption(CompileOptions &options, StringRef name,
                              StringRef value) {
  if (name == "cpu")
    return setCPU(options, value);
  if (name == "target")
    return setTarget(value);
  if (name == "arch" || (name == "emit" && isGPUArtifact(value)))
    return gpuNotThereYet(name, value);
  if (name == "name") {
    options.libraryName = value.str();
    return llvm::Error::success();
  }
  if (name == "function")
    return setFunction(options, value);
  if (name == "threads")
    return setThreads(options, value);
  if (name == "output")
    return setOutput(options, value);
  if (name == "emit")
    return assign(options.emit, name, value, ArrayRef(artifactKinds));
  if (name == "to") {
    auto phases = llvm::map_to_vector(getPhases(), [](const PhaseInfo &info) {
      return Named<Phase>{info.name, info.phase};
    });
    return assign(options.to, name, value, ArrayRef(phases));
  }
  if (name == "fuse")
    return assign(options.fuse, name, value, ArrayRef(switches));
  if (name == "ir")
    return assign(options.keepIR, name, value, ArrayRef(switches));
  if (name == "weights")
    return assign(options.keepWeights, name, value, ArrayRef(switches));
  if (name == "generic")
    return assign(options.genericIR, name, value, ArrayRef(switches));
  if (name == "remarks")
    return assign(options.remarks, name, value, ArrayRef(remarkFormats));
  return llvm::createStringError("unknown option '" + name +
                                 "': use one of cpu, target, arch, threads, "
                                 "emit, output, to, fuse, function, "
                                 "ir, weights, generic, remarks, name");
}
