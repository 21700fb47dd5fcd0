// RUN: cd %S && posenc-compile remarks-kept-bias.mlir --cpu=x86-64-v3 --to=codegen -o %t.mlir --remarks=%t.txt
// RUN: FileCheck %s --input-file=%t.txt --match-full-lines --implicit-check-not=remark:

// One term is a product of matrices, the other a finite penalty.

!heads = tensor<1x4x7x16xf32>

func.func @kept_bias(%q: !heads, %a: tensor<7x4xf32>, %c: tensor<4x7xf32>) -> !heads {
  %scale = arith.constant 0.25 : f32
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : !heads
  %empty = tensor.empty() : tensor<7x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x7xf32>) -> tensor<7x7xf32>
  // CHECK:      remarks-kept-bias.mlir:[[@LINE+5]]:8: remark: 'posenc.attention' reads its query as bhld, key as bhld, value as bhld and writes bhld [fold-layouts]
  // CHECK-NEXT: remarks-kept-bias.mlir:[[@LINE+3]]:11: remark: 'linalg.matmul' stays a tensor, tensor<7x7xf32>, that 'posenc.attention' at remarks-kept-bias.mlir:[[@LINE+4]]:8 reads: 'linalg.matmul' has no formula of one element; compute it elementwise to have it fused [inline-elements: missed]
  // CHECK-NEXT: remarks-kept-bias.mlir:[[@LINE+8]]:20: remark: 'arith.select' of a large negative number stays a bias of 'posenc.attention' at remarks-kept-bias.mlir:[[@LINE+3]]:8: a key with a finite penalty still takes part in the softmax, so no tile of keys is skipped; use minus infinity to hide a key [split-mask: missed]
  // CHECK-NEXT: remarks-kept-bias.mlir:[[@LINE+2]]:8: remark: 'posenc.attention' runs #posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 16, rows = 6> [schedule]
  %bias = linalg.matmul ins(%a, %c : tensor<7x4xf32>, tensor<4x7xf32>) outs(%zeros : tensor<7x7xf32>) -> tensor<7x7xf32>
  %o = posenc.attention query(%q : !heads) key(%q : !heads) value(%q : !heads) scale(%scale) outs(%init : !heads)
      score(%x, %b, %h, %i, %j) {
        %none = arith.constant 0.0 : f32
        %low = arith.constant -1.0e+04 : f32
        %past = arith.cmpi sle, %j, %i : index
        %penalty = arith.select %past, %none, %low : f32
        %y = arith.addf %x, %penalty : f32
        %e = tensor.extract %bias[%i, %j] : tensor<7x7xf32>
        %z = arith.addf %y, %e : f32
        posenc.yield %z : f32
      } -> !heads
  return %o : !heads
}
