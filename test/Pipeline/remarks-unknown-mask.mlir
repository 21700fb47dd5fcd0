// RUN: cd %S && posenc-compile remarks-unknown-mask.mlir --cpu=x86-64-v3 --to=codegen -o %t.mlir --remarks=%t.txt
// RUN: FileCheck %s --input-file=%t.txt --match-full-lines --implicit-check-not=remark:

// What the mask hides is known at run time only.

!heads = tensor<1x4x7x16xf32>

func.func @unknown_mask(%q: !heads, %mask: tensor<1x1x7x7xi1> {posenc.name = "mask"}) -> !heads {
  %scale = arith.constant 0.25 : f32
  %init = tensor.empty() : !heads
  // CHECK:      remarks-unknown-mask.mlir:[[@LINE+4]]:8: remark: 'posenc.attention' reads its query as bhld, key as bhld, value as bhld and writes bhld [fold-layouts]
  // CHECK-NEXT: remarks-unknown-mask.mlir:[[@LINE+3]]:8: remark: 'posenc.attention' reads the argument 'mask', tensor<1x1x7x7xi1>, an element a score: what an argument holds is known at run time only; compute it in the graph to have it fused [inline-elements: missed]
  // CHECK-NEXT: remarks-unknown-mask.mlir:[[@LINE+2]]:8: remark: 'posenc.attention' evaluates its mask for every row and key: no tile of the mask is known to be seen or hidden before its elements are read; compute the mask in the graph, from positions, lengths or ids [tile-classes: missed]
  // CHECK-NEXT: remarks-unknown-mask.mlir:[[@LINE+1]]:8: remark: 'posenc.attention' runs #posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 16, rows = 6> [schedule]
  %o = posenc.attention query(%q : !heads) key(%q : !heads) value(%q : !heads) scale(%scale) outs(%init : !heads)
      mask(%b, %h, %i, %j) {
        %zero = arith.constant 0 : index
        %m = tensor.extract %mask[%b, %zero, %i, %j] : tensor<1x1x7x7xi1>
        posenc.yield %m : i1
      } -> !heads
  return %o : !heads
}
