//===- Chunked.td  The mask of chunks ----------------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_CHUNKED
#define POSENC_ENCODINGS_CHUNKED

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def ChunkedOp : PosEnc_SizedOp<"chunked", [AttrSizedOperandSegments]> {
  let summary = "each row sees the keys of its own chunk";
  let description = [{
    `mask[b, 0, i, j] = floor((i + offset - starts[b]) / chunk) == floor((j - starts[b]) / chunk)`

    Chunks of `chunk` tokens do not see one another; within a chunk every row
    sees every key, so a causal model adds `posenc.causal`. `offset` is the key
    index of query row 0, as there; 0 if absent. `starts[b]` is the key at which
    a chunk begins, the number of padding keys on the left in transformers;
    0 if absent.

    Constraints:
    - C1 the result is `[B, 1, Lq, Lk]`, B 1 without `starts`;
    - C2 `starts` is `[B]`;
    - C3 `chunk` is positive;
    - C4 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @chunked(%lq: index, %lk: index, %cached: index) -> tensor<1x1x?x?xi1> {
      %mask = posenc.chunked sizes(%lq, %lk) offset(%cached) {chunk = 8192 : i64}
          : tensor<1x1x?x?xi1>
      return %mask : tensor<1x1x?x?xi1>
    }
    ```
    Source: Llama 4, transformers masking_utils chunked_overlay.
  }];
  let arguments = (ins
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset,
    Arg<Optional<TensorRankOf<[I32, I64], [1]>>, "`[B]`: a key at which a chunk begins">:$starts,
    I64Attr:$chunk);
  let results = (outs TensorRankOf<[I1], [4]>:$result);
  let assemblyFormat = [{
    (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)?
    (`starts` `(` $starts^ `:` type($starts) `)`)? attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_CHUNKED
