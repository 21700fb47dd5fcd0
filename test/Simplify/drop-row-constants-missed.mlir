// RUN: posenc-opt %s --posenc-drop-row-constants --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics --split-input-file

func.func @sinks(%q: tensor<1x8x4x16xf32>, %sinks: tensor<8xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) sinks(%sinks : tensor<8xf32>) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %one = arith.constant 1.0 : f32
        // expected-remark @below {{a sink is compared with the score as it is}}
        %y = arith.addf %x, %one : f32
        posenc.yield %y : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}

// -----

func.func @logsumexp(%q: tensor<1x8x4x16xf32>, %lse: tensor<1x8x4xf32>, %scale: f32) -> tensor<1x8x4xf32> {
  %o, %l = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>) logsumexp(%lse : tensor<1x8x4xf32>)
      score(%x, %b, %h, %i, %j) {
        %one = arith.constant 1.0 : f32
        // expected-remark @below {{the log-sum-exp is a result}}
        %y = arith.addf %x, %one : f32
        posenc.yield %y : f32
      } -> tensor<1x8x4x16xf32>, tensor<1x8x4xf32>
  return %l : tensor<1x8x4xf32>
}

// -----

func.func @dropped(%q: tensor<1x8x4x16xf32>, %scale: f32) -> tensor<1x8x4x16xf32> {
  %o = posenc.attention query(%q : tensor<1x8x4x16xf32>) key(%q : tensor<1x8x4x16xf32>)
      value(%q : tensor<1x8x4x16xf32>) scale(%scale) outs(%q : tensor<1x8x4x16xf32>)
      score(%x, %b, %h, %i, %j) {
        %two = arith.constant 2.0 : f32
        // expected-remark @below {{'arith.addf' dropped from the score of 'posenc.attention'}}
        %y = arith.addf %x, %two : f32
        posenc.yield %y : f32
      } -> tensor<1x8x4x16xf32>
  return %o : tensor<1x8x4x16xf32>
}
