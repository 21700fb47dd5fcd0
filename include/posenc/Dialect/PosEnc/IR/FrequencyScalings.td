//===- FrequencyScalings.td - Longer contexts by pair or length *- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalings that treat pairs by their number, and those that depend on the
// length of a call.
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_FREQUENCY_SCALINGS
#define POSENC_FREQUENCY_SCALINGS

include "posenc/Dialect/PosEnc/IR/PosEncBase.td"
include "posenc/Dialect/PosEnc/IR/PosEncInterfaces.td"

def NtkScalingAttr : PosEnc_Attr<"NtkScaling", "ntk",
    [DeclareAttrInterfaceMethods<FrequencyScalingAttrInterface, ["verifyRotaryDim"]>]> {
  let summary = "NTK-aware scaling";
  let description = [{
    The base becomes `base * alpha^(r / (r - 2))` for `r` rotary lanes, so that
    the slowest pair turns `alpha` times slower and the fastest as before. What
    diffusers calls `ntk_factor` multiplies the base itself: give that base.

    Constraints: C1 `alpha` is finite and positive; C2 more than one pair.

    ```mlir
    #posenc.ntk<alpha = 8.0>
    ```
    Source: bloc97 2023; rotary-embedding-torch `theta_rescale_factor`.
  }];
  let parameters = (ins "::mlir::FloatAttr":$alpha);
  let assemblyFormat = "`<` `alpha` `=` custom<Real>($alpha) `>`";
  let genVerifyDecl = 1;
}

def YarnScalingAttr : PosEnc_Attr<"YarnScaling", "yarn",
    [DeclareAttrInterfaceMethods<FrequencyScalingAttrInterface, ["verifyRotaryDim", "getAttentionFactor"]>]> {
  let summary = "YaRN: fast pairs stay, slow pairs are interpolated";
  let description = [{
    With `corr(t) = r ln(original_length / (2 pi t)) / (2 ln base)`,
    `low = corr(beta_fast)`, `high = corr(beta_slow)`, rounded down and up with
    `truncate`, then clamped to 0 and `r - 1` (0.001 apart where equal), pair
    `p` has `frequency / factor * ramp + frequency * (1 - ramp)`,
    `ramp = clamp((p - low) / (high - low), 0, 1)`.

    Cosine and sine are multiplied by `attention_factor`; where it is absent, by
    `m(mscale) / m(mscale_all_dim)` if both are given and not zero, else by
    `m(1)`; `m(s) = 0.1 s ln(factor) + 1`, 1 for a factor up to 1.

    DeepSeek-V2 and V3 besides multiply the softmax scale by
    `m(mscale_all_dim)^2` where that is not zero: it belongs into the `scale` of
    attention, `m^2 / sqrt(D)`.

    Constraints: C1 `factor`, `beta_fast`, `beta_slow` and `attention_factor` are
    finite and positive; C2 `beta_fast >= beta_slow`; C3 `original_length` is
    positive; C4 `mscale` and `mscale_all_dim` are finite and not negative, and
    come without `attention_factor`; C5 `base > 1`.

    ```mlir
    #posenc.yarn<factor = 4.0, original_length = 32768, beta_fast = 32.0, beta_slow = 1.0,
                 truncate = true>
    #posenc.yarn<factor = 40.0, original_length = 4096, beta_fast = 32.0, beta_slow = 1.0,
                 truncate = true, mscale = 1.0, mscale_all_dim = 1.0>
    ```
    Source: YaRN, Peng et al. 2023; transformers `_compute_yarn_parameters`.
  }];
  let parameters = (ins "::mlir::FloatAttr":$factor, "int64_t":$original_length,
                        "::mlir::FloatAttr":$beta_fast, "::mlir::FloatAttr":$beta_slow,
                        "bool":$truncate,
                        OptionalParameter<"::mlir::FloatAttr">:$explicit_factor,
                        OptionalParameter<"::mlir::FloatAttr">:$mscale,
                        OptionalParameter<"::mlir::FloatAttr">:$mscale_all_dim);
  let assemblyFormat = [{
    `<` `factor` `=` custom<Real>($factor)
    `,` `original_length` `=` $original_length
    `,` `beta_fast` `=` custom<Real>($beta_fast)
    `,` `beta_slow` `=` custom<Real>($beta_slow)
    `,` `truncate` `=` $truncate ``
    custom<YarnFactors>($explicit_factor, $mscale, $mscale_all_dim) `>`
  }];
  let genVerifyDecl = 1;
}

def ProportionalScalingAttr : PosEnc_Attr<"ProportionalScaling", "proportional",
    [DeclareAttrInterfaceMethods<FrequencyScalingAttrInterface>]> {
  let summary = "some pairs turn, at the frequencies of all (p-RoPE)";
  let description = [{
    Of `r` rotary lanes, which are all lanes of the head, the first
    `floor(fraction r / 2)` pairs have `base^(-2p/r) / factor`, the others do not
    turn.

    Constraints: C1 `factor` is finite and positive; C2 `fraction` is from 0 to 1.

    ```mlir
    #posenc.proportional<fraction = 0.25, factor = 1.0>
    ```
    Source: Round and Round We Go, Barbero et al. 2024; transformers
    `_compute_proportional_rope_parameters` (Gemma 4).
  }];
  let parameters = (ins "::mlir::FloatAttr":$fraction, "::mlir::FloatAttr":$factor);
  let assemblyFormat = "`<` `fraction` `=` custom<Real>($fraction) `,` `factor` `=` custom<Real>($factor) `>`";
  let genVerifyDecl = 1;
}

def DynamicNtkScalingAttr : PosEnc_Attr<"DynamicNtkScaling", "dynamic_ntk",
    [DeclareAttrInterfaceMethods<FrequencyScalingAttrInterface, ["verifyRotaryDim", "dependsOnLength", "emitTurns"]>]> {
  let summary = "NTK-aware scaling by the length of the call";
  let description = [{
    NTK scaling by `alpha = factor n / original_length - (factor - 1)`, where
    `n` is the `length` of the call, at least `original_length`: up to there
    nothing is scaled. Frequencies are computed in f64 once a call. A longer
    call turns every key differently, so that cached keys of a shorter one are
    no longer right: freeze `length` at the longest, or cache keys unrotated.

    Constraints: C1 `factor` is finite and at least 1; C2 `original_length` is
    positive; C3 more than one pair.

    ```mlir
    #posenc.dynamic_ntk<factor = 2.0, original_length = 2048>
    ```
    Source: emozilla 2023; transformers `_compute_dynamic_ntk_parameters`.
  }];
  let parameters = (ins "::mlir::FloatAttr":$factor, "int64_t":$original_length);
  let assemblyFormat = "`<` `factor` `=` custom<Real>($factor) `,` `original_length` `=` $original_length `>`";
  let genVerifyDecl = 1;
}

def LongropeScalingAttr : PosEnc_Attr<"LongropeScaling", "longrope",
    [DeclareAttrInterfaceMethods<FrequencyScalingAttrInterface, ["verifyRotaryDim", "getAttentionFactor", "dependsOnLength", "emitTurns"]>]> {
  let summary = "LongRoPE: a divisor a pair, one list for short and one for long calls";
  let description = [{
    Frequencies are divided by `long_factor[p]` where the `length` of the call is
    greater than `original_length`, else by `short_factor[p]`. A call that
    crosses it turns every key differently, so that cached keys are no longer
    right.

    Cosine and sine are multiplied by `attention_factor`, or by
    `sqrt(1 + ln(factor) / ln(original_length))`, 1 for a factor up to 1;
    `factor` is the largest length over the original one.

    Constraints: C1 the lists are of one length, finite and positive; C2
    `original_length` is greater than 1; C3 either `factor` or
    `attention_factor`, finite and positive; C4 a number a pair.

    ```mlir
    #posenc.longrope<short_factor = [1.0, 1.25], long_factor = [1.0, 32.0],
                     original_length = 4096, factor = 32.0>
    ```
    Source: LongRoPE, Ding et al. 2024; transformers `_compute_longrope_parameters` (Phi-3).
  }];
  let parameters = (ins "::mlir::DenseF64ArrayAttr":$short_factor,
                        "::mlir::DenseF64ArrayAttr":$long_factor, "int64_t":$original_length,
                        OptionalParameter<"::mlir::FloatAttr">:$factor,
                        OptionalParameter<"::mlir::FloatAttr">:$explicit_factor);
  let assemblyFormat = [{
    `<` `short_factor` `=` custom<Reals>($short_factor)
    `,` `long_factor` `=` custom<Reals>($long_factor)
    `,` `original_length` `=` $original_length ``
    custom<LongropeFactors>($factor, $explicit_factor) `>`
  }];
  let genVerifyDecl = 1;
}

#endif // POSENC_FREQUENCY_SCALINGS
