//===- Sandwich.td - A bias of the inner product of sinusoids *- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_SANDWICH
#define POSENC_ENCODINGS_SANDWICH

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def SandwichOp : PosEnc_SizedOp<"sandwich", [AttrSizedOperandSegments]> {
  let summary = "the inner product of two sinusoidal encodings as a bias";
  let description = [{
    With `r = j - (i + offset)` and `k = 0 ... width / 2 - 1`:

    ```
    bias[0, h, i, j] = (sum over k of cos(r base^(-2k / width))) / ratio[h]
    ```

    Without `ratios` the rule of the paper applies: `ratio[h] = max_ratio (h + 1)
    / Hq`, `max_ratio` 8 in the paper. Nothing is learned, and the bias is the
    same on both sides of the diagonal. The paper takes a width of 128.

    Constraints:
    - C1 the result is f32 `[1, Hq, Lq, Lk]`; Hq is static unless `ratios` is given;
    - C2 `ratios` is f32 `[Hq]`;
    - C3 one size operand a dynamic dimension of the result, in order;
    - C4 `width` is even, from 2 to 2048;
    - C5 `base` and `max_ratio` are finite and positive.

    ```mlir
    func.func @sandwich(%lq: index, %lk: index) -> tensor<1x8x?x?xf32> {
      %bias = posenc.sandwich sizes(%lq, %lk) {width = 128 : i64} : tensor<1x8x?x?xf32>
      return %bias : tensor<1x8x?x?xf32>
    }
    ```
    Source: Chi et al. 2022b, Dissecting Transformer Length Extrapolation via the
    Lens of Receptive Field Analysis.
  }];
  let arguments = (ins
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset,
    Arg<Optional<TensorRankOf<[F32], [1]>>, "what the sum is divided by, `[Hq]`">:$ratios,
    I64Attr:$width,
    DefaultValuedAttr<F64Attr, "10000.0">:$base,
    DefaultValuedAttr<F64Attr, "8.0">:$max_ratio);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)?
    (`ratios` `(` $ratios^ `:` type($ratios) `)`)? attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_SANDWICH
