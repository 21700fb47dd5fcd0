// RUN: posenc-opt %s --posenc-raise-attention --split-input-file \
// RUN:   --remarks-filter='posenc.*' --remark-format=emitRemark 2>&1 | FileCheck %s

// Scale and bias between the contractions; heads folded into the batch.

// CHECK-LABEL: func @scale_and_bias
//  CHECK-SAME:   (%[[Q:.*]]: tensor<2x4x7x16xf32>, %[[K:.*]]: tensor<2x4x7x16xf32>, %[[V:.*]]: tensor<2x4x7x16xf32>, %[[BIAS:.*]]: tensor<2x4x7x7xf32>)
//   CHECK-DAG:   %[[SCALE:.*]] = arith.constant 2.500000e-01 : f32
//       CHECK:   %[[O:.*]] = posenc.attention query(%[[Q]] : {{.*}}) key(%[[K]] : {{.*}}) value(%[[V]] : {{.*}}) scale(%[[SCALE]])
//  CHECK-SAME:     score(%[[X:.*]], %[[B:.*]], %[[H:.*]], %[[I:.*]], %[[J:.*]]) {
//       CHECK:     %[[READ:.*]] = tensor.extract %[[BIAS]][%[[B]], %[[H]], %[[I]], %[[J]]]
//       CHECK:     %[[Y:.*]] = arith.addf %[[X]], %[[READ]]
//       CHECK:     posenc.yield %[[Y]]
//       CHECK:   return %[[O]]
func.func @scale_and_bias(%q: tensor<2x4x7x16xf32>, %k: tensor<2x4x7x16xf32>, %v: tensor<2x4x7x16xf32>,
                          %bias: tensor<2x4x7x7xf32>) -> tensor<2x4x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %quarter = arith.constant dense<0.25> : tensor<2x4x7x7xf32>
  %kt_init = tensor.empty() : tensor<2x4x16x7xf32>
  %kt = linalg.transpose ins(%k : tensor<2x4x7x16xf32>) outs(%kt_init : tensor<2x4x16x7xf32>) permutation = [0, 1, 3, 2]
  %q3 = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x4x7x16xf32> into tensor<8x7x16xf32>
  %k3 = tensor.collapse_shape %kt [[0, 1], [2], [3]] : tensor<2x4x16x7xf32> into tensor<8x16x7xf32>
  %v3 = tensor.collapse_shape %v [[0, 1], [2], [3]] : tensor<2x4x7x16xf32> into tensor<8x7x16xf32>
  %s_empty = tensor.empty() : tensor<8x7x7xf32>
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : tensor<8x7x7xf32>) -> tensor<8x7x7xf32>
  %s3 = linalg.batch_matmul ins(%q3, %k3 : tensor<8x7x16xf32>, tensor<8x16x7xf32>) outs(%s_init : tensor<8x7x7xf32>) -> tensor<8x7x7xf32>
  %s = tensor.expand_shape %s3 [[0, 1], [2], [3]] output_shape [2, 4, 7, 7] : tensor<8x7x7xf32> into tensor<2x4x7x7xf32>
  %scaled = arith.mulf %s, %quarter : tensor<2x4x7x7xf32>
  %biased = arith.addf %scaled, %bias : tensor<2x4x7x7xf32>
  %p_init = tensor.empty() : tensor<2x4x7x7xf32>
  %p = linalg.softmax dimension(3) ins(%biased : tensor<2x4x7x7xf32>) outs(%p_init : tensor<2x4x7x7xf32>) -> tensor<2x4x7x7xf32>
  %p3 = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<2x4x7x7xf32> into tensor<8x7x7xf32>
  %o_empty = tensor.empty() : tensor<8x7x16xf32>
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : tensor<8x7x16xf32>) -> tensor<8x7x16xf32>
  %o3 = linalg.batch_matmul ins(%p3, %v3 : tensor<8x7x7xf32>, tensor<8x7x16xf32>) outs(%o_init : tensor<8x7x16xf32>) -> tensor<8x7x16xf32>
  %o = tensor.expand_shape %o3 [[0, 1], [2], [3]] output_shape [2, 4, 7, 16] : tensor<8x7x16xf32> into tensor<2x4x7x16xf32>
  return %o : tensor<2x4x7x16xf32>
}

// -----

// Key heads repeated for the queries of a group, the square root of the scale
// on both sides, generic contractions, the values transposed, a guard against
// NaN. Nothing is left for a score region.

// CHECK-LABEL: func @grouped_and_guarded
//  CHECK-SAME:   (%[[Q:.*]]: tensor<1x4x?x16xf32>, %[[K:.*]]: tensor<1x2x?x16xf32>, %[[V:.*]]: tensor<1x?x2x16xf32>
//   CHECK-DAG:   %[[SCALE:.*]] = arith.constant 2.500000e-01 : f32
//       CHECK:   posenc.attention query(%[[Q]] : {{.*}}) key(%[[K]] : {{.*}}) value(%[[V]] : {{.*}}) scale(%[[SCALE]])
//  CHECK-SAME:     layouts(bhld, bhld, blhd, bhld)
//   CHECK-NOT:   score
//       CHECK:   return
#heads = affine_map<(b, g, r, l, d) -> (b, g, l, d)>
#moved = affine_map<(b, g, r, l, d) -> (b, l, g, d)>
#repeated = affine_map<(b, g, r, l, d) -> (b, g, r, l, d)>
#q = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#k = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#s = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
func.func @grouped_and_guarded(%q: tensor<1x4x?x16xf32>, %k: tensor<1x2x?x16xf32>, %v: tensor<1x?x2x16xf32>,
                               %lq: index, %lk: index) -> tensor<1x4x?x16xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %r_init = tensor.empty(%lk) : tensor<1x2x2x?x16xf32>
  %kr = linalg.generic {indexing_maps = [#heads, #repeated], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<1x2x?x16xf32>) outs(%r_init : tensor<1x2x2x?x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %scaled = arith.mulf %in, %half : f32
    linalg.yield %scaled : f32
  } -> tensor<1x2x2x?x16xf32>
  %vr = linalg.generic {indexing_maps = [#moved, #repeated], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<1x?x2x16xf32>) outs(%r_init : tensor<1x2x2x?x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<1x2x2x?x16xf32>
  %k4 = tensor.collapse_shape %kr [[0], [1, 2], [3], [4]] : tensor<1x2x2x?x16xf32> into tensor<1x4x?x16xf32>
  %v4 = tensor.collapse_shape %vr [[0], [1, 2], [3], [4]] : tensor<1x2x2x?x16xf32> into tensor<1x4x?x16xf32>
  %s_empty = tensor.empty(%lq, %lk) : tensor<1x4x?x?xf32>
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : tensor<1x4x?x?xf32>) -> tensor<1x4x?x?xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k4 : tensor<1x4x?x16xf32>, tensor<1x4x?x16xf32>) outs(%s_init : tensor<1x4x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %xy = arith.mulf %x, %y : f32
    %next = arith.addf %sum, %xy : f32
    linalg.yield %next : f32
  } -> tensor<1x4x?x?xf32>
  %halves = tensor.splat %half[%lq, %lk] : tensor<1x4x?x?xf32>
  %scaled = arith.mulf %s, %halves : tensor<1x4x?x?xf32>
  %p = linalg.softmax dimension(3) ins(%scaled : tensor<1x4x?x?xf32>) outs(%s_empty : tensor<1x4x?x?xf32>) -> tensor<1x4x?x?xf32>
  %nan = arith.cmpf uno, %p, %p : tensor<1x4x?x?xf32>
  %zeros = tensor.splat %zero[%lq, %lk] : tensor<1x4x?x?xf32>
  %guarded = arith.select %nan, %zeros, %p : tensor<1x4x?x?xi1>, tensor<1x4x?x?xf32>
  %o_empty = tensor.empty(%lq) : tensor<1x4x?x16xf32>
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : tensor<1x4x?x16xf32>) -> tensor<1x4x?x16xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>,
                                        affine_map<(b, h, i, d, j) -> (b, h, i, d)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%guarded, %v4 : tensor<1x4x?x?xf32>, tensor<1x4x?x16xf32>) outs(%o_init : tensor<1x4x?x16xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %xy = arith.mulf %x, %y : f32
    %next = arith.addf %sum, %xy : f32
    linalg.yield %next : f32
  } -> tensor<1x4x?x16xf32>
  return %o : tensor<1x4x?x16xf32>
}

// -----

// Scores of 16 bits become f32, and so does what is done to them.

// CHECK-LABEL: func @half_precision
//       CHECK:   posenc.attention query(%{{.*}} : tensor<1x4x7x16xf16>)
//  CHECK-SAME:     score(%[[X:.*]], %{{.*}}, %[[H:.*]], %[[I:.*]], %[[J:.*]]) {
//       CHECK:     %[[READ:.*]] = tensor.extract %{{.*}} : tensor<1x4x7x7xf16>
//       CHECK:     %[[WIDE:.*]] = arith.extf %[[READ]] : f16 to f32
//       CHECK:     %[[Y:.*]] = arith.addf %[[X]], %[[WIDE]] : f32
//       CHECK:     posenc.yield %[[Y]] : f32
#qk0 = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#qk1 = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#qk2 = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#pv0 = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#pv1 = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#pv2 = affine_map<(b, h, i, d, j) -> (b, h, i, d)>
func.func @half_precision(%q: tensor<1x4x7x16xf16>, %k: tensor<1x4x7x16xf16>, %v: tensor<1x4x7x16xf16>,
                          %bias: tensor<1x4x7x7xf16>) -> tensor<1x4x7x16xf16> {
  %zero = arith.constant 0.0 : f16
  %s_empty = tensor.empty() : tensor<1x4x7x7xf16>
  %s_init = linalg.fill ins(%zero : f16) outs(%s_empty : tensor<1x4x7x7xf16>) -> tensor<1x4x7x7xf16>
  %s = linalg.contract indexing_maps = [#qk0, #qk1, #qk2] ins(%q, %k : tensor<1x4x7x16xf16>, tensor<1x4x7x16xf16>) outs(%s_init : tensor<1x4x7x7xf16>) -> tensor<1x4x7x7xf16>
  %biased = arith.addf %s, %bias : tensor<1x4x7x7xf16>
  %wide = arith.extf %biased : tensor<1x4x7x7xf16> to tensor<1x4x7x7xf32>
  %p_init = tensor.empty() : tensor<1x4x7x7xf32>
  %p = linalg.softmax dimension(3) ins(%wide : tensor<1x4x7x7xf32>) outs(%p_init : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %narrow = arith.truncf %p : tensor<1x4x7x7xf32> to tensor<1x4x7x7xf16>
  %o_empty = tensor.empty() : tensor<1x4x7x16xf16>
  %o_init = linalg.fill ins(%zero : f16) outs(%o_empty : tensor<1x4x7x16xf16>) -> tensor<1x4x7x16xf16>
  %o = linalg.contract indexing_maps = [#pv0, #pv1, #pv2] ins(%narrow, %v : tensor<1x4x7x7xf16>, tensor<1x4x7x16xf16>) outs(%o_init : tensor<1x4x7x16xf16>) -> tensor<1x4x7x16xf16>
  return %o : tensor<1x4x7x16xf16>
}

// -----

// Batch and heads stay one axis: a batch of one. The keys are the first of
// several tensors in one: at every index the larger tensor has the same
// elements, but it is no tensor of this batch.

// CHECK-LABEL: func @merged_heads_of_packed_tensors
//  CHECK-SAME:   (%[[Q:.*]]: tensor<8x7x16xf32>, %[[KV:.*]]: tensor<2x8x5x16xf32>
//   CHECK-DAG:   %[[Q4:.*]] = tensor.expand_shape %[[Q]] {{.*}} into tensor<1x8x7x16xf32>
//   CHECK-DAG:   %[[K:.*]] = tensor.extract_slice %[[KV]][0, 0, 0, 0] [1, 8, 5, 16]
//   CHECK-DAG:   %[[V:.*]] = tensor.extract_slice %[[KV]][1, 0, 0, 0] [1, 8, 5, 16]
//       CHECK:   %[[O:.*]] = posenc.attention query(%[[Q4]] : {{.*}}) key(%[[K]] : tensor<1x8x5x16xf32>) value(%[[V]] : tensor<1x8x5x16xf32>)
//       CHECK:   tensor.collapse_shape %[[O]]
func.func @merged_heads_of_packed_tensors(%q: tensor<8x7x16xf32>, %kv: tensor<2x8x5x16xf32>) -> tensor<8x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %k4 = tensor.extract_slice %kv[0, 0, 0, 0] [1, 8, 5, 16] [1, 1, 1, 1] : tensor<2x8x5x16xf32> to tensor<1x8x5x16xf32>
  %v4 = tensor.extract_slice %kv[1, 0, 0, 0] [1, 8, 5, 16] [1, 1, 1, 1] : tensor<2x8x5x16xf32> to tensor<1x8x5x16xf32>
  %k = tensor.collapse_shape %k4 [[0, 1], [2], [3]] : tensor<1x8x5x16xf32> into tensor<8x5x16xf32>
  %v = tensor.collapse_shape %v4 [[0, 1], [2], [3]] : tensor<1x8x5x16xf32> into tensor<8x5x16xf32>
  %kt_init = tensor.empty() : tensor<8x16x5xf32>
  %kt = linalg.transpose ins(%k : tensor<8x5x16xf32>) outs(%kt_init : tensor<8x16x5xf32>) permutation = [0, 2, 1]
  %s_empty = tensor.empty() : tensor<8x7x5xf32>
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : tensor<8x7x5xf32>) -> tensor<8x7x5xf32>
  %s = linalg.batch_matmul ins(%q, %kt : tensor<8x7x16xf32>, tensor<8x16x5xf32>) outs(%s_init : tensor<8x7x5xf32>) -> tensor<8x7x5xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<8x7x5xf32>) outs(%s_empty : tensor<8x7x5xf32>) -> tensor<8x7x5xf32>
  %o_empty = tensor.empty() : tensor<8x7x16xf32>
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : tensor<8x7x16xf32>) -> tensor<8x7x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<8x7x5xf32>, tensor<8x5x16xf32>) outs(%o_init : tensor<8x7x16xf32>) -> tensor<8x7x16xf32>
  return %o : tensor<8x7x16xf32>
}

// -----

// The first rows of a longer cache: keys are the slice, not the cache.

// CHECK-LABEL: func @rows_of_a_longer_cache
//  CHECK-SAME:   %[[K:[^:]*]]: tensor<1x4x64x16xf32>, %[[V:[^:]*]]: tensor<1x4x64x16xf32>, %[[LENGTH:[^:]*]]: index
//   CHECK-DAG:   %[[KEYS:.*]] = tensor.extract_slice %[[K]][0, 0, 0, 0] [1, 4, %[[LENGTH]], 16]
//   CHECK-DAG:   %[[VALUES:.*]] = tensor.extract_slice %[[V]][0, 0, 0, 0] [1, 4, %[[LENGTH]], 16]
//       CHECK:   posenc.attention query({{.*}}) key(%[[KEYS]] : {{.*}}) value(%[[VALUES]]
#qb = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#kb = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#sb = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
func.func @rows_of_a_longer_cache(%q: tensor<1x4x1x16xf32>, %k: tensor<1x4x64x16xf32>, %v: tensor<1x4x64x16xf32>,
                                  %length: index) -> tensor<1x4x1x16xf32> {
  %zero = arith.constant 0.0 : f32
  %ks = tensor.extract_slice %k[0, 0, 0, 0] [1, 4, %length, 16] [1, 1, 1, 1] : tensor<1x4x64x16xf32> to tensor<1x4x?x16xf32>
  %vs = tensor.extract_slice %v[0, 0, 0, 0] [1, 4, %length, 16] [1, 1, 1, 1] : tensor<1x4x64x16xf32> to tensor<1x4x?x16xf32>
  %s_empty = tensor.empty(%length) : tensor<1x4x1x?xf32>
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : tensor<1x4x1x?xf32>) -> tensor<1x4x1x?xf32>
  %s = linalg.generic {indexing_maps = [#qb, #kb, #sb], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %ks : tensor<1x4x1x16xf32>, tensor<1x4x?x16xf32>) outs(%s_init : tensor<1x4x1x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<1x4x1x?xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<1x4x1x?xf32>) outs(%s_empty : tensor<1x4x1x?xf32>) -> tensor<1x4x1x?xf32>
  %o_empty = tensor.empty() : tensor<1x4x1x16xf32>
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : tensor<1x4x1x16xf32>) -> tensor<1x4x1x16xf32>
  %o = linalg.generic {indexing_maps = [
        affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>,
        affine_map<(b, h, i, d, j) -> (b, h, i, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %vs : tensor<1x4x1x?xf32>, tensor<1x4x?x16xf32>) outs(%o_init : tensor<1x4x1x16xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<1x4x1x16xf32>
  return %o : tensor<1x4x1x16xf32>
}

// -----

// Queries without a batch, rows before heads; keys with lanes before rows.

// CHECK-LABEL: func @other_orders
//  CHECK-SAME:   (%[[Q:.*]]: tensor<7x4x16xf32>, %[[K:.*]]: tensor<1x4x16x5xf32>, %[[V:.*]]: tensor<1x4x5x16xf32>)
//   CHECK-DAG:   %[[Q4:.*]] = tensor.expand_shape %[[Q]] {{.*}} into tensor<1x7x4x16xf32>
//   CHECK-DAG:   %[[K4:.*]] = linalg.transpose ins(%[[K]] : {{.*}} permutation = [0, 1, 3, 2]
//       CHECK:   posenc.attention query(%[[Q4]] : {{.*}}) key(%[[K4]] : tensor<1x4x5x16xf32>) value(%[[V]]
//  CHECK-SAME:     layouts(blhd, bhld, bhld, bhld)
func.func @other_orders(%q: tensor<7x4x16xf32>, %k: tensor<1x4x16x5xf32>, %v: tensor<1x4x5x16xf32>) -> tensor<1x4x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %s_empty = tensor.empty() : tensor<1x4x7x5xf32>
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : tensor<1x4x7x5xf32>) -> tensor<1x4x7x5xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (i, h, d)>, affine_map<(b, h, i, j, d) -> (b, h, d, j)>,
                                        affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
      ins(%q, %k : tensor<7x4x16xf32>, tensor<1x4x16x5xf32>) outs(%s_init : tensor<1x4x7x5xf32>) -> tensor<1x4x7x5xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<1x4x7x5xf32>) outs(%s_empty : tensor<1x4x7x5xf32>) -> tensor<1x4x7x5xf32>
  %o_empty = tensor.empty() : tensor<1x4x7x16xf32>
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : tensor<1x4x7x16xf32>) -> tensor<1x4x7x16xf32>
  %o = linalg.contract indexing_maps = [affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>,
                                        affine_map<(b, h, i, d, j) -> (b, h, i, d)>]
      ins(%p, %v : tensor<1x4x7x5xf32>, tensor<1x4x5x16xf32>) outs(%o_init : tensor<1x4x7x16xf32>) -> tensor<1x4x7x16xf32>
  return %o : tensor<1x4x7x16xf32>
}
