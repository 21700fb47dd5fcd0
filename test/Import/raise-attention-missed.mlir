// RUN: posenc-opt %s --posenc-raise-attention --split-input-file \
// RUN:   --remarks-filter='posenc.*' --remark-format=emitRemark 2>&1 | FileCheck %s
// RUN: posenc-opt %s --posenc-raise-attention --split-input-file | FileCheck %s --check-prefix=IR

// IR-NOT: posenc.attention

#qk0 = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#qk1 = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#qk2 = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#pv0 = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#pv1 = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#pv2 = affine_map<(b, h, i, d, j) -> (b, h, i, d)>

// CHECK: Missed] raise-attention {{.*}}its scores or probabilities are read outside of it
func.func @probabilities_are_a_result(%q: tensor<1x4x7x16xf32>, %k: tensor<1x4x7x16xf32>, %v: tensor<1x4x7x16xf32>)
    -> (tensor<1x4x7x16xf32>, tensor<1x4x7x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %s_empty = tensor.empty() : tensor<1x4x7x7xf32>
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %s = linalg.contract indexing_maps = [#qk0, #qk1, #qk2] ins(%q, %k : tensor<1x4x7x16xf32>, tensor<1x4x7x16xf32>) outs(%s_init : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<1x4x7x7xf32>) outs(%s_empty : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %o_empty = tensor.empty() : tensor<1x4x7x16xf32>
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : tensor<1x4x7x16xf32>) -> tensor<1x4x7x16xf32>
  %o = linalg.contract indexing_maps = [#pv0, #pv1, #pv2] ins(%p, %v : tensor<1x4x7x7xf32>, tensor<1x4x7x16xf32>) outs(%o_init : tensor<1x4x7x16xf32>) -> tensor<1x4x7x16xf32>
  return %o, %p : tensor<1x4x7x16xf32>, tensor<1x4x7x7xf32>
}

// -----

#qk0 = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#qk1 = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#qk2 = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#pv0 = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#pv1 = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#pv2 = affine_map<(b, h, i, d, j) -> (b, h, i, d)>

// CHECK: Missed] raise-attention {{.*}}its maximum and sum are not those of a row of scores over the keys
func.func @softmax_over_rows(%q: tensor<1x4x7x16xf32>, %k: tensor<1x4x7x16xf32>, %v: tensor<1x4x7x16xf32>) -> tensor<1x4x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %s_empty = tensor.empty() : tensor<1x4x7x7xf32>
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %s = linalg.contract indexing_maps = [#qk0, #qk1, #qk2] ins(%q, %k : tensor<1x4x7x16xf32>, tensor<1x4x7x16xf32>) outs(%s_init : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<1x4x7x7xf32>) outs(%s_empty : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %o_empty = tensor.empty() : tensor<1x4x7x16xf32>
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : tensor<1x4x7x16xf32>) -> tensor<1x4x7x16xf32>
  %o = linalg.contract indexing_maps = [#pv0, #pv1, #pv2] ins(%p, %v : tensor<1x4x7x7xf32>, tensor<1x4x7x16xf32>) outs(%o_init : tensor<1x4x7x16xf32>) -> tensor<1x4x7x16xf32>
  return %o : tensor<1x4x7x16xf32>
}

// -----

// What is selected after the softmax is no guard for empty rows: a dropout by a
// mask of its own.

#qk0 = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#qk1 = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#qk2 = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#pv0 = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#pv1 = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#pv2 = affine_map<(b, h, i, d, j) -> (b, h, i, d)>

// CHECK: Missed] raise-attention {{.*}}the selection after the softmax is no guard
func.func @selects_probabilities(%q: tensor<1x4x7x16xf32>, %k: tensor<1x4x7x16xf32>, %v: tensor<1x4x7x16xf32>,
                                 %drop: tensor<1x4x7x7xi1>) -> tensor<1x4x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<1x4x7x7xf32>
  %s_empty = tensor.empty() : tensor<1x4x7x7xf32>
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %s = linalg.contract indexing_maps = [#qk0, #qk1, #qk2] ins(%q, %k : tensor<1x4x7x16xf32>, tensor<1x4x7x16xf32>) outs(%s_init : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<1x4x7x7xf32>) outs(%s_empty : tensor<1x4x7x7xf32>) -> tensor<1x4x7x7xf32>
  %dropped = arith.select %drop, %zeros, %p : tensor<1x4x7x7xi1>, tensor<1x4x7x7xf32>
  %o_empty = tensor.empty() : tensor<1x4x7x16xf32>
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : tensor<1x4x7x16xf32>) -> tensor<1x4x7x16xf32>
  %o = linalg.contract indexing_maps = [#pv0, #pv1, #pv2] ins(%dropped, %v : tensor<1x4x7x7xf32>, tensor<1x4x7x16xf32>) outs(%o_init : tensor<1x4x7x16xf32>) -> tensor<1x4x7x16xf32>
  return %o : tensor<1x4x7x16xf32>
}

// -----

#qk0 = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#qk1 = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#qk2 = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#pv0 = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#pv1 = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#pv2 = affine_map<(b, h, i, d, j) -> (b, h, i, d)>

// CHECK: Missed] raise-attention {{.*}}its query, argument 0 of type tensor<7x4x16xf32>, is not a tensor of batch, heads, rows and lanes
func.func @queries_without_batch(%q: tensor<7x4x16xf32>, %k: tensor<2x4x7x16xf32>, %v: tensor<2x4x7x16xf32>) -> tensor<2x4x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %s_empty = tensor.empty() : tensor<2x4x7x7xf32>
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : tensor<2x4x7x7xf32>) -> tensor<2x4x7x7xf32>
  %s = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (i, h, d)>, #qk1, #qk2] ins(%q, %k : tensor<7x4x16xf32>, tensor<2x4x7x16xf32>) outs(%s_init : tensor<2x4x7x7xf32>) -> tensor<2x4x7x7xf32>
  %p = linalg.softmax dimension(3) ins(%s : tensor<2x4x7x7xf32>) outs(%s_empty : tensor<2x4x7x7xf32>) -> tensor<2x4x7x7xf32>
  %o_empty = tensor.empty() : tensor<2x4x7x16xf32>
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : tensor<2x4x7x16xf32>) -> tensor<2x4x7x16xf32>
  %o = linalg.contract indexing_maps = [#pv0, #pv1, #pv2] ins(%p, %v : tensor<2x4x7x7xf32>, tensor<2x4x7x16xf32>) outs(%o_init : tensor<2x4x7x16xf32>) -> tensor<2x4x7x16xf32>
  return %o : tensor<2x4x7x16xf32>
}
