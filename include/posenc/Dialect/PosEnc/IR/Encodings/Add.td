//===- Add.td - An encoding onto embeddings ----------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_ADD
#define POSENC_ENCODINGS_ADD

include "posenc/Dialect/PosEnc/IR/PosEncAttrs.td"

def AddOp : PosEnc_Op<"add", [Pure, AllTypesMatch<["embeddings", "result"]>,
    DeclareOpInterfaceMethods<FormulaOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "adds an absolute encoding onto embeddings";
  let description = [{
    `result[b, l, c] = embedding_scale * embeddings[b, l, c] + encoding[b, l, c]`

    in f32 whatever the types, rounded to the type of the embeddings once.
    `embedding_scale` is the square root of d in the paper and in fairseq, 1 in
    BERT and GPT-2; the encoding is not scaled.

    Constraints:
    - C1 `encoding` is `[L, d]`, `[1, L, d]` or `[B, L, d]` for embeddings `[B, L, d]`;
    - C2 `embedding_scale` is finite.

    ```mlir
    func.func @add(%x: tensor<?x?x512xbf16>, %pe: tensor<?x512xf32>) -> tensor<?x?x512xbf16> {
      %y = posenc.add %x, %pe {embedding_scale = 22.627416997969522 : f64}
          : tensor<?x?x512xbf16>, tensor<?x512xf32>
      return %y : tensor<?x?x512xbf16>
    }
    ```
    Source: Vaswani et al. 2017, section 3.4.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [3]>, "`[B, L, d]`">:$embeddings,
    Arg<TensorRankOf<[F32, F16, BF16], [2, 3]>, "`[L, d]`, `[1, L, d]` or `[B, L, d]`">:$encoding,
    DefaultValuedAttr<F64Attr, "1.0">:$embedding_scale);
  let results = (outs TensorRankOf<[F32, F16, BF16], [3]>:$result);
  let assemblyFormat = [{
    $embeddings `,` $encoding attr-dict `:` type($embeddings) `,` type($encoding)
  }];
  let hasVerifier = 1;
}

#endif // POSENC_ENCODINGS_ADD
