//===- AttentionOp.td - posenc.attention and its terminator -*- tablegen -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef POSENC_ATTENTION_OP
#define POSENC_ATTENTION_OP

include "posenc/Dialect/PosEnc/IR/PosEncAttrs.td"
include "mlir/Dialect/Linalg/IR/LinalgInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/TilingInterface.td"

// Tensors before bufferization, memrefs after.
class PosEnc_Shaped<list<Type> elements, list<int> ranks>
    : AnyTypeOf<[TensorRankOf<elements, ranks>, MemRefRankOf<elements, ranks>]>;
def PosEnc_Heads : PosEnc_Shaped<[F32, F16, BF16], [4]>;

def AttentionOp : PosEnc_Op<"attention", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    RecursivelySpeculatable, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<AggregatedOpInterface, ["decomposeOperation"]>,
    DeclareOpInterfaceMethods<TilingInterface, [
      "getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
      "getResultTilePosition", "generateResultTileValue"]>]> {
  let summary = "scaled dot-product attention with fused encodings";
  let description = [{
    For batch `b`, query head `h`, row `i` and key `j`, with
    `g = h / (Hq / Hkv)`:

    ```
    x[j] = score(scale * rotate_query(query[b,h,i]) . rotate_key(key[b,g,j]), b, h, i, j)
    p    = softmax over the j with mask(b, h, i, j) of x (and the sink of h, if any)
    output[b,h,i] = sum_j p[j] value[b,g,j]
    logsumexp[b,h,i] = log sum_j exp x[j]   (the sink included)
    ```

    Scores and softmax are f32 whatever the storage type. A masked element
    never touches the result, even when its key or value is not a number. A row
    with no key yields zeros and a log-sum-exp of minus infinity; with
    `empty_rows(<average>)` the mean of all values.

    | region | arguments -> yields | absent means |
    |---|---|---|
    | `score` | x: f32, b, h, i, j -> f32 | x |
    | `mask` | b, h, i, j -> i1 | true |
    | `rotate_query` | b, h, i, pair -> cos, sin: f32 | no rotation |
    | `rotate_key` | b, kv head, j, pair -> cos, sin: f32 | no rotation |
    | `bounds` | b, h, i0, i1 -> lo, full_lo, full_hi, hi: index | 0, 0, 0, Lk |
    | `tile` | b, h, i0, i1, j0, j1 -> any, all: i1 | not asked |

    The op tiles over b, h and i: the regions of a tile add its offsets to their
    indices. A tile of heads must hold whole groups of query heads or lie within
    one.

    Index arguments are plain indices into the operands. Regions capture values
    as `linalg.generic` does and hold formula ops only. `bounds` says that rows
    `[i0, i1)` see no key outside `[lo, hi)` and every key of
    `[full_lo, full_hi)`.

    Constraints:
    - C1 `query`, `key`, `value` and `output_init` agree on the batch size;
    - C2 `query` and `key` agree on the head size D, which is static;
    - C3 `key` and `value` agree on heads and rows; Hkv divides Hq;
    - C4 `output_init` has the heads and rows of `query` and the head size of `value`;
    - C5 `logsumexp_init` is f32 `[B, Hq, Lq]`, `sinks` f32 `[Hq]`;
    - C6 with tensor operands a result for each destination, with its type;
      with memref operands none, and no operand is a tensor;
    - C7 `rotate_query` needs `query_lanes`, `rotate_key` `key_lanes`, within D;
    - C8 each region has the arguments and yields of the table and formula ops only;
    - C9 with `block_table` (`[B, pages a sequence]`, i32) key and value are pages
      `[pages, Hkv, page size, D]` and C1 does not bind them.

    ```mlir
    func.func @alibi(%q: tensor<1x8x?x64xf32>, %k: tensor<1x2x?x64xf32>,
                     %v: tensor<1x2x?x64xf32>, %slopes: tensor<8xf32>,
                     %scale: f32, %init: tensor<1x8x?x64xf32>) -> tensor<1x8x?x64xf32> {
      %o = posenc.attention query(%q : tensor<1x8x?x64xf32>) key(%k : tensor<1x2x?x64xf32>)
          value(%v : tensor<1x2x?x64xf32>) scale(%scale)
          outs(%init : tensor<1x8x?x64xf32>)
          score(%x, %b, %h, %i, %j) {
            %slope = tensor.extract %slopes[%h] : tensor<8xf32>
            %distance = arith.subi %j, %i : index
            %d32 = arith.index_cast %distance : index to i32
            %d = arith.sitofp %d32 : i32 to f32
            %bias = arith.mulf %slope, %d : f32
            %y = arith.addf %x, %bias : f32
            posenc.yield %y : f32
          }
          mask(%b, %h, %i, %j) {
            %visible = arith.cmpi sle, %j, %i : index
            posenc.yield %visible : i1
          } -> tensor<1x8x?x64xf32>
      return %o : tensor<1x8x?x64xf32>
    }
    ```
    Sources: Vaswani et al. 2017; Dao et al. 2022 for the order of computation.
  }];
  let arguments = (ins
    PosEnc_Heads:$query, PosEnc_Heads:$key, PosEnc_Heads:$value,
    F32:$scale,
    Optional<PosEnc_Shaped<[F32], [1]>>:$sinks,
    Optional<PosEnc_Shaped<[I32], [2]>>:$block_table,
    PosEnc_Heads:$output_init,
    Optional<PosEnc_Shaped<[F32], [3]>>:$logsumexp_init,
    DefaultValuedAttr<LayoutAttr, "Layout::BHLD">:$query_layout,
    DefaultValuedAttr<LayoutAttr, "Layout::BHLD">:$key_layout,
    DefaultValuedAttr<LayoutAttr, "Layout::BHLD">:$value_layout,
    DefaultValuedAttr<LayoutAttr, "Layout::BHLD">:$output_layout,
    OptionalAttr<LanesAttr>:$query_lanes,
    OptionalAttr<LanesAttr>:$key_lanes,
    OptionalAttr<ScheduleAttrInterface>:$schedule,
    DefaultValuedAttr<EmptyRowsAttr, "EmptyRows::Zero">:$empty_rows);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$score, MaxSizedRegion<1>:$mask,
                        MaxSizedRegion<1>:$rotate_query, MaxSizedRegion<1>:$rotate_key,
                        MaxSizedRegion<1>:$bounds, MaxSizedRegion<1>:$tile);
  let assemblyFormat = [{
    `query` `(` $query `:` type($query) `)`
    `key` `(` $key `:` type($key) `)`
    `value` `(` $value `:` type($value) `)`
    `scale` `(` $scale `)`
    (`sinks` `(` $sinks^ `:` type($sinks) `)`)?
    (`block_table` `(` $block_table^ `:` type($block_table) `)`)?
    `outs` `(` $output_init `:` type($output_init) `)`
    (`logsumexp` `(` $logsumexp_init^ `:` type($logsumexp_init) `)`)?
    `` custom<AttentionLayouts>($query_layout, $key_layout, $value_layout, $output_layout)
    (`query_lanes` `(` $query_lanes^ `)`)?
    (`key_lanes` `(` $key_lanes^ `)`)?
    (`schedule` `(` $schedule^ `)`)?
    (`empty_rows` `(` $empty_rows^ `)`)?
    `` custom<FormulaRegions>($score, $mask, $rotate_query, $rotate_key, $bounds, $tile)
    attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();

    /// The dimension of an operand that holds axis 0 b, 1 h, 2 l, 3 d.
    static int64_t getAxis(Layout layout, int64_t bhldAxis);

    /// The axes b, h, l, d of an operand's static shape.
    static ::llvm::SmallVector<int64_t> getShapeBHLD(::mlir::Value operand, Layout layout);

    /// The regions, in order.
    static ::llvm::ArrayRef<RegionSignature> getRegionSignatures();

    /// What `value` is, if it is an argument of a region of attention.
    static std::optional<RegionArgument> getRegionArgument(::mlir::Value value);

    /// Gives the empty `region` a block with its arguments; `b` goes into it.
    ::mlir::Block *createRegionBlock(::mlir::OpBuilder &b, ::mlir::Region &region);

    /// The operand, and its dimension, that `index` counts, if there is one.
    std::optional<std::pair<::mlir::Value, int64_t>>
    getIndexedDimension(RegionArgument index);

    /// How far `index` runs, as a constant or a value made at `b`, on tensors
    /// and on memrefs; keys run over all pages of a sequence.
    ::mlir::OpFoldResult getExtent(::mlir::OpBuilder &b, RegionArgument index);

    /// Hq / Hkv; both are static or the group is unknown.
    std::optional<int64_t> getStaticHeadGroup();
    bool hasTensorSemantics() { return ::llvm::isa<::mlir::TensorType>(getQuery().getType()); }
  }];
}

def YieldOp : PosEnc_Op<"yield", [Pure, Terminator,
    ParentOneOf<["AttentionOp"]>,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>]> {
  let summary = "what a region of posenc.attention computes";
  let description = [{
    Ends a region of `posenc.attention`. It forwards nothing to the op's
    results: they come from the softmax, not from one element.
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // POSENC_ATTENTION_OP
