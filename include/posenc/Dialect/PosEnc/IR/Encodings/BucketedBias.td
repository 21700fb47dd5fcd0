//===- BucketedBias.td - A bias by bucket of distance ------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_BUCKETED_BIAS
#define POSENC_ENCODINGS_BUCKETED_BIAS

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def BucketedBiasOp : PosEnc_SizedOp<"bucketed_bias", [AttrSizedOperandSegments]> {
  let summary = "a learned bias for each bucket of distances";
  let description = [{
    `bias[0, h, i, j] = table[bucket(j - (i + offset)), h]`

    with N buckets, and for the relative position `r`:

    ```
    causal (the default):  n = max(-r, 0), B = N,     bucket = part(n)
    bidirectional:         n = |r|,        B = N / 2, bucket = part(n) + (r > 0 ? B : 0)
    part(n) = n                                                       where n < e = floor(B / 2)
              min(e + floor(ln(n / e) / ln(max_distance / e) (B - e)), B - 1)   elsewhere
    ```

    Where a bucket starts is computed exactly, at compile time. T5 adds the bias
    to scores that are not scaled by the head size; MPNet and WavLM scale theirs.

    With `gate` every row weighs its biases: the bias is `gate[b, h, i]` times the
    table's. WavLM's gate is `g (s[h] g' - 1) + 2`, `g` and `g'` sigmoids of the
    row's own features: the graph computes it.

    Constraints:
    - C1 the result is f32 `[1, Hq, Lq, Lk]`, with `gate` `[B, Hq, Lq, Lk]`;
    - C2 `table` is `[N, Hq]`, N static: even if bidirectional, and at least two
      a direction;
    - C3 one size operand a dynamic dimension of the result, in order;
    - C4 `max_distance` is greater than `e` and at most 65536;
    - C5 `gate` is f32 `[B, Hq, Lq]`.

    ```mlir
    func.func @t5(%table: tensor<32x8xf32>, %l: index) -> tensor<1x8x?x?xf32> {
      %bias = posenc.bucketed_bias %table sizes(%l, %l) bidirectional
          {max_distance = 128 : i64} : tensor<32x8xf32> -> tensor<1x8x?x?xf32>
      return %bias : tensor<1x8x?x?xf32>
    }
    ```
    Sources: Raffel et al. 2020, mesh_tensorflow _relative_position_bucket; Chen
    et al. 2022, WavLM (the gate).
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [2]>, "`[N, Hq]`">:$table,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset,
    Arg<Optional<TensorRankOf<[F32], [3]>>, "what a row's biases are multiplied by, `[B, Hq, Lq]`">:$gate,
    I64Attr:$max_distance, UnitAttr:$bidirectional);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    $table (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)?
    (`gate` `(` $gate^ `:` type($gate) `)`)? (`bidirectional` $bidirectional^)?
    attr-dict `:` type($table) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// The least distance of each bucket of one direction, ascending. Equal
    /// neighbours are buckets that no distance falls into but the last.
    static ::llvm::SmallVector<int64_t> getBucketStarts(int64_t numBuckets, int64_t maxDistance);
  }];
}

#endif // POSENC_ENCODINGS_BUCKETED_BIAS
