// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s

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
//  CHECK-SAME:   schedule(#posenc.cpu<prefill, query_block = 64, key_block = 64, lanes = 64, rows = 6, split = 1>)
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
      schedule(#posenc.cpu<prefill, query_block = 64, key_block = 64, lanes = 64, rows = 6, split = 1>)
      empty_rows(<average>)
      rotate_query(%b, %h, %i, %pair) {
        %c = arith.constant 1.0 : f32
        %s = arith.constant 0.0 : f32
        posenc.yield %c, %s : f32, f32
      } -> tensor<1x?x8x64xf32>, tensor<1x8x?xf32>
  return %o, %l : tensor<1x?x8x64xf32>, tensor<1x8x?xf32>
}

// CHECK-LABEL: func @rotary
//       CHECK:   posenc.rotary %{{.*}} offset(%{{.*}}) lanes(<half, first = 0, count = 64>)
//  CHECK-SAME:     frequencies(#posenc.frequencies<base = 500000.0, scaling = #posenc.llama3<factor = 32.0, low_freq_factor = 1.0, high_freq_factor = 4.0, original_length = 8192>>)
func.func @rotary(%x: tensor<1x8x?x64xf32>, %offset: index) -> tensor<1x8x?x64xf32> {
  %y = posenc.rotary %x offset(%offset) lanes(<half, first = 0, count = 64>)
      frequencies(#posenc.frequencies<base = 500000.0, scaling = #posenc.llama3<factor = 32.0,
        low_freq_factor = 1.0, high_freq_factor = 4.0, original_length = 8192>>)
      : tensor<1x8x?x64xf32>
  return %y : tensor<1x8x?x64xf32>
}

// CHECK-LABEL: func @bias_and_mask
//       CHECK:   posenc.alibi sizes(%{{.*}}, %{{.*}}) symmetric : tensor<1x8x?x?xf32>
//       CHECK:   posenc.causal sizes(%{{.*}}, %{{.*}}) offset(%{{.*}}) : tensor<1x1x?x?xi1>
func.func @bias_and_mask(%lq: index, %lk: index, %offset: index) -> (tensor<1x8x?x?xf32>, tensor<1x1x?x?xi1>) {
  %bias = posenc.alibi sizes(%lq, %lk) symmetric : tensor<1x8x?x?xf32>
  %mask = posenc.causal sizes(%lq, %lk) offset(%offset) : tensor<1x1x?x?xi1>
  return %bias, %mask : tensor<1x8x?x?xf32>, tensor<1x1x?x?xi1>
}
