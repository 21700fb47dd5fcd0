//===- BlockSparse.td  The mask of visible blocks ----------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_BLOCKSPARSE
#define POSENC_ENCODINGS_BLOCKSPARSE

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def BlockSparseOp : PosEnc_SizedOp<"block_sparse", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TableReadOpInterface>]> {
  let summary = "blocks of rows see blocks of keys";
  let description = [{
    `mask[b, h, i, j] = blocks[b, h, (i + offset) / query_block, j / key_block]`

    Blocks are `query_block` rows by `key_block` keys. What each hides within
    itself is another mask's business. `offset` is how many rows precede row 0 in
    the first block row that `blocks` has; 0 if absent. A row or key beyond the
    blocks is of the last.

    | where | `blocks` is |
    |---|---|
    | FlexAttention | `BlockMask.to_dense()`, of its lists `kv_num_blocks`, `kv_indices` |
    | DeepSpeed and Triton block-sparse attention | the layout, `[1, H, nQ, nK]` |

    Constraints:
    - C1 the result is `[B or 1, H or 1, Lq, Lk]`, as `blocks`;
    - C2 `query_block` and `key_block` are positive;
    - C3 `blocks` is `[B or 1, H or 1, nQ, nK]`, no extent 0, and has a block for
      every key, and without `offset` for every row; by `posenc-check-ranges`
      where sizes are dynamic;
    - C4 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @block_sparse(%blocks: tensor<1x8x?x?xi1>, %lq: index, %lk: index)
        -> tensor<1x8x?x?xi1> {
      %mask = posenc.block_sparse blocks(%blocks : tensor<1x8x?x?xi1>) sizes(%lq, %lk)
          {query_block = 128 : i64, key_block = 128 : i64} : tensor<1x8x?x?xi1>
      return %mask : tensor<1x8x?x?xi1>
    }
    ```
    Sources: Child et al. 2019; FlexAttention, Dong et al. 2024.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[I1], [4]>, "`[B or 1, H or 1, nQ, nK]`: which blocks are visible">:$blocks,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "how many rows precede row 0">:$offset,
    I64Attr:$query_block,
    I64Attr:$key_block);
  let results = (outs TensorRankOf<[I1], [4]>:$result);
  let assemblyFormat = [{
    `blocks` `(` $blocks `:` type($blocks) `)` (`sizes` `(` $sizes^ `)`)?
    (`offset` `(` $offset^ `)`)? attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_BLOCKSPARSE
