// RUN: posenc-opt %s --posenc-fold-constant-transposes | FileCheck %s

// CHECK-LABEL: func @dense
//   CHECK-NOT:   linalg.transpose
//       CHECK:   arith.constant dense_resource<[[$DENSE:.*]]> : tensor<3x2xf32>
func.func @dense(%init: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %weight = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %t = linalg.transpose ins(%weight : tensor<2x3xf32>) outs(%init : tensor<3x2xf32>) permutation = [1, 0]
  return %t : tensor<3x2xf32>
}

// Axes that turn round: result axis k is input axis permutation[k].

// CHECK-LABEL: func @resource
//   CHECK-NOT:   linalg.transpose
//       CHECK:   arith.constant dense_resource<[[$RESOURCE:.*]]> : tensor<3x1x2xi16>
func.func @resource(%init: tensor<3x1x2xi16>) -> tensor<3x1x2xi16> {
  %weight = arith.constant dense_resource<weight> : tensor<1x2x3xi16>
  %t = linalg.transpose ins(%weight : tensor<1x2x3xi16>) outs(%init : tensor<3x1x2xi16>) permutation = [2, 0, 1]
  return %t : tensor<3x1x2xi16>
}

// CHECK-LABEL: func @argument
//       CHECK:   linalg.transpose
func.func @argument(%x: tensor<2x3xf32>, %init: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %t = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%init : tensor<3x2xf32>) permutation = [1, 0]
  return %t : tensor<3x2xf32>
}

// CHECK-DAG: [[$DENSE]]: "0x400000000000803F00008040000000400000A040000040400000C040"
// CHECK-DAG: [[$RESOURCE]]: "0x40000000010004000200050003000600"

{-#
  dialect_resources: {
    builtin: {
      weight: "0x04000000010002000300040005000600"
    }
  }
#-}
