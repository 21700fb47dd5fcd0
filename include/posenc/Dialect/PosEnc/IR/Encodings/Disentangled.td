//===- Disentangled.td - DeBERTa's two position terms ------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_DISENTANGLED
#define POSENC_ENCODINGS_DISENTANGLED

include "posenc/Dialect/PosEnc/IR/SizedOp.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"

def PosEnc_DistanceBuckets : PosEnc_Enum<"DistanceBuckets",
    "how relative positions share rows", [
    I32EnumAttrCase<"Identity", 0, "identity">,
    I32EnumAttrCase<"Logarithmic", 1, "logarithmic">]>;
def DistanceBucketsAttr : PosEnc_EnumAttr<PosEnc_DistanceBuckets, "distance_buckets">;

def DisentangledOp : PosEnc_SizedOp<"disentangled", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>]> {
  let summary = "queries against key positions and keys against query positions";
  let description = [{
    `bias[b, h, i, j] = query[b, h, i] . pos_key[h, c] + key[b, g, j] . pos_query[h, c]`,
    either term (content to position, position to content) or both, with
    `g = h / (Hq / Hkv)`. Both read the same row of their table of R rows:

    ```
    r = (i + offset) - j, span = R / 2
    c = clip(b(r) + span, 0, R - 1)
    b(r) = r                                                     (buckets identity: DeBERTa v1)
    with m = bucket_size / 2                                     (buckets logarithmic: v2, v3):
    b(r) = r                                                              where |r| <= m
           sign(r) (m + ceil(ln(|r| / m) / ln((max_position - 1) / m) (m - 1)))  elsewhere
    ```

    Where a bucket starts is computed exactly, at compile time. v1 takes the
    middle 2 min(max(Lq, Lk), M) of its 2M rows, which are those that the whole
    table is read at. The scale, `1 / sqrt(D (1 + terms))`, is that of attention
    and applies to all terms: add the bias to the scores before it.

    Constraints:
    - C1 `query` (`[B, Hq, Lq, D]`) with `pos_key`, `key` (`[B, Hkv, Lk, D]`)
      with `pos_query`, or both, for a result `[B, Hq, Lq, Lk]`, Hkv a divisor of
      Hq;
    - C2 a table is `[R, D]` or `[Hq, R, D]`; D is static, from 1 to 1024, and R
      is static, even, not zero and the same for both;
    - C3 one size operand a dynamic dimension of the result, in order;
    - C4 `bucket_size` and `max_position` are given with logarithmic buckets and
      not with others; `bucket_size` is even, at least 4 and at most
      `max_position`, `max_position` at most 65536, and R at most `2 bucket_size`.

    ```mlir
    func.func @deberta(%q: tensor<1x4x?x16xf32>, %k: tensor<1x4x?x16xf32>, %pk: tensor<4x512x16xf32>,
                       %pq: tensor<4x512x16xf32>, %l: index) -> tensor<1x4x?x?xf32> {
      %bias = posenc.disentangled query(%q : tensor<1x4x?x16xf32>) pos_key(%pk : tensor<4x512x16xf32>)
          key(%k : tensor<1x4x?x16xf32>) pos_query(%pq : tensor<4x512x16xf32>) sizes(%l, %l)
          buckets(<logarithmic>) {bucket_size = 256 : i64, max_position = 512 : i64} : tensor<1x4x?x?xf32>
      return %bias : tensor<1x4x?x?xf32>
    }
    ```
    Source: DeBERTa, He et al. 2021; transformers deberta_v2 for the buckets.
  }];
  let arguments = (ins
    Arg<Optional<TensorRankOf<[F32, F16, BF16], [4]>>, "`[B, Hq, Lq, D]`">:$query,
    Arg<Optional<TensorRankOf<[F32, F16, BF16], [2, 3]>>, "`[R, D]` or `[Hq, R, D]`">:$pos_key,
    Arg<Optional<TensorRankOf<[F32, F16, BF16], [4]>>, "`[B, Hkv, Lk, D]`">:$key,
    Arg<Optional<TensorRankOf<[F32, F16, BF16], [2, 3]>>, "`[R, D]` or `[Hq, R, D]`">:$pos_query,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset,
    DistanceBucketsAttr:$buckets, OptionalAttr<I64Attr>:$bucket_size,
    OptionalAttr<I64Attr>:$max_position);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    (`query` `(` $query^ `:` type($query) `)`)? (`pos_key` `(` $pos_key^ `:` type($pos_key) `)`)?
    (`key` `(` $key^ `:` type($key) `)`)? (`pos_query` `(` $pos_query^ `:` type($pos_query) `)`)?
    (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)?
    `buckets` `(` $buckets `)` attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_DISENTANGLED
