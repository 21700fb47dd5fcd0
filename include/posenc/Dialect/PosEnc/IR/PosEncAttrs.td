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

#endif // POSENC_ATTRS
