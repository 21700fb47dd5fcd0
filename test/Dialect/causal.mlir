// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.causal : tensor<1x1x3x5xi1>
func.func @plain() -> tensor<1x1x3x5xi1> {
  %mask = posenc.causal : tensor<1x1x3x5xi1>
  return %mask : tensor<1x1x3x5xi1>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.causal sizes(%{{.*}}, %{{.*}}) offset(%{{.*}}) : tensor<1x1x?x?xi1>
func.func @everything(%lq: index, %lk: index, %offset: index) -> tensor<1x1x?x?xi1> {
  %mask = posenc.causal sizes(%lq, %lk) offset(%offset) : tensor<1x1x?x?xi1>
  return %mask : tensor<1x1x?x?xi1>
}
