//===- CacheAppend.td - New rows of a key or value cache ---*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ENCODINGS_CACHEAPPEND
#define POSENC_ENCODINGS_CACHEAPPEND

include "posenc/Dialect/PosEnc/IR/PosEncAttrs.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def CacheAppendOp : PosEnc_Op<"cache_append", [Pure,
    AllTypesMatch<["cache", "result"]>, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>,
    DeclareOpInterfaceMethods<TableReadOpInterface>]> {
  let summary = "writes new keys or values behind those of a cache";
  let description = [{
    With `bhld`, and likewise with the axes of `blhd`:

    ```
    result[b, h, s, :] = rows[b, h, l, :]    for s = lengths[b] + l
                                             or, with ring, s = (lengths[b] + l) mod Lmax
                         cache[b, h, s, :]   for every other s
    ```

    `lengths` says how many tokens each batch entry had before. The result is
    computed in the cache's buffer, where that is the op's to write: a function's
    argument with `posenc.donated`. Keys are rotated by their own positions
    before they are written, by `posenc.rotary`; what a cache of rotated keys is
    rotated by again is their shift.

    A ring keeps the last Lmax tokens; `posenc.ring` is the mask that goes with it.

    A row outside of the cache is an error, which `posenc-check-ranges` reports
    before anything is written: `lengths[b] < 0`, `lengths[b] + L > Lmax`, or
    with `ring` L > Lmax.

    Constraints:
    - C1 `cache` and `rows` agree in element type and in all axes but L;
    - C2 `lengths` is `[B]`;
    - C3 L is at most Lmax where both are static.

    ```mlir
    func.func @cache_append(%keys: tensor<?x8x4096x64xbf16>, %new: tensor<?x8x?x64xbf16>,
                            %lengths: tensor<?xi32>) -> tensor<?x8x4096x64xbf16> {
      %all = posenc.cache_append %new at(%lengths : tensor<?xi32>) layout(<bhld>)
          outs(%keys : tensor<?x8x4096x64xbf16>) : tensor<?x8x?x64xbf16>
      return %all : tensor<?x8x4096x64xbf16>
    }
    ```
    Sources: FlashAttention, `flash_attn_with_kvcache`; Mistral's rolling buffer
    cache (Jiang et al. 2023) for rings.
  }];
  let arguments = (ins
    Arg<TensorRankOf<[F32, F16, BF16], [4]>, "new keys or values, in `layout`">:$rows,
    Arg<TensorRankOf<[I32, I64], [1]>, "`[B]`: the tokens there are before the new ones">:$lengths,
    Arg<TensorRankOf<[F32, F16, BF16], [4]>, "the cache, in `layout`">:$cache,
    LayoutAttr:$layout, UnitAttr:$ring);
  let results = (outs TensorRankOf<[F32, F16, BF16], [4]>:$result);
  let assemblyFormat = [{
    $rows `at` `(` $lengths `:` type($lengths) `)` `layout` `(` $layout `)`
    (`ring` $ring^)? `outs` `(` $cache `:` type($cache) `)`
    attr-dict `:` type($rows)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getCacheMutable(); }

    /// The axis of tokens, the same in rows and cache.
    int64_t getTokenAxis() { return getLayout() == Layout::BHLD ? 2 : 1; }
  }];
}

#endif // POSENC_ENCODINGS_CACHEAPPEND
