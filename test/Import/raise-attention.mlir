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

// The lowest value of f16, which hides keys, becomes that of f32, from a table as well.

// CHECK-LABEL: func @half_lowest
//       CHECK:   posenc.attention query(%{{.*}} : tensor<1x4x7x16xf16>)
//  CHECK-SAME:     score(%[[X:.*]], %{{.*}}, %{{.*}}, %{{.*}}, %[[J:.*]]) {
//       CHECK:     %[[LOW:.*]] = arith.constant -3.40282347E+38 : f32
//       CHECK:     %[[MASK:.*]] = arith.select %{{.*}}, %{{.*}}, %[[LOW]] : f32
//       CHECK:     %[[Y:.*]] = arith.addf %[[X]], %[[MASK]] : f32
//       CHECK:     %[[TABLE:.*]] = arith.constant dense<[0.000000e+00, -3.40282347E+38, {{.*}}]> : tensor<7xf32>
//       CHECK:     %[[READ:.*]] = tensor.extract %[[TABLE]][%[[J]]] : tensor<7xf32>
//       CHECK:     arith.addf %[[Y]], %[[READ]] : f32
#qk0 = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#qk1 = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#qk2 = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#pv0 = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#pv1 = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#pv2 = affine_map<(b, h, i, d, j) -> (b, h, i, d)>
#same = affine_map<(b, h, i, j) -> (b, h, i, j)>
#keys = affine_map<(b, h, i, j) -> (j)>
func.func @half_lowest(%q: tensor<1x4x7x16xf16>, %k: tensor<1x4x7x16xf16>, %v: tensor<1x4x7x16xf16>,
                       %keep: tensor<7xi1>) -> tensor<1x4x7x16xf16> {
  %zero = arith.constant 0.0 : f16
  %s_empty = tensor.empty() : tensor<1x4x7x7xf16>
  %s_init = linalg.fill ins(%zero : f16) outs(%s_empty : tensor<1x4x7x7xf16>) -> tensor<1x4x7x7xf16>
  %s = linalg.contract indexing_maps = [#qk0, #qk1, #qk2] ins(%q, %k : tensor<1x4x7x16xf16>, tensor<1x4x7x16xf16>) outs(%s_init : tensor<1x4x7x7xf16>) -> tensor<1x4x7x7xf16>
  %low = arith.constant -65504.0 : f16
  %table = arith.constant dense<[0.0, -65504.0, 0.0, 0.0, 0.0, 0.0, 0.0]> : tensor<7xf16>
  %biased = linalg.generic {indexing_maps = [#same, #keys, #keys, #same],
                            iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %keep, %table : tensor<1x4x7x7xf16>, tensor<7xi1>, tensor<7xf16>) outs(%s_empty : tensor<1x4x7x7xf16>) {
    ^bb0(%x: f16, %seen: i1, %t: f16, %o: f16):
      %m = arith.select %seen, %zero, %low : f16
      %y = arith.addf %x, %m : f16
      %z = arith.addf %y, %t : f16
      linalg.yield %z : f16
  } -> tensor<1x4x7x7xf16>
  %wide = arith.extf %biased : tensor<1x4x7x7xf16> to tensor<1x4x7x7xf32>
  %p_init = tensor.empty() : tensor<1x4x7x7xf32>
  %p = linalg.softmax dimension(3) ins(%wide : tensor<1x4x7x7xf32>) outs(%p_init : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %narrow = arith.truncf %p : tensor<1x4x7x7xf32> to tensor<1x4x7x7xf16>
  %o_empty = tensor.empty() : tensor<1x4x7x16xf16>
  %o_init = linalg.fill ins(%zero : f16) outs(%o_empty : tensor<1x4x7x16xf16>) -> tensor<1x4x7x16xf16>
  %o = linalg.contract indexing_maps = [#pv0, #pv1, #pv2] ins(%narrow, %v : tensor<1x4x7x7xf16>, tensor<1x4x7x16xf16>) outs(%o_init : tensor<1x4x7x16xf16>) -> tensor<1x4x7x16xf16>
  return %o : tensor<1x4x7x16xf16>
}
