//===- Pipeline.h - From a graph to a library -------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole compiler as one function. posenc-compile and the C API are thin
// layers over it.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_PIPELINE_PIPELINE_H
#define POSENC_PIPELINE_PIPELINE_H

#include "mlir/IR/DialectRegistry.h"
#include "posenc/Object/Artifact.h"

namespace mlir::posenc {

/// The phases, in order.
enum class Phase { Import, Simplify, Fuse, Plan, Codegen };

/// A phase as users see it.
struct PhaseInfo {
  Phase phase;
  /// As `--to` spells it.
  StringLiteral name;
  /// What is true of the IR after it.
  StringLiteral description;
};

/// All phases, in order.
ArrayRef<PhaseInfo> getPhases();

/// Text is what clang prints, YAML what its `-fsave-optimization-record`
/// writes.
enum class RemarkFormat { None, Text, YAML };

/// What to compile, and for which machines.
struct CompileOptions {
  /// Names of the CPUs, see resolveTargets; where it is empty, the one that the
  /// source is planned for, or native.
  std::string cpu;
  RuntimeThreads threads = RuntimeThreads::Pool;
  ArtifactKind emit = ArtifactKind::SharedLibrary;
  /// The last phase; the artifact is then its IR.
  std::optional<Phase> to;
  /// Whether encodings may move into attention.
  bool fuse = true;
  /// The one function of the module to compile, by its name there; all public
  /// ones where it is empty.
  std::string function;
  /// Whether the result holds the IR after each phase.
  bool keepIR = false;
  /// Whether that IR holds constants of more than a few elements.
  bool keepWeights = false;
  /// Whether that IR is in MLIR's generic form, for programs that read it.
  bool genericIR = false;
  /// In which form the result holds the remarks.
  RemarkFormat remarks = RemarkFormat::None;
  /// The name by which programs linked against a shared library load it.
  std::string libraryName = "libposenc_graph.so";
};

/// Sets the option that the command line spells `--name=value`: cpu, target,
/// arch, threads, emit, output (the file that says what to emit), to, fuse,
/// function, ir, weights, generic, remarks, name. An unknown name or value is an error that lists the known ones; arch,
/// and what else is for GPUs, is one that says that it is not there yet.
llvm::Error setOption(CompileOptions &options, StringRef name, StringRef value);

/// The IR after a phase, or before all ("input").
struct Snapshot {
  /// 0 for the input, 1 for the first phase.
  unsigned number;
  StringRef phase;
  std::string text;
};

/// What compiling makes.
struct CompileResult {
  /// The file asked for.
  std::string artifact;
  /// Its C header, empty where the artifact is IR.
  std::string header;
  /// One line a remark, or a YAML document a remark.
  std::string remarks;
  /// With keepIR, in order.
  std::vector<Snapshot> ir;
  /// Seconds spent in "parse", in each phase, and in "object".
  std::vector<std::pair<StringLiteral, double>> times;
};

/// Compiles `source`, MLIR text of a graph, or of what `--to=plan` wrote, that
/// `sourceName` names in messages, into `result`, which after an error holds
/// what was made before it. An error has one line: where, what, and what to do.
llvm::Error compile(StringRef source, StringRef sourceName,
                    const CompileOptions &options, CompileResult &result);

/// The dialects, interfaces and translations that the phases need, and no more.
void registerCompilerDialects(DialectRegistry &registry);

} // namespace mlir::posenc

#endif // POSENC_PIPELINE_PIPELINE_H
