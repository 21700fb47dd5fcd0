// RUN: posenc-opt %s --posenc-tile-classes --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics --split-input-file

!x = tensor<2x4x7x8xf32>

func.func @exact(%x: !x, %scale: f32) -> !x {
  // expected-remark @below {{'posenc.attention' skips the keys its mask hides: the bounds of those a row sees are exact}}
  %r = posenc.attention query(%x : !x) key(%x : !x) value(%x : !x) scale(%scale) outs(%x : !x)
    mask(%b, %h, %i, %j) {
      %visible = arith.cmpi sle, %j, %i : index
      posenc.yield %visible : i1
    } -> !x
  return %r : !x
}

// -----

!x = tensor<2x4x7x8xf32>

func.func @documents(%ids: tensor<2x7xi32>, %x: !x, %scale: f32) -> !x {
  // expected-remark @below {{'posenc.attention' asks its mask for each tile of keys}}
  %r = posenc.attention query(%x : !x) key(%x : !x) value(%x : !x) scale(%scale) outs(%x : !x)
    mask(%b, %h, %i, %j) {
      %row = tensor.extract %ids[%b, %i] : tensor<2x7xi32>
      %key = tensor.extract %ids[%b, %j] : tensor<2x7xi32>
      %visible = arith.cmpi eq, %row, %key : i32
      posenc.yield %visible : i1
    } -> !x
  return %r : !x
}
