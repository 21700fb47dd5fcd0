// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @one
//       CHECK:   posenc.global_tokens query_global(%{{.*}} : tensor<1x3xi1>) : tensor<2x1x3x5xi1>
//       CHECK:   posenc.global_tokens key_global(%{{.*}} : tensor<2x5xi1>) : tensor<2x1x3x5xi1>
func.func @one(%q: tensor<1x3xi1>, %k: tensor<2x5xi1>) -> (tensor<2x1x3x5xi1>, tensor<2x1x3x5xi1>) {
  %rows = posenc.global_tokens query_global(%q : tensor<1x3xi1>) : tensor<2x1x3x5xi1>
  %keys = posenc.global_tokens key_global(%k : tensor<2x5xi1>) : tensor<2x1x3x5xi1>
  return %rows, %keys : tensor<2x1x3x5xi1>, tensor<2x1x3x5xi1>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.global_tokens query_global(%{{.*}} : tensor<?x?xi1>) key_global(%{{.*}} : tensor<?x?xi1>) sizes(%{{.*}}, %{{.*}}, %{{.*}}) : tensor<?x1x?x?xi1>
func.func @everything(%q: tensor<?x?xi1>, %k: tensor<?x?xi1>, %b: index, %lq: index,
                      %lk: index) -> tensor<?x1x?x?xi1> {
  %mask = posenc.global_tokens query_global(%q : tensor<?x?xi1>) key_global(%k : tensor<?x?xi1>)
      sizes(%b, %lq, %lk) : tensor<?x1x?x?xi1>
  return %mask : tensor<?x1x?x?xi1>
}
