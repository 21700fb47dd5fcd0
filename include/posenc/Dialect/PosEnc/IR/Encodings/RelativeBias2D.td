//===- RelativeBias2D.td - A bias by distance within a window *- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_RELATIVE_BIAS_2D
#define POSENC_ENCODINGS_RELATIVE_BIAS_2D

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def RelativeBias2DOp : PosEnc_SizedOp<"relative_bias_2d"> {
  let summary = "a learned bias for each distance between places of a window";
  let description = [{
    The tokens are the places of a window of Wh rows and Ww columns, row by row.
    With `(dh, dw)` the row and column of the query minus those of the key:

    `bias[0, h, i, j] = table[(dh + Wh - 1)(2 Ww - 1) + dw + Ww - 1, h]`

    With `class_token` token 0 has no place and the table three more rows: with
    `N = (2 Wh - 1)(2 Ww - 1) + 3`, row `N - 3` is the bias of the class token's
    query and any other key, `N - 2` of any other query and its key, `N - 1` of
    its query and its key.

    The table may be what the graph computes: Swin v2 has a perceptron of
    `posenc.log_spaced_coordinates`, the output through 16 times a sigmoid. One
    table serves all windows, which are entries of the batch; the mask of shifted
    windows (-100 where two regions meet) is a bias of its own.

    Constraints:
    - C1 `window` is `[Wh, Ww]`, both positive, with at most 65536 places;
    - C2 the result is f32 `[1, Hq, L, L]`, L the number of tokens:
      `Wh Ww`, and one more with `class_token`;
    - C3 `table` is `[N, Hq]`, `N = (2 Wh - 1)(2 Ww - 1)`, and three more with
      `class_token`;
    - C4 one size operand a dynamic dimension of the result: Hq.

    ```mlir
    func.func @swin(%table: tensor<169x4xf32>) -> tensor<1x4x49x49xf32> {
      %bias = posenc.relative_bias_2d %table {window = array<i64: 7, 7>}
          : tensor<169x4xf32> -> tensor<1x4x49x49xf32>
      return %bias : tensor<1x4x49x49xf32>
    }
    ```
    Sources: Liu et al. 2021, Swin; Bao et al. 2022, BEiT.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [2]>, "`[N, Hq]`">:$table,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    DenseI64ArrayAttr:$window, UnitAttr:$class_token);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    $table (`sizes` `(` $sizes^ `)`)? (`class_token` $class_token^)?
    attr-dict `:` type($table) `->` type($result)
  }];
}

#endif // POSENC_ENCODINGS_RELATIVE_BIAS_2D
