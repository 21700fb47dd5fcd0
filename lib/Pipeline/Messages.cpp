//===- Messages.cpp - Diagnostics and remarks as text ---------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line each: `file:line:column: what`, or `file: node 'NAME': what` in a
// graph; remarks end with their pass in brackets.
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "posenc/Dialect/PosEnc/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::posenc;

/// Where `location` is, as the start of a line about `sourceName`: a graph's
/// nodes do not name the file they are in.
static std::string place(Location location, StringRef sourceName) {
  std::string text = getPlace(location);
  if (text.empty())
    return text;
  bool hasFile = !StringRef(text).starts_with("node '");
  return (hasFile ? "" : sourceName.str() + ": ") + text + ": ";
}

static std::string oneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

FirstError::FirstError(MLIRContext *context, StringRef sourceName)
    : handler(context, [this, name = sourceName.str()](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            text.empty())
          text =
              oneLine(place(diagnostic.getLocation(), name) + diagnostic.str());
        return success();
      }) {}

llvm::Error FirstError::take(const llvm::Twine &otherwise) {
  return llvm::createStringError(text.empty() ? otherwise.str() : text);
}

namespace {
/// Writes each remark as clang does, and none twice: where a kernel is chosen
/// at run time an op is there several times.
class TextStreamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  TextStreamer(StringRef sourceName, std::string &text)
      : sourceName(sourceName), text(text) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string line = place(remark.getLocation(), sourceName);
    line = (line.empty() ? sourceName + ": " : line) + "remark: ";
    for (const remark::detail::Remark::Arg &part : remark.getArgs())
      line += getSeparator(part.key).str() + part.val;
    bool isMissed = remark.getRemarkType() == llvm::remarks::Type::Missed;
    line +=
        (" [" + remark.getRemarkName() + (isMissed ? ": missed]" : "]")).str();
    line = oneLine(std::move(line));
    if (said.insert(line).second)
      text += line + "\n";
  }

private:
  /// What joins a part of a remark to those before it.
  static StringRef getSeparator(StringRef key) {
    return llvm::StringSwitch<StringRef>(key)
        .Case("Reason", ": ")
        .Case("Suggestion", "; ")
        .Default("");
  }

  std::string sourceName;
  std::string &text;
  llvm::StringSet<> said;
};
} // namespace

LogicalResult posenc::collectRemarks(MLIRContext &context, StringRef sourceName,
                                     std::string &text) {
  // Each kind by its own name: `all` widens what is asked for, and alone asks
  // for nothing.
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = kRemarkCategory.str();
  return remark::enableOptimizationRemarks(
      context, std::make_unique<TextStreamer>(sourceName, text),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}
