// RUN: cd %S && posenc-compile remarks-near-rotation.mlir --cpu=x86-64-v3 --to=codegen -o %t.mlir --remarks=%t.txt
// RUN: FileCheck %s --input-file=%t.txt --match-full-lines --implicit-check-not=remark:

// Both members of a pair take the sine with the same sign: no rotation.

func.func @wrong_sign(%q: tensor<1x2x7x16xf32>, %k: tensor<1x2x7x16xf32>, %v: tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32> {
  %scale = arith.constant 0.25 : f32
  %frequencies = arith.constant dense<[1.0, 0.316227764, 0.1, 0.0316227749, 0.01, 0.00316227763, 0.001, 0.000316227757]> : tensor<8xf32>
  %cos = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %eight = arith.constant 8 : index
    %pair = arith.remui %c, %eight : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %i32 = arith.index_cast %i : index to i32
    %position = arith.sitofp %i32 : i32 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.cos %angle : f32
    tensor.yield %value : f32
  } : tensor<1x2x7x16xf32>
  %sin = tensor.generate {
  ^bb0(%b: index, %h: index, %i: index, %c: index):
    %eight = arith.constant 8 : index
    %pair = arith.remui %c, %eight : index
    %frequency = tensor.extract %frequencies[%pair] : tensor<8xf32>
    %i32 = arith.index_cast %i : index to i32
    %position = arith.sitofp %i32 : i32 to f32
    %angle = arith.mulf %position, %frequency : f32
    %value = math.sin %angle : f32
    tensor.yield %value : f32
  } : tensor<1x2x7x16xf32>
  %rq_lo = tensor.extract_slice %q[0, 0, 0, 0] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rq_hi = tensor.extract_slice %q[0, 0, 0, 8] [1, 2, 7, 8] [1, 1, 1, 1] : tensor<1x2x7x16xf32> to tensor<1x2x7x8xf32>
  %rq_half = tensor.concat dim(3) %rq_hi, %rq_lo : (tensor<1x2x7x8xf32>, tensor<1x2x7x8xf32>) -> tensor<1x2x7x16xf32>
  %rq_cos = arith.mulf %q, %cos : tensor<1x2x7x16xf32>
  %rq_sin = arith.mulf %rq_half, %sin : tensor<1x2x7x16xf32>
  // CHECK:      remarks-near-rotation.mlir:[[@LINE+3]]:9: remark: 'arith.addf', the query of 'posenc.attention' at remarks-near-rotation.mlir:[[@LINE+5]]:8, is not recognised as an encoding: it is not 'posenc.rotary': they differ at {{\[.*\]}}; write it with an op of posenc, if it is one [raise-encodings: missed]
  // CHECK-NEXT: remarks-near-rotation.mlir:[[@LINE+4]]:8: remark: 'posenc.attention' reads its query as bhld, key as bhld, value as bhld and writes bhld [fold-layouts]
  // CHECK-NEXT: remarks-near-rotation.mlir:[[@LINE+3]]:8: remark: 'posenc.attention' runs #posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 16, rows = 6> [schedule]
  %rq = arith.addf %rq_cos, %rq_sin : tensor<1x2x7x16xf32>
  %o_init = tensor.empty() : tensor<1x2x7x16xf32>
  %o = posenc.attention query(%rq : tensor<1x2x7x16xf32>) key(%k : tensor<1x2x7x16xf32>) value(%v : tensor<1x2x7x16xf32>) scale(%scale) outs(%o_init : tensor<1x2x7x16xf32>) -> tensor<1x2x7x16xf32>
  return %o : tensor<1x2x7x16xf32>
}
