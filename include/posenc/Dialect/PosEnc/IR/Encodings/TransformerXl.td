//===- TransformerXl.td - Queries against relative rows ----*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_TRANSFORMER_XL
#define POSENC_ENCODINGS_TRANSFORMER_XL

include "posenc/Dialect/PosEnc/IR/SizedOp.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"

def PosEnc_RelativeRows : PosEnc_Enum<"RelativeRows",
    "which relative position a row of the projected encodings belongs to", [
    I32EnumAttrCase<"TransformerXl", 0, "transformer_xl">,
    I32EnumAttrCase<"XlNet", 1, "xlnet">,
    I32EnumAttrCase<"Conformer", 2, "conformer">]>;
def RelativeRowsAttr : PosEnc_EnumAttr<PosEnc_RelativeRows, "relative_rows">;

def TransformerXlOp : PosEnc_SizedOp<"transformer_xl", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>]> {
  let summary = "queries against the projected encoding of the relative position";
  let description = [{
    `bias[b, h, i, j] = (query[b, h, i] + query_bias[h]) . relative[h, row]`

    where `relative` holds the projected encodings of relative positions from
    far to near, and

    ```
    row = Lk - 1 - (i + offset - j)   (rows transformer_xl: Lk rows, of Lk - 1 down to 0)
          Lk - (i + offset - j)       (rows xlnet: Lk + 1 rows, of Lk down to 0, or
                                       Lk + Lq rows, of Lk down to -Lq + 1)
          Lk - 1 - (i + offset - j)   (rows conformer: 2 Lk - 1 rows, of Lk - 1 down to -Lk + 1)
    ```

    The nearest row is read where there is none of that number: right of the
    diagonal of a table without negative positions, which must be masked. The
    content term `(query + u) . key` is that of attention over `query + u`; the
    bias is scaled as the scores are.

    Constraints:
    - C1 `query` is `[B, Hq, Lq, D]` for a result `[B, Hq, Lq, Lk]`;
    - C2 `relative` is `[R, D]` or `[Hq, R, D]`, D static, from 1 to 1024, R not zero;
    - C3 one size operand a dynamic dimension of the result, in order;
    - C4 `query_bias` is `[Hq, D]`;
    - C5 R is what `rows` asks for, where that is known;
    - C6 `offset` not with `conformer`, whose queries are its keys.

    ```mlir
    func.func @transformer_xl(%q: tensor<1x4x?x16xf32>, %v: tensor<4x16xf32>, %r: tensor<4x?x16xf32>, %lq: index,
                              %lk: index, %memory: index) -> tensor<1x4x?x?xf32> {
      %bias = posenc.transformer_xl query(%q : tensor<1x4x?x16xf32>) query_bias(%v : tensor<4x16xf32>)
          relative(%r : tensor<4x?x16xf32>) sizes(%lq, %lk) offset(%memory) rows(<transformer_xl>)
          : tensor<1x4x?x?xf32>
      return %bias : tensor<1x4x?x?xf32>
    }
    ```
    Source: Transformer-XL, Dai et al. 2019; XLNet, Yang et al. 2019; Conformer, Gulati et al. 2020.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [4]>, "`[B, Hq, Lq, D]`">:$query,
    Arg<Optional<TensorRankOf<[F32, F16, BF16], [2]>>, "`[Hq, D]`">:$query_bias,
    Arg<TensorRankOf<[F32, F16, BF16], [2, 3]>, "`[R, D]` or `[Hq, R, D]`">:$relative,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset,
    RelativeRowsAttr:$rows);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    `query` `(` $query `:` type($query) `)` (`query_bias` `(` $query_bias^ `:` type($query_bias) `)`)?
    `relative` `(` $relative `:` type($relative) `)`
    (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)?
    `rows` `(` $rows `)` attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_TRANSFORMER_XL
