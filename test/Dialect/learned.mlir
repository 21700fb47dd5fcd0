// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.learned %{{.*}} out_of_range(<error>) : tensor<512x8xf32> -> tensor<512x8xf32>
func.func @plain(%table: tensor<512x8xf32>) -> tensor<512x8xf32> {
  %pe = posenc.learned %table out_of_range(<error>) : tensor<512x8xf32> -> tensor<512x8xf32>
  return %pe : tensor<512x8xf32>
}

// CHECK-LABEL: func @offset
//       CHECK:   posenc.learned %{{.*}} sizes(%{{.*}}) offset(%{{.*}}) out_of_range(<clamp>) : tensor<?x8xf32> -> tensor<?x8xf32>
func.func @offset(%table: tensor<?x8xf32>, %l: index, %offset: index) -> tensor<?x8xf32> {
  %pe = posenc.learned %table sizes(%l) offset(%offset) out_of_range(<clamp>)
      : tensor<?x8xf32> -> tensor<?x8xf32>
  return %pe : tensor<?x8xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.learned %{{.*}} positions(%{{.*}} : tensor<1x?xi32>) sizes(%{{.*}}, %{{.*}}, %{{.*}}) out_of_range(<error>) {row_offset = 2 : i64} : tensor<?x?xf16> -> tensor<?x?x?xf32>
func.func @everything(%table: tensor<?x?xf16>, %positions: tensor<1x?xi32>, %b: index, %l: index,
                      %d: index) -> tensor<?x?x?xf32> {
  %pe = posenc.learned %table positions(%positions : tensor<1x?xi32>) sizes(%b, %l, %d)
      out_of_range(<error>) {row_offset = 2} : tensor<?x?xf16> -> tensor<?x?x?xf32>
  return %pe : tensor<?x?x?xf32>
}
