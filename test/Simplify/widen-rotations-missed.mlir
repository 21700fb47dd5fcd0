// RUN: posenc-opt %s --posenc-widen-rotations --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics --split-input-file

func.func @widened(%x: tensor<1x8x4x16xf32>) -> tensor<1x8x4x16xf32> {
  %a = tensor.extract_slice %x[0, 0, 0, 0] [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x8x4x16xf32> to tensor<1x8x4x4xf32>
  %b = tensor.extract_slice %x[0, 0, 0, 4] [1, 8, 4, 12] [1, 1, 1, 1] : tensor<1x8x4x16xf32> to tensor<1x8x4x12xf32>
  // expected-remark @below {{'posenc.rotary' of a slice of lanes rotates the whole head}}
  %r = posenc.rotary %a lanes(<half, first = 0, count = 4>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x4x4xf32>
  %y = tensor.concat dim(3) %r, %b : (tensor<1x8x4x4xf32>, tensor<1x8x4x12xf32>) -> tensor<1x8x4x16xf32>
  return %y : tensor<1x8x4x16xf32>
}

// -----

func.func @swapped(%x: tensor<1x8x4x16xf32>) -> tensor<1x8x4x16xf32> {
  %a = tensor.extract_slice %x[0, 0, 0, 0] [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x8x4x16xf32> to tensor<1x8x4x4xf32>
  %b = tensor.extract_slice %x[0, 0, 0, 4] [1, 8, 4, 12] [1, 1, 1, 1] : tensor<1x8x4x16xf32> to tensor<1x8x4x12xf32>
  // expected-remark @below {{what is joined are not neighbouring slices of the lanes of one tensor of heads}}
  %r = posenc.rotary %a lanes(<half, first = 0, count = 4>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x4x4xf32>
  %y = tensor.concat dim(3) %b, %r : (tensor<1x8x4x12xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x16xf32>
  return %y : tensor<1x8x4x16xf32>
}
