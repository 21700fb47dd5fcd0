// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.decomposed_2d query(%{{.*}} : tensor<2x4x6x8xf32>) rel_h(%{{.*}} : tensor<3x8xf32>) rel_w(%{{.*}} : tensor<5x8xf32>) query_grid([2, 3]) key_grid([2, 3]) : tensor<2x4x6x6xf32>
func.func @plain(%q: tensor<2x4x6x8xf32>, %rh: tensor<3x8xf32>, %rw: tensor<5x8xf32>) -> tensor<2x4x6x6xf32> {
  %bias = posenc.decomposed_2d query(%q : tensor<2x4x6x8xf32>) rel_h(%rh : tensor<3x8xf32>) rel_w(%rw : tensor<5x8xf32>)
      query_grid([2, 3]) key_grid([2, 3]) : tensor<2x4x6x6xf32>
  return %bias : tensor<2x4x6x6xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.decomposed_2d query(%{{.*}} : tensor<?x4x?x8xf16>) rel_h(%{{.*}} : tensor<7x8xf16>) rel_w(%{{.*}} : tensor<4x5x8xf32>) sizes(%{{.*}}, %{{.*}}, %{{.*}}) query_grid([4, 3]) key_grid([2, 1]) class_token : tensor<?x4x?x?xf32>
func.func @everything(%q: tensor<?x4x?x8xf16>, %rh: tensor<7x8xf16>, %rw: tensor<4x5x8xf32>, %b: index, %lq: index,
                      %lk: index) -> tensor<?x4x?x?xf32> {
  %bias = posenc.decomposed_2d query(%q : tensor<?x4x?x8xf16>) rel_h(%rh : tensor<7x8xf16>)
      rel_w(%rw : tensor<4x5x8xf32>) sizes(%b, %lq, %lk) query_grid([4, 3]) key_grid([2, 1]) class_token
      : tensor<?x4x?x?xf32>
  return %bias : tensor<?x4x?x?xf32>
}
