//===- Frequencies.td - How fast rotary pairs turn ---------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FREQUENCIES
#define POSENC_FREQUENCIES

include "posenc/Dialect/PosEnc/IR/PosEncBase.td"
include "posenc/Dialect/PosEnc/IR/PosEncInterfaces.td"

def FrequenciesAttr : PosEnc_Attr<"Frequencies", "frequencies",
    [DeclareAttrInterfaceMethods<FrequenciesAttrInterface, ["verifyRotaryDim", "dependsOnLength", "emitTurns"]>]> {
  let summary = "geometric rotary frequencies, scaled or not";
  let description = [{
    Pair `p` of a rotary dimension `r` turns by `base^(-2p/r)` radians a
    position (RoFormer, Su et al. 2021), then `scaling` applies where given.

    Constraints: C1 `base` is finite and positive; C2 `scaling` implements
    `FrequencyScalingAttrInterface`.

    ```mlir
    #posenc.frequencies<base = 10000.0>
    #posenc.frequencies<base = 500000.0, scaling = #posenc.llama3<factor = 32.0,
        low_freq_factor = 1.0, high_freq_factor = 4.0, original_length = 8192>>
    ```
  }];
  let parameters = (ins "::mlir::FloatAttr":$base,
                        OptionalParameter<"::mlir::Attribute">:$scaling);
  let assemblyFormat = "`<` `base` `=` custom<Real>($base) (`,` `scaling` `=` $scaling^)? `>`";
  let genVerifyDecl = 1;
}

def ExplicitFrequenciesAttr : PosEnc_Attr<"ExplicitFrequencies", "explicit_frequencies",
    [DeclareAttrInterfaceMethods<FrequenciesAttrInterface>]> {
  let summary = "rotary frequencies that follow no named rule";
  let description = [{
    One frequency a pair, in radians a position, and the factor that multiplies
    every cosine and sine.

    Constraints: C1 at least one frequency, all finite.

    ```mlir
    #posenc.explicit_frequencies<[1.0, 0.1, 0.01], attention_factor = 1.0>
    ```
  }];
  let parameters = (ins "::mlir::DenseF64ArrayAttr":$values, "::mlir::FloatAttr":$factor);
  let assemblyFormat = "`<` custom<Reals>($values) `,` `attention_factor` `=` custom<Real>($factor) `>`";
  let genVerifyDecl = 1;
}

def PosEnc_Spacing : PosEnc_Enum<"Spacing", "how frequencies lie between two ends", [
    I32EnumAttrCase<"Linear", 0, "linear">,
    I32EnumAttrCase<"Geometric", 1, "geometric">]>;

def PixelFrequenciesAttr : PosEnc_Attr<"PixelFrequencies", "pixel_frequencies",
    [DeclareAttrInterfaceMethods<FrequenciesAttrInterface>]> {
  let summary = "the bands of axial rotary encodings over normalised pixels";
  let description = [{
    From `pi` to `pi max_frequency / 2` radians a unit, for coordinates from -1 to
    1: evenly spaced with `linear` (rotary-embedding-torch, timm's
    `linear_bands`), in even ratios with `geometric` (timm). One pair has `pi`.

    Constraints: C1 `max_frequency` is finite and positive.

    ```mlir
    #posenc.pixel_frequencies<linear, max_frequency = 10.0>
    ```
    Source: Perceiver, Jaegle et al. 2021.
  }];
  let parameters = (ins EnumParameter<PosEnc_Spacing>:$spacing, "::mlir::FloatAttr":$max_frequency);
  let assemblyFormat = "`<` $spacing `,` `max_frequency` `=` custom<Real>($max_frequency) `>`";
  let genVerifyDecl = 1;
}

def LinearScalingAttr : PosEnc_Attr<"LinearScaling", "linear",
    [DeclareAttrInterfaceMethods<FrequencyScalingAttrInterface>]> {
  let summary = "linear scaling (position interpolation)";
  let description = [{
    Every frequency is divided by `factor` (Chen et al. 2023).

    Constraints: C1 `factor` is finite and positive.

    ```mlir
    #posenc.linear<factor = 4.0>
    ```
  }];
  let parameters = (ins "::mlir::FloatAttr":$factor);
  let assemblyFormat = "`<` `factor` `=` custom<Real>($factor) `>`";
  let genVerifyDecl = 1;
}

def Llama3ScalingAttr : PosEnc_Attr<"Llama3Scaling", "llama3",
    [DeclareAttrInterfaceMethods<FrequencyScalingAttrInterface>]> {
  let summary = "the scaling of Llama 3.1 to 3.3";
  let description = [{
    With the wavelength `w = 2 pi / frequency` and `n = original_length`:
    unchanged where `w < n / high_freq_factor`, divided by `factor` where
    `w > n / low_freq_factor`, and between the two blended by
    `s = (n / w - low_freq_factor) / (high_freq_factor - low_freq_factor)` as
    `frequency ((1 - s) / factor + s)`.

    Constraints: C1 all factors are finite and positive; C2 `high_freq_factor >
    low_freq_factor`; C3 `original_length` is positive.

    ```mlir
    #posenc.llama3<factor = 32.0, low_freq_factor = 1.0, high_freq_factor = 4.0,
                   original_length = 8192>
    ```
  }];
  let parameters = (ins "::mlir::FloatAttr":$factor, "::mlir::FloatAttr":$low_freq_factor,
                        "::mlir::FloatAttr":$high_freq_factor, "int64_t":$original_length);
  let assemblyFormat = [{
    `<` `factor` `=` custom<Real>($factor)
    `,` `low_freq_factor` `=` custom<Real>($low_freq_factor)
    `,` `high_freq_factor` `=` custom<Real>($high_freq_factor)
    `,` `original_length` `=` $original_length `>`
  }];
  let genVerifyDecl = 1;
}

#endif // POSENC_FREQUENCIES
