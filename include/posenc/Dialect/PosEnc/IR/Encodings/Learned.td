//===- Learned.td - Rows of a learned table ----------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_LEARNED
#define POSENC_ENCODINGS_LEARNED

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def PosEnc_OutOfRange : PosEnc_Enum<"OutOfRange",
    "what a row outside of a table does", [
    I32EnumAttrCase<"Error", 0, "error">,
    I32EnumAttrCase<"Clamp", 1, "clamp">]>;
def OutOfRangeAttr : PosEnc_EnumAttr<PosEnc_OutOfRange, "out_of_range">;

def LearnedOp : PosEnc_SizedOp<"learned", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TableReadOpInterface>]> {
  let summary = "rows of a learned table";
  let description = [{
    `result[b, l] = table[m + row_offset]`, `m` the position of row `l`:
    `positions[b, l]` (`[1, L]` and `[L]` serve every batch) and without
    `positions` `offset + l`, `offset` 0 if absent.

    A row outside of the table is an error, or with `out_of_range(<clamp>)` the
    nearest row. Negative rows never count from the end. An error is reported by
    the verifier where all rows are known (C6) and by `posenc-check-ranges`, when
    compiling or when running, where they follow from sizes. The formula reads
    the nearest row in any case, so that no position reads outside of the table.

    | `row_offset` | used by |
    |---|---|
    | 0 | BERT, GPT-2, ViT |
    | 2 | OPT (positions count real tokens), BART (positions count all tokens) |
    | padding index + 1 | RoBERTa, where positions count from 0 |

    Constraints:
    - C1 the result is `[L, d]` or `[B, L, d]`, d that of the `[N, d]` table, of
      f32 or the table's type;
    - C2 the table has at least one row;
    - C3 `positions` is `[L]` or, where the result has rank 3, `[B, L]` or `[1, L]`;
    - C4 one size operand a dynamic dimension of the result, in order;
    - C5 `offset` only without `positions`;
    - C6 with `error`, and neither `positions` nor `offset`, rows `row_offset`
      to `row_offset + L - 1` lie within the table where L and N are static.

    ```mlir
    func.func @learned(%table: tensor<514x768xf16>, %positions: tensor<2x?xi64>,
                       %l: index) -> tensor<2x?x768xf16> {
      %pe = posenc.learned %table positions(%positions : tensor<2x?xi64>) sizes(%l)
          out_of_range(<clamp>) {row_offset = 2 : i64} : tensor<514x768xf16> -> tensor<2x?x768xf16>
      return %pe : tensor<2x?x768xf16>
    }
    ```
    Sources: Devlin et al. 2019; transformers OPTLearnedPositionalEmbedding,
    BartLearnedPositionalEmbedding.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [2]>, "`[N, d]`">:$table,
    Arg<Optional<TensorRankOf<[I32, I64, Index], [1, 2]>>, "`[B, L]`, `[1, L]` or `[L]`">:$positions,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the position of row 0">:$offset,
    OutOfRangeAttr:$out_of_range,
    DefaultValuedAttr<I64Attr, "0">:$row_offset);
  let results = (outs TensorRankOf<[F32, F16, BF16], [2, 3]>:$result);
  let assemblyFormat = [{
    $table (`positions` `(` $positions^ `:` type($positions) `)`)?
    (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)?
    `out_of_range` `(` $out_of_range `)`
    attr-dict `:` type($table) `->` type($result)
  }];
}

#endif // POSENC_ENCODINGS_LEARNED
