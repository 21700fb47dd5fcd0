//===- Encodings.td - Every encoding -----------------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An encoding adds one line here and one in lib/Dialect/PosEnc/IR/CMakeLists.txt.
// Passes never include what is generated from this: they know encodings only
// through interfaces.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS
#define POSENC_ENCODINGS

include "posenc/Dialect/PosEnc/IR/Encodings/Add.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Alibi.td"
include "posenc/Dialect/PosEnc/IR/Encodings/BlockSparse.td"
include "posenc/Dialect/PosEnc/IR/Encodings/BucketedBias.td"
include "posenc/Dialect/PosEnc/IR/Encodings/CacheAppend.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Causal.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Chunked.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Conv.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Cope.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Decomposed2d.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Disentangled.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Document.td"
include "posenc/Dialect/PosEnc/IR/Encodings/DocumentIds.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Fire.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Forgetting.td"
include "posenc/Dialect/PosEnc/IR/Encodings/GlobalTokens.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Kerple.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Learned.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Learned2D.td"
include "posenc/Dialect/PosEnc/IR/Encodings/LogSpacedCoordinates.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Padding.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Pope.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Prefix.td"
include "posenc/Dialect/PosEnc/IR/Encodings/QueryTemperature.td"
include "posenc/Dialect/PosEnc/IR/Encodings/RelativeBias.td"
include "posenc/Dialect/PosEnc/IR/Encodings/RelativeBias2D.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Ring.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Rotary.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Sandwich.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Shaw.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Sinusoidal.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Sinusoidal2D.td"
include "posenc/Dialect/PosEnc/IR/Encodings/TokenPositions.td"
include "posenc/Dialect/PosEnc/IR/Encodings/TransformerXl.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Tree.td"
include "posenc/Dialect/PosEnc/IR/Encodings/Window.td"

#endif // POSENC_ENCODINGS
