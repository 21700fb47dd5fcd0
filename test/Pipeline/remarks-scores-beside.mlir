// RUN: cd %S && posenc-compile remarks-scores-beside.mlir --cpu=x86-64-v3 --to=codegen -o %t.mlir --remarks=%t.txt
// RUN: FileCheck %s --input-file=%t.txt --match-full-lines --implicit-check-not=remark:
// RUN: cd %S && posenc-compile remarks-scores-beside.mlir --to=codegen -o %t.mlir --remarks=%t.yaml
// RUN: FileCheck %s --input-file=%t.yaml --check-prefix=YAML

// An ONNX Attention with its raw scores as a second output: places are nodes.

#product = affine_map<(b, h, i, j, d) -> (b, h, i, j)>
!heads = tensor<1x4x7x16xf32>
!scores = tensor<1x4x7x7xf32>

// CHECK:      remarks-scores-beside.mlir: node '/layer0/scores': remark: 'linalg.contract' computes the scores of 'posenc.attention' at node '/layer0/attn' a second time: they are read outside of it, and attention holds no tensor of them; drop what reads them [raise-attention: missed]
// CHECK-NEXT: remarks-scores-beside.mlir: node '/layer0/attn': remark: 'posenc.attention' reads its query as bhld, key as bhld, value as bhld and writes bhld [fold-layouts]
// CHECK-NEXT: remarks-scores-beside.mlir: node '/layer0/attn': remark: 'posenc.attention' runs #posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 16, rows = 6> [schedule]

// YAML:      --- !Missed
// YAML-NEXT: Pass: posenc
// YAML-NEXT: Name: raise-attention
// YAML-NEXT: DebugLoc: { File: remarks-scores-beside.mlir, Line: 0, Column: 0 }
// YAML-NEXT: Function: scores_beside
// YAML-NEXT: Args:
// YAML:        - Reason: {{.*}}they are read outside of it
// YAML:        - Suggestion: drop what reads them
// YAML:        - Place: {{.*}}node {{.*}}/layer0/scores
// YAML:      --- !Passed
func.func @scores_beside(%q: !heads, %k: !heads, %v: !heads) -> (!heads, !scores) {
  %scale = arith.constant 0.25 : f32
  %init = tensor.empty() : !heads
  %o = posenc.attention query(%q : !heads) key(%k : !heads) value(%v : !heads)
      scale(%scale) outs(%init : !heads) -> !heads loc("/layer0/attn")
  %zero = arith.constant 0.0 : f32
  %s_empty = tensor.empty() : !scores
  %s_init = linalg.fill ins(%zero : f32) outs(%s_empty : !scores) -> !scores
  %s = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, #product]
      ins(%q, %k : !heads, !heads) outs(%s_init : !scores) -> !scores loc("/layer0/scores")
  return %o, %s : !heads, !scores
}
