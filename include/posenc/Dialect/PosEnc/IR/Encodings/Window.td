//===- Window.td - The sliding-window mask -----------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_WINDOW
#define POSENC_ENCODINGS_WINDOW

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def WindowOp : PosEnc_SizedOp<"window", [AttrSizedOperandSegments]> {
  let summary = "each row sees the keys within a distance of its own position";
  let description = [{
    ```
    mask[0, 0, i, j] = i + offset - left <= j <= i + offset + right
    ```

    `left` and `right` are inclusive distances; an absent one does not bound. They
    are operands, so that another size needs no other code. `offset` is the key
    index of query row 0, as in `posenc.causal`; 0 if absent.

    With a `dilation` other than 1 a row sees every `dilation`-th key, its own
    among them, and the distances count those: with `r = j - (i + offset)`, `r` is
    a multiple of `dilation` and `-left * dilation <= r <= right * dilation`.

    | a model's "window W" | keys | `left`, `right` |
    |---|---|---|
    | causal (Mistral, Gemma, Phi-3) | the W keys up to the row's own | W - 1, 0 |
    | both sides, inclusive (transformers' masking_utils, ModernBERT) | 2W + 1 | W, W |
    | both sides, exclusive (Gemma 3's bidirectional layers) | 2W - 1 | W - 1, W - 1 |

    Constraints:
    - C1 the result is `[1, 1, Lq, Lk]`;
    - C2 one size operand a dynamic dimension of the result, in order;
    - C3 at least one of `left` and `right`;
    - C4 `dilation` is positive.

    ```mlir
    func.func @window(%lq: index, %lk: index, %left: index, %cached: index) -> tensor<1x1x?x?xi1> {
      %right = arith.constant 0 : index
      %mask = posenc.window sizes(%lq, %lk) left(%left) right(%right) offset(%cached)
          : tensor<1x1x?x?xi1>
      return %mask : tensor<1x1x?x?xi1>
    }
    ```
    Sources: Longformer, Beltagy et al. 2020, also for dilation; Mistral 7B, Jiang et al. 2023.
  }];
  let arguments = (ins
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "how many keys before its own a row sees">:$left,
    Arg<Optional<Index>, "how many keys after its own a row sees">:$right,
    Arg<Optional<Index>, "the key index of query row 0">:$offset,
    DefaultValuedAttr<I64Attr, "1">:$dilation);
  let results = (outs TensorRankOf<[I1], [4]>:$result);
  let assemblyFormat = [{
    (`sizes` `(` $sizes^ `)`)? (`left` `(` $left^ `)`)? (`right` `(` $right^ `)`)?
    (`offset` `(` $offset^ `)`)? attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_WINDOW
