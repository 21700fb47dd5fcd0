// RUN: posenc-opt %s --posenc-compose-rotations | FileCheck %s

// CHECK-LABEL: func @cancels
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<1x8x?x16xf32>
//  CHECK-NEXT:   return %[[X]]
func.func @cancels(%x: tensor<1x8x?x16xf32>, %p: tensor<1x?xi64>) -> tensor<1x8x?x16xf32> {
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  %z = posenc.rotary %y positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) inverse : tensor<1x8x?x16xf32>
  return %z : tensor<1x8x?x16xf32>
}

// CHECK-LABEL: func @adds
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<1x8x?x16xf32>, %[[P:[a-z0-9]+]]: tensor<1x?xi64>, %[[R:[a-z0-9]+]]: tensor<1x?xi64>
//       CHECK:   %[[SUM:.*]] = linalg.add ins(%[[R]], %[[P]]
//       CHECK:   %[[Y:.*]] = posenc.rotary %[[X]] positions(%[[SUM]]
//   CHECK-NOT:   posenc.rotary
//       CHECK:   return %[[Y]]
func.func @adds(%x: tensor<1x8x?x16xf32>, %p: tensor<1x?xi64>, %r: tensor<1x?xi64>) -> tensor<1x8x?x16xf32> {
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  %z = posenc.rotary %y positions(%r : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  return %z : tensor<1x8x?x16xf32>
}

// Three in a row; the second turns back.

// CHECK-LABEL: func @chain
//       CHECK:   linalg.sub
//       CHECK:   linalg.add
//       CHECK:   posenc.rotary
//   CHECK-NOT:   posenc.rotary
//       CHECK:   return
func.func @chain(%x: tensor<1x8x?x16xf32>, %p: tensor<1x?xi64>, %r: tensor<1x?xi64>) -> tensor<1x8x?x16xf32> {
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) inverse : tensor<1x8x?x16xf32>
  %z = posenc.rotary %y positions(%r : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  %w = posenc.rotary %z positions(%r : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  return %w : tensor<1x8x?x16xf32>
}

// Blocks in another order than they run.

// CHECK-LABEL: func @blocks
//       CHECK:   linalg.add
//       CHECK:   posenc.rotary
//   CHECK-NOT:   posenc.rotary
//       CHECK:   return
func.func @blocks(%x: tensor<1x4x?x16xf32>, %p: tensor<1x?xi64>) -> tensor<1x4x?x16xf32> {
  cf.br ^first
^second:
  %z = posenc.rotary %y positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x?x16xf32>
  return %z : tensor<1x4x?x16xf32>
^first:
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x?x16xf32>
  cf.br ^second
}

// Coordinates add up as positions do.
// CHECK-LABEL: func @axes
//       CHECK:   %[[SUM:.*]] = linalg.add
//       CHECK:   posenc.rotary %{{.*}} positions(%[[SUM]] : tensor<2x1x?xi64>) {{.*}} sections(<chunked, [4, 4], ordinary>)
//   CHECK-NOT:   posenc.rotary
func.func @axes(%x: tensor<1x8x?x16xf32>, %p: tensor<2x1x?xi64>, %r: tensor<2x1x?xi64>) -> tensor<1x8x?x16xf32> {
  %y = posenc.rotary %x positions(%p : tensor<2x1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) sections(<chunked, [4, 4], ordinary>) : tensor<1x8x?x16xf32>
  %z = posenc.rotary %y positions(%r : tensor<2x1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) sections(<chunked, [4, 4], ordinary>) : tensor<1x8x?x16xf32>
  return %z : tensor<1x8x?x16xf32>
}

// Keys of a cache that are shifted, and shifted again: one rotation of the cache.

// CHECK-LABEL: func @shifts_of_cached_keys
//  CHECK-SAME:   %[[CACHE:[a-z0-9]+]]: tensor<2x4x?x16xf32>, %[[S:[a-z0-9]+]]: tensor<2x?xi64>, %[[T:[a-z0-9]+]]: tensor<2x?xi64>
//       CHECK:   %[[SUM:.*]] = linalg.add ins(%[[T]], %[[S]]
//       CHECK:   %[[Y:.*]] = posenc.rotary %[[CACHE]] positions(%[[SUM]]
//   CHECK-NOT:   posenc.rotary
//       CHECK:   return %[[Y]]
func.func @shifts_of_cached_keys(%cache: tensor<2x4x?x16xf32>, %s: tensor<2x?xi64>, %t: tensor<2x?xi64>) -> tensor<2x4x?x16xf32> {
  %y = posenc.rotary %cache positions(%s : tensor<2x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<2x4x?x16xf32>
  %z = posenc.rotary %y positions(%t : tensor<2x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<2x4x?x16xf32>
  return %z : tensor<2x4x?x16xf32>
}
