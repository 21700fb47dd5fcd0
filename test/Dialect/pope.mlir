// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @query
//       CHECK:   posenc.pope %{{.*}} frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x?x8xf16> -> tensor<1x4x?x16xf16>
func.func @query(%x: tensor<1x4x?x8xf16>) -> tensor<1x4x?x16xf16> {
  %y = posenc.pope %x frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x4x?x8xf16> -> tensor<1x4x?x16xf16>
  return %y : tensor<1x4x?x16xf16>
}

// CHECK-LABEL: func @key
//       CHECK:   posenc.pope %{{.*}} positions(%{{.*}} : tensor<?x?xi32>) phase(%{{.*}} : tensor<4x8xf32>) length(%{{.*}}) frequencies(
//       CHECK:   posenc.pope %{{.*}} offset(%{{.*}}) frequencies(
func.func @key(%x: tensor<?x4x?x8xf32>, %positions: tensor<?x?xi32>, %phase: tensor<4x8xf32>, %length: index)
    -> (tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) {
  %y = posenc.pope %x positions(%positions : tensor<?x?xi32>) phase(%phase : tensor<4x8xf32>) length(%length)
      frequencies(#posenc.frequencies<base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original_length = 64>>)
      : tensor<?x4x?x8xf32> -> tensor<?x4x?x16xf32>
  %z = posenc.pope %x offset(%length) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<?x4x?x8xf32> -> tensor<?x4x?x16xf32>
  return %y, %z : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>
}
