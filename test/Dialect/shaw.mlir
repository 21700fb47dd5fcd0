// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @plain
//       CHECK:   posenc.shaw query(%{{.*}} : tensor<2x4x5x8xf32>) table(%{{.*}} : tensor<9x8xf32>) relative(<key_minus_query>) outside(<clip>) {left = 4 : i64} : tensor<2x4x5x7xf32>
func.func @plain(%q: tensor<2x4x5x8xf32>, %table: tensor<9x8xf32>) -> tensor<2x4x5x7xf32> {
  %bias = posenc.shaw query(%q : tensor<2x4x5x8xf32>) table(%table : tensor<9x8xf32>)
      relative(<key_minus_query>) outside(<clip>) {left = 4 : i64} : tensor<2x4x5x7xf32>
  return %bias : tensor<2x4x5x7xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   posenc.shaw query(%{{.*}} : tensor<?x?x?x8xf16>) key(%{{.*}} : tensor<?x?x?x8xbf16>) table(%{{.*}} : tensor<?x9x8xf32>) sizes(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) offset(%{{.*}}) relative(<query_minus_key>) outside(<error>) {left = 4 : i64} : tensor<?x?x?x?xf32>
func.func @everything(%q: tensor<?x?x?x8xf16>, %k: tensor<?x?x?x8xbf16>, %table: tensor<?x9x8xf32>, %b: index, %h: index,
                      %lq: index, %lk: index, %offset: index) -> tensor<?x?x?x?xf32> {
  %bias = posenc.shaw query(%q : tensor<?x?x?x8xf16>) key(%k : tensor<?x?x?x8xbf16>) table(%table : tensor<?x9x8xf32>)
      sizes(%b, %h, %lq, %lk) offset(%offset) relative(<query_minus_key>) outside(<error>) {left = 4 : i64}
      : tensor<?x?x?x?xf32>
  return %bias : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func @keys_alone
//       CHECK:   posenc.shaw key(%{{.*}} : tensor<2x2x7x8xf32>) table
func.func @keys_alone(%k: tensor<2x2x7x8xf32>, %table: tensor<9x8xf32>) -> tensor<2x4x5x7xf32> {
  %bias = posenc.shaw key(%k : tensor<2x2x7x8xf32>) table(%table : tensor<9x8xf32>)
      relative(<key_minus_query>) outside(<zero>) {left = 4 : i64} : tensor<2x4x5x7xf32>
  return %bias : tensor<2x4x5x7xf32>
}

// CHECK-LABEL: func @values
//       CHECK:   posenc.shaw_values %{{.*}} table(%{{.*}} : tensor<9x8xf32>) relative(<key_minus_query>) outside(<zero>) {left = 4 : i64} : tensor<2x4x5x7xf32> -> tensor<2x4x5x8xf32>
//       CHECK:   posenc.shaw_values %{{.*}} table(%{{.*}} : tensor<4x9x8xbf16>) offset(%{{.*}}) relative(<query_minus_key>) outside(<clip>) {left = 0 : i64} : tensor<2x4x5x7xf32> -> tensor<2x4x5x8xf32>
func.func @values(%p: tensor<2x4x5x7xf32>, %table: tensor<9x8xf32>, %each: tensor<4x9x8xbf16>, %offset: index)
    -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) {
  %x = posenc.shaw_values %p table(%table : tensor<9x8xf32>) relative(<key_minus_query>) outside(<zero>)
      {left = 4 : i64} : tensor<2x4x5x7xf32> -> tensor<2x4x5x8xf32>
  %y = posenc.shaw_values %p table(%each : tensor<4x9x8xbf16>) offset(%offset) relative(<query_minus_key>) outside(<clip>)
      {left = 0 : i64} : tensor<2x4x5x7xf32> -> tensor<2x4x5x8xf32>
  return %x, %y : tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>
}
