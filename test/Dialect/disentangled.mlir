// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @one_term
//       CHECK:   posenc.disentangled query(%{{.*}} : tensor<2x4x5x8xf32>) pos_key(%{{.*}} : tensor<4x16x8xf32>) buckets(<identity>) : tensor<2x4x5x7xf32>
//       CHECK:   posenc.disentangled key(%{{.*}} : tensor<2x4x7x8xf32>) pos_query(%{{.*}} : tensor<4x16x8xf32>) buckets(<identity>) : tensor<2x4x5x7xf32>
func.func @one_term(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %p: tensor<4x16x8xf32>)
    -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xf32>) {
  %c2p = posenc.disentangled query(%q : tensor<2x4x5x8xf32>) pos_key(%p : tensor<4x16x8xf32>) buckets(<identity>)
      : tensor<2x4x5x7xf32>
  %p2c = posenc.disentangled key(%k : tensor<2x4x7x8xf32>) pos_query(%p : tensor<4x16x8xf32>) buckets(<identity>)
      : tensor<2x4x5x7xf32>
  return %c2p, %p2c : tensor<2x4x5x7xf32>, tensor<2x4x5x7xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.disentangled query(%{{.*}} : tensor<?x4x?x8xf16>) pos_key(%{{.*}} : tensor<512x8xf16>) key(%{{.*}} : tensor<?x2x?x8xf16>) pos_query(%{{.*}} : tensor<4x512x8xf16>) sizes(%{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) buckets(<logarithmic>) {bucket_size = 256 : i64, max_position = 512 : i64} : tensor<?x4x?x?xf32>
func.func @everything(%q: tensor<?x4x?x8xf16>, %k: tensor<?x2x?x8xf16>, %pk: tensor<512x8xf16>, %pq: tensor<4x512x8xf16>,
                      %b: index, %lq: index, %lk: index, %offset: index) -> tensor<?x4x?x?xf32> {
  %bias = posenc.disentangled query(%q : tensor<?x4x?x8xf16>) pos_key(%pk : tensor<512x8xf16>)
      key(%k : tensor<?x2x?x8xf16>) pos_query(%pq : tensor<4x512x8xf16>) sizes(%b, %lq, %lk) offset(%offset)
      buckets(<logarithmic>) {bucket_size = 256 : i64, max_position = 512 : i64} : tensor<?x4x?x?xf32>
  return %bias : tensor<?x4x?x?xf32>
}
