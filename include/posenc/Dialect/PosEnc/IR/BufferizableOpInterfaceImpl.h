//===- BufferizableOpInterfaceImpl.h - Bufferization models -----*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_DIALECT_POSENC_IR_BUFFERIZABLEOPINTERFACEIMPL_H
#define POSENC_DIALECT_POSENC_IR_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
namespace posenc {
/// Lets one-shot bufferization take posenc.attention.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);
} // namespace posenc
} // namespace mlir

#endif // POSENC_DIALECT_POSENC_IR_BUFFERIZABLEOPINTERFACEIMPL_H
