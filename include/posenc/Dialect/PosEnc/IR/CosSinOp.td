//===- CosSinOp.td - The angle of a position as one op ------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_COS_SIN_OP
#define POSENC_COS_SIN_OP

include "posenc/Dialect/PosEnc/IR/PosEncBase.td"

def CosSinOp : PosEnc_Op<"cos_sin", [Pure, SameOperandsAndResultType]> {
  let summary = "cosine and sine of an angle that is a position times a frequency";
  let description = [{
    `cos(2 pi position (hi + lo))` and the sine of the same angle. The frequency
    is in turns a position and given as two f32 that add up to it, so that the
    result is within 3e-7 of float64 for positions up to 2^20; positions are
    exact up to 2^24. An op of its own, because an angle must not be
    reassociated on its way to the target.

    Scalars, or vectors of f32 of one shape.

    ```mlir
    func.func @angle(%position: f32, %hi: f32, %lo: f32) -> (f32, f32) {
      %cos, %sin = posenc.cos_sin %position, %hi, %lo : f32
      return %cos, %sin : f32, f32
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>]>:$position,
                       AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>]>:$hi,
                       AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>]>:$lo);
  let results = (outs AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>]>:$cos,
                      AnyTypeOf<[F32, VectorOfAnyRankOf<[F32]>]>:$sin);
  let assemblyFormat = "$position `,` $hi `,` $lo attr-dict `:` type($position)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// A frequency in radians a position as turns, split into two f32.
    static std::pair<float, float> splitTurns(double radians);
  }];
}

#endif // POSENC_COS_SIN_OP
