//===- Sinusoidal.td - Sines and cosines of positions ------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_SINUSOIDAL
#define POSENC_ENCODINGS_SINUSOIDAL

include "posenc/Dialect/PosEnc/IR/SizedOp.td"

def PosEnc_SinusoidOrder : PosEnc_Enum<"SinusoidOrder",
    "where the sines and the cosines of a row go", [
    I32EnumAttrCase<"Interleaved", 0, "interleaved">,
    I32EnumAttrCase<"Concatenated", 1, "concatenated">]>;
def SinusoidOrderAttr : PosEnc_EnumAttr<PosEnc_SinusoidOrder, "sinusoid_order">;

def PosEnc_SinusoidExponents : PosEnc_Enum<"SinusoidExponents",
    "how fast frequencies fall from one to the next", [
    I32EnumAttrCase<"ModelDim", 0, "model_dim">,
    I32EnumAttrCase<"HalfDim", 1, "half_dim">]>;
def SinusoidExponentsAttr : PosEnc_EnumAttr<PosEnc_SinusoidExponents, "sinusoid_exponents">;

def PosEnc_OddWidth : PosEnc_Enum<"OddWidth", "what an odd number of columns does", [
    I32EnumAttrCase<"ZeroColumn", 0, "zero_column">,
    I32EnumAttrCase<"ExtraSine", 1, "extra_sine">]>;
def OddWidthAttr : PosEnc_EnumAttr<PosEnc_OddWidth, "odd_width">;

def SinusoidalOp : PosEnc_SizedOp<"sinusoidal", [AttrSizedOperandSegments]> {
  let summary = "sines and cosines of positions";
  let description = [{
    With `d` columns, `h = floor(d / 2)` and `m` the position of a row:

    ```
    angle[k] = angle_scale * m * base^(-2k / d)              (exponents model_dim)
               angle_scale * m * base^(-k / (h - shift))     (exponents half_dim)
    order interleaved:  columns 2k and 2k + 1 are scale * sin and scale * cos of angle[k]
    order concatenated: all sines, then all cosines
    ```

    `cos_first` swaps sines and cosines. The last column of an odd `d` is zero
    with `odd(<zero_column>)`; with `odd(<extra_sine>)` there is one sine more
    than there are cosines. Rows at `padding_position` are zero.

    | `exponents`, `shift` | used by |
    |---|---|
    | `model_dim` | the paper (interleaved), Marian and GPT-J (concatenated) |
    | `half_dim`, 1 | tensor2tensor, fairseq, Whisper; diffusers' default |
    | `half_dim`, 0 | Stable Diffusion's timesteps (`cos_first`), ggml |

    The position of row `l` is `positions[b, l]` (`[1, L]` and `[L]` serve every
    batch) and without `positions` `offset + l`, `offset` 0 if absent. Positions
    are integers, or f32 where they are real (the time of a diffusion process).

    Constraints:
    - C1 the result is `[L, d]` or `[B, L, d]`, d static and at least 1;
    - C2 `odd` is given where d is odd;
    - C3 `positions` is `[L]` or, where the result has rank 3, `[B, L]` or `[1, L]`;
    - C4 one size operand a dynamic dimension of the result, in order;
    - C5 `offset` only without `positions`;
    - C6 `base` and `angle_scale` are finite and positive, `scale` is finite;
    - C7 `shift` comes with `half_dim` only and always, and is below h where
      there is more than one frequency;
    - C8 `padding_position` only with integer positions.

    ```mlir
    func.func @sinusoidal(%positions: tensor<?x?xi64>, %b: index, %l: index) -> tensor<?x?x512xf32> {
      %pe = posenc.sinusoidal positions(%positions : tensor<?x?xi64>) sizes(%b, %l)
          order(<concatenated>) exponents(<half_dim>)
          {shift = 1.0 : f64, padding_position = 1 : i64} : tensor<?x?x512xf32>
      return %pe : tensor<?x?x512xf32>
    }
    ```
    Sources: Vaswani et al. 2017; tensor2tensor get_timing_signal_1d; fairseq
    SinusoidalPositionalEmbedding; diffusers get_timestep_embedding.
  }];
  let arguments = (ins
    Arg<Optional<TensorRankOf<[PosEnc_Position], [1, 2]>>, "`[B, L]`, `[1, L]` or `[L]`">:$positions,
    Arg<Variadic<Index>, "the dynamic extents of the result, in order">:$sizes,
    Arg<Optional<Index>, "the position of row 0">:$offset,
    SinusoidOrderAttr:$order, SinusoidExponentsAttr:$exponents,
    OptionalAttr<F64Attr>:$shift, OptionalAttr<OddWidthAttr>:$odd,
    UnitAttr:$cos_first,
    DefaultValuedAttr<F64Attr, "10000.0">:$base,
    DefaultValuedAttr<F64Attr, "1.0">:$angle_scale,
    DefaultValuedAttr<F64Attr, "1.0">:$scale,
    OptionalAttr<I64Attr>:$padding_position);
  let results = (outs TensorRankOf<[F32], [2, 3]>:$result);
  let assemblyFormat = [{
    (`positions` `(` $positions^ `:` type($positions) `)`)?
    (`sizes` `(` $sizes^ `)`)? (`offset` `(` $offset^ `)`)?
    `order` `(` $order `)` `exponents` `(` $exponents `)`
    (`odd` `(` $odd^ `)`)? (`cos_first` $cos_first^)?
    attr-dict `:` type($result)
  }];
  let extraClassDeclaration = [{
    int64_t getWidth() { return getType().getShape().back(); }

    /// The number of sines: as many as there are frequencies.
    int64_t getNumFrequencies();

    /// The frequencies in radians a position, in float64.
    ::llvm::SmallVector<double> getFrequencies();
  }];
}

#endif // POSENC_ENCODINGS_SINUSOIDAL
