// RUN: posenc-opt %s --posenc-unify-extents --cse | FileCheck %s

// CHECK-LABEL: func @two_symbols
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<?x?xf32>
//   CHECK-DAG:   %[[B:.*]] = tensor.dim %[[X]], %c0
//   CHECK-DAG:   %[[S:.*]] = tensor.dim %[[X]], %c1
//       CHECK:   return %[[B]], %[[S]], %[[S]]
func.func @two_symbols(%x: tensor<?x?xf32> {posenc.symbols = ["B", "S"]},
                       %y: tensor<?x8xf32> {posenc.symbols = ["S", ""]}) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?xf32>
  %t = tensor.dim %y, %c0 : tensor<?x8xf32>
  return %b, %s, %t : index, index, index
}

// Extents without a symbol may differ.

// CHECK-LABEL: func @no_symbol
//  CHECK-SAME:   %[[X:[a-z0-9]+]]: tensor<?xf32> {{.*}}, %[[Y:[a-z0-9]+]]: tensor<?xf32>
//   CHECK-DAG:   tensor.dim %[[X]]
//   CHECK-DAG:   tensor.dim %[[Y]]
func.func @no_symbol(%x: tensor<?xf32> {posenc.symbols = [""]}, %y: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %b = tensor.dim %y, %c0 : tensor<?xf32>
  return %a, %b : index, index
}
