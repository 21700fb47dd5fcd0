//===- Learned2D.td - A learned table of a grid, resized ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_LEARNED2D
#define POSENC_ENCODINGS_LEARNED2D

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def PosEnc_Interpolation : PosEnc_Enum<"Interpolation",
    "how a table is read between its rows", [
    I32EnumAttrCase<"Bilinear", 0, "bilinear">,
    I32EnumAttrCase<"Bicubic", 1, "bicubic">]>;
def InterpolationAttr : PosEnc_EnumAttr<PosEnc_Interpolation, "interpolation">;

def Learned2DOp : PosEnc_SizedOp<"learned_2d"> {
  let summary = "rows of a learned table of a grid, resized to another grid";
  let description = [{
    The first `prefix_tokens` rows are those of the table (class and register
    tokens). The others are a grid row by row, `grid` in the table and `new_grid`
    in the result; row `p + y W + x` of the result is

    `sum over u, v of row_weight[y, u] column_weight[x, v] table[p + u Wt + v]`

    An axis of `n` that is resized to `N` is read at `t = (i + 1/2) n / N - 1/2`,
    half-pixel centres, or with `align_corners` at `t = i (n - 1) / (N - 1)`. The
    weights are those of PyTorch's `interpolate`:

    - without `antialias`, of the 2 (bilinear) or 4 (bicubic, Keys' a = -0.75)
      rows around t, rows outside read as the nearest one;
    - with it, a filter (bicubic: a = -0.5) that is n / N times as wide where an
      axis shrinks, rows outside left out and the weights normalised.

    They are computed when compiling, in float64; the sum is in f32.

    | `interpolation` | used by |
    |---|---|
    | `bicubic`, antialias | timm resample_abs_pos_embed |
    | `bicubic` | transformers' ViT, DeiT, DINOv2 |
    | `bilinear`, antialias | SigLIP 2 |

    Constraints:
    - C1 `grid` and `new_grid` are two positive numbers each, `prefix_tokens` is
      not negative;
    - C2 the table is `[N, d]`, `N = prefix_tokens + grid[0] * grid[1]`;
    - C3 the result is `[L, d]`, `L = prefix_tokens + new_grid[0] * new_grid[1]`,
      of f32 or the table's type;
    - C4 `align_corners` not with `antialias`;
    - C5 an element reads at most 1024 rows of the table;
    - C6 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @learned_2d(%table: tensor<197x768xf32>) -> tensor<577x768xf32> {
      %pe = posenc.learned_2d %table interpolation(<bicubic>) antialias
          {grid = array<i64: 14, 14>, new_grid = array<i64: 24, 24>, prefix_tokens = 1 : i64}
          : tensor<197x768xf32> -> tensor<577x768xf32>
      return %pe : tensor<577x768xf32>
    }
    ```
    Sources: Dosovitskiy et al. 2021, section 3.2; timm resample_abs_pos_embed;
    transformers interpolate_pos_encoding; Keys 1981.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [2]>, "`[N, d]`">:$table,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    InterpolationAttr:$interpolation, UnitAttr:$antialias, UnitAttr:$align_corners,
    DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$new_grid, I64Attr:$prefix_tokens);
  let results = (outs TensorRankOf<[F32, F16, BF16], [2]>:$result);
  let assemblyFormat = [{
    $table (`sizes` `(` $sizes^ `)`)? `interpolation` `(` $interpolation `)`
    (`antialias` $antialias^)? (`align_corners` $align_corners^)?
    attr-dict `:` type($table) `->` type($result)
  }];
}

#endif // POSENC_ENCODINGS_LEARNED2D
