// RUN: posenc-opt %s --posenc-raise-attention | FileCheck %s

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
