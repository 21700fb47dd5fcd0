//===- Prefix.td  The prefix-LM mask -----------------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_PREFIX
#define POSENC_ENCODINGS_PREFIX

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def PrefixOp : PosEnc_SizedOp<"prefix", [AttrSizedOperandSegments]> {
  let summary = "causal, but a prefix sees all of itself";
  let description = [{
    ```
    mask[b, 0, i, j] = j <= i + offset  or  j < lengths[b]
    mask[b, 0, i, j] = j <= i + offset  or
                       query_blocks[b, i] == key_blocks[b, j] >= 0
    ```

    The first form is of prefix-LM: the `lengths[b]` keys of the prefix are seen
    by every row. In the second any number of blocks, such as the tokens of one
    image, see all of themselves; a negative id is of no block. Ids of `[1, L]`
    serve every batch. `offset` is the key index of query row 0, as in
    `posenc.causal`; 0 if absent.

    Constraints:
    - C1 the result is `[B, 1, Lq, Lk]`;
    - C2 either `lengths` or both of `query_blocks` and `key_blocks`;
    - C3 `lengths` is `[B]`;
    - C4 `query_blocks` is `[B, Lq]` or `[1, Lq]`, `key_blocks` `[B, Lk]` or
      `[1, Lk]`, of one element type;
    - C5 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @prefix(%lengths: tensor<4xi64>, %l: index) -> tensor<4x1x?x?xi1> {
      %mask = posenc.prefix lengths(%lengths : tensor<4xi64>) sizes(%l, %l) : tensor<4x1x?x?xi1>
      return %mask : tensor<4x1x?x?xi1>
    }
    ```
    Sources: Raffel et al. 2020, prefix-LM; transformers masking_utils
    blockwise_overlay (PaliGemma, Gemma 3) for blocks.
  }];
  let arguments = (ins
    Arg<Optional<TensorRankOf<[I32, I64], [1]>>, "`[B]`: how many keys are of the prefix">:$lengths,
    Arg<Optional<TensorRankOf<[I32, I64], [2]>>, "`[B, Lq]` or `[1, Lq]`">:$query_blocks,
    Arg<Optional<TensorRankOf<[I32, I64], [2]>>, "`[B, Lk]` or `[1, Lk]`">:$key_blocks,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset);
  let results = (outs TensorRankOf<[I1], [4]>:$result);
  let assemblyFormat = [{
    (`lengths` `(` $lengths^ `:` type($lengths) `)`)?
    (`query_blocks` `(` $query_blocks^ `:` type($query_blocks) `)`)?
    (`key_blocks` `(` $key_blocks^ `:` type($key_blocks) `)`)?
    (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)? attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_PREFIX
