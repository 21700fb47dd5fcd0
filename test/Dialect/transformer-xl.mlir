// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.transformer_xl query(%{{.*}} : tensor<2x4x5x8xf32>) relative(%{{.*}} : tensor<7x8xf32>) rows(<transformer_xl>) : tensor<2x4x5x7xf32>
func.func @plain(%q: tensor<2x4x5x8xf32>, %r: tensor<7x8xf32>) -> tensor<2x4x5x7xf32> {
  %bias = posenc.transformer_xl query(%q : tensor<2x4x5x8xf32>) relative(%r : tensor<7x8xf32>) rows(<transformer_xl>)
      : tensor<2x4x5x7xf32>
  return %bias : tensor<2x4x5x7xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.transformer_xl query(%{{.*}} : tensor<?x4x?x8xf16>) query_bias(%{{.*}} : tensor<4x8xbf16>) relative(%{{.*}} : tensor<4x?x8xf32>) sizes(%{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) rows(<xlnet>) : tensor<?x4x?x?xf32>
func.func @everything(%q: tensor<?x4x?x8xf16>, %v: tensor<4x8xbf16>, %r: tensor<4x?x8xf32>, %b: index, %lq: index,
                      %lk: index, %offset: index) -> tensor<?x4x?x?xf32> {
  %bias = posenc.transformer_xl query(%q : tensor<?x4x?x8xf16>) query_bias(%v : tensor<4x8xbf16>)
      relative(%r : tensor<4x?x8xf32>) sizes(%b, %lq, %lk) offset(%offset) rows(<xlnet>) : tensor<?x4x?x?xf32>
  return %bias : tensor<?x4x?x?xf32>
}

// CHECK-LABEL: func @rows
//       CHECK:   rows(<xlnet>) : tensor<2x4x5x7xf32>
//       CHECK:   rows(<xlnet>) : tensor<2x4x5x7xf32>
//       CHECK:   rows(<conformer>) : tensor<2x4x5x5xf32>
func.func @rows(%q: tensor<2x4x5x8xf32>, %one: tensor<8x8xf32>, %both: tensor<12x8xf32>, %full: tensor<9x8xf32>)
    -> (tensor<2x4x5x7xf32>, tensor<2x4x5x7xf32>, tensor<2x4x5x5xf32>) {
  %x = posenc.transformer_xl query(%q : tensor<2x4x5x8xf32>) relative(%one : tensor<8x8xf32>) rows(<xlnet>)
      : tensor<2x4x5x7xf32>
  %y = posenc.transformer_xl query(%q : tensor<2x4x5x8xf32>) relative(%both : tensor<12x8xf32>) rows(<xlnet>)
      : tensor<2x4x5x7xf32>
  %z = posenc.transformer_xl query(%q : tensor<2x4x5x8xf32>) relative(%full : tensor<9x8xf32>) rows(<conformer>)
      : tensor<2x4x5x5xf32>
  return %x, %y, %z : tensor<2x4x5x7xf32>, tensor<2x4x5x7xf32>, tensor<2x4x5x5xf32>
}
