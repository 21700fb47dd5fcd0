// The regions are equal, element by element, with tables and without.

// DEFINE: %{run} = \
// DEFINE:     --test-posenc-formula-sums --one-shot-bufferize=bufferize-function-boundaries \
// DEFINE:     --convert-linalg-to-loops --lower-affine --convert-scf-to-cf \
// DEFINE:     --expand-strided-metadata --lower-affine --arith-expand --convert-vector-to-llvm \
// DEFINE:     --convert-math-to-libm --finalize-memref-to-llvm --convert-to-llvm \
// DEFINE:     --reconcile-unrealized-casts | \
// DEFINE:   mlir-runner -e main --entry-point-result=void -shared-libs=%llvm_lib_dir/libmlir_c_runner_utils.so
// RUN: posenc-opt %s %{run} > %t.computed
// RUN: posenc-opt %s --posenc-stage-tables %{run} > %t.staged
// RUN: diff %t.computed %t.staged
// RUN: FileCheck %s < %t.staged

!q = tensor<2x4x?x8xf32>
!kv = tensor<2x2x?x8xf32>

// CHECK: score {{-?[1-9]}}
func.func private @distance(%q: !q, %k: !kv, %bias: tensor<32x4xf32>, %ids: tensor<2x?xi64>) -> !q attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %c10 = arith.constant 10 : index
  %c31 = arith.constant 31 : index
  %c0 = arith.constant 0 : index
  %r = posenc.attention query(%q : !q) key(%k : !kv) value(%k : !kv) scale(%scale) outs(%q : !q)
    score(%x, %b, %h, %i, %j) {
      // A gather by the clipped distance, one by batch too, a logarithm by row.
      %d = arith.subi %j, %i : index
      %s = arith.addi %d, %c10 : index
      %n = arith.minsi %s, %c31 : index
      %p = arith.maxsi %n, %c0 : index
      %w = tensor.extract %bias[%p, %h] : tensor<32x4xf32>
      %id = tensor.extract %ids[%b, %c0] : tensor<2x?xi64>
      %id_index = arith.index_cast %id : i64 to index
      %t = arith.addi %d, %id_index : index
      %t2 = arith.muli %t, %t : index
      %t32 = arith.index_cast %t2 : index to i32
      %tf = arith.sitofp %t32 : i32 to f32
      %root = math.sqrt %tf : f32
      %ii = arith.addi %i, %c10 : index
      %i32 = arith.index_cast %ii : index to i32
      %if = arith.sitofp %i32 : i32 to f32
      %l = math.log %if : f32
      %y0 = arith.mulf %x, %l : f32
      %y1 = arith.addf %y0, %w : f32
      %y = arith.addf %y1, %root : f32
      posenc.yield %y : f32
    } -> !q
  return %r : !q
}

// CHECK: rotate_query {{-?[1-9]}}
// CHECK: rotate_key {{-?[1-9]}}
func.func private @angles(%q: !q, %k: !kv, %ids: tensor<2x?xi64>) -> !q attributes {no_inline} {
  %scale = arith.constant 1.0 : f32
  %r = posenc.attention query(%q : !q) key(%k : !kv) value(%k : !kv) scale(%scale) outs(%q : !q)
    query_lanes(<half, first = 0, count = 8>) key_lanes(<half, first = 0, count = 8>)
    rotate_query(%b, %h, %i, %p) {
      %id = tensor.extract %ids[%b, %i] : tensor<2x?xi64>
      %f = arith.sitofp %id : i64 to f32
      %p32 = arith.index_cast %p : index to i32
      %pf = arith.sitofp %p32 : i32 to f32
      %a = arith.mulf %f, %pf : f32
      %c = math.cos %a : f32
      %s = math.sin %a : f32
      posenc.yield %c, %s : f32, f32
    } rotate_key(%b, %g, %j, %p) {
      %pj = arith.addi %p, %j : index
      %pjg = arith.addi %pj, %g : index
      %p32 = arith.index_cast %pjg : index to i32
      %a = arith.sitofp %p32 : i32 to f32
      %c = math.cos %a : f32
      %s = math.sin %a : f32
      posenc.yield %c, %s : f32, f32
    } -> !q
  return %r : !q
}

func.func @main() {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %rows = arith.constant 13 : index
  %keys = arith.constant 29 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : index
  %q = tensor.empty(%rows) : !q
  %k = tensor.empty(%keys) : !kv
  %q_one = tensor.empty(%one) : !q
  %k_none = tensor.empty(%none) : !kv
  %bias_of_any = tensor.generate %c32, %c4 {
  ^bb0(%n: index, %h: index):
    %square = arith.muli %n, %n : index
    %sum = arith.addi %square, %h : index
    %i = arith.index_cast %sum : index to i32
    %f = arith.sitofp %i : i32 to f32
    tensor.yield %f : f32
  } : tensor<?x?xf32>
  %bias = tensor.cast %bias_of_any : tensor<?x?xf32> to tensor<32x4xf32>
  %ids_of_any = tensor.generate %c2, %keys {
  ^bb0(%b: index, %j: index):
    %sum = arith.muli %b, %j : index
    %shifted = arith.addi %sum, %c4 : index
    %id = arith.index_cast %shifted : index to i64
    tensor.yield %id : i64
  } : tensor<?x?xi64>
  %ids = tensor.cast %ids_of_any : tensor<?x?xi64> to tensor<2x?xi64>
  %r0 = call @distance(%q, %k, %bias, %ids) : (!q, !kv, tensor<32x4xf32>, tensor<2x?xi64>) -> !q
  %r1 = call @distance(%q_one, %k, %bias, %ids) : (!q, !kv, tensor<32x4xf32>, tensor<2x?xi64>) -> !q
  %r2 = call @distance(%q, %k_none, %bias, %ids) : (!q, !kv, tensor<32x4xf32>, tensor<2x?xi64>) -> !q
  %r3 = call @angles(%q, %k, %ids) : (!q, !kv, tensor<2x?xi64>) -> !q
  return
}
