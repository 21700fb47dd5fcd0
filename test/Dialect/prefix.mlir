// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @lengths
//       CHECK:   posenc.prefix lengths(%{{.*}} : tensor<2xi32>) : tensor<2x1x3x5xi1>
func.func @lengths(%lengths: tensor<2xi32>) -> tensor<2x1x3x5xi1> {
  %mask = posenc.prefix lengths(%lengths : tensor<2xi32>) : tensor<2x1x3x5xi1>
  return %mask : tensor<2x1x3x5xi1>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.prefix query_blocks(%{{.*}} : tensor<1x?xi64>) key_blocks(%{{.*}} : tensor<?x?xi64>) sizes(%{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) : tensor<?x1x?x?xi1>
func.func @everything(%q: tensor<1x?xi64>, %k: tensor<?x?xi64>, %b: index, %lq: index, %lk: index,
                      %offset: index) -> tensor<?x1x?x?xi1> {
  %mask = posenc.prefix query_blocks(%q : tensor<1x?xi64>) key_blocks(%k : tensor<?x?xi64>)
      sizes(%b, %lq, %lk) offset(%offset) : tensor<?x1x?x?xi1>
  return %mask : tensor<?x1x?x?xi1>
}
