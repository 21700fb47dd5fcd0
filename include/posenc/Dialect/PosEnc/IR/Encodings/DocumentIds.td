//===- DocumentIds.td  Documents by their boundaries -------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_DOCUMENTIDS
#define POSENC_ENCODINGS_DOCUMENTIDS

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def PosEnc_DocumentNumber : PosEnc_Enum<"DocumentNumber",
    "what is told of a token of a packed sequence", [
    I32EnumAttrCase<"Id", 0, "id">,
    I32EnumAttrCase<"Position", 1, "position">]>;
def DocumentNumberAttr : PosEnc_EnumAttr<PosEnc_DocumentNumber, "document_number">;

def DocumentIdsOp : PosEnc_SizedOp<"document_ids", [
    DeclareOpInterfaceMethods<TableReadOpInterface>]> {
  let summary = "which document a packed token is of, or where it stands in it";
  let description = [{
    ```
    result[0, l] = n                        (number(<id>))
                   l - boundaries[n]        (number(<position>))
    ```

    with `n` the last for which `boundaries[n] <= l`. The boundaries ascend: 0,
    then where each document ends. They are `cu_seqlens` of FlashAttention. Tokens
    behind the last boundary, padding, are of a document of their own. The ids
    are for `posenc.document`; the positions, which restart in each document, for
    `posenc.rotary`, `posenc.learned` and others that take positions.

    Constraints:
    - C1 the result is `[1, L]`, of the element type of `boundaries`;
    - C2 `boundaries` has at least one element;
    - C3 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @document_ids(%boundaries: tensor<?xi32>, %l: index) -> tensor<1x?xi32> {
      %ids = posenc.document_ids %boundaries sizes(%l) number(<id>)
          : tensor<?xi32> -> tensor<1x?xi32>
      return %ids : tensor<1x?xi32>
    }
    ```
    Source: FlashAttention, `flash_attn_varlen_func`.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[I32, I64], [1]>, "`[documents + 1]`, ascending from 0">:$boundaries,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    DocumentNumberAttr:$number);
  let results = (outs TensorRankOf<[I32, I64], [2]>:$result);
  let assemblyFormat = [{
    $boundaries (`sizes` `(` $sizes^ `)`)? `number` `(` $number `)`
    attr-dict `:` type($boundaries) `->` type($result)
  }];
}

#endif // POSENC_ENCODINGS_DOCUMENTIDS
