// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @ids
//       CHECK:   posenc.document_ids %{{.*}} number(<id>) : tensor<3xi64> -> tensor<1x9xi64>
func.func @ids(%boundaries: tensor<3xi64>) -> tensor<1x9xi64> {
  %ids = posenc.document_ids %boundaries number(<id>) : tensor<3xi64> -> tensor<1x9xi64>
  return %ids : tensor<1x9xi64>
}

// CHECK-LABEL: func @positions
//       CHECK:   posenc.document_ids %{{.*}} sizes(%{{.*}}) number(<position>) : tensor<?xi32> -> tensor<1x?xi32>
func.func @positions(%boundaries: tensor<?xi32>, %l: index) -> tensor<1x?xi32> {
  %positions = posenc.document_ids %boundaries sizes(%l) number(<position>)
      : tensor<?xi32> -> tensor<1x?xi32>
  return %positions : tensor<1x?xi32>
}
