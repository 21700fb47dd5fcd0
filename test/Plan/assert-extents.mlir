// RUN: posenc-opt %s --posenc-assert-extents --cse --canonicalize | FileCheck %s

// Operands of attention agree, and what a region reads at a plain index has room.

// CHECK-LABEL: func.func @attention(
//   CHECK-DAG:   cf.assert %{{.*}}, "dimension 0 of 'k' must equal dimension 0 of 'q'"
//   CHECK-DAG:   cf.assert %{{.*}}, "dimension 2 of 'v' must equal dimension 2 of 'k'"
//   CHECK-DAG:   cf.assert %{{.*}}, "dimension 0 of 'lengths' must not be less than dimension 0 of 'q'"
//   CHECK-DAG:   cf.assert %{{.*}}, "dimension 1 of 'bias' must not be less than dimension 2 of 'k'"
//       CHECK:   posenc.attention
func.func @attention(%q: tensor<?x4x3x8xf32> {posenc.name = "q"}, %k: tensor<?x4x?x8xf32> {posenc.name = "k"},
                     %v: tensor<?x4x?x8xf32> {posenc.name = "v"}, %lengths: tensor<?xindex> {posenc.name = "lengths"},
                     %bias: tensor<4x?xf32> {posenc.name = "bias"}, %init: tensor<?x4x3x8xf32>,
                     %scale: f32) -> tensor<?x4x3x8xf32> {
  %o = posenc.attention query(%q : tensor<?x4x3x8xf32>) key(%k : tensor<?x4x?x8xf32>)
      value(%v : tensor<?x4x?x8xf32>) scale(%scale) outs(%init : tensor<?x4x3x8xf32>)
      score(%x, %b, %h, %i, %j) {
        %e = tensor.extract %bias[%h, %j] : tensor<4x?xf32>
        %y = arith.addf %x, %e : f32
        posenc.yield %y : f32
      }
      mask(%b, %h, %i, %j) {
        %n = tensor.extract %lengths[%b] : tensor<?xindex>
        %m = arith.cmpi slt, %j, %n : index
        posenc.yield %m : i1
      } -> tensor<?x4x3x8xf32>
  return %o : tensor<?x4x3x8xf32>
}

// CHECK-LABEL: func.func @groups(
//       CHECK:   %[[REST:.*]] = arith.remui
//       CHECK:   %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]]
//       CHECK:   cf.assert %[[WHOLE]], "dimension 1 of 'q' must be a multiple of dimension 1 of 'k'"
func.func @groups(%q: tensor<1x?x3x8xf32> {posenc.name = "q"}, %k: tensor<1x?x3x8xf32> {posenc.name = "k"},
                  %init: tensor<1x?x3x8xf32>, %scale: f32) -> tensor<1x?x3x8xf32> {
  %o = posenc.attention query(%q : tensor<1x?x3x8xf32>) key(%k : tensor<1x?x3x8xf32>)
      value(%k : tensor<1x?x3x8xf32>) scale(%scale) outs(%init : tensor<1x?x3x8xf32>) -> tensor<1x?x3x8xf32>
  return %o : tensor<1x?x3x8xf32>
}

// A sink for each head, a row of page numbers for each sequence; what regions read has room there, too.
// CHECK-LABEL: func.func @sinks_and_pages(
//   CHECK-DAG:   cf.assert %{{.*}}, "dimension 0 of 'sinks' must equal dimension 1 of 'q' (8)"
//   CHECK-DAG:   cf.assert %{{.*}}, "dimension 0 of 'table' must equal dimension 0 of 'q'"
//   CHECK-DAG:   cf.assert %{{.*}}, "dimension 0 of 'input5' must equal dimension 0 of 'q'"
//   CHECK-DAG:   cf.assert %{{.*}}, "dimension 0 of 'lengths' must not be less than dimension 0 of 'q'"
//       CHECK:   posenc.attention
func.func @sinks_and_pages(%q: tensor<?x8x3x8xf32> {posenc.name = "q"}, %k: tensor<?x8x16x8xf32> {posenc.name = "k"},
                           %sinks: tensor<?xf32> {posenc.name = "sinks"}, %table: tensor<?x4xi32> {posenc.name = "table"},
                           %lengths: tensor<?xindex> {posenc.name = "lengths"},
                           %init: tensor<?x8x3x8xf32>, %scale: f32) -> tensor<?x8x3x8xf32> {
  %o = posenc.attention query(%q : tensor<?x8x3x8xf32>) key(%k : tensor<?x8x16x8xf32>)
      value(%k : tensor<?x8x16x8xf32>) scale(%scale) sinks(%sinks : tensor<?xf32>)
      block_table(%table : tensor<?x4xi32>) outs(%init : tensor<?x8x3x8xf32>)
      mask(%b, %h, %i, %j) {
        %n = tensor.extract %lengths[%b] : tensor<?xindex>
        %m = arith.cmpi slt, %j, %n : index
        posenc.yield %m : i1
      } -> tensor<?x8x3x8xf32>
  return %o : tensor<?x8x3x8xf32>
}

// Static extents are the verifiers' business.
// CHECK-LABEL: func.func @linalg(
//   CHECK-DAG:   cf.assert %{{.*}}, "dimension 0 of 'y' must equal dimension 0 of 'x'"
//   CHECK-DAG:   cf.assert %{{.*}}, "dimension 0 of 'table' must not be less than dimension 0 of 'x'"
//       CHECK:   linalg.generic
func.func @linalg(%x: tensor<?x4xf32> {posenc.name = "x"}, %y: tensor<?x4xf32> {posenc.name = "y"},
                  %table: tensor<?xf32> {posenc.name = "table"}) -> tensor<?x4xf32> {
  %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%y : tensor<?x4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %i = linalg.index 0 : index
      %t = tensor.extract %table[%i] : tensor<?xf32>
      %r = arith.addf %a, %t : f32
      linalg.yield %r : f32
  } -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}

// The slice of a whole tensor lies in it whatever its size.
// CHECK-LABEL: func.func @slices(
//       CHECK:   cf.assert %{{.*}}, "a slice reaches outside dimension 0 of 'cache'"
//       CHECK:   cf.assert %{{.*}}, "a slice reaches outside dimension 0 of 'cache'"
//       CHECK:   tensor.insert_slice
//   CHECK-NOT:   cf.assert
//       CHECK:   return
func.func @slices(%cache: tensor<?x4xf32> {posenc.name = "cache"}, %row: tensor<1x4xf32>,
                  %at: index) -> (tensor<?x4xf32>, tensor<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %cache, %c0 : tensor<?x4xf32>
  %new = tensor.insert_slice %row into %cache[%at, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
  %half = tensor.extract_slice %cache[0, 2] [%n, 2] [1, 1] : tensor<?x4xf32> to tensor<?x2xf32>
  return %new, %half : tensor<?x4xf32>, tensor<?x2xf32>
}

// What is inserted may be computed in place: the assertion comes before that.
// CHECK-LABEL: func.func @computed_in_place(
//       CHECK:   cf.assert %{{.*}}, "a slice reaches outside dimension 0 of 'cache'"
//       CHECK:   linalg.fill
func.func @computed_in_place(%cache: tensor<?x4xf32> {posenc.name = "cache"}, %at: index, %x: f32) -> tensor<?x4xf32> {
  %e = tensor.empty() : tensor<1x4xf32>
  %row = linalg.fill ins(%x : f32) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %new = tensor.insert_slice %row into %cache[%at, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<?x4xf32>
  return %new : tensor<?x4xf32>
}
