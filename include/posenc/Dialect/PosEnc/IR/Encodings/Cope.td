//===- Cope.td - Positions counted by gates ----------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_COPE
#define POSENC_ENCODINGS_COPE

include "posenc/Dialect/PosEnc/IR/PosEncAttrs.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"

def CopeOp : PosEnc_Op<"cope", [Pure,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "contextual positions: keys are counted where a gate opens";
  let description = [{
    With N rows in the table and `g = h / (Hq / Hkv)`:

    ```
    gate[b,h,i,j] = sigmoid(scale query[b,h,i] . key[b,g,j]), zero where mask is false
    p[b,h,i,j]    = min(sum over l >= j of gate[b,h,i,l], N - 1)
    bias[b,h,i,j] = (1 - w) query[b,h,i] . table[floor p] + w query[b,h,i] . table[ceil p],  w = p - floor p
    ```

    A position needs the gates of its whole row before there is a softmax, so
    the op stays outside of attention's kernel. Give it the mask of attention:
    the sum goes to the last key that a row may see. The query that meets the
    table is not scaled.

    Constraints:
    - C1 `query` is `[B, Hq, Lq, D]` and `key` `[B, Hkv, Lk, D]`, Hkv a divisor
      of Hq, for a result `[B, Hq, Lq, Lk]`;
    - C2 `table` is `[N, D]` or `[Hq, N, D]`, N static and not zero;
    - C3 every extent of `mask` is 1 or that of the result.

    ```mlir
    func.func @cope(%q: tensor<1x4x?x16xf32>, %k: tensor<1x2x?x16xf32>, %table: tensor<8x16xf32>, %scale: f32,
                    %mask: tensor<1x1x?x?xi1>) -> tensor<1x4x?x?xf32> {
      %bias = posenc.cope query(%q : tensor<1x4x?x16xf32>) key(%k : tensor<1x2x?x16xf32>)
          table(%table : tensor<8x16xf32>) scale(%scale) mask(%mask : tensor<1x1x?x?xi1>) : tensor<1x4x?x?xf32>
      return %bias : tensor<1x4x?x?xf32>
    }
    ```
    Source: Contextual Position Encoding, Golovneva et al. 2024; x-transformers CoPE.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [4]>, "`[B, Hq, Lq, D]`">:$query,
    Arg<TensorRankOf<[F32, F16, BF16], [4]>, "`[B, Hkv, Lk, D]`">:$key,
    Arg<TensorRankOf<[F32, F16, BF16], [2, 3]>, "`[N, D]` or `[Hq, N, D]`">:$table,
    Arg<F32, "what the gates' scores are multiplied by">:$scale,
    Arg<Optional<TensorRankOf<[I1], [4]>>, "true where a row sees a key">:$mask);
  let results = (outs TensorRankOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    `query` `(` $query `:` type($query) `)` `key` `(` $key `:` type($key) `)`
    `table` `(` $table `:` type($table) `)` `scale` `(` $scale `)`
    (`mask` `(` $mask^ `:` type($mask) `)`)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // POSENC_ENCODINGS_COPE
