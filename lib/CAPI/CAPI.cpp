//===- CAPI.cpp - The compiler as a C library -----------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// posenc-c/posenc.h over posenc::compile.
//
//===----------------------------------------------------------------------===//

#include "posenc-c/posenc.h"
#include "posenc/Pipeline/Pipeline.h"

using namespace mlir::posenc;
using llvm::StringRef;

struct posenc_result {
  std::string error;
  CompileResult compiled;
};

static llvm::Error readOptions(const char *const *texts,
                               CompileOptions &options) {
  for (; texts && *texts; ++texts) {
    auto [name, value] = StringRef(*texts).split('=');
    if (llvm::Error error = setOption(options, name, value))
      return error;
  }
  return llvm::Error::success();
}

posenc_result *posenc_compile(const char *source, size_t length,
                              const char *source_name,
                              const char *const *options) {
  auto *result = new posenc_result;
  CompileOptions compileOptions;
  llvm::Error error = readOptions(options, compileOptions);
  if (!error)
    error = compile(StringRef(source, length), source_name, compileOptions,
                    result->compiled);
  if (error)
    result->error = llvm::toString(std::move(error));
  return result;
}

const char *posenc_result_error(const posenc_result *result) {
  return result->error.empty() ? nullptr : result->error.c_str();
}

const char *posenc_result_artifact(const posenc_result *result, size_t *size) {
  *size = result->compiled.artifact.size();
  return result->compiled.artifact.c_str();
}

const char *posenc_result_header(const posenc_result *result) {
  return result->compiled.header.c_str();
}

const char *posenc_result_remarks(const posenc_result *result) {
  return result->compiled.remarks.c_str();
}

const char *posenc_result_ir(const posenc_result *result, const char *phase) {
  for (const Snapshot &snapshot : result->compiled.ir)
    if (snapshot.phase == phase)
      return snapshot.text.c_str();
  return nullptr;
}

const char *posenc_result_time(const posenc_result *result, int number,
                               double *seconds) {
  const auto &times = result->compiled.times;
  if (number < 0 || size_t(number) >= times.size())
    return nullptr;
  *seconds = times[number].second;
  return times[number].first.data();
}

void posenc_result_destroy(posenc_result *result) { delete result; }

/// The phase of this number, null after the last.
static const PhaseInfo *findPhase(int number) {
  bool exists = number >= 0 && size_t(number) < getPhases().size();
  return exists ? &getPhases()[number] : nullptr;
}

const char *posenc_phase_name(int number) {
  const PhaseInfo *phase = findPhase(number);
  return phase ? phase->name.data() : nullptr;
}

const char *posenc_phase_description(int number) {
  const PhaseInfo *phase = findPhase(number);
  return phase ? phase->description.data() : nullptr;
}

const char *posenc_version(void) { return POSENC_VERSION; }
