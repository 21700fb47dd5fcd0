//===- Sinusoidal2D.td - Sines and cosines of a grid -----*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_SINUSOIDAL2D
#define POSENC_ENCODINGS_SINUSOIDAL2D

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def PosEnc_GridAxis : PosEnc_Enum<"GridAxis", "an axis of a grid of tokens", [
    I32EnumAttrCase<"Row", 0, "row">,
    I32EnumAttrCase<"Column", 1, "column">]>;
def GridAxisAttr : PosEnc_EnumAttr<PosEnc_GridAxis, "grid_axis">;

def PosEnc_GridOrder : PosEnc_Enum<"GridOrder",
    "where the sines and the cosines of two axes go", [
    I32EnumAttrCase<"AxesApart", 0, "axes_apart">,
    I32EnumAttrCase<"FunctionsApart", 1, "functions_apart">,
    I32EnumAttrCase<"Interleaved", 2, "interleaved">]>;
def GridOrderAttr : PosEnc_EnumAttr<PosEnc_GridOrder, "grid_order">;

def Sinusoidal2DOp : PosEnc_SizedOp<"sinusoidal_2d"> {
  let summary = "sines and cosines of the rows and columns of a grid";
  let description = [{
    With `d` columns, `q = d / 4`, `angle[k] = m * base^(-k / q)` of the row `m =
    y` and of the column `m = x`, and `a` the axis that `first` names, `b` the
    other, the columns of `result[y, x]` are as follows. With `axis_scale` `m` is
    `axis_scale[0] y` and `axis_scale[1] x`.

    ```
    order axes_apart:       sines of a, cosines of a, sines of b, cosines of b
    order functions_apart:  sines of a, sines of b, cosines of a, cosines of b
    order interleaved:      sine, cosine, sine, cosine ... of a, then of b
    ```

    | `first`, `order` | used by |
    |---|---|
    | `column`, `axes_apart` | MAE, DiT; diffusers, with `axis_scale` = base size / size of the grid |
    | `row`, `functions_apart` | timm build_sincos2d_pos_embed |
    | `row`, `axes_apart` | timm with interleave_sin_cos |
    | `row`, `interleaved` | positional-encodings PositionalEncoding2D |

    A sequence of tokens row by row is the result with its first two axes
    collapsed; timm's reverse_coord is that of the result transposed, with the
    other `first`.

    Constraints:
    - C1 d is static and a positive multiple of 4;
    - C2 `base` and both numbers of `axis_scale` are finite and positive;
    - C3 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @sinusoidal_2d(%h: index, %w: index) -> tensor<?x?x768xf32> {
      %pe = posenc.sinusoidal_2d sizes(%h, %w) first(<column>) order(<axes_apart>)
          : tensor<?x?x768xf32>
      return %pe : tensor<?x?x768xf32>
    }
    ```
    Sources: He et al. 2022, MAE; timm build_sincos2d_pos_embed.
  }];
  let arguments = (ins
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    GridAxisAttr:$first, GridOrderAttr:$order,
    DefaultValuedAttr<F64Attr, "10000.0">:$base,
    OptionalAttr<DenseF64ArrayAttr>:$axis_scale);
  let results = (outs TensorRankOf<[F32], [3]>:$result);
  let assemblyFormat = [{
    (`sizes` `(` $sizes^ `)`)? `first` `(` $first `)` `order` `(` $order `)`
    attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_SINUSOIDAL2D
