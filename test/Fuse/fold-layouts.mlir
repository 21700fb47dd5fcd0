// RUN: posenc-opt %s --posenc-fold-layouts --split-input-file | FileCheck %s

// A LLaMA layer: projections as [B, L, H, D], transposes to [B, H, L, D], rotary,
// keys and values repeated for the query heads of their group, transpose back.

// CHECK-LABEL: func @llama
//  CHECK-SAME:   %[[Q:.*]]: tensor<1x?x8x16xf32>, %[[K:.*]]: tensor<1x?x2x16xf32>, %[[V:.*]]: tensor<1x?x2x16xf32>
//   CHECK-NOT:   linalg.transpose
//   CHECK-DAG:   %[[RQ:.*]] = posenc.rotary %[[Q]] {{.*}} layout(<blhd>)
//   CHECK-DAG:   %[[RK:.*]] = posenc.rotary %[[K]] {{.*}} layout(<blhd>)
//   CHECK-NOT:   linalg.transpose
//       CHECK:   %[[O:.*]] = posenc.attention query(%[[RQ]] : {{.*}}) key(%[[RK]] : {{.*}}) value(%[[V]] :
//  CHECK-SAME:     layouts(blhd, blhd, blhd, blhd)
//       CHECK:   return %[[O]]
func.func @llama(%q: tensor<1x?x8x16xf32>, %k: tensor<1x?x2x16xf32>, %v: tensor<1x?x2x16xf32>,
                 %positions: tensor<1x?xi64>, %scale: f32) -> tensor<1x?x8x16xf32> {
  %c1 = arith.constant 1 : index
  %l = tensor.dim %q, %c1 : tensor<1x?x8x16xf32>
  %qe = tensor.empty(%l) : tensor<1x8x?x16xf32>
  %qt = linalg.transpose ins(%q : tensor<1x?x8x16xf32>) outs(%qe : tensor<1x8x?x16xf32>) permutation = [0, 2, 1, 3]
  %ke = tensor.empty(%l) : tensor<1x2x?x16xf32>
  %kt = linalg.transpose ins(%k : tensor<1x?x2x16xf32>) outs(%ke : tensor<1x2x?x16xf32>) permutation = [0, 2, 1, 3]
  %vt = linalg.transpose ins(%v : tensor<1x?x2x16xf32>) outs(%ke : tensor<1x2x?x16xf32>) permutation = [0, 2, 1, 3]
  %qr = posenc.rotary %qt positions(%positions : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>)
      frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  %kr = posenc.rotary %kt positions(%positions : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>)
      frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x2x?x16xf32>
  %re = tensor.empty(%l) : tensor<1x2x4x?x16xf32>
  %kb = linalg.broadcast ins(%kr : tensor<1x2x?x16xf32>) outs(%re : tensor<1x2x4x?x16xf32>) dimensions = [2]
  %kc = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : tensor<1x2x4x?x16xf32> into tensor<1x8x?x16xf32>
  %vx = tensor.expand_shape %vt [[0], [1, 2], [3], [4]] output_shape [1, 2, 1, %l, 16] : tensor<1x2x?x16xf32> into tensor<1x2x1x?x16xf32>
  %vb = linalg.generic {indexing_maps = [affine_map<(b, g, r, l, d) -> (b, g, 0, l, d)>, affine_map<(b, g, r, l, d) -> (b, g, r, l, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%vx : tensor<1x2x1x?x16xf32>) outs(%re : tensor<1x2x4x?x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<1x2x4x?x16xf32>
  %vc = tensor.collapse_shape %vb [[0], [1, 2], [3], [4]] : tensor<1x2x4x?x16xf32> into tensor<1x8x?x16xf32>
  %o = posenc.attention query(%qr : tensor<1x8x?x16xf32>) key(%kc : tensor<1x8x?x16xf32>)
      value(%vc : tensor<1x8x?x16xf32>) scale(%scale) outs(%qe : tensor<1x8x?x16xf32>)
      -> tensor<1x8x?x16xf32>
  %oe = tensor.empty(%l) : tensor<1x?x8x16xf32>
  %ot = linalg.transpose ins(%o : tensor<1x8x?x16xf32>) outs(%oe : tensor<1x?x8x16xf32>) permutation = [0, 2, 1, 3]
  return %ot : tensor<1x?x8x16xf32>
}

// -----

// Keys and values that repeat differently keep their repeats.

// CHECK-LABEL: func @repeats_differ
//       CHECK:   %[[K:.*]] = tensor.collapse_shape
//       CHECK:   posenc.attention {{.*}} key(%[[K]] :
func.func @repeats_differ(%q: tensor<1x8x4x16xf32>, %k: tensor<1x2x4x16xf32>, %v: tensor<1x8x4x16xf32>,
                          %init: tensor<1x8x4x16xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %re = tensor.empty() : tensor<1x2x4x4x16xf32>
  %kb = linalg.broadcast ins(%k : tensor<1x2x4x16xf32>) outs(%re : tensor<1x2x4x4x16xf32>) dimensions = [2]
  %kc = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : tensor<1x2x4x4x16xf32> into tensor<1x8x4x16xf32>
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%kc : tensor<1x8x4x16xf32>)
      value(%v : tensor<1x8x4x16xf32>) scale(%scale) outs(%init : tensor<1x8x4x16xf32>) -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

// Tiled heads (h mod Hkv) are not the groups of attention (h / group).

// CHECK-LABEL: func @tiled_heads
//       CHECK:   %[[K:.*]] = tensor.collapse_shape
//       CHECK:   posenc.attention {{.*}} key(%[[K]] :
func.func @tiled_heads(%q: tensor<1x8x4x16xf32>, %k: tensor<1x2x4x16xf32>,
                       %init: tensor<1x8x4x16xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %re = tensor.empty() : tensor<1x4x2x4x16xf32>
  %kb = linalg.broadcast ins(%k : tensor<1x2x4x16xf32>) outs(%re : tensor<1x4x2x4x16xf32>) dimensions = [1]
  %kc = tensor.collapse_shape %kb [[0], [1, 2], [3], [4]] : tensor<1x4x2x4x16xf32> into tensor<1x8x4x16xf32>
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%kc : tensor<1x8x4x16xf32>)
      value(%kc : tensor<1x8x4x16xf32>) scale(%scale) outs(%init : tensor<1x8x4x16xf32>) -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

// One query row: the transpose is a reshape.

// CHECK-LABEL: func @one_row
//  CHECK-SAME:   %[[Q:.*]]: tensor<2x1x8x16xf32>
//       CHECK:   posenc.attention query(%[[Q]] :
//  CHECK-SAME:     layouts(blhd, bhld, bhld, bhld)
func.func @one_row(%q: tensor<2x1x8x16xf32>, %k: tensor<2x2x4x16xf32>,
                   %init: tensor<2x8x1x16xf32>, %scale: f32) -> tensor<2x8x1x16xf32> {
  %c = tensor.collapse_shape %q [[0], [1, 2], [3]] : tensor<2x1x8x16xf32> into tensor<2x8x16xf32>
  %e = tensor.expand_shape %c [[0], [1, 2], [3]] output_shape [2, 8, 1, 16] : tensor<2x8x16xf32> into tensor<2x8x1x16xf32>
  %o = posenc.attention query(%e : tensor<2x8x1x16xf32>) key(%k : tensor<2x2x4x16xf32>)
      value(%k : tensor<2x2x4x16xf32>) scale(%scale) outs(%init : tensor<2x8x1x16xf32>) -> tensor<2x8x1x16xf32>
  return %o : tensor<2x8x1x16xf32>
}

// -----

// Queries, keys and values cut from one projection stay views of it.

// CHECK-LABEL: func @fused_projection
//  CHECK-SAME:   %[[QKV:[a-z0-9]+]]: tensor<1x?x4x48xf32>
//   CHECK-NOT:   linalg.transpose
//       CHECK:   %[[Q:.*]] = tensor.extract_slice %[[QKV]][0, 0, 0, 0] [1, %{{.*}}, 4, 16]
//       CHECK:   %[[K:.*]] = tensor.extract_slice %[[QKV]][0, 0, 0, 16] [1, %{{.*}}, 4, 16]
//       CHECK:   posenc.attention query(%[[Q]] : {{.*}}) key(%[[K]] :
//  CHECK-SAME:     layouts(blhd, blhd, blhd, bhld)
func.func @fused_projection(%qkv: tensor<1x?x4x48xf32>, %l: index, %init: tensor<1x4x?x16xf32>, %scale: f32) -> tensor<1x4x?x16xf32> {
  %e = tensor.empty(%l) : tensor<1x4x?x48xf32>
  %t = linalg.transpose ins(%qkv : tensor<1x?x4x48xf32>) outs(%e : tensor<1x4x?x48xf32>) permutation = [0, 2, 1, 3]
  %q = tensor.extract_slice %t[0, 0, 0, 0] [1, 4, %l, 16] [1, 1, 1, 1] : tensor<1x4x?x48xf32> to tensor<1x4x?x16xf32>
  %k = tensor.extract_slice %t[0, 0, 0, 16] [1, 4, %l, 16] [1, 1, 1, 1] : tensor<1x4x?x48xf32> to tensor<1x4x?x16xf32>
  %v = tensor.extract_slice %t[0, 0, 0, 32] [1, 4, %l, 16] [1, 1, 1, 1] : tensor<1x4x?x48xf32> to tensor<1x4x?x16xf32>
  %o = posenc.attention query(%q : tensor<1x4x?x16xf32>) key(%k : tensor<1x4x?x16xf32>)
      value(%v : tensor<1x4x?x16xf32>) scale(%scale) outs(%init : tensor<1x4x?x16xf32>) -> tensor<1x4x?x16xf32>
  return %o : tensor<1x4x?x16xf32>
}

// -----

// A norm between the projection and the rotation reads through the transpose.

// CHECK: #[[$SWAP:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
// CHECK-LABEL: func @norm
//  CHECK-SAME:   %[[Q:[a-z0-9]+]]: tensor<1x5x8x16xf32>
//   CHECK-NOT:   linalg.transpose
//       CHECK:   linalg.generic {indexing_maps = [#[[$SWAP]], {{.*}} ins(%[[Q]] :
func.func @norm(%q: tensor<1x5x8x16xf32>, %e: tensor<1x8x5x16xf32>) -> tensor<1x8x5x16xf32> {
  %t = linalg.transpose ins(%q : tensor<1x5x8x16xf32>) outs(%e : tensor<1x8x5x16xf32>) permutation = [0, 2, 1, 3]
  %n = linalg.generic {indexing_maps = [affine_map<(b, h, l, d) -> (b, h, l, d)>, affine_map<(b, h, l, d) -> (b, h, l, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%t : tensor<1x8x5x16xf32>) outs(%e : tensor<1x8x5x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %s = arith.mulf %in, %in : f32
      linalg.yield %s : f32
    } -> tensor<1x8x5x16xf32>
  return %n : tensor<1x8x5x16xf32>
}
