//===- PosEncAttrs.td - Attributes of the dialect -----------*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ATTRS
#define POSENC_ATTRS

include "posenc/Dialect/PosEnc/IR/PosEncBase.td"
include "posenc/Dialect/PosEnc/IR/PosEncInterfaces.td"

def PosEnc_Layout : PosEnc_Enum<"Layout", "axis order of a rank-4 tensor", [
    I32EnumAttrCase<"BHLD", 0, "bhld">,
    I32EnumAttrCase<"BLHD", 1, "blhd">]>;
def LayoutAttr : PosEnc_EnumAttr<PosEnc_Layout, "layout">;

def PosEnc_EmptyRows : PosEnc_Enum<"EmptyRows",
    "result of a row all of whose keys are masked", [
    I32EnumAttrCase<"Zero", 0, "zero">,
    I32EnumAttrCase<"Average", 1, "average">]>;
def EmptyRowsAttr : PosEnc_EnumAttr<PosEnc_EmptyRows, "empty_rows">;

def PosEnc_Pairing : PosEnc_Enum<"Pairing", "which lanes form a rotary pair", [
    I32EnumAttrCase<"Half", 0, "half">,
    I32EnumAttrCase<"Interleaved", 1, "interleaved">]>;

def LanesAttr : PosEnc_Attr<"Lanes", "lanes"> {
  let summary = "the lanes of a head that form rotary pairs";
  let description = [{
    `count` lanes from lane `first` on rotate, as `count / 2` pairs; the others
    pass through. Pair `p` is lanes `(first + p, first + count/2 + p)` with
    `half` pairing and `(first + 2p, first + 2p + 1)` with `interleaved`.

    Constraints: C1 `first >= 0`; C2 `count` is positive and even.

    ```mlir
    #posenc.lanes<half, first = 0, count = 64>
    #posenc.lanes<interleaved, first = 192, count = 64>
    ```
  }];
  let parameters = (ins EnumParameter<PosEnc_Pairing>:$pairing,
                        "int64_t":$first, "int64_t":$count);
  let assemblyFormat = "`<` $pairing `,` `first` `=` $first `,` `count` `=` $count `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getNumPairs() const { return getCount() / 2; }
    /// The two lanes of pair `pair`.
    std::pair<int64_t, int64_t> getPair(int64_t pair) const;
  }];
}

def PosEnc_SectionOrder : PosEnc_Enum<"SectionOrder", "which pairs belong to an axis", [
    I32EnumAttrCase<"Chunked", 0, "chunked">,
    I32EnumAttrCase<"Interleaved", 1, "interleaved">]>;

def PosEnc_SectionFrequencies : PosEnc_Enum<"SectionFrequencies",
    "which frequency a pair of an axis has", [
    I32EnumAttrCase<"Ordinary", 0, "ordinary">,
    I32EnumAttrCase<"Restarting", 1, "restarting">,
    I32EnumAttrCase<"Strided", 2, "strided">]>;

def SectionsAttr : PosEnc_Attr<"Sections", "sections"> {
  let summary = "rotary pairs that turn with the coordinates of several axes";
  let description = [{
    `pairs` has the number of pairs `n[a]` of each axis `a` of `A`. With
    `chunked` order the first `n[0]` pairs belong to axis 0, the next `n[1]` to
    axis 1 and so on; with `interleaved` order pair `p` belongs to axis `p mod A`
    where `p < A n[p mod A]`, else to axis 0.

    Of the frequencies of all `r` rotary lanes, or of those of the lanes of one
    axis, pair `p`, which is pair `k` of axis `a`, has

    - `ordinary`: number `p` of `r` lanes;
    - `restarting`: number `k` of `2 n[a]` lanes;
    - `strided`: number `A k + a` of `r` lanes.

    | model | lanes | sections | positions |
    |---|---|---|---|
    | Qwen2-VL, Qwen2.5-VL text | `half` | `chunked, [16, 24, 24], ordinary` | T, H, W |
    | Qwen3-VL text | `half` | `interleaved, [24, 20, 20], ordinary` | T, H, W |
    | Qwen3.5 text | `half` | `interleaved, [11, 11, 10], ordinary` | T, H, W |
    | Qwen2-VL vision, ggml VISION | `half` | `chunked, [20, 20], restarting` | row, column |
    | Pixtral | `half` | `chunked, [16, 16], strided` | row, column |
    | DINOv3 | `half` | `chunked, [16, 16], restarting` | f32 `2 (i + 1/2) / n - 1`; base 100, `#posenc.linear<factor = 0.15915494309189535>` for the full turns |
    | FLUX | `interleaved` | `chunked, [8, 28, 28], restarting` | three ids |
    | EVA, timm's axial `in_pixels=False` | `interleaved` | `chunked, [16, 16], restarting` | f32 row, column |
    | axial "pixel" | `interleaved` | `chunked, [n, n], restarting` | f32 in -1 to 1; `#posenc.pixel_frequencies` |

    Constraints: C1 at least one axis, no negative number of pairs, at least one
    pair; C2 `interleaved` order has `ordinary` frequencies; C3 with `strided`
    frequencies all axes have equally many pairs.

    ```mlir
    #posenc.sections<chunked, [16, 24, 24], ordinary>
    #posenc.sections<chunked, [8, 28, 28], restarting>
    ```
    Source: Qwen2-VL (Wang et al. 2024), Pixtral 12B (Agrawal et al. 2024).
  }];
  let parameters = (ins EnumParameter<PosEnc_SectionOrder>:$order,
                        ArrayRefParameter<"int64_t">:$pairs,
                        EnumParameter<PosEnc_SectionFrequencies>:$frequencies);
  let assemblyFormat = "`<` $order `,` `[` $pairs `]` `,` $frequencies `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getNumAxes() const { return getPairs().size(); }
    int64_t getNumPairs() const;
    /// The axis of pair `pair`.
    int64_t getAxis(int64_t pair) const;
    /// The frequency of pair `pair`.
    PairFrequency getFrequency(int64_t pair) const;
  }];
}

def PosEnc_Role : PosEnc_Enum<"Role", "what a row of a head is to attention", [
    I32EnumAttrCase<"Query", 0, "query">,
    I32EnumAttrCase<"Key", 1, "key">]>;

def XposAttr : PosEnc_Attr<"Xpos", "xpos"> {
  let summary = "the decay of xPos, which queries and keys share";
  let description = [{
    Cosine and sine of pair `p` of `r / 2` at position `m` are multiplied by
    `zeta[p]^((m - centre) / scale_base)` for a query, by its inverse for a key,
    with `zeta[p] = (2p + 0.4 r) / (1.4 r)`.

    Constraints: C1 `scale_base` is finite and positive.

    ```mlir
    #posenc.xpos<query, scale_base = 512.0>
    ```
    Source: A Length-Extrapolatable Transformer, Sun et al. 2022; torchscale XPOS.
  }];
  let parameters = (ins EnumParameter<PosEnc_Role>:$role, "::mlir::FloatAttr":$scale_base);
  let assemblyFormat = "`<` $role `,` `scale_base` `=` custom<Real>($scale_base) `>`";
  let genVerifyDecl = 1;
}

#endif // POSENC_ATTRS
