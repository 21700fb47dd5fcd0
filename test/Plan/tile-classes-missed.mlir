// RUN: posenc-opt %s --posenc-tile-classes --remarks-filter='posenc.*' --remark-format=emitRemark 2>&1 | FileCheck %s

!x = tensor<2x4x?x8xf32>

// CHECK: remark: [Missed] tile-classes | Category:posenc | Function=any_mask | Reason="no tile of the mask is known to be seen or hidden before its elements are read"

// CHECK-LABEL: func @any_mask
//   CHECK-NOT:   bounds
//   CHECK-NOT:   tile
//       CHECK:   return
func.func @any_mask(%mask: tensor<2x1x?x?xi1>, %x: !x, %scale: f32) -> !x {
  %c0 = arith.constant 0 : index
  %r = posenc.attention query(%x : !x) key(%x : !x) value(%x : !x) scale(%scale) outs(%x : !x)
    mask(%b, %h, %i, %j) {
      %visible = tensor.extract %mask[%b, %c0, %i, %j] : tensor<2x1x?x?xi1>
      posenc.yield %visible : i1
    } -> !x
  return %r : !x
}
