// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.document query_ids(%{{.*}} : tensor<2x3xi64>) key_ids(%{{.*}} : tensor<1x5xi64>) : tensor<2x1x3x5xi1>
func.func @plain(%q: tensor<2x3xi64>, %k: tensor<1x5xi64>) -> tensor<2x1x3x5xi1> {
  %mask = posenc.document query_ids(%q : tensor<2x3xi64>) key_ids(%k : tensor<1x5xi64>)
      : tensor<2x1x3x5xi1>
  return %mask : tensor<2x1x3x5xi1>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.document query_ids(%{{.*}} : tensor<?x?xi32>) key_ids(%{{.*}} : tensor<?x?xi32>) sizes(%{{.*}}, %{{.*}}, %{{.*}}) : tensor<?x1x?x?xi1>
func.func @everything(%q: tensor<?x?xi32>, %k: tensor<?x?xi32>, %b: index, %lq: index,
                      %lk: index) -> tensor<?x1x?x?xi1> {
  %mask = posenc.document query_ids(%q : tensor<?x?xi32>) key_ids(%k : tensor<?x?xi32>)
      sizes(%b, %lq, %lk) : tensor<?x1x?x?xi1>
  return %mask : tensor<?x1x?x?xi1>
}
