// RUN: posenc-opt %s --posenc-widen-rotations --canonicalize --split-input-file | FileCheck %s

// The first lanes rotate, the others pass.

// CHECK-LABEL: func @first_lanes
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<1x8x4x16xf32>
//  CHECK-NEXT:   %[[Y:.*]] = posenc.rotary %[[X]] lanes(<half, first = 0, count = 4>)
//  CHECK-NEXT:   return %[[Y]]
func.func @first_lanes(%x: tensor<1x8x4x16xf32>) -> tensor<1x8x4x16xf32> {
  %a = tensor.extract_slice %x[0, 0, 0, 0] [1, 8, 4, 4] [1, 1, 1, 1] : tensor<1x8x4x16xf32> to tensor<1x8x4x4xf32>
  %b = tensor.extract_slice %x[0, 0, 0, 4] [1, 8, 4, 12] [1, 1, 1, 1] : tensor<1x8x4x16xf32> to tensor<1x8x4x12xf32>
  %r = posenc.rotary %a lanes(<half, first = 0, count = 4>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x4x4xf32>
  %y = tensor.concat dim(3) %r, %b : (tensor<1x8x4x4xf32>, tensor<1x8x4x12xf32>) -> tensor<1x8x4x16xf32>
  return %y : tensor<1x8x4x16xf32>
}

// -----

// Two rotations, as for the two axes of a picture, of heads inside wider rows.

// CHECK-LABEL: func @two_axes
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<1x8x4x48xf32>
//       CHECK:   %[[HEADS:.*]] = tensor.extract_slice %[[X]][0, 0, 0, 16] [1, 8, 4, 16]
//       CHECK:   %[[A:.*]] = posenc.rotary %[[HEADS]] {{.*}} lanes(<half, first = 0, count = 8>)
//       CHECK:   posenc.rotary %[[A]] {{.*}} lanes(<half, first = 8, count = 8>)
func.func @two_axes(%x: tensor<1x8x4x48xf32>, %rows: tensor<4xi64>, %columns: tensor<4xi64>) -> tensor<1x8x4x16xf32> {
  %a = tensor.extract_slice %x[0, 0, 0, 16] [1, 8, 4, 8] [1, 1, 1, 1] : tensor<1x8x4x48xf32> to tensor<1x8x4x8xf32>
  %b = tensor.extract_slice %x[0, 0, 0, 24] [1, 8, 4, 8] [1, 1, 1, 1] : tensor<1x8x4x48xf32> to tensor<1x8x4x8xf32>
  %ra = posenc.rotary %a positions(%rows : tensor<4xi64>) lanes(<half, first = 0, count = 8>) frequencies(#posenc.frequencies<base = 100.0>) : tensor<1x8x4x8xf32>
  %rb = posenc.rotary %b positions(%columns : tensor<4xi64>) lanes(<half, first = 0, count = 8>) frequencies(#posenc.frequencies<base = 100.0>) : tensor<1x8x4x8xf32>
  %y = tensor.concat dim(3) %ra, %rb : (tensor<1x8x4x8xf32>, tensor<1x8x4x8xf32>) -> tensor<1x8x4x16xf32>
  return %y : tensor<1x8x4x16xf32>
}

// -----

// Lanes in another order are not the head.

// CHECK-LABEL: func @swapped
//       CHECK:   tensor.concat
func.func @swapped(%x: tensor<1x8x4x16xf32>) -> tensor<1x8x4x16xf32> {
  %a = tensor.extract_slice %x[0, 0, 0, 0] [1, 8, 4, 8] [1, 1, 1, 1] : tensor<1x8x4x16xf32> to tensor<1x8x4x8xf32>
  %b = tensor.extract_slice %x[0, 0, 0, 8] [1, 8, 4, 8] [1, 1, 1, 1] : tensor<1x8x4x16xf32> to tensor<1x8x4x8xf32>
  %r = posenc.rotary %a lanes(<half, first = 0, count = 8>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x4x8xf32>
  %y = tensor.concat dim(3) %b, %r : (tensor<1x8x4x8xf32>, tensor<1x8x4x8xf32>) -> tensor<1x8x4x16xf32>
  return %y : tensor<1x8x4x16xf32>
}
