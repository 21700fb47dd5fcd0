//===- Conv.td - Positions by a convolution ----------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_CONV
#define POSENC_ENCODINGS_CONV

include "posenc/Dialect/PosEnc/IR/PosEncAttrs.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"

def ConvOp : PosEnc_Op<"conv", [Pure, AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "a convolution over tokens, which tells where they are";
  let description = [{
    With `G` groups, `n = C / G` channels each, and `g = floor(c / n)`:

    `result[b, l, c] = bias[c] + sum over i, k of
        weight[c, i, k] input[b, l + k - floor(K / 2), g n + i]`

    tokens outside of the sequence being zero, and likewise with `y, x` and two
    kernel axes for `l` and `k`. So as many tokens come out as go in: an even K
    looks one token further back than ahead, which is what dropping the last
    sample of a padded convolution does (wav2vec 2.0).

    The sum is in f32, rounded to the type of the input once. The graph adds it
    onto the embeddings, and applies the activation before (wav2vec 2.0: GELU).
    A weight norm is folded into `weight`. It depends on content, so attention
    takes it as it is: it becomes a contraction of its own.

    | weight | used by |
    |---|---|
    | `[C, C / 16, 128]` | wav2vec 2.0, HuBERT |
    | `[C, 1, 3, 3]` | CPVT (a 3 by 3 depthwise convolution over the grid of tokens) |

    Constraints:
    - C1 `input` is `[B, L, C]` or `[B, H, W, C]`;
    - C2 `weight` is static, `[C, C / G, K]` or `[C, C / G, K, K']`, with a kernel
      axis for each axis of tokens, and G whole groups;
    - C3 `bias` is `[C]`.

    ```mlir
    func.func @conv(%x: tensor<1x?x768xf32>, %weight: tensor<768x48x128xf32>,
                    %bias: tensor<768xf32>) -> tensor<1x?x768xf32> {
      %pe = posenc.conv %x weight(%weight : tensor<768x48x128xf32>)
          bias(%bias : tensor<768xf32>) : tensor<1x?x768xf32>
      return %pe : tensor<1x?x768xf32>
    }
    ```
    Sources: Baevski et al. 2020, wav2vec 2.0; Chu et al. 2023, CPVT.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [3, 4]>, "`[B, L, C]` or `[B, H, W, C]`">:$input,
    Arg<TensorRankOf<[F32, F16, BF16], [3, 4]>, "`[C, C / G, K]` or `[C, C / G, K, K']`">:$weight,
    Arg<Optional<TensorRankOf<[F32, F16, BF16], [1]>>, "`[C]`">:$bias);
  let results = (outs TensorRankOf<[F32, F16, BF16], [3, 4]>:$result);
  let assemblyFormat = [{
    $input `weight` `(` $weight `:` type($weight) `)`
    (`bias` `(` $bias^ `:` type($bias) `)`)? attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
}

#endif // POSENC_ENCODINGS_CONV
