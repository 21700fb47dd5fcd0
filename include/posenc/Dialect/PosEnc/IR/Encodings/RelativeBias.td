//===- RelativeBias.td - A bias by distance ----------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_RELATIVE_BIAS
#define POSENC_ENCODINGS_RELATIVE_BIAS

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def PosEnc_RelativeSign : PosEnc_Enum<"RelativeSign",
    "which of two positions is subtracted from the other", [
    I32EnumAttrCase<"KeyMinusQuery", 0, "key_minus_query">,
    I32EnumAttrCase<"QueryMinusKey", 1, "query_minus_key">]>;
def RelativeSignAttr : PosEnc_EnumAttr<PosEnc_RelativeSign, "relative_sign">;

def PosEnc_OutsideTable : PosEnc_Enum<"OutsideTable",
    "the bias of distances outside of a table", [
    I32EnumAttrCase<"Clip", 0, "clip">,
    I32EnumAttrCase<"Zero", 1, "zero">]>;
def OutsideTableAttr : PosEnc_EnumAttr<PosEnc_OutsideTable, "outside_table">;

def RelativeBiasOp : PosEnc_SizedOp<"relative_bias", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TableReadOpInterface>]> {
  let summary = "a learned bias for each distance";
  let description = [{
    `bias[0, h, i, j] = table[r + origin, h]` with

    ```
    r = j - (i + offset)   sign(<key_minus_query>)
        (i + offset) - j   sign(<query_minus_key>)
    ```

    `origin` is the row of distance zero. Rows outside of the table are the
    nearest row (`outside(<clip>)`) or a bias of zero (`outside(<zero>)`).

    | model | `sign` | `origin` | rows | `outside` |
    |---|---|---|---|---|
    | Shaw, Music Transformer, within k | key minus query | k | 2k + 1 | clip |
    | Wav2Vec2-BERT | key minus query | left | left + right + 1 | clip |
    | VITS, within w | key minus query | w | 2w + 1 | zero |
    | SpeechT5, within M | query minus key | M | 2M | clip |
    | BERT relative_key, up to n positions | query minus key | n - 1 | 2n - 1 | never |
    | dynamic position bias | query minus key | Lk - 1 | Lq + Lk - 1 | never |

    The table may be what the graph computes: a dynamic position bias
    (CrossFormer, x-transformers) is a perceptron of the column of distances,
    whose output is a table of every distance there is.

    Constraints:
    - C1 the result is f32 `[1, Hq, Lq, Lk]`;
    - C2 `table` is `[N, Hq]` and has a row;
    - C3 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @relative(%table: tensor<33x8xf32>, %l: index) -> tensor<1x8x?x?xf32> {
      %k = arith.constant 16 : index
      %bias = posenc.relative_bias %table origin(%k) sizes(%l, %l) sign(<key_minus_query>) outside(<clip>)
          : tensor<33x8xf32> -> tensor<1x8x?x?xf32>
      return %bias : tensor<1x8x?x?xf32>
    }
    ```
    Sources: Shaw et al. 2018; Wang et al. 2022, CrossFormer.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [2]>, "`[N, Hq]`">:$table,
    Arg<Index, "the row of distance zero">:$origin,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset,
    RelativeSignAttr:$sign, OutsideTableAttr:$outside);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    $table `origin` `(` $origin `)` (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)?
    `sign` `(` $sign `)` `outside` `(` $outside `)`
    attr-dict `:` type($table) `->` type($result)
  }];
}

#endif // POSENC_ENCODINGS_RELATIVE_BIAS
