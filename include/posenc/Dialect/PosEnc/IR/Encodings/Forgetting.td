//===- Forgetting.td - A bias of forget gates --------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_FORGETTING
#define POSENC_ENCODINGS_FORGETTING

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def ForgettingOp : PosEnc_SizedOp<"forgetting", [AttrSizedOperandSegments]> {
  let summary = "what the forget gates between a key and a query leave of it";
  let description = [{
    With `m = i + offset`, the query's row among the keys:

    ```
    bias[b, h, i, j] = sums[b, h, m] - sums[b, h, j]           j <= m, or no `backward`
                       backward[b, h, j] - backward[b, h, m]   j > m
    ```

    `sums` are running sums along the keys of the logarithms of the forget gates,
    `sums[b, h, l] = sum over t <= l of ln f[b, h, t]`, so that the bias is the
    sum over the gates after the key up to the query. A model computes them once
    a step and keeps them as it keeps keys; the op holds no scan. `backward` are
    those of the second gates of bidirectional models; causal ones mask `j > m`.
    Where there is no key row m, the nearest row is read.

    Constraints:
    - C1 the result is f32 `[B, Hq, Lq, Lk]`;
    - C2 `sums` and `backward` are f32 `[B, Hq, Lk]`;
    - C3 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @forgetting(%sums: tensor<2x8x?xf32>, %lq: index, %lk: index, %cached: index)
        -> tensor<2x8x?x?xf32> {
      %bias = posenc.forgetting %sums sizes(%lq, %lk) offset(%cached)
          : tensor<2x8x?xf32> -> tensor<2x8x?x?xf32>
      return %bias : tensor<2x8x?x?xf32>
    }
    ```
    Source: Lin et al. 2025, Forgetting Transformer; x-transformers
    DataDependentAlibi.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32], [3]>, "running sums of logarithmic gates, `[B, Hq, Lk]`">:$sums,
    Arg<Optional<TensorRankOf<[F32], [3]>>, "those for keys after the query, `[B, Hq, Lk]`">:$backward,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    $sums (`backward` `(` $backward^ `:` type($backward) `)`)?
    (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)?
    attr-dict `:` type($sums) `->` type($result)
  }];
}

#endif // POSENC_ENCODINGS_FORGETTING
