//===- GlobalTokens.td  The mask of global tokens ----------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_GLOBALTOKENS
#define POSENC_ENCODINGS_GLOBALTOKENS

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def GlobalTokensOp : PosEnc_SizedOp<"global_tokens", [AttrSizedOperandSegments]> {
  let summary = "tokens that see every key, and keys that every row sees";
  let description = [{
    `mask[b, 0, i, j] = query_global[b, i] or key_global[b, j]`, an absent one false

    Meant for a union (`arith.ori`) with a window. Self-attention gives the same
    tensor twice. Only `key_global`: keys that all see but that see no more than
    others, as the first tokens of StreamingLLM. `[1, L]` serves every batch.

    Constraints:
    - C1 the result is `[B, 1, Lq, Lk]`;
    - C2 at least one of `query_global` and `key_global`;
    - C3 `query_global` is `[B, Lq]` or `[1, Lq]`, `key_global` `[B, Lk]` or `[1, Lk]`;
    - C4 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @global_tokens(%global: tensor<2x?xi1>, %l: index) -> tensor<2x1x?x?xi1> {
      %mask = posenc.global_tokens query_global(%global : tensor<2x?xi1>)
          key_global(%global : tensor<2x?xi1>) sizes(%l, %l) : tensor<2x1x?x?xi1>
      return %mask : tensor<2x1x?x?xi1>
    }
    ```
    Sources: Longformer, Beltagy et al. 2020; BigBird, Zaheer et al. 2020.
  }];
  let arguments = (ins
    Arg<Optional<TensorRankOf<[I1], [2]>>, "`[B, Lq]` or `[1, Lq]`: rows that see every key">:$query_global,
    Arg<Optional<TensorRankOf<[I1], [2]>>, "`[B, Lk]` or `[1, Lk]`: keys that every row sees">:$key_global,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes);
  let results = (outs TensorRankOf<[I1], [4]>:$result);
  let assemblyFormat = [{
    (`query_global` `(` $query_global^ `:` type($query_global) `)`)?
    (`key_global` `(` $key_global^ `:` type($key_global) `)`)?
    (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_GLOBALTOKENS
