//===- TokenPositions.td - Positions that count real tokens ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_TOKENPOSITIONS
#define POSENC_ENCODINGS_TOKENPOSITIONS

include "posenc/Dialect/PosEnc/IR/PosEncAttrs.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"

def TokenPositionsOp : PosEnc_Op<"token_positions", [Pure,
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<TableReadOpInterface>]> {
  let summary = "positions that count real tokens only";
  let description = [{
    For a mask of T tokens, of which the last L are wanted, with `t = l + T - L`:

    ```
    result[b, l] = first + offset + (real tokens among mask[b, 0 ... t - 1])   where mask[b, t]
                   padding                                                    elsewhere
    ```

    Padding shifts nothing, on whichever side it is. `offset`, 0 if absent, is
    what a past that the mask does not cover adds, to real tokens only.

    | `first`, `padding` | used by |
    |---|---|
    | padding index + 1, padding index | fairseq, RoBERTa, M2M100: tokens that are not padding |
    | 0, -1 | OPT, BioGPT: the mask covers past and new tokens; their tables have `row_offset` 2 |
    | 0, 0 | BLOOM's ALiBi |
    | 0, 1 | transformers' generation |

    Constraints:
    - C1 the result is `[B, L]`, B as in `mask`;
    - C2 `length` is given where L is dynamic and is not the whole mask: with a
      static L it is not;
    - C3 L is at most T where both are static.

    ```mlir
    func.func @token_positions(%mask: tensor<2x?xi1>, %new: index) -> tensor<2x?xi64> {
      %positions = posenc.token_positions %mask length(%new) {first = 0 : i64, padding = -1 : i64}
          : tensor<2x?xi1> -> tensor<2x?xi64>
      return %positions : tensor<2x?xi64>
    }
    ```
    Sources: fairseq utils.make_positions; transformers
    OPTLearnedPositionalEmbedding.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[I1], [2]>, "`[B, T]`: which tokens are real">:$mask,
    Arg<Optional<Index>, "L, where it is dynamic and not T">:$length,
    Arg<Optional<Index>, "what is added to positions of real tokens">:$offset,
    I64Attr:$first, I64Attr:$padding);
  let results = (outs TensorRankOf<[I32, I64], [2]>:$result);
  let assemblyFormat = [{
    $mask (`length` `(` $length^ `)`)? (`offset` `(` $offset^ `)`)?
    attr-dict `:` type($mask) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// L.
    ::mlir::OpFoldResult getMixedLength(::mlir::OpBuilder &b);
  }];
}

#endif // POSENC_ENCODINGS_TOKENPOSITIONS
