//===- Pope.td - Polar position embedding ------------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_POPE
#define POSENC_ENCODINGS_POPE

include "posenc/Dialect/PosEnc/IR/PosEncAttrs.td"

def PopeOp : PosEnc_Op<"pope", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<FormulaOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "turns every lane, as the magnitude of a polar number, by its position";
  let description = [{
    Lane `c` of `D` at position `m` has the magnitude `softplus(x[c])` and the
    phase `a = m * frequency[c] + clamp(phase[h, c], -2 pi, 0)`; the result is
    twice as wide: lane `c` is `softplus(x[c]) cos a`, lane `D + c` is
    `softplus(x[c]) sin a`. The frequencies are those of `2 D` rotary lanes,
    `base^(-c / D)` where unscaled. `phase` is learned, and for keys only.

    A nonlinear function of the input, so that attention cannot turn queries
    itself: it is computed by itself, as a tensor.

    The position of row `l` of batch `b` is `positions[b, l]` (`[1, L]` serves
    every batch, `[L]` likewise), and without `positions` it is `offset + l`,
    `offset` 0 if absent.

    Constraints:
    - C1 the result is the input but for twice the head size, which is static;
    - C2 `positions` is `[B, L]`, `[1, L]` or `[L]`, without `offset`;
    - C3 `phase` is `[H, D]` or `[1, D]`;
    - C4 `frequencies` suits `2 D` lanes, and has one frequency a lane;
    - C5 `length` where `frequencies` depends on it, and only there.

    ```mlir
    func.func @pope(%k: tensor<1x4x?x8xf32>, %phase: tensor<4x8xf32>) -> tensor<1x4x?x16xf32> {
      %y = posenc.pope %k phase(%phase : tensor<4x8xf32>)
          frequencies(#posenc.frequencies<base = 10000.0>)
          : tensor<1x4x?x8xf32> -> tensor<1x4x?x16xf32>
      return %y : tensor<1x4x?x16xf32>
    }
    ```
    Source: PoPE, Gopalakrishnan et al. 2025; x_transformers `PolarEmbedding`.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [4]>, "`[B, H, L, D]`">:$input,
    Arg<Optional<TensorRankOf<[PosEnc_Position], [1, 2]>>, "`[B, L]`, `[1, L]` or `[L]`">:$positions,
    Arg<Optional<Index>, "the position of row 0">:$offset,
    Arg<Optional<TensorRankOf<[F32], [2]>>, "radians, `[H, D]` or `[1, D]`">:$phase,
    Arg<Optional<Index>, "the number of tokens, cached ones included">:$length,
    FrequenciesAttrInterface:$frequencies);
  let results = (outs TensorRankOf<[F32, F16, BF16], [4]>:$result);
  let assemblyFormat = [{
    $input
    (`positions` `(` $positions^ `:` type($positions) `)`)?
    (`offset` `(` $offset^ `)`)?
    (`phase` `(` $phase^ `:` type($phase) `)`)? (`length` `(` $length^ `)`)?
    `frequencies` `(` $frequencies `)`
    attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif // POSENC_ENCODINGS_POPE
