// RUN: posenc-opt %s --transform-interpreter --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// The mask of a tile sees the row of the whole; the last tile of rows is short.

// CHECK-DAG: #[[$SIZE:.*]] = affine_map<(d0) -> (-d0 + 5, 3)>
// CHECK-LABEL: func @rows
//       CHECK:   scf.for %[[H:[a-z0-9]+]] = %{{.*}} step %c2
//       CHECK:     scf.for %[[I:[a-z0-9]+]] = %{{.*}} step %c3
//       CHECK:       %[[ROWS:[a-z0-9]+]] = affine.min #[[$SIZE]](%[[I]])
//       CHECK:       tensor.extract_slice %{{.*}}[0, %[[H]], %[[I]], 0] [1, 2, %[[ROWS]], 8]
//       CHECK:       posenc.attention
//       CHECK:         mask(%{{.*}}, %{{.*}}, %[[ROW:[a-z0-9]+]], %[[KEY:[a-z0-9]+]]) {
//       CHECK:           %[[WHOLE:[a-z0-9]+]] = arith.addi %[[ROW]], %[[I]]
//       CHECK:           arith.cmpi sle, %[[KEY]], %[[WHOLE]]
func.func @rows(%q: tensor<1x4x5x8xf32>, %k: tensor<1x1x7x8xf32>, %init: tensor<1x4x5x8xf32>,
                %scale: f32) -> tensor<1x4x5x8xf32> {
  %o = posenc.attention query(%q : tensor<1x4x5x8xf32>) key(%k : tensor<1x1x7x8xf32>)
      value(%k : tensor<1x1x7x8xf32>) scale(%scale) outs(%init : tensor<1x4x5x8xf32>)
      mask(%b, %h, %i, %j) {
        %visible = arith.cmpi sle, %j, %i : index
        posenc.yield %visible : i1
      } -> tensor<1x4x5x8xf32>
  return %o : tensor<1x4x5x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["posenc.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %attention tile_sizes [0, 2, 3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @tile_across_groups(%q: tensor<1x6x5x8xf32>, %k: tensor<1x2x7x8xf32>, %init: tensor<1x6x5x8xf32>,
                              %scale: f32) -> tensor<1x6x5x8xf32> {
  // expected-error @below {{tile operation}}
  // expected-error @below {{failed to generate tiling loops}}
  // expected-error @below {{cannot be tiled by 2 query heads in groups of 3; a tile must hold whole groups or a divisor of one}}
  %o = posenc.attention query(%q : tensor<1x6x5x8xf32>) key(%k : tensor<1x2x7x8xf32>)
      value(%k : tensor<1x2x7x8xf32>) scale(%scale) outs(%init : tensor<1x6x5x8xf32>) -> tensor<1x6x5x8xf32>
  return %o : tensor<1x6x5x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["posenc.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops = transform.structured.tile_using_for %attention tile_sizes [0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// Whole groups, from an offset that a map of the loop's counter shows to begin one.

// CHECK-LABEL: func @groups
//       CHECK:   scf.forall
//       CHECK:     tensor.extract_slice %{{.*}}[0, %{{.*}}, 0, 0] [1, 1, 7, 8]
//       CHECK:     posenc.attention
func.func @groups(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x7x8xf32>, %init: tensor<1x4x5x8xf32>,
                %scale: f32) -> tensor<1x4x5x8xf32> {
  %o = posenc.attention query(%q : tensor<1x4x5x8xf32>) key(%k : tensor<1x2x7x8xf32>)
      value(%k : tensor<1x2x7x8xf32>) scale(%scale) outs(%init : tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  %e = tensor.empty() : tensor<1x4x5x8xf32>
  %r = scf.forall (%t) in (2) shared_outs(%out = %e) -> tensor<1x4x5x8xf32> {
    %first = affine.apply affine_map<(d0) -> (d0 * 2)>(%t)
    %s = tensor.extract_slice %o[0, %first, 0, 0] [1, 2, 5, 8] [1, 1, 1, 1] : tensor<1x4x5x8xf32> to tensor<1x2x5x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %out[0, %first, 0, 0] [1, 2, 5, 8] [1, 1, 1, 1] : tensor<1x2x5x8xf32> into tensor<1x4x5x8xf32>
    }
  }
  return %r : tensor<1x4x5x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["posenc.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %loop = transform.structured.match ops{["scf.forall"]} in %root : (!transform.any_op) -> !transform.any_op
    %fused, %new = transform.structured.fuse_into_containing_op %attention into %loop : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

func.func @unknown_offset(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x7x8xf32>, %init: tensor<1x4x5x8xf32>,
                %off: index, %scale: f32) -> tensor<1x4x5x8xf32> {
  // expected-error @below {{cannot be tiled by 2 query heads in groups of 2 from an offset not known to be a multiple of 2; a tile must not begin within a group and end in another}}
  %o = posenc.attention query(%q : tensor<1x4x5x8xf32>) key(%k : tensor<1x2x7x8xf32>)
      value(%k : tensor<1x2x7x8xf32>) scale(%scale) outs(%init : tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  %e = tensor.empty() : tensor<1x4x5x8xf32>
  %r = scf.forall (%t) in (2) shared_outs(%out = %e) -> tensor<1x4x5x8xf32> {
    %first = affine.apply affine_map<(d0) -> (d0 * 2)>(%t)
    %s = tensor.extract_slice %o[0, %off, 0, 0] [1, 2, 5, 8] [1, 1, 1, 1] : tensor<1x4x5x8xf32> to tensor<1x2x5x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %out[0, %first, 0, 0] [1, 2, 5, 8] [1, 1, 1, 1] : tensor<1x2x5x8xf32> into tensor<1x4x5x8xf32>
    }
  }
  return %r : tensor<1x4x5x8xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %attention = transform.structured.match ops{["posenc.attention"]} in %root : (!transform.any_op) -> !transform.any_op
    %loop = transform.structured.match ops{["scf.forall"]} in %root : (!transform.any_op) -> !transform.any_op
    %fused, %new = transform.structured.fuse_into_containing_op %attention into %loop : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
