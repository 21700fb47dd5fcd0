// RUN: cd %S && posenc-compile remarks-raw-scores.mlir --cpu=x86-64-v3 --to=codegen -o %t.mlir --remarks=%t.txt
// RUN: FileCheck %s --input-file=%t.txt --match-full-lines --implicit-check-not=remark:

// The scores are a result, so no attention is raised.

#qk0 = affine_map<(b, h, i, j, d) -> (b, h, i, d)>
#qk1 = affine_map<(b, h, i, j, d) -> (b, h, j, d)>
#qk2 = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
#pv0 = affine_map<(b, h, i, d, j) -> (b, h, i, j)>
#pv1 = affine_map<(b, h, i, d, j) -> (b, h, j, d)>
#pv2 = affine_map<(b, h, i, d, j) -> (b, h, i, d)>
!heads = tensor<1x4x7x16xf32>
!scores = tensor<1x4x7x7xf32>

func.func @raw_scores(%q: !heads, %k: !heads, %v: !heads) -> (!heads, !scores) {
  %zero = arith.constant 0.0 : f32
  %s_empty = tensor.empty() : !scores
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : !scores) -> !scores
  %s = linalg.contract indexing_maps = [#qk0, #qk1, #qk2] ins(%q, %k : !heads, !heads) outs(%s_init : !scores) -> !scores
  %p = linalg.softmax dimension(3) ins(%s : !scores) outs(%s_empty : !scores) -> !scores
  %o_empty = tensor.empty() : !heads
  %o_init = linalg.fill ins(%zero : f32) outs(%o_empty : !heads) -> !heads
  // CHECK: remarks-raw-scores.mlir:[[@LINE+1]]:8: remark: 'linalg.contract' and its softmax stay as they are, no 'posenc.attention': its scores or probabilities are read outside of it, by 'func.return' at remarks-raw-scores.mlir:[[@LINE+2]]:3, so they must be computed anyway; drop what reads them [raise-attention: missed]
  %o = linalg.contract indexing_maps = [#pv0, #pv1, #pv2] ins(%p, %v : !scores, !heads) outs(%o_init : !heads) -> !heads
  return %o, %s : !heads, !scores
}
