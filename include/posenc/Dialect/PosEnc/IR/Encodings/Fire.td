//===- Fire.td - A perceptron of the relative distance -----*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_FIRE
#define POSENC_ENCODINGS_FIRE

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def FireOp : PosEnc_SizedOp<"fire", [AttrSizedOperandSegments]> {
  let summary = "a learned function of the distance relative to the position";
  let description = [{
    With the query's position `m = i + offset` and W hidden units:

    ```
    f(x) = ln(|scale x| + 1)
    x    = f(m - j) / (f(max(m + first_position, threshold)) + epsilon)
    bias[0, h, i, j] = output_bias[h] + sum over k of
        output_weight[h, k] max(hidden_weight[k] x + hidden_bias[k], 0)
    ```

    so the bias is the same at equal distances before and after the query. A
    learned threshold or scale is what the model computes of its parameters.

    | `first_position` | positions count from | used by |
    |---|---|---|
    | 1 | one | the paper |
    | 0 | zero | its port in arithmetic (McLeish et al. 2024) |

    Constraints:
    - C1 the result is f32 `[1, Hq, Lq, Lk]`;
    - C2 `hidden_weight` and `hidden_bias` are f32 `[W]`, W static, from 1 to 1024;
    - C3 `output_weight` is f32 `[Hq, W]` and `output_bias` f32 `[Hq]`;
    - C4 one size operand a dynamic dimension of the result, in order;
    - C5 `first_position` is 0 or 1;
    - C6 `epsilon` is finite and positive.

    ```mlir
    func.func @fire(%w0: tensor<32xf32>, %b0: tensor<32xf32>, %w1: tensor<8x32xf32>, %b1: tensor<8xf32>,
                    %c: f32, %t: f32, %l: index) -> tensor<1x8x?x?xf32> {
      %bias = posenc.fire hidden(%w0, %b0 : tensor<32xf32>, tensor<32xf32>)
          output(%w1, %b1 : tensor<8x32xf32>, tensor<8xf32>) scale(%c) threshold(%t) sizes(%l, %l)
          {first_position = 1 : i64} : tensor<1x8x?x?xf32>
      return %bias : tensor<1x8x?x?xf32>
    }
    ```
    Source: Li et al. 2024, Functional Interpolation for Relative Positions.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32], [1]>, "`[W]`">:$hidden_weight,
    Arg<TensorRankOf<[F32], [1]>, "`[W]`">:$hidden_bias,
    Arg<TensorRankOf<[F32], [2]>, "`[Hq, W]`">:$output_weight,
    Arg<TensorRankOf<[F32], [1]>, "`[Hq]`">:$output_bias,
    Arg<F32, "the factor of a distance inside of the logarithm">:$scale,
    Arg<F32, "the least position that distances are relative to">:$threshold,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset,
    I64Attr:$first_position,
    DefaultValuedAttr<F64Attr, "1e-6">:$epsilon);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    `hidden` `(` $hidden_weight `,` $hidden_bias `:` type($hidden_weight) `,` type($hidden_bias) `)`
    `output` `(` $output_weight `,` $output_bias `:` type($output_weight) `,` type($output_bias) `)`
    `scale` `(` $scale `)` `threshold` `(` $threshold `)`
    (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)? attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_FIRE
