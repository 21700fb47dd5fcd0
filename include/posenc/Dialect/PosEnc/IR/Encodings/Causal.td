//===- Causal.td - The causal mask -------------------------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_CAUSAL
#define POSENC_ENCODINGS_CAUSAL

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def CausalOp : PosEnc_SizedOp<"causal", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<RaisableOpInterface, ["propose"]>]> {
  let summary = "each row sees the keys up to its own position";
  let description = [{
    `mask[0, 0, i, j] = j <= i + offset`

    `offset` is the key index of query row 0: the number of cached keys when
    decoding, `Lk - Lq` to align the last row with the last key, 0 (the
    default) to align the first with the first. It may be negative: leading
    rows are then empty.

    Constraints:
    - C1 the result is `[1, 1, Lq, Lk]`;
    - C2 one size operand a dynamic dimension of the result, in order.

    ```mlir
    func.func @causal(%lq: index, %lk: index, %cached: index) -> tensor<1x1x?x?xi1> {
      %mask = posenc.causal sizes(%lq, %lk) offset(%cached) : tensor<1x1x?x?xi1>
      return %mask : tensor<1x1x?x?xi1>
    }
    ```
    Source: Vaswani et al. 2017.
  }];
  let arguments = (ins
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the key index of query row 0">:$offset);
  let results = (outs TensorRankOf<[I1], [4]>:$result);
  let assemblyFormat = [{
    (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)? attr-dict `:` type($result)
  }];
}

#endif // POSENC_ENCODINGS_CAUSAL
