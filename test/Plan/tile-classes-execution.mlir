// What bounds and tile promise of a mask, compared with the mask at every
// element; the numbers say how much of 2 x 2 x 150 x 170 elements they classify.

// DEFINE: %{run} = posenc-opt %s --posenc-tile-classes \
// DEFINE:     --test-posenc-tile-classes="row-block=%{rows} key-block=%{keys}" \
// DEFINE:     --one-shot-bufferize=bufferize-function-boundaries --convert-linalg-to-loops \
// DEFINE:     --lower-affine --convert-scf-to-cf --expand-strided-metadata --lower-affine \
// DEFINE:     --arith-expand --convert-vector-to-llvm --finalize-memref-to-llvm \
// DEFINE:     --convert-to-llvm --reconcile-unrealized-casts | \
// DEFINE:   mlir-runner -e main --entry-point-result=void -shared-libs=%llvm_lib_dir/libmlir_c_runner_utils.so
// DEFINE: %{rows} = 64
// DEFINE: %{keys} = 64
// RUN: %{run} | FileCheck %s
// REDEFINE: %{rows} = 48
// REDEFINE: %{keys} = 40
// RUN: %{run} | FileCheck %s --check-prefix=RUNS
// Blocks of more than two blocks of a table.
// REDEFINE: %{rows} = 150
// REDEFINE: %{keys} = 256
// RUN: %{run} | FileCheck %s --check-prefix=RUNS
// REDEFINE: %{keys} = 40
// RUN: %{run} | FileCheck %s --check-prefix=RUNS
// REDEFINE: %{rows} = 1
// REDEFINE: %{keys} = 7
// RUN: %{run} | FileCheck %s --check-prefix=RUNS

// RUNS: no_keys:

!x = tensor<?x2x?x8xf32>

// CHECK: causal_offset:
// CHECK-NEXT: outside bounds 11264
// CHECK-NEXT: full range 65552
func.func private @causal_offset(%q: !x, %k: !x, %n: tensor<?xi64>) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %o = tensor.extract %n[%b] : tensor<?xi64>
      %oi = arith.index_cast %o : i64 to index
      %l = arith.addi %i, %oi : index
      %m = arith.cmpi sle, %j, %l : index
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// CHECK: window:
// CHECK-NEXT: outside bounds 66264
// CHECK-NEXT: full range 0
func.func private @window(%q: !x, %k: !x) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %w = arith.constant 3 : index
      %f = arith.subi %i, %w : index
      %x = arith.cmpi sge, %j, %f : index
      %y = arith.cmpi sle, %j, %i : index
      %m = arith.andi %x, %y : i1
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// CHECK: padding:
// CHECK-NEXT: outside bounds 62100
// CHECK-NEXT: full range 39900
func.func private @padding(%q: !x, %k: !x, %n: tensor<?xi64>) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %o = tensor.extract %n[%b] : tensor<?xi64>
      %oi = arith.index_cast %o : i64 to index
      %m = arith.cmpi slt, %j, %oi : index
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// CHECK: documents:
// CHECK-NEXT: outside bounds 0
// CHECK-NEXT: full range 0
// CHECK-NEXT: hidden tiles 16384
// CHECK-NEXT: seen tiles 3696
func.func private @documents(%q: !x, %k: !x, %ids: tensor<?x?xi32>) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %x = tensor.extract %ids[%b, %i] : tensor<?x?xi32>
      %y = tensor.extract %ids[%b, %j] : tensor<?x?xi32>
      %m = arith.cmpi eq, %x, %y : i32
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// CHECK: causal_documents:
// CHECK-NEXT: outside bounds 39648
// CHECK-NEXT: full range 0
// CHECK-NEXT: hidden tiles 43520
// CHECK-NEXT: seen tiles 0
func.func private @causal_documents(%q: !x, %k: !x, %ids: tensor<?x?xi32>) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %x = tensor.extract %ids[%b, %i] : tensor<?x?xi32>
      %y = tensor.extract %ids[%b, %j] : tensor<?x?xi32>
      %s = arith.cmpi eq, %x, %y : i32
      %c = arith.cmpi sle, %j, %i : index
      %m = arith.andi %s, %c : i1
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// CHECK: key_padding_bool:
// CHECK-NEXT: outside bounds 0
// CHECK-NEXT: full range 0
// CHECK-NEXT: hidden tiles 44400
// CHECK-NEXT: seen tiles 19200
func.func private @key_padding_bool(%q: !x, %k: !x, %pad: tensor<?x?xi1>) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %m = tensor.extract %pad[%b, %j] : tensor<?x?xi1>
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// A union of ranges that start together is one range.

// CHECK: prefix:
// CHECK-NEXT: outside bounds 35040
// CHECK-NEXT: full range 49496
// CHECK-NEXT: hidden tiles 0
func.func private @prefix(%q: !x, %k: !x, %n: tensor<?xi64>) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %o = tensor.extract %n[%b] : tensor<?xi64>
      %oi = arith.index_cast %o : i64 to index
      %p = arith.cmpi slt, %j, %oi : index
      %c = arith.cmpi sle, %j, %i : index
      %m = arith.ori %p, %c : i1
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// CHECK: anti_causal:
// CHECK-NEXT: outside bounds 28248
// CHECK-NEXT: full range 39648
func.func private @anti_causal(%q: !x, %k: !x) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %t = arith.constant true
      %c = arith.cmpi sle, %j, %i : index
      %m = arith.xori %c, %t : i1
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// CHECK: selected:
// CHECK-NEXT: outside bounds 27648
// CHECK-NEXT: full range 12856
// CHECK-NEXT: hidden tiles 27648
// CHECK-NEXT: seen tiles 10752
func.func private @selected(%q: !x, %k: !x) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %c7 = arith.constant 7 : index
      %u = arith.cmpi slt, %i, %c7 : index
      %x = arith.cmpi sle, %j, %i : index
      %y = arith.cmpi sge, %j, %i : index
      %m = arith.select %u, %x, %y : i1
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// CHECK: positions:
// CHECK-NEXT: outside bounds 19200
// CHECK-NEXT: full range 40048
func.func private @positions(%q: !x, %k: !x, %pos: tensor<?x?xi32>) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %x = tensor.extract %pos[%b, %i] : tensor<?x?xi32>
      %jj = arith.index_cast %j : index to i32
      %m = arith.cmpi sle, %jj, %x : i32
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// CHECK: dilated:
// CHECK-NEXT: outside bounds 39648
// CHECK-NEXT: full range 0
// CHECK-NEXT: hidden tiles 37888
// CHECK-NEXT: seen tiles 0
func.func private @dilated(%q: !x, %k: !x) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %c2 = arith.constant 2 : index
      %d = arith.subi %i, %j : index
      %r = arith.remsi %d, %c2 : index
      %z = arith.constant 0 : index
      %e = arith.cmpi eq, %r, %z : index
      %c = arith.cmpi sle, %j, %i : index
      %m = arith.andi %e, %c : i1
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// Blocks of 32 rows by 16 keys, of which a tile meets several; then rows one by
// one. The last row of blocks sees the first three: in a tile of all rows they are
// not among the elements read.

// CHECK: blocks:
// CHECK-NEXT: outside bounds 0
// CHECK-NEXT: full range 0
// CHECK-NEXT: hidden tiles 96368
// CHECK-NEXT: seen tiles 0
func.func private @blocks(%q: !x, %k: !x, %map: tensor<?x?xi1>) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %c32 = arith.constant 32 : index
      %c16 = arith.constant 16 : index
      %c9 = arith.constant 9 : index
      %u = arith.floordivsi %i, %c32 : index
      %w = arith.divsi %j, %c16 : index
      %z = arith.minsi %w, %c9 : index
      %m = tensor.extract %map[%u, %z] : tensor<?x?xi1>
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// CHECK: rows_by_blocks:
// CHECK-NEXT: outside bounds 0
// CHECK-NEXT: full range 0
// CHECK-NEXT: hidden tiles 14448
func.func private @rows_by_blocks(%q: !x, %k: !x, %map: tensor<?x?xi1>) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %c32 = arith.constant 32 : index
      %w = arith.divsi %j, %c32 : index
      %m = tensor.extract %map[%i, %w] : tensor<?x?xi1>
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

// CHECK: no_keys:
// CHECK-NEXT: outside bounds 0
func.func private @no_keys(%q: !x, %k: !x, %ids: tensor<?x?xi32>) -> !x attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !x) key(%k : !x) value(%k : !x) scale(%scale) outs(%q : !x)
    mask(%b, %h, %i, %j) {
      %x = tensor.extract %ids[%b, %i] : tensor<?x?xi32>
      %y = tensor.extract %ids[%b, %j] : tensor<?x?xi32>
      %m = arith.cmpi eq, %x, %y : i32
      posenc.yield %m : i1
    } -> !x
  return %r : !x
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c37 = arith.constant 37 : index
  %rows = arith.constant 150 : index
  %keys = arith.constant 170 : index
  %q = tensor.empty(%c2, %rows) : !x
  %k = tensor.empty(%c2, %keys) : !x
  %none = tensor.empty(%c2, %c0) : !x

  %lengths_of_two = arith.constant dense<[100, 33]> : tensor<2xi64>
  %lengths = tensor.cast %lengths_of_two : tensor<2xi64> to tensor<?xi64>
  %documents = tensor.generate %c2, %keys {
  ^bb0(%b: index, %j: index):
    %document = arith.divsi %j, %c37 : index
    %shifted = arith.addi %document, %b : index
    %least = arith.minsi %shifted, %c3 : index
    %id = arith.index_cast %least : index to i32
    tensor.yield %id : i32
  } : tensor<?x?xi32>
  %positions = tensor.generate %c2, %keys {
  ^bb0(%b: index, %j: index):
    %three = arith.muli %j, %c3 : index
    %half = arith.divsi %three, %c2 : index
    %position = arith.index_cast %half : index to i32
    tensor.yield %position : i32
  } : tensor<?x?xi32>
  %padding = tensor.generate %c2, %keys {
  ^bb0(%b: index, %j: index):
    %length = tensor.extract %lengths[%b] : tensor<?xi64>
    %end = arith.index_cast %length : i64 to index
    %real = arith.cmpi slt, %j, %end : index
    tensor.yield %real : i1
  } : tensor<?x?xi1>

  %r267 = call @causal_offset(%q, %k, %lengths) : (!x, !x, tensor<?xi64>) -> !x
  %r268 = call @window(%q, %k) : (!x, !x) -> !x
  %r269 = call @padding(%q, %k, %lengths) : (!x, !x, tensor<?xi64>) -> !x
  %r270 = call @documents(%q, %k, %documents) : (!x, !x, tensor<?x?xi32>) -> !x
  %r271 = call @causal_documents(%q, %k, %documents) : (!x, !x, tensor<?x?xi32>) -> !x
  %r272 = call @key_padding_bool(%q, %k, %padding) : (!x, !x, tensor<?x?xi1>) -> !x
  %r273 = call @prefix(%q, %k, %lengths) : (!x, !x, tensor<?xi64>) -> !x
  %r274 = call @anti_causal(%q, %k) : (!x, !x) -> !x
  %r275 = call @selected(%q, %k) : (!x, !x) -> !x
  %r276 = call @positions(%q, %k, %positions) : (!x, !x, tensor<?x?xi32>) -> !x
  %r277 = call @dilated(%q, %k) : (!x, !x) -> !x
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  %c4 = arith.constant 4 : index
  %map = tensor.generate %c5, %c10 {
  ^bb0(%u: index, %w: index):
    %is_last = arith.cmpi eq, %u, %c4 : index
    %is_near = arith.cmpi slt, %w, %c3 : index
    %m = arith.andi %is_last, %is_near : i1
    tensor.yield %m : i1
  } : tensor<?x?xi1>
  %row_map = tensor.generate %rows, %c10 {
  ^bb0(%i: index, %w: index):
    %near = arith.cmpi slt, %i, %c37 : index
    %early = arith.cmpi slt, %w, %c3 : index
    %m = arith.xori %near, %early : i1
    tensor.yield %m : i1
  } : tensor<?x?xi1>
  %r279 = call @blocks(%q, %k, %map) : (!x, !x, tensor<?x?xi1>) -> !x
  %r280 = call @rows_by_blocks(%q, %k, %row_map) : (!x, !x, tensor<?x?xi1>) -> !x
  %r278 = call @no_keys(%q, %none, %documents) : (!x, !x, tensor<?x?xi32>) -> !x
  return
}
