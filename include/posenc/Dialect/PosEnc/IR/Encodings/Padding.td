//===- Padding.td - The padding mask -----------------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_PADDING
#define POSENC_ENCODINGS_PADDING

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def PaddingOp : PosEnc_SizedOp<"padding"> {
  let summary = "keys that are padding are seen by no row";
  let description = [{
    ```
    mask[b, 0, 0, j] = j < lengths[b]            (padding on the right: the default)
                       j >= Lk - lengths[b]      (left)
    ```

    Rows that are padding are not masked: what they hold is not read.

    Constraints:
    - C1 the result is `[B, 1, 1, Lk]`;
    - C2 `lengths` is `[B]`;
    - C3 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @padding(%lengths: tensor<?xi64>, %b: index, %lk: index) -> tensor<?x1x1x?xi1> {
      %mask = posenc.padding lengths(%lengths : tensor<?xi64>) sizes(%b, %lk) left
          : tensor<?x1x1x?xi1>
      return %mask : tensor<?x1x1x?xi1>
    }
    ```
    Source: ONNX Attention 24, `nonpad_kv_seqlen`, for the right side.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[I32, I64], [1]>, "`[B]`: how many keys are real">:$lengths,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    UnitAttr:$left);
  let results = (outs TensorRankOf<[I1], [4]>:$result);
  let assemblyFormat = [{
    `lengths` `(` $lengths `:` type($lengths) `)` (`sizes` `(` $sizes^ `)`)?
    (`left` $left^)? attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_PADDING
