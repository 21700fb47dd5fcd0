// RUN: posenc-opt %s --posenc-contractions --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics

func.func @doubles(%a: memref<4x8xf64>, %b: memref<8x4xf64>, %c: memref<4x4xf64>) {
  // expected-remark @below {{it does more than sum products of f32, f16 or bf16 in f32}}
  linalg.matmul ins(%a, %b : memref<4x8xf64>, memref<8x4xf64>) outs(%c : memref<4x4xf64>)
  return
}

func.func @strided(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32, strided<[4, 2]>>) {
  // expected-remark @below {{the columns of its result are no neighbours in memory}}
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32, strided<[4, 2]>>)
  return
}
