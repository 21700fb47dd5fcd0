//===- LogSpacedCoordinates.td - Distances within a window, log-spaced *- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_LOG_SPACED_COORDINATES
#define POSENC_ENCODINGS_LOG_SPACED_COORDINATES

include "posenc/Dialect/PosEnc/IR/PosEncAttrs.td"

def PosEnc_LogSpacing : PosEnc_Enum<"LogSpacing",
    "how distances within a window are spaced", [
    I32EnumAttrCase<"Window", 0, "window">,
    I32EnumAttrCase<"Natural", 1, "natural">]>;
def LogSpacingAttr : PosEnc_EnumAttr<PosEnc_LogSpacing, "log_spacing">;

def LogSpacedCoordinatesOp : PosEnc_Op<"log_spaced_coordinates", [Pure,
    DeclareOpInterfaceMethods<FormulaOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "the distances within a window, on a logarithmic scale";
  let description = [{
    Row `(dh + Wh - 1)(2 Ww - 1) + dw + Ww - 1` holds `(g(dh), g(dw))`, for
    distances `|dh| < Wh`, `|dw| < Ww`: the order of the tables of
    `posenc.relative_bias_2d`. Along an axis of window size W:

    ```
    spacing(<window>):   x = 8 d / (W' - 1),  g(d) = sign(d) log2(1 + |x|) / log2(8)
    spacing(<natural>):  g(d) = sign(d) ln(1 + |d|)
    ```

    W' is that of `pretrained_window` where given, for a model that runs with
    another window than it was trained with, else W. An axis of one place has
    only the distance 0, and `g(0) = 0`.

    Swin v2 computes its table of biases from these by a perceptron, in ordinary
    ops, once for all windows; so nothing of it is part of attention.

    Constraints:
    - C1 `window` is `[Wh, Ww]`, both positive, with at most 65536 places;
    - C2 the result is f32 `[(2 Wh - 1)(2 Ww - 1), 2]`;
    - C3 `pretrained_window` is `[Wh', Ww']`, at least two along an axis of
      several places, and goes with spacing(<window>).

    ```mlir
    func.func @coordinates() -> tensor<225x2xf32> {
      %x = posenc.log_spaced_coordinates spacing(<window>) {window = array<i64: 8, 8>} : tensor<225x2xf32>
      return %x : tensor<225x2xf32>
    }
    ```
    Sources: Liu et al. 2022, Swin Transformer V2; timm gen_relative_log_coords
    (its mode cr is `natural`).
  }];
  let arguments = (ins DenseI64ArrayAttr:$window,
                       OptionalAttr<DenseI64ArrayAttr>:$pretrained_window,
                       LogSpacingAttr:$spacing);
  let results = (outs TensorRankOf<[F32], [2]>:$result);
  let assemblyFormat = "`spacing` `(` $spacing `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // POSENC_ENCODINGS_LOG_SPACED_COORDINATES
