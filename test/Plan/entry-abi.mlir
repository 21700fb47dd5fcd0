// RUN: posenc-opt %s --posenc-entry-abi --split-input-file | FileCheck %s

// CHECK: module attributes {posenc.functions = [{inputs = [
// CHECK-SAME: {donated = false, name = "x", symbols = ["", "S"], type = tensor<4x?xf32>}
// CHECK-SAME: outputs = [{name = "y", symbols = ["", "2*S"], type = tensor<4x?xf32>}]

// CHECK-LABEL: func @elementwise__shapes(
//  CHECK-SAME:   %[[X:.*]]: memref<4x?xf32, strided<[?, 1]>>,
//  CHECK-SAME:   %[[EXTENTS:.*]]: memref<?xi64>) attributes {posenc.shapes}
//   CHECK-DAG:   %[[C0:.*]] = arith.constant 0 : index
//   CHECK-DAG:   %[[FOUR:.*]] = arith.constant 4 : i64
//       CHECK:   memref.store %[[FOUR]], %[[EXTENTS]][%[[C0]]]
//       CHECK:   %[[S:.*]] = memref.dim %[[X]]
//       CHECK:   %[[S64:.*]] = arith.index_cast %[[S]] : index to i64
//       CHECK:   memref.store %[[S64]], %[[EXTENTS]]
//       CHECK:   return

// CHECK-LABEL: func @elementwise(
//  CHECK-SAME:   %[[X:.*]]: memref<4x?xf32, strided<[?, 1]>> {posenc.name = "x", posenc.symbols = ["", "S"]},
//  CHECK-SAME:   %[[Y:.*]]: memref<4x?xf32, strided<[?, 1]>> {posenc.name = "y"}) attributes {posenc.entry}
//       CHECK:   %[[IN:.*]] = bufferization.to_tensor %[[X]] restrict :
//       CHECK:   %[[OUT:.*]] = linalg.exp
//       CHECK:   bufferization.materialize_in_destination %[[OUT]] in restrict writable %[[Y]]
func.func @elementwise(%x: tensor<4x?xf32> {posenc.name = "x", posenc.symbols = ["", "S"]})
    -> (tensor<4x?xf32> {posenc.name = "y", posenc.symbols = ["", "2*S"]}) {
  %c1 = arith.constant 1 : index
  %s = tensor.dim %x, %c1 : tensor<4x?xf32>
  %init = tensor.empty(%s) : tensor<4x?xf32>
  %y = linalg.exp ins(%x : tensor<4x?xf32>) outs(%init : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}

// -----

// The extents of a cache that grows, and the assertion on them.

// CHECK-LABEL: func @append__shapes(
//  CHECK-SAME:   %[[PAST:.*]]: memref<1x?x8xf32, {{.*}}>, %[[NEW:.*]]: memref<1x?x8xf32, {{.*}}>, %{{.*}}: memref<?xi64>)
//       CHECK:   cf.assert %{{.*}}, "too long"
//       CHECK:   %[[P:.*]] = memref.dim %[[PAST]]
//       CHECK:   %[[N:.*]] = memref.dim %[[NEW]]
//       CHECK:   affine.apply #{{.*}}()[%[[P]], %[[N]]]
// CHECK-LABEL: func @append(
//   CHECK-NOT:   cf.assert
func.func @append(%past: tensor<1x?x8xf32>, %new: tensor<1x?x8xf32>) -> tensor<1x?x8xf32> {
  %c1 = arith.constant 1 : index
  %most = arith.constant 4096 : index
  %p = tensor.dim %past, %c1 : tensor<1x?x8xf32>
  %fits = arith.cmpi sle, %p, %most : index
  cf.assert %fits, "too long"
  %all = tensor.concat dim(1) %past, %new : (tensor<1x?x8xf32>, tensor<1x?x8xf32>) -> tensor<1x?x8xf32>
  return %all : tensor<1x?x8xf32>
}

// -----

// A donated input is written in place and is no output.

// CHECK: outputs = []
// CHECK-LABEL: func @donated__shapes(
//   CHECK-NOT:   memref.store
// CHECK-LABEL: func @donated(
//  CHECK-SAME:   %[[CACHE:.*]]: memref<8x4xf32, strided<[?, 1]>> {posenc.donated = 0 : i64}, %{{.*}}: memref<1x4xf32, strided<[?, 1]>>) attributes
//       CHECK:   bufferization.to_tensor %[[CACHE]] restrict writable
//   CHECK-NOT:   alloc_tensor
//       CHECK:   materialize_in_destination %{{.*}} in restrict writable %[[CACHE]]
func.func @donated(%cache: tensor<8x4xf32> {posenc.donated = 0}, %row: tensor<1x4xf32>) -> tensor<8x4xf32> {
  %next = tensor.insert_slice %row into %cache[2, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
  return %next : tensor<8x4xf32>
}

// -----

// Donated inputs that swap places are copied before either is written.

// CHECK-LABEL: func @swap(
//       CHECK:   %[[A:.*]] = bufferization.alloc_tensor() copy(%{{.*}})
//       CHECK:   %[[B:.*]] = bufferization.alloc_tensor() copy(%{{.*}})
//       CHECK:   materialize_in_destination %[[A]]
//       CHECK:   materialize_in_destination %[[B]]
func.func @swap(%a: tensor<8xf32> {posenc.donated = 0}, %b: tensor<8xf32> {posenc.donated = 1})
    -> (tensor<8xf32>, tensor<8xf32>) {
  return %b, %a : tensor<8xf32>, tensor<8xf32>
}

// -----

// A collapsed result is written through an expanded view of its output.

// CHECK-LABEL: func @heads(
//  CHECK-SAME:   %[[OUT:[a-z0-9]+]]: memref<?x512xf32, strided<[?, 1]>> {posenc.name
//       CHECK:   %[[VIEW:.*]] = memref.expand_shape %[[OUT]] {{\[\[0\], \[1, 2\]\]}}
//       CHECK:   %[[IN:.*]] = bufferization.to_tensor
//       CHECK:   materialize_in_destination %[[IN]] in restrict writable %[[VIEW]]
func.func @heads(%x: tensor<?x8x64xf32>) -> tensor<?x512xf32> {
  %flat = tensor.collapse_shape %x [[0], [1, 2]] : tensor<?x8x64xf32> into tensor<?x512xf32>
  return %flat : tensor<?x512xf32>
}

// -----

// What has been planned before stays.

// CHECK: module attributes {posenc.functions = [{inputs = [], name = "planned", outputs = []}]}
// CHECK-LABEL: func @planned() attributes {posenc.entry}
// CHECK-LABEL: func @planned__shapes(
//   CHECK-NOT: func
module attributes {posenc.functions = [{inputs = [], name = "planned", outputs = []}]} {
  func.func @planned() attributes {posenc.entry} {
    return
  }
  func.func @planned__shapes(%extents: memref<?xi64>) attributes {posenc.shapes} {
    return
  }
}

// -----

// An op that reads another's result inside of its region: both fall away.

// CHECK: module
// CHECK-LABEL: func @captures_a_result__shapes(
//  CHECK-NEXT:   %[[FIVE:.*]] = arith.constant 5 : i64
//  CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
//  CHECK-NEXT:   memref.store %[[FIVE]], %{{.*}}[%[[C0]]]
//  CHECK-NEXT:   return
#m = affine_map<(d0) -> (d0)>
func.func @captures_a_result(%x: tensor<4xf32> {posenc.name = "x"}, %i: tensor<5xindex> {posenc.name = "i"})
    -> (tensor<5xf32> {posenc.name = "r"}) {
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<5xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel"]}
      ins(%i : tensor<5xindex>) outs(%e : tensor<5xf32>) {
  ^bb0(%in: index, %out: f32):
    %small = arith.cmpi ult, %in, %c4 : index
    cf.assert %small, "small"
    %element = tensor.extract %y[%in] : tensor<4xf32>
    linalg.yield %element : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
