//===- Ring.td - The mask of a ring cache ----------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_RING
#define POSENC_ENCODINGS_RING

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def RingOp : PosEnc_SizedOp<"ring", [AttrSizedOperandSegments]> {
  let summary = "sees the keys of a ring cache that are near enough";
  let description = [{
    With the position of row `i`, `m = lengths[b] + i`, and that of the key that
    slot `j` holds after all Lq rows were appended,
    `p = n - 1 - ((n - 1 - j) mod Lk)` with `n = lengths[b] + Lq`:

    `mask[b, 0, i, j] = p <= m  and  p >= m - left`

    `left` is how many earlier keys a row sees; without it those that the ring
    holds. A ring of Lk keys holds what every row of an append needs where
    `left + Lq <= Lk`. Slots that nothing was written to yet are hidden.
    `posenc.cache_append` with `ring` writes such a cache.

    Constraints:
    - C1 the result is `[B, 1, Lq, Lk]`;
    - C2 `lengths` is `[B]`;
    - C3 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @ring(%lengths: tensor<4xi32>, %left: index) -> tensor<4x1x1x4096xi1> {
      %mask = posenc.ring lengths(%lengths : tensor<4xi32>) left(%left) : tensor<4x1x1x4096xi1>
      return %mask : tensor<4x1x1x4096xi1>
    }
    ```
    Source: Jiang et al. 2023, Mistral 7B, the rolling buffer cache.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[I32, I64], [1]>, "`[B]`: the tokens there were before the rows">:$lengths,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "how many earlier keys a row sees">:$left);
  let results = (outs TensorRankOf<[I1], [4]>:$result);
  let assemblyFormat = [{
    `lengths` `(` $lengths `:` type($lengths) `)` (`sizes` `(` $sizes^ `)`)?
    (`left` `(` $left^ `)`)? attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_RING
