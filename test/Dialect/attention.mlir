// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: func @score_and_mask
//       CHECK:   posenc.attention query(%{{.*}} : tensor<1x8x?x64xf32>)
//  CHECK-SAME:     score(%[[X:.*]], %{{.*}}, %[[H:.*]], %[[I:.*]], %[[J:.*]]) {
//       CHECK:     mask(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {
func.func @score_and_mask(%q: tensor<1x8x?x64xf32>, %k: tensor<1x2x?x64xf32>,
                          %v: tensor<1x2x?x64xf32>, %slopes: tensor<8xf32>,
                          %scale: f32, %init: tensor<1x8x?x64xf32>) -> tensor<1x8x?x64xf32> {
  %o = posenc.attention query(%q : tensor<1x8x?x64xf32>) key(%k : tensor<1x2x?x64xf32>)
      value(%v : tensor<1x2x?x64xf32>) scale(%scale)
      outs(%init : tensor<1x8x?x64xf32>)
      score(%x, %b, %h, %i, %j) {
        %slope = tensor.extract %slopes[%h] : tensor<8xf32>
        %distance = arith.subi %j, %i : index
        %d32 = arith.index_cast %distance : index to i32
        %d = arith.sitofp %d32 : i32 to f32
        %bias = arith.mulf %slope, %d : f32
        %y = arith.addf %x, %bias : f32
        posenc.yield %y : f32
      }
      mask(%b, %h, %i, %j) {
        %visible = arith.cmpi sle, %j, %i : index
        posenc.yield %visible : i1
      } -> tensor<1x8x?x64xf32>
  return %o : tensor<1x8x?x64xf32>
}

// CHECK-LABEL: func @everything
//       CHECK:   sinks(%{{.*}} : tensor<8xf32>)
//       CHECK:   logsumexp(%{{.*}} : tensor<1x8x?xf32>) layouts(blhd, bhld, blhd, blhd)
//  CHECK-SAME:   query_lanes(<half, first = 0, count = 64>)
//  CHECK-SAME:   schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 64, rows = 6>)
//  CHECK-SAME:   empty_rows(<average>) rotate_query
func.func @everything(%q: tensor<1x?x8x64xf32>, %k: tensor<1x2x?x64xf32>,
                      %v: tensor<1x?x2x64xf32>, %sinks: tensor<8xf32>,
                      %scale: f32, %init: tensor<1x?x8x64xf32>,
                      %lse: tensor<1x8x?xf32>) -> (tensor<1x?x8x64xf32>, tensor<1x8x?xf32>) {
  %o, %l = posenc.attention query(%q : tensor<1x?x8x64xf32>) key(%k : tensor<1x2x?x64xf32>)
      value(%v : tensor<1x?x2x64xf32>) scale(%scale) sinks(%sinks : tensor<8xf32>)
      outs(%init : tensor<1x?x8x64xf32>) logsumexp(%lse : tensor<1x8x?xf32>)
      layouts(blhd, bhld, blhd, blhd)
      query_lanes(<half, first = 0, count = 64>)
      schedule(#posenc.cpu_prefill<query_block = 64, key_block = 64, lanes = 64, rows = 6>)
      empty_rows(<average>)
      rotate_query(%b, %h, %i, %pair) {
        %c = arith.constant 1.0 : f32
        %s = arith.constant 0.0 : f32
        posenc.yield %c, %s : f32, f32
      } -> tensor<1x?x8x64xf32>, tensor<1x8x?xf32>
  return %o, %l : tensor<1x?x8x64xf32>, tensor<1x8x?xf32>
}

// CHECK-LABEL: func @nothing
//       CHECK:   posenc.attention query(%{{.*}} : memref<1x2x?x8xf16>) key(%{{.*}} : memref<1x2x?x8xf16>)
//  CHECK-SAME:     value(%{{.*}} : memref<1x2x?x4xf16>) scale(%{{.*}}) outs(%{{.*}} : memref<1x2x?x4xf16>){{$}}
func.func @nothing(%q: memref<1x2x?x8xf16>, %k: memref<1x2x?x8xf16>, %v: memref<1x2x?x4xf16>,
                   %scale: f32, %o: memref<1x2x?x4xf16>) {
  posenc.attention query(%q : memref<1x2x?x8xf16>) key(%k : memref<1x2x?x8xf16>)
      value(%v : memref<1x2x?x4xf16>) scale(%scale) outs(%o : memref<1x2x?x4xf16>)
  return
}

// CHECK-LABEL: func @paged
//       CHECK:   block_table(%{{.*}} : memref<3x?xi32>)
//  CHECK-SAME:   key_lanes(<interleaved, first = 4, count = 4>) rotate_key(%{{.*}}) {
//       CHECK:   } bounds(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {
//       CHECK:   } tile(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {
func.func @paged(%q: memref<3x2x?x8xf32>, %k: memref<?x2x16x8xf32>, %v: memref<?x2x16x8xf32>,
                 %table: memref<3x?xi32>, %scale: f32, %o: memref<3x2x?x8xf32>) {
  posenc.attention query(%q : memref<3x2x?x8xf32>) key(%k : memref<?x2x16x8xf32>)
      value(%v : memref<?x2x16x8xf32>) scale(%scale) block_table(%table : memref<3x?xi32>)
      outs(%o : memref<3x2x?x8xf32>) key_lanes(<interleaved, first = 4, count = 4>)
      rotate_key(%b, %g, %j, %pair) {
        %c = arith.constant 1.0 : f32
        posenc.yield %c, %c : f32, f32
      }
      bounds(%b, %h, %i0, %i1) {
        posenc.yield %i0, %i0, %i1, %i1 : index, index, index, index
      }
      tile(%b, %h, %i0, %i1, %j0, %j1) {
        %any = arith.cmpi sle, %j0, %i1 : index
        posenc.yield %any, %any : i1, i1
      }
  return
}
