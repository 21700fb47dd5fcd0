// RUN: posenc-opt %s --posenc-raise-attention --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics --split-input-file

// Softmaxes in forms that are not matched, and what only looks like one.

#qk0 = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#qk1 = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#qk2 = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#pv0 = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#pv1 = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#pv2 = affine_map<(b, h, i, d, j) -> (b, h, i, d)>
!heads = tensor<1x4x7x16xf32>
!scores = tensor<1x4x7x7xf32>
!rows = tensor<1x4x7xf32>

func.func @exp2(%q: !heads, %k: !heads, %v: !heads) -> !heads {
  %zero = arith.constant 0.0 : f32
  %s_empty = tensor.empty() : !scores
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : !scores) -> !scores
  %s = linalg.contract indexing_maps = [#qk0, #qk1, #qk2] ins(%q, %k : !heads, !heads) outs(%s_init : !scores) -> !scores
  %e = math.exp2 %s : !scores
  %r_empty = tensor.empty() : !rows
  %r_init = linalg.fill ins(%zero : f32) outs(%r_empty : !rows) -> !rows
  %sum = linalg.reduce { arith.addf } ins(%e : !scores) outs(%r_init : !rows) dimensions = [3]
  %b = linalg.broadcast ins(%sum : !rows) outs(%s_empty : !scores) dimensions = [3]
  %p = arith.divf %e, %b : !scores
  %o_empty = tensor.empty() : !heads
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : !heads) -> !heads
  // expected-remark @below {{the numerator of its softmax is no 'math.exp'; write it as a softmax}}
  %o = linalg.contract indexing_maps = [#pv0, #pv1, #pv2] ins(%p, %v : !scores, !heads) outs(%o_init : !heads) -> !heads
  return %o : !heads
}

// -----

#qk0 = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#qk1 = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#qk2 = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#pv0 = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#pv1 = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#pv2 = affine_map<(b, h, i, d, j) -> (b, h, i, d)>
!heads = tensor<1x4x7x16xf32>
!scores = tensor<1x4x7x7xf32>
!rows = tensor<1x4x7xf32>

func.func @no_maximum(%q: !heads, %k: !heads, %v: !heads) -> !heads {
  %zero = arith.constant 0.0 : f32
  %s_empty = tensor.empty() : !scores
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : !scores) -> !scores
  %s = linalg.contract indexing_maps = [#qk0, #qk1, #qk2] ins(%q, %k : !heads, !heads) outs(%s_init : !scores) -> !scores
  %e = math.exp %s : !scores
  %r_empty = tensor.empty() : !rows
  %r_init = linalg.fill ins(%zero : f32) outs(%r_empty : !rows) -> !rows
  %sum = linalg.reduce { arith.addf } ins(%e : !scores) outs(%r_init : !rows) dimensions = [3]
  %b = linalg.broadcast ins(%sum : !rows) outs(%s_empty : !scores) dimensions = [3]
  %p = arith.divf %e, %b : !scores
  %o_empty = tensor.empty() : !heads
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : !heads) -> !heads
  // expected-remark @below {{the softmax does not subtract its maximum}}
  %o = linalg.contract indexing_maps = [#pv0, #pv1, #pv2] ins(%p, %v : !scores, !heads) outs(%o_init : !heads) -> !heads
  return %o : !heads
}

// -----

#qk0 = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#qk1 = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#qk2 = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#pv0 = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#pv1 = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#pv2 = affine_map<(b, h, i, d, j) -> (b, h, i, d)>
!heads = tensor<1x4x7x16xf32>
!scores = tensor<1x4x7x7xf32>
!rows = tensor<1x4x7xf32>

func.func @reciprocal(%q: !heads, %k: !heads, %v: !heads) -> !heads {
  %zero = arith.constant 0.0 : f32
  %s_empty = tensor.empty() : !scores
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : !scores) -> !scores
  %s = linalg.contract indexing_maps = [#qk0, #qk1, #qk2] ins(%q, %k : !heads, !heads) outs(%s_init : !scores) -> !scores
  %e = math.exp %s : !scores
  %r_empty = tensor.empty() : !rows
  %r_init = linalg.fill ins(%zero : f32) outs(%r_empty : !rows) -> !rows
  %sum = linalg.reduce { arith.addf } ins(%e : !scores) outs(%r_init : !rows) dimensions = [3]
  %ones = arith.constant dense<1.0> : !rows
  %inverse = arith.divf %ones, %sum : !rows
  %b = linalg.broadcast ins(%inverse : !rows) outs(%s_empty : !scores) dimensions = [3]
  %p = arith.mulf %e, %b : !scores
  %o_empty = tensor.empty() : !heads
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : !heads) -> !heads
  // expected-remark @below {{its probabilities are no quotient of an exponential and its sum}}
  %o = linalg.contract indexing_maps = [#pv0, #pv1, #pv2] ins(%p, %v : !scores, !heads) outs(%o_init : !heads) -> !heads
  return %o : !heads
}

// -----

func.func @no_batch(%q: tensor<4x7x16xf32>, %k: tensor<4x16x7xf32>, %v: tensor<4x7x16xf32>) -> tensor<4x7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %s_empty = tensor.empty() : tensor<4x7x7xf32>
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : tensor<4x7x7xf32>) -> tensor<4x7x7xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x7x16xf32>, tensor<4x16x7xf32>) outs(%s_init : tensor<4x7x7xf32>) -> tensor<4x7x7xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x7x7xf32>) outs(%s_empty : tensor<4x7x7xf32>) -> tensor<4x7x7xf32>
  %o_empty = tensor.empty() : tensor<4x7x16xf32>
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : tensor<4x7x16xf32>) -> tensor<4x7x16xf32>
  // expected-remark @below {{its key, argument 1 of type tensor<4x16x7xf32>, is not a tensor of batch, heads, rows and lanes}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x7x7xf32>, tensor<4x7x16xf32>) outs(%o_init : tensor<4x7x16xf32>) -> tensor<4x7x16xf32>
  return %o : tensor<4x7x16xf32>
}

// -----

// An exponential between two products, but no softmax: a gated linear unit.

func.func @gated(%x: tensor<7x16xf32>, %w1: tensor<16x32xf32>, %w2: tensor<32x16xf32>) -> tensor<7x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x32xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<7x32xf32>) -> tensor<7x32xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<7x16xf32>, tensor<16x32xf32>) outs(%i : tensor<7x32xf32>) -> tensor<7x32xf32>
  %n = arith.negf %h : tensor<7x32xf32>
  %x1 = math.exp %n : tensor<7x32xf32>
  %ones = arith.constant dense<1.0> : tensor<7x32xf32>
  %d = arith.addf %x1, %ones : tensor<7x32xf32>
  %a = arith.divf %h, %d : tensor<7x32xf32>
  %e2 = tensor.empty() : tensor<7x16xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<7x16xf32>) -> tensor<7x16xf32>
  %o = linalg.matmul ins(%a, %w2 : tensor<7x32xf32>, tensor<32x16xf32>) outs(%i2 : tensor<7x16xf32>) -> tensor<7x16xf32>
  return %o : tensor<7x16xf32>
}
