//===- Messages.h - Diagnostics and remarks as text -------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_LIB_PIPELINE_MESSAGES_H
#define POSENC_LIB_PIPELINE_MESSAGES_H

#include "mlir/IR/Diagnostics.h"
#include "posenc/Pipeline/Pipeline.h"
#include "llvm/Support/Error.h"

namespace mlir::posenc {

/// Keeps the first error that MLIR reports while it lives, and prints nothing.
class FirstError {
public:
  FirstError(MLIRContext *context, StringRef sourceName);

  /// The error, or `otherwise` where there was none, as one line.
  llvm::Error take(const llvm::Twine &otherwise);

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};

/// Appends every posenc remark to `text`, as long as `context` lives.
LogicalResult collectRemarks(MLIRContext &context, StringRef sourceName,
                             RemarkFormat format, std::string &text);

} // namespace mlir::posenc

#endif // POSENC_LIB_PIPELINE_MESSAGES_H
