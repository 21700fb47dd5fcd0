//===- Shaw.td - Tables of relative positions --------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_SHAW
#define POSENC_ENCODINGS_SHAW

include "posenc/Dialect/PosEnc/IR/SizedOp.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"

def PosEnc_RelativeOrder : PosEnc_Enum<"RelativeOrder",
    "what a relative position is", [
    I32EnumAttrCase<"KeyMinusQuery", 0, "key_minus_query">,
    I32EnumAttrCase<"QueryMinusKey", 1, "query_minus_key">]>;
def RelativeOrderAttr : PosEnc_EnumAttr<PosEnc_RelativeOrder, "relative_order">;

def PosEnc_RelativeOutside : PosEnc_Enum<"RelativeOutside",
    "what a relative position without a row of its own reads", [
    I32EnumAttrCase<"Clip", 0, "clip">,
    I32EnumAttrCase<"Zero", 1, "zero">,
    I32EnumAttrCase<"Error", 2, "error">]>;
def RelativeOutsideAttr : PosEnc_EnumAttr<PosEnc_RelativeOutside, "relative_outside">;

def ShawOp : PosEnc_SizedOp<"shaw", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TableReadOpInterface>,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>]> {
  let summary = "queries or keys against a learned row of their relative position";
  let description = [{
    `bias[b, h, i, j] = query[b, h, i] . table[h, c] + key[b, g, j] . table[h, c]`,
    either term or both, with `g = h / (Hq / Hkv)`, R rows in the table and

    ```
    r = j - (i + offset)      (relative key_minus_query)
        (i + offset) - j      (relative query_minus_key)
    c = clip(r + left, 0, R - 1)
    ```

    A relative position below `-left` or above `R - 1 - left` has no row of its
    own. It reads the nearest (outside `clip`), contributes zero (`zero`), or is
    an error (`error`), which `posenc-check-ranges` reports where sizes are
    known, and the nearest row is read. The bias is scaled as the scores are:
    add it to them before their scale, or multiply it by the same.

    | model | terms | relative | outside | left | rows |
    |---|---|---|---|---|---|
    | Shaw, Music Transformer | query | key_minus_query | clip | k | 2k + 1 |
    | VITS | query | key_minus_query | zero | W | 2W + 1 |
    | Wav2Vec2-BERT | query | key_minus_query | clip | left | left + right + 1 |
    | SpeechT5 | query | query_minus_key | clip | M | 2M |
    | BERT relative_key(_query) | query (and key) | query_minus_key | error | M - 1 | 2M - 1 |

    Constraints:
    - C1 `query` (`[B, Hq, Lq, D]`) or `key` (`[B, Hkv, Lk, D]`) or both, for a
      result `[B, Hq, Lq, Lk]`, Hkv a divisor of Hq;
    - C2 `table` is `[R, D]` or `[Hq, R, D]`; D is static, from 1 to 1024, and R
      is static and not zero;
    - C3 one size operand a dynamic dimension of the result, in order;
    - C4 `left` is a row of the table.

    ```mlir
    func.func @shaw(%q: tensor<2x4x?x16xf32>, %table: tensor<9x16xf32>, %lq: index, %lk: index) -> tensor<2x4x?x?xf32> {
      %bias = posenc.shaw query(%q : tensor<2x4x?x16xf32>) table(%table : tensor<9x16xf32>) sizes(%lq, %lk)
          relative(<key_minus_query>) outside(<clip>) {left = 4 : i64} : tensor<2x4x?x?xf32>
      return %bias : tensor<2x4x?x?xf32>
    }
    ```
    Source: Shaw et al. 2018, tensor2tensor dot_product_attention_relative.
  }];
  let arguments = (ins
    Arg<Optional<TensorRankOf<[F32, F16, BF16], [4]>>, "`[B, Hq, Lq, D]`">:$query,
    Arg<Optional<TensorRankOf<[F32, F16, BF16], [4]>>, "`[B, Hkv, Lk, D]`">:$key,
    Arg<TensorRankOf<[F32, F16, BF16], [2, 3]>, "`[R, D]` or `[Hq, R, D]`">:$table,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset,
    RelativeOrderAttr:$relative, RelativeOutsideAttr:$outside, I64Attr:$left);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    (`query` `(` $query^ `:` type($query) `)`)? (`key` `(` $key^ `:` type($key) `)`)?
    `table` `(` $table `:` type($table) `)`
    (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)?
    `relative` `(` $relative `)` `outside` `(` $outside `)` attr-dict `:` type($result)
  }];
}

def ShawValuesOp : PosEnc_Op<"shaw_values", [Pure,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "probabilities against a learned row of each relative position";
  let description = [{
    `output[b, h, i] = sum_j probabilities[b, h, i, j] table[h, c]`

    with the row `c` and the relative positions of `posenc.shaw`. It is what
    Shaw et al. add to the output of attention. A kernel has no probabilities,
    so this term stays outside of it, and so does the softmax it reads.

    Constraints:
    - C1 `table` is `[R, Dv]` or `[Hq, R, Dv]`, R static and not zero;
    - C2 the result is `[B, Hq, Lq, Dv]` f32 for probabilities `[B, Hq, Lq, Lk]`;
    - C3 `left` is a row of the table;
    - C4 `outside` is `clip` or `zero`.

    ```mlir
    func.func @shaw_values(%p: tensor<2x4x?x?xf32>, %table: tensor<9x16xf32>) -> tensor<2x4x?x16xf32> {
      %o = posenc.shaw_values %p table(%table : tensor<9x16xf32>) relative(<key_minus_query>) outside(<clip>)
          {left = 4 : i64} : tensor<2x4x?x?xf32> -> tensor<2x4x?x16xf32>
      return %o : tensor<2x4x?x16xf32>
    }
    ```
    Source: Shaw et al. 2018, tensor2tensor dot_product_attention_relative.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [4]>, "`[B, Hq, Lq, Lk]`">:$probabilities,
    Arg<TensorRankOf<[F32, F16, BF16], [2, 3]>, "`[R, Dv]` or `[Hq, R, Dv]`">:$table,
    Arg<Optional<Index>, "the key index of query row 0">:$offset,
    RelativeOrderAttr:$relative, RelativeOutsideAttr:$outside, I64Attr:$left);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    $probabilities `table` `(` $table `:` type($table) `)` (`offset` `(` $offset^ `)`)?
    `relative` `(` $relative `)` `outside` `(` $outside `)`
    attr-dict `:` type($probabilities) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // POSENC_ENCODINGS_SHAW
