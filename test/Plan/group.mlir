// RUN: posenc-opt %s --posenc-attach-target="cpu=x86-64-v4" --posenc-group --split-input-file | FileCheck %s
// RUN: posenc-opt %s --posenc-attach-target="cpu=generic-aarch64" --posenc-group --split-input-file | FileCheck %s --check-prefix=NEON
// RUN: posenc-opt %s --posenc-plan="cpu=x86-64-v4" --split-input-file | FileCheck %s --check-prefix=MEMORY

// A bias and a residual are one op after the product, in its tiles; the unit
// batch dimension needs no reshape. The product is scratch of the largest
// tile; with few rows tiles are wider.
// CHECK-LABEL: func @bias_residual
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<1x?x64xf32>, %[[W:[a-z0-9]+]]: tensor<64x2000xf32>
//   CHECK-NOT:   linalg
//       CHECK:   %[[FEW:.*]] = arith.cmpi ule, %{{.*}}, %c6
//       CHECK:   %[[COLUMNS:.*]] = arith.select %[[FEW]], %c1024{{.*}}, %c128
//       CHECK:   scf.forall {{.*}} to (2000, %{{.*}}) step (%[[COLUMNS]], 96)
//       CHECK:     tensor.empty() : tensor<1x96x1040xf32>
//       CHECK:     %[[ZEROS:.*]] = linalg.fill
//       CHECK:     %[[PRODUCT:.*]] = linalg.generic {{.*}} outs(%[[ZEROS]]
//       CHECK:     %[[OUT:.*]] = linalg.generic {{.*}} ins(%[[PRODUCT]],
//       CHECK:       arith.addf
//  CHECK-NEXT:       arith.addf
//  CHECK-NEXT:       linalg.yield
//       CHECK:     tensor.parallel_insert_slice %[[OUT]]
//   CHECK-NOT:   linalg
//        NEON: func @bias_residual
//        NEON:   arith.cmpi ule, %{{.*}}, %c5
//        NEON:   scf.forall {{.*}}, 95)
// On memrefs nothing is allocated but the tile, and nothing copied.
//      MEMORY: func @bias_residual(
//  MEMORY-NOT:   memref.alloc
//      MEMORY:   scf.forall
//      MEMORY:     memref.alloc() {{.*}} : memref<1x96x1040xf32>
//  MEMORY-NOT:   memref.alloc(
//  MEMORY-NOT:   memref.copy
//      MEMORY:   return
func.func @bias_residual(%x: tensor<1x?x64xf32>, %w: tensor<64x2000xf32>, %bias: tensor<2000xf32>,
                         %residual: tensor<1x?x2000xf32>) -> tensor<1x?x2000xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c1 : tensor<1x?x64xf32>
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x?x64xf32> into tensor<?x64xf32>
  %0 = tensor.empty(%rows) : tensor<?x2000xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<?x2000xf32>) -> tensor<?x2000xf32>
  %2 = linalg.matmul ins(%flat, %w : tensor<?x64xf32>, tensor<64x2000xf32>)
                     outs(%1 : tensor<?x2000xf32>) -> tensor<?x2000xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [1, %rows, 2000] : tensor<?x2000xf32> into tensor<1x?x2000xf32>
  %4 = tensor.empty(%rows) : tensor<1x?x2000xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (n)>,
                                        affine_map<(b, m, n) -> (b, m, n)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%3, %bias : tensor<1x?x2000xf32>, tensor<2000xf32>) outs(%4 : tensor<1x?x2000xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<1x?x2000xf32>
  %6 = tensor.empty(%rows) : tensor<1x?x2000xf32>
  %7 = linalg.add ins(%5, %residual : tensor<1x?x2000xf32>, tensor<1x?x2000xf32>)
                  outs(%6 : tensor<1x?x2000xf32>) -> tensor<1x?x2000xf32>
  return %7 : tensor<1x?x2000xf32>
}

// -----

// Two products that one op takes in, as in a gated layer, are computed in the
// same tiles.
// CHECK-LABEL: func @gate
//       CHECK:   scf.forall {{.*}} to (200) step (96)
//       CHECK:     linalg.matmul
//       CHECK:     linalg.matmul
//       CHECK:     linalg.generic
//   CHECK-NOT:   linalg.generic
//      MEMORY: func @gate(
//  MEMORY-NOT:   memref.copy
//      MEMORY:   return
func.func @gate(%x: tensor<200x64xf32>, %v: tensor<64x128xf32>, %w: tensor<64x128xf32>) -> tensor<200x128xf16> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<200x128xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<200x128xf32>) -> tensor<200x128xf32>
  %2 = linalg.matmul ins(%x, %v : tensor<200x64xf32>, tensor<64x128xf32>)
                     outs(%1 : tensor<200x128xf32>) -> tensor<200x128xf32>
  %3 = linalg.matmul ins(%x, %w : tensor<200x64xf32>, tensor<64x128xf32>)
                     outs(%1 : tensor<200x128xf32>) -> tensor<200x128xf32>
  %4 = linalg.mul ins(%2, %3 : tensor<200x128xf32>, tensor<200x128xf32>)
                  outs(%0 : tensor<200x128xf32>) -> tensor<200x128xf32>
  %5 = tensor.empty() : tensor<200x128xf16>
  %6 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<200x128xf32>) outs(%5 : tensor<200x128xf16>) {
  ^bb0(%a: f32, %old: f16):
    %rounded = arith.truncf %a : f32 to f16
    linalg.yield %rounded : f16
  } -> tensor<200x128xf16>
  return %6 : tensor<200x128xf16>
}

// -----

// A product that two ops read, and one that is read turned: the product alone
// is one loop, and each batch entry its own tile.
// CHECK-LABEL: func @two_readers
//       CHECK:   scf.forall
//       CHECK:     linalg.batch_matmul
//       CHECK:   }
//       CHECK:   linalg.generic
//       CHECK:   linalg.generic
//   CHECK-NOT:   scf.forall
//      MEMORY: func @two_readers(
//  MEMORY-NOT:   memref.copy
//      MEMORY:   return
func.func @two_readers(%x: tensor<?x?x64xf32>, %w: tensor<?x64x32xf32>)
    -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x64xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x64xf32>
  %0 = tensor.empty(%b, %m) : tensor<?x?x32xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %2 = linalg.batch_matmul ins(%x, %w : tensor<?x?x64xf32>, tensor<?x64x32xf32>)
                           outs(%1 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %3 = linalg.exp ins(%2 : tensor<?x?x32xf32>) outs(%0 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  %4 = linalg.negf ins(%2 : tensor<?x?x32xf32>) outs(%0 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
  return %3, %4 : tensor<?x?x32xf32>, tensor<?x?x32xf32>
}

// -----

// Elementwise ops become one where each element is asked for once; what is
// broadcast is computed once, before.
// CHECK-LABEL: func @chains
//       CHECK:   %[[ROOTS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]
//       CHECK:     math.sqrt
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]{{.*}} ins(%{{.*}}, %[[ROOTS]]
//       CHECK:     math.exp
//       CHECK:     arith.mulf
//   CHECK-NOT:   linalg.generic
func.func @chains(%x: tensor<?x8xf32>, %s: tensor<8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %0 = tensor.empty() : tensor<8xf32>
  %1 = linalg.sqrt ins(%s : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  %2 = tensor.empty(%m) : tensor<?x8xf32>
  %3 = linalg.exp ins(%x : tensor<?x8xf32>) outs(%2 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
                                        affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%3, %1 : tensor<?x8xf32>, tensor<8xf32>) outs(%2 : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %y = arith.mulf %a, %b : f32
    linalg.yield %y : f32
  } -> tensor<?x8xf32>
  return %4 : tensor<?x8xf32>
}
