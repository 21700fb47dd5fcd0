// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @behind
//       CHECK:   posenc.cache_append %{{.*}} at(%{{.*}} : tensor<?xi32>) layout(<bhld>) outs(%{{.*}} : tensor<?x8x4096x64xbf16>) : tensor<?x8x?x64xbf16>
func.func @behind(%r: tensor<?x8x?x64xbf16>, %n: tensor<?xi32>, %c: tensor<?x8x4096x64xbf16>) {
  %0 = posenc.cache_append %r at(%n : tensor<?xi32>) layout(<bhld>) outs(%c : tensor<?x8x4096x64xbf16>) : tensor<?x8x?x64xbf16>
  return
}

// CHECK-LABEL: func @ring
//       CHECK:   posenc.cache_append %{{.*}} at(%{{.*}} : tensor<2xi64>) layout(<blhd>) ring outs(%{{.*}} : tensor<2x?x8x64xf32>) : tensor<2x1x8x64xf32>
func.func @ring(%r: tensor<2x1x8x64xf32>, %n: tensor<2xi64>, %c: tensor<2x?x8x64xf32>) {
  %0 = posenc.cache_append %r at(%n : tensor<2xi64>) layout(<blhd>) ring outs(%c : tensor<2x?x8x64xf32>) : tensor<2x1x8x64xf32>
  return
}
