// RUN: posenc-opt %s --posenc-attach-target="cpu=x86-64-v4" --posenc-contractions --split-input-file | FileCheck %s
// RUN: posenc-opt %s --posenc-attach-target="cpu=x86-64-v3" --posenc-contractions --split-input-file | FileCheck %s --check-prefix=AVX2
// RUN: posenc-opt %s --posenc-contractions --split-input-file | FileCheck %s --check-prefix=LEAST

// With no more rows than a tile has, eight rows of b are read side by side and
// the sums of 1024 columns kept. With more, a panel of 128 x 64 is packed, then
// read by tiles of six rows and, at the end, of four, two and one; tails of
// columns are masked.
// CHECK-LABEL: func @product
//  CHECK-SAME:   %{{[a-z0-9]+}}: memref<{{[^%]*}}, %[[B:[a-z0-9]+]]: memref<
//       CHECK:   scf.forall
//       CHECK:     %[[PANEL:.*]] = memref.alloc{{.*}} memref<128x64xf32>
//       CHECK:     %[[SUMS:.*]] = memref.alloc{{.*}} memref<6x1024xf32>
//       CHECK:     arith.cmpi sle, %{{.*}}, %c6
//       CHECK:     scf.if
//       CHECK:       vector.load %[[SUMS]]
//       CHECK:       scf.for %{{.*}} = %c0{{.*}} to %c8
//       CHECK:         vector.load %[[B]]
//       CHECK:         vector.outerproduct {{.*}} : vector<6xf32>, vector<64xf32>
//       CHECK:     } else {
//       CHECK:       vector.create_mask
//       CHECK:       vector.maskedload %[[B]]
//       CHECK:       vector.load %[[PANEL]]
//       CHECK:       vector.outerproduct {{.*}} : vector<6xf32>, vector<64xf32>
//       CHECK:       vector.maskedstore
//       CHECK:       vector.outerproduct {{.*}} : vector<4xf32>, vector<64xf32>
//       CHECK:       vector.outerproduct {{.*}} : vector<2xf32>, vector<64xf32>
//       CHECK:       vector.outerproduct {{.*}} : vector<1xf32>, vector<64xf32>
//   CHECK-NOT:   linalg
//  AVX2-LABEL: func @product
//        AVX2:   vector.outerproduct {{.*}} : vector<6xf32>, vector<16xf32>
// LEAST-LABEL: func @product
//       LEAST:   vector.outerproduct {{.*}} : vector<5xf32>, vector<16xf32>
func.func @product(%a: memref<?x?xf32, strided<[?, 1]>>, %b: memref<?x?xf32, strided<[?, 1]>>,
                   %c: memref<?x?xf32, strided<[?, 1]>>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32, strided<[?, 1]>>)
                outs(%c : memref<?x?xf32, strided<[?, 1]>>)
  return
}

// -----

// Steps of b that are neighbours are packed by squares of 16 x 16, turned in
// registers, what the next panel reads asked for; the last ones by elements.
// CHECK-LABEL: func @transposed
//  CHECK-SAME:   %{{[a-z0-9]+}}: memref<{{[^%]*}}, %[[B:[a-z0-9]+]]: memref<8x?x32xf32>
//       CHECK:   scf.forall
//       CHECK:     memref.prefetch %[[B]]
//       CHECK:     vector.load %[[B]]{{.*}} vector<16xf32>
//       CHECK:     vector.shuffle
//       CHECK:     vector.store
//       CHECK:     memref.load %[[B]]
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

// In a parallel loop, a block of its own is computed on the spot.
// CHECK-LABEL: func @in_a_tile
//       CHECK:   scf.forall
//   CHECK-NOT:     scf.forall
//       CHECK:     vector.outerproduct
//   CHECK-NOT:   linalg
func.func @in_a_tile(%a: memref<4x96x32xf32>, %b: memref<32x128xf32>, %c: memref<4x96x128xf32>) {
  scf.forall (%i) in (4) {
    %x = memref.subview %a[%i, 0, 0] [1, 96, 32] [1, 1, 1]
      : memref<4x96x32xf32> to memref<96x32xf32, strided<[32, 1], offset: ?>>
    %y = memref.subview %c[%i, 0, 0] [1, 96, 128] [1, 1, 1]
      : memref<4x96x128xf32> to memref<96x128xf32, strided<[128, 1], offset: ?>>
    linalg.matmul ins(%x, %b : memref<96x32xf32, strided<[32, 1], offset: ?>>, memref<32x128xf32>)
                  outs(%y : memref<96x128xf32, strided<[128, 1], offset: ?>>)
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

// -----

// 16-bit operands are widened as they are read, those of a once for all columns
// of a block; the last columns are packed one at a time.
// CHECK-LABEL: func @half_operands
//  CHECK-SAME:   %[[A:[a-z0-9]+]]: memref<?x?xf16>, %[[B:[a-z0-9]+]]: memref<?x?xf16>
//       CHECK:   scf.forall
//       CHECK:     %[[STAGED:.*]] = memref.alloc{{.*}} memref<96x128xf32>
//       CHECK:     scf.if
//       CHECK:     } else {
//       CHECK:       %[[PART:.*]] = vector.load %[[A]]{{.*}} vector<16xf16>
//       CHECK:       %[[WIDE:.*]] = arith.extf %[[PART]] : vector<16xf16> to vector<16xf32>
//       CHECK:       vector.store %[[WIDE]], %[[STAGED]]
//       CHECK:       scf.if
//       CHECK:         %[[ROW:.*]] = vector.load %[[B]]{{.*}} vector<64xf16>
//       CHECK:         arith.extf %[[ROW]] : vector<64xf16> to vector<64xf32>
//       CHECK:       } else {
//       CHECK:         %[[ONE:.*]] = memref.load %[[B]]
//       CHECK:         arith.extf %[[ONE]] : f16 to f32
//       CHECK:       memref.load %[[STAGED]]
//       CHECK:       vector.outerproduct {{.*}} : vector<6xf32>, vector<64xf32>
//   CHECK-NOT:   linalg
func.func @half_operands(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%c : memref<?x?xf32>)
  return
}

// -----

// Sums in a narrower type, and bodies that are more than a product, are not
// the sums of the scheme.
// CHECK-LABEL: func @half_sums
//       CHECK:   linalg.matmul
// CHECK-LABEL: func @product_of_exponential
//       CHECK:   linalg.generic
func.func @half_sums(%a: memref<4x8xf16>, %b: memref<8x4xf16>, %c: memref<4x4xf16>) {
  linalg.matmul ins(%a, %b : memref<4x8xf16>, memref<8x4xf16>) outs(%c : memref<4x4xf16>)
  return
}

func.func @product_of_exponential(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                   affine_map<(m, n, k) -> (k, n)>,
                                   affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %e = math.exp %x : f32
    %product = arith.mulf %e, %y : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }
  return
}
