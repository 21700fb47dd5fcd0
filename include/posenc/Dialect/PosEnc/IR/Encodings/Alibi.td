//===- Alibi.td - Attention with linear biases -------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_ALIBI
#define POSENC_ENCODINGS_ALIBI

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def AlibiOp : PosEnc_SizedOp<"alibi", [AttrSizedOperandSegments]> {
  let summary = "a bias that falls linearly with the distance";
  let description = [{
    With `r = j - (i + offset)`:

    ```
    bias[0, h, i, j] =  slope[h] * r       (causal: the default)
                       -slope[h] * |r|     (symmetric)
                       -later_slope[h] * r for r > 0, slope[h] * r elsewhere (two-sided: `later_slopes`)
    ```

    The causal form equals `slope[h] * j` (BLOOM) and `slope[h] * (j - (Lk - 1))`
    (MPT, Keras) after the softmax: they differ by what is constant along a row.

    Without `slopes` the rule of the paper applies: for a power of two `n` of
    heads `slope[h] = 2^(-max_bias (h + 1) / n)`; for others, with `p` the power
    of two below, the `p` slopes of `p` heads, then the first `n - p` of every
    other slope of `2p` heads. `max_bias` is 8 in the paper.

    A shard of a model's heads (tensor parallelism) has slopes of its own only
    if it knows which heads it holds: `slope[first_head + h]` of `total_heads`.
    Heads past the last have the last slope.

    Constraints:
    - C1 the result is f32 `[1, Hq, Lq, Lk]`; Hq is static unless `slopes` or
      `total_heads` is given;
    - C2 `slopes` and `later_slopes` are f32 `[Hq]`;
    - C3 one size operand a dynamic dimension of the result, in order;
    - C4 `max_bias` is finite and positive;
    - C5 `later_slopes` only with `slopes`, and not with `symmetric`;
    - C6 `first_head` and `total_heads` only together and without `slopes`;
      `total_heads` is at most 65536, and at least Hq, and what a constant
      `first_head` needs.

    ```mlir
    func.func @alibi(%lq: index, %lk: index) -> tensor<1x8x?x?xf32> {
      %bias = posenc.alibi sizes(%lq, %lk) : tensor<1x8x?x?xf32>
      return %bias : tensor<1x8x?x?xf32>
    }
    ```
    Source: Press et al. 2022, fairseq get_slopes.
  }];
  let arguments = (ins
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset,
    Arg<Optional<TensorRankOf<[F32], [1]>>, "`[Hq]`">:$slopes,
    Arg<Optional<TensorRankOf<[F32], [1]>>, "for keys after the query, `[Hq]`">:$later_slopes,
    Arg<Optional<Index>, "which of `total_heads` is head 0">:$first_head,
    OptionalAttr<I64Attr>:$total_heads,
    DefaultValuedAttr<F64Attr, "8.0">:$max_bias,
    UnitAttr:$symmetric);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)?
    (`slopes` `(` $slopes^ `:` type($slopes) `)`)?
    (`later_slopes` `(` $later_slopes^ `:` type($later_slopes) `)`)?
    (`first_head` `(` $first_head^ `)`)? (`symmetric` $symmetric^)?
    attr-dict `:` type($result)
  }];
  let extraClassDeclaration = [{
    /// The slopes of the paper for `numHeads` heads.
    static ::llvm::SmallVector<float> getPaperSlopes(int64_t numHeads, double maxBias);
  }];
}

#endif // POSENC_ENCODINGS_ALIBI
