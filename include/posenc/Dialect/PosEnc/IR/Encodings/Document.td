//===- Document.td - The mask of packed documents ----------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_DOCUMENT
#define POSENC_ENCODINGS_DOCUMENT

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def DocumentOp : PosEnc_SizedOp<"document"> {
  let summary = "packed documents do not see one another";
  let description = [{
    `mask[b, 0, i, j] = query_ids[b, i] == key_ids[b, j]`

    Ids of `[1, L]` serve every batch. An id is any integer; documents need not
    be contiguous.

    Constraints:
    - C1 the result is `[B, 1, Lq, Lk]`;
    - C2 `query_ids` is `[B, Lq]` or `[1, Lq]`, `key_ids` `[B, Lk]` or `[1, Lk]`,
      of one element type;
    - C3 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @document(%ids: tensor<4x?xi32>, %l: index) -> tensor<4x1x?x?xi1> {
      %mask = posenc.document query_ids(%ids : tensor<4x?xi32>) key_ids(%ids : tensor<4x?xi32>)
          sizes(%l, %l) : tensor<4x1x?x?xi1>
      return %mask : tensor<4x1x?x?xi1>
    }
    ```
    Source: Krell et al. 2021, Efficient Sequence Packing without Cross-contamination.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[I32, I64], [2]>, "`[B, Lq]` or `[1, Lq]`">:$query_ids,
    Arg<TensorRankOf<[I32, I64], [2]>, "`[B, Lk]` or `[1, Lk]`">:$key_ids,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes);
  let results = (outs TensorRankOf<[I1], [4]>:$result);
  let assemblyFormat = [{
    `query_ids` `(` $query_ids `:` type($query_ids) `)`
    `key_ids` `(` $key_ids `:` type($key_ids) `)`
    (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_DOCUMENT
