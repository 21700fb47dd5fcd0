//===- Decomposed2d.td - A table for each axis -------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_DECOMPOSED_2D
#define POSENC_ENCODINGS_DECOMPOSED_2D

include "posenc/Dialect/PosEnc/IR/SizedOp.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"

def Decomposed2dOp : PosEnc_SizedOp<"decomposed_2d", [
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>]> {
  let summary = "queries against a learned row of the distance along either axis";
  let description = [{
    `bias[b, h, i, j] = query[b, h, i] . rel_h[t(ih, jh)] + query[b, h, i] . rel_w[t(iw, jw)]`

    where token `i` of a grid of Qh x Qw queries is at `(ih, iw)`, row-major,
    token `j` of Kh x Kw keys at `(jh, jw)`, and along an axis of Q queries and K
    keys

    ```
    t(i, j) = trunc(i max(K / Q, 1) - j max(Q / K, 1) + (K - 1) max(Q / K, 1))
    ```

    computed in integers. With `class_token`, token 0 of queries and keys is not
    of the grid and its bias is zero, as query and as key (MViTv2). Queries are
    not scaled: the bias is added to scores after their scale. SAM resizes its
    tables to the rows of C3 first, linearly; that is the graph's.

    Constraints:
    - C1 `query` is `[B, Hq, Lq, D]` for a result `[B, Hq, Lq, Lk]`;
    - C2 `query_grid` and `key_grid` are two positive sizes, and as many tokens,
      with the class token if there is one, are Lq and Lk;
    - C3 `rel_h` and `rel_w` are `[2 max(Q, K) - 1, D]` of their axis, or that for
      every head, `[Hq, 2 max(Q, K) - 1, D]`; D is static, from 1 to 1024;
    - C4 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @sam(%q: tensor<?x2x6x4xf32>, %rh: tensor<3x4xf32>, %rw: tensor<5x4xf32>, %b: index) -> tensor<?x2x6x6xf32> {
      %bias = posenc.decomposed_2d query(%q : tensor<?x2x6x4xf32>) rel_h(%rh : tensor<3x4xf32>)
          rel_w(%rw : tensor<5x4xf32>) sizes(%b) query_grid([2, 3]) key_grid([2, 3]) : tensor<?x2x6x6xf32>
      return %bias : tensor<?x2x6x6xf32>
    }
    ```
    Source: MViTv2, Li et al. 2022; segment-anything add_decomposed_rel_pos.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [4]>, "`[B, Hq, Lq, D]`">:$query,
    Arg<TensorRankOf<[F32, F16, BF16], [2, 3]>, "a row a distance between rows">:$rel_h,
    Arg<TensorRankOf<[F32, F16, BF16], [2, 3]>, "likewise between columns">:$rel_w,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    DenseI64ArrayAttr:$query_grid, DenseI64ArrayAttr:$key_grid, UnitAttr:$class_token);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    `query` `(` $query `:` type($query) `)` `rel_h` `(` $rel_h `:` type($rel_h) `)`
    `rel_w` `(` $rel_w `:` type($rel_w) `)` (`sizes` `(` $sizes^ `)`)?
    `query_grid` `(` $query_grid `)` `key_grid` `(` $key_grid `)` (`class_token` $class_token^)?
    attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_DECOMPOSED_2D
