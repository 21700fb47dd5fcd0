//===- QueryTemperature.td - Queries that grow with position *- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_QUERY_TEMPERATURE
#define POSENC_ENCODINGS_QUERY_TEMPERATURE

include "posenc/Dialect/PosEnc/IR/PosEncAttrs.td"

def QueryTemperatureOp : PosEnc_Op<"query_temperature", [Pure, AttrSizedOperandSegments,
    AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<RotaryOpInterface, ["getLanes", "getRotatedOperand", "getRotatedLayout", "rotate", "emitCosSin"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "multiplies queries by a factor that grows with their position";
  let description = [{
    The lanes of `lanes` of the row at position `m` are multiplied by

    `1 + beta ln(1 + floor((m + position_shift) / original_length))`

    It is a rotation by no angle, so that it fuses as rotations do, together with
    one where both have the same lanes. `position_shift` is 1 in Llama 4 (which
    does this in its layers without rotary encoding only), 0 in Ministral 3 (after
    its rotary encoding).

    The position of row `l` of batch `b` is `positions[b, l]` (`[1, L]` serves
    every batch, `[L]` likewise), and without `positions` it is `offset + l`,
    `offset` 0 if absent. A position below `-position_shift` counts as that.

    Constraints:
    - C1 the lanes lie within the head size, which is static;
    - C2 `positions` is `[B, L]`, `[1, L]` or `[L]`, of integers, without `offset`;
    - C3 `beta` is finite;
    - C4 `original_length` is positive, `position_shift` not negative.

    ```mlir
    func.func @query_temperature(%q: tensor<1x4x?x16xf32>, %positions: tensor<1x?xi64>) -> tensor<1x4x?x16xf32> {
      %y = posenc.query_temperature %q positions(%positions : tensor<1x?xi64>)
          lanes(<half, first = 0, count = 16>)
          {beta = 0.1 : f64, original_length = 8192 : i64, position_shift = 1 : i64}
          : tensor<1x4x?x16xf32>
      return %y : tensor<1x4x?x16xf32>
    }
    ```
    Source: Llama 4 (Meta 2025), transformers `llama4` and `ministral3`; scalable
    softmax, Nakanishi 2025.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [4]>, "queries in `layout`">:$input,
    Arg<Optional<TensorRankOf<[I32, I64, Index], [1, 2]>>, "`[B, L]`, `[1, L]` or `[L]`">:$positions,
    Arg<Optional<Index>, "the position of row 0">:$offset,
    LanesAttr:$lanes,
    F64Attr:$beta,
    I64Attr:$original_length,
    I64Attr:$position_shift,
    DefaultValuedAttr<LayoutAttr, "Layout::BHLD">:$layout);
  let results = (outs TensorRankOf<[F32, F16, BF16], [4]>:$result);
  let assemblyFormat = [{
    $input
    (`positions` `(` $positions^ `:` type($positions) `)`)?
    (`offset` `(` $offset^ `)`)?
    `lanes` `(` $lanes `)` (`layout` `(` $layout^ `)`)?
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif // POSENC_ENCODINGS_QUERY_TEMPERATURE
