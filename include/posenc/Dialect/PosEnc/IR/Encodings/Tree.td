//===- Tree.td  The mask of a tree of tokens ---------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_TREE
#define POSENC_ENCODINGS_TREE

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def TreeOp : PosEnc_SizedOp<"tree", [
    DeclareOpInterfaceMethods<TableReadOpInterface>]> {
  let summary = "speculated tokens see the cached keys and their ancestors";
  let description = [{
    With `t = j - cached[b]`, the number of key `j` among the speculated tokens:

    `mask[b, 0, i, j] = t < 0  or  t < Lq and ancestors[b, i, t]`

    The rows are the Lq speculated tokens, whose keys lie right behind the cached
    ones. `ancestors` says which of them row `i` descends from, itself included:
    as conditions, or as bits, 32 a word, of which bit `t % 32` of word `t / 32`
    is that of token `t`. Keys behind those of the tokens are hidden.
    `[1, Lq, ...]` serves every batch.

    Constraints:
    - C1 the result is `[B, 1, Lq, Lk]`;
    - C2 `cached` is `[B]`;
    - C3 `ancestors` is `[B or 1, Lq, Lq]` of i1 or `[B or 1, Lq, ceil(Lq / 32)]`
      of i32;
    - C4 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @tree(%ancestors: tensor<1x16x16xi1>, %cached: tensor<4xi32>,
                    %lk: index) -> tensor<4x1x16x?xi1> {
      %mask = posenc.tree ancestors(%ancestors : tensor<1x16x16xi1>)
          cached(%cached : tensor<4xi32>) sizes(%lk) : tensor<4x1x16x?xi1>
      return %mask : tensor<4x1x16x?xi1>
    }
    ```
    Sources: SpecInfer, Miao et al. 2024; Medusa, Cai et al. 2024; TensorRT-LLM,
    `spec_decoding_packed_mask`, for bits.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[I1, I32], [3]>, "`[B or 1, Lq, Lq]`, or bits">:$ancestors,
    Arg<TensorRankOf<[I32, I64], [1]>, "`[B]`: how many keys precede those of the tokens">:$cached,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes);
  let results = (outs TensorRankOf<[I1], [4]>:$result);
  let assemblyFormat = [{
    `ancestors` `(` $ancestors `:` type($ancestors) `)`
    `cached` `(` $cached `:` type($cached) `)` (`sizes` `(` $sizes^ `)`)?
    attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_TREE
