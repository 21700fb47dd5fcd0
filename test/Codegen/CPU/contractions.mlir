// RUN: posenc-opt %s --posenc-contractions --split-input-file | FileCheck %s

// A panel of 128 x 64 is packed, then read by tiles of six rows and, at the
// end, of one; tails of columns are masked.
// CHECK-LABEL: func @product
//       CHECK:   scf.forall
//       CHECK:     vector.create_mask
//       CHECK:     memref.alloc{{.*}} memref<128x64xf32>
//       CHECK:     vector.maskedload
//       CHECK:     vector.outerproduct {{.*}} : vector<6xf32>, vector<64xf32>
//       CHECK:     vector.maskedstore
//       CHECK:     vector.outerproduct {{.*}} : vector<1xf32>, vector<64xf32>
//   CHECK-NOT:   linalg
func.func @product(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>,
                   %c: memref<?x?xf32, strided<[?, 1]>>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
                outs(%c : memref<?x?xf32, strided<[?, 1]>>)
  return
}

// -----

// Columns of b that are not neighbours are packed one at a time.
// CHECK-LABEL: func @transposed
//       CHECK:   scf.forall
//       CHECK:     memref.load
//       CHECK:     memref.store
//       CHECK:     vector.outerproduct
func.func @transposed(%a: memref<8x?x32xf32>, %b: memref<8x?x32xf32>, %c: memref<8x?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>,
                                   affine_map<(b, m, n, k) -> (b, n, k)>,
                                   affine_map<(b, m, n, k) -> (b, m, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x?x32xf32>, memref<8x?x32xf32>) outs(%c : memref<8x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return
}

// -----

// What does not fit is left to loops: here the columns of the result are not
// neighbours.
// CHECK-LABEL: func @strided_result
//       CHECK:   linalg.matmul
func.func @strided_result(%a: memref<4x8xf32>, %b: memref<8x4xf32>,
                          %c: memref<4x4xf32, strided<[8, 2]>>) {
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>)
                outs(%c : memref<4x4xf32, strided<[8, 2]>>)
  return
}
