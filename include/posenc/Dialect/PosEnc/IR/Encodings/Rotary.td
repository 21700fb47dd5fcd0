//===- Rotary.td - Rotary position embedding ---------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_ROTARY
#define POSENC_ENCODINGS_ROTARY

include "posenc/Dialect/PosEnc/IR/PosEncAttrs.td"

def RotaryOp : PosEnc_Op<"rotary", [Pure, AttrSizedOperandSegments,
    AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<FormulaOpInterface>,
    DeclareOpInterfaceMethods<TableReadOpInterface>,
    DeclareOpInterfaceMethods<RotaryOpInterface, ["getLanes", "getRotatedOperand", "getRotatedLayout", "rotate", "composeWith", "emitCosSin", "whyNotKept", "whyUnlike"]>,
    DeclareOpInterfaceMethods<RaisableOpInterface, ["propose"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "rotates pairs of lanes by an angle of the row's position";
  let description = [{
    For pair `p` of the row at position `m`, lanes `(x, y)` become
    `(x cos a - y sin a, x sin a + y cos a)`, where

    - with `frequencies`, `a = m * frequency[p]`, cosine and sine multiplied by
      the attention factor of the frequencies, and by `decay` (xPos) around the
      position `centre`, which queries and keys must have in common;
    - with `cos` and `sin`, they are read from the caches, which may hold any
      numbers: `cache[m, p]` if of rank 2, `cache[b, row, p]` if of rank 3. A
      position outside of the cache is an error, which `posenc-check-ranges`
      reports where positions follow from sizes; the nearest row is read.

    The position of row `l` of batch `b` is `positions[b, l]` (`[1, L]` serves
    every batch, `[L]` likewise), and without `positions` it is `offset + l`,
    `offset` 0 if absent. With `sections` it is the pair's coordinate
    `positions[axis, b, l]`. `length` is the number of tokens, cached ones
    included, where frequencies depend on it. `inverse` rotates back. Lanes
    outside `lanes` pass through. Angles and products are f32 whatever the type
    of the input.

    Constraints:
    - C1 either `frequencies` or both caches;
    - C2 the lanes lie within the head size, which is static;
    - C3 caches of rank 2 (`[rows, count / 2]`) or 3 (`[B or 1, L, count / 2]`), alike;
    - C4 `positions` is `[B, L]`, `[1, L]` or `[L]`, with `sections` `[axes, B or
      1, L]`, of integers where caches are read; not with caches of rank 3;
    - C5 `offset` only without `positions` and without caches of rank 3;
    - C6 `frequencies` suits the lanes and has one frequency a pair;
    - C7 `length` where `frequencies` depends on it, and only there;
    - C8 `sections` with `frequencies` and `positions`, for as many pairs as the
      lanes have;
    - C9 `decay` and `centre` together, with `frequencies`, not with `inverse`.

    ```mlir
    func.func @rotary(%x: tensor<1x4x?x16xf32>, %positions: tensor<1x?xi64>) -> tensor<1x4x?x16xf32> {
      %y = posenc.rotary %x positions(%positions : tensor<1x?xi64>)
          lanes(<half, first = 0, count = 16>)
          frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x?x16xf32>
      return %y : tensor<1x4x?x16xf32>
    }
    ```
    ```mlir
    func.func @rotary_of_length(%x: tensor<1x4x?x16xf32>, %length: index) -> tensor<1x4x?x16xf32> {
      %y = posenc.rotary %x length(%length) lanes(<half, first = 0, count = 16>)
          frequencies(#posenc.frequencies<base = 10000.0,
            scaling = #posenc.dynamic_ntk<factor = 2.0, original_length = 2048>>)
          : tensor<1x4x?x16xf32>
      return %y : tensor<1x4x?x16xf32>
    }
    ```
    ```mlir
    func.func @rotary_of_axes(%x: tensor<1x4x?x16xf32>, %positions: tensor<3x1x?xi64>) -> tensor<1x4x?x16xf32> {
      %y = posenc.rotary %x positions(%positions : tensor<3x1x?xi64>)
          lanes(<half, first = 0, count = 16>)
          frequencies(#posenc.frequencies<base = 1000000.0>)
          sections(<chunked, [2, 3, 3], ordinary>) : tensor<1x4x?x16xf32>
      return %y : tensor<1x4x?x16xf32>
    }
    ```
    ```mlir
    func.func @rotary_xpos(%x: tensor<1x4x?x16xf32>, %centre: index) -> tensor<1x4x?x16xf32> {
      %y = posenc.rotary %x centre(%centre) lanes(<interleaved, first = 0, count = 16>)
          frequencies(#posenc.frequencies<base = 10000.0>)
          decay(<query, scale_base = 512.0>) : tensor<1x4x?x16xf32>
      return %y : tensor<1x4x?x16xf32>
    }
    ```
    Source: RoFormer, Su et al. 2021; ONNX RotaryEmbedding 23 for the caches.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [4]>, "queries or keys in `layout`">:$input,
    Arg<Optional<TensorRankOf<[PosEnc_Position], [1, 2, 3]>>, "`[B, L]`, `[1, L]` or `[L]`; `[axes, B or 1, L]`">:$positions,
    Arg<Optional<Index>, "the position of row 0">:$offset,
    Arg<Optional<TensorRankOf<[F32, F16, BF16], [2, 3]>>, "a number a row and pair">:$cos,
    Arg<Optional<TensorRankOf<[F32, F16, BF16], [2, 3]>>, "likewise">:$sin,
    Arg<Optional<Index>, "the number of tokens, cached ones included">:$length,
    Arg<Optional<Index>, "the position at which nothing decays">:$centre,
    LanesAttr:$lanes,
    OptionalAttr<FrequenciesAttrInterface>:$frequencies,
    OptionalAttr<SectionsAttr>:$sections,
    OptionalAttr<XposAttr>:$decay,
    DefaultValuedAttr<LayoutAttr, "Layout::BHLD">:$layout,
    UnitAttr:$inverse);
  let results = (outs TensorRankOf<[F32, F16, BF16], [4]>:$result);
  let assemblyFormat = [{
    $input
    (`positions` `(` $positions^ `:` type($positions) `)`)?
    (`offset` `(` $offset^ `)`)?
    (`cos` `(` $cos^ `:` type($cos) `)`)? (`sin` `(` $sin^ `:` type($sin) `)`)?
    (`length` `(` $length^ `)`)? (`centre` `(` $centre^ `)`)?
    `lanes` `(` $lanes `)`
    (`frequencies` `(` $frequencies^ `)`)?
    (`sections` `(` $sections^ `)`)? (`decay` `(` $decay^ `)`)?
    (`layout` `(` $layout^ `)`)? (`inverse` $inverse^)?
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

#endif // POSENC_ENCODINGS_ROTARY
