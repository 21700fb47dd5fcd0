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
#include "llvm/Remarks/RemarkSerializer.h"

using namespace mlir;
using namespace mlir::posenc;

/// Whether `place` (getPlace) names its file; a graph's node does not.
static bool namesFile(StringRef place) {
  return !place.empty() && !place.starts_with("node '");
}

/// Where `location` is, as the start of a line about `sourceName`.
static std::string place(Location location, StringRef sourceName) {
  std::string text = getPlace(location);
  if (text.empty())
    return text;
  return (namesFile(text) ? "" : sourceName.str() + ": ") + text + ": ";
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

/// Writes each remark as LLVM's tools read it.
class YAMLStreamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  YAMLStreamer(StringRef sourceName, std::string &text)
      : sourceName(sourceName), stream(text),
        serializer(llvm::cantFail(llvm::remarks::createRemarkSerializer(
            llvm::remarks::Format::YAML, stream))) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    llvm::remarks::Remark record = remark.generateRemark();
    // Of a graph's node LLVM has no location.
    std::string place = getPlace(remark.getLocation());
    if (!namesFile(place)) {
      record.Loc = llvm::remarks::RemarkLocation{sourceName, 0, 0};
      llvm::remarks::Argument &argument = record.Args.emplace_back();
      argument.Key = "Place";
      argument.Val = place;
    }
    serializer->emit(record);
  }

private:
  std::string sourceName;
  llvm::raw_string_ostream stream;
  std::unique_ptr<llvm::remarks::RemarkSerializer> serializer;
};
} // namespace

LogicalResult posenc::collectRemarks(MLIRContext &context, StringRef sourceName,
                                     RemarkFormat format, std::string &text) {
  // Each kind by its own name: `all` widens what is asked for, and alone asks
  // for nothing.
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = kRemarkCategory.str();
  std::unique_ptr<remark::detail::MLIRRemarkStreamerBase> streamer;
  if (format == RemarkFormat::YAML)
    streamer = std::make_unique<YAMLStreamer>(sourceName, text);
  else
    streamer = std::make_unique<TextStreamer>(sourceName, text);
  return remark::enableOptimizationRemarks(
      context, std::move(streamer),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}
