//===- Messages.cpp - Diagnostics and remarks as text ---------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line each: `file:line:column: what`.
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::posenc;

/// `file:line:column: ` of the first file location in `location`, else "".
static std::string place(Location location) {
  std::string text;
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    llvm::raw_string_ostream(text)
        << file.getFilename().getValue() << ":" << file.getLine() << ":"
        << file.getColumn() << ": ";
    return WalkResult::interrupt();
  });
  return text;
}

static std::string oneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

FirstError::FirstError(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            text.empty())
          text = oneLine(place(diagnostic.getLocation()) + diagnostic.str());
        return success();
      }) {}

llvm::Error FirstError::take(const llvm::Twine &otherwise) {
  return llvm::createStringError(text.empty() ? otherwise.str() : text);
}

namespace {
struct TextStreamer : remark::detail::MLIRRemarkStreamerBase {
  explicit TextStreamer(std::string &text) : text(text) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    text += oneLine(place(remark.getLocation()) + remark.getMsg()) + "\n";
  }

  std::string &text;
};
} // namespace

LogicalResult posenc::collectRemarks(MLIRContext &context, std::string &text) {
  // Each kind by its own name: `all` widens what is asked for, and alone asks
  // for nothing.
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = "posenc";
  return remark::enableOptimizationRemarks(
      context, std::make_unique<TextStreamer>(text),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}
