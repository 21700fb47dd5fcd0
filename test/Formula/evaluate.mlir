// RUN: posenc-opt %s --test-posenc-formula --split-input-file --verify-diagnostics | FileCheck %s

// Press et al. 2022: six heads have the slopes of four, then two of those of eight.
// CHECK-LABEL: func @alibi_slopes_of_six_heads
//       CHECK:   2.500000e-01{{\]\], \[\[}}6.250000e-02{{\]\], \[\[}}1.562500e-02{{\]\], \[\[}}3.906250e-03{{\]\], \[\[}}5.000000e-01{{\]\], \[\[}}1.250000e-01{{\]\]}}
func.func @alibi_slopes_of_six_heads() -> tensor<1x6x1x1xf32> {
  %row_before_the_key = arith.constant -1 : index
  %bias = posenc.alibi offset(%row_before_the_key) : tensor<1x6x1x1xf32>
  return %bias : tensor<1x6x1x1xf32>
}

// -----

// Four buckets, both directions, two tokens: bucket 0 and 3, then 1 and 0.
// CHECK-LABEL: func @t5_of_two_tokens
//       CHECK:   0.000000e+00, 3.000000e+00], [1.000000e+00, 0.000000e+00{{\]}}
func.func @t5_of_two_tokens() -> tensor<1x1x2x2xf32> {
  %table = arith.constant dense<[[0.0], [1.0], [2.0], [3.0]]> : tensor<4x1xf32>
  %bias = posenc.bucketed_bias %table bidirectional {max_distance = 128} : tensor<4x1xf32> -> tensor<1x1x2x2xf32>
  return %bias : tensor<1x1x2x2xf32>
}

// -----

// ONNX: left = 2, right = 0 keeps three keys.
// CHECK-LABEL: func @window_of_three_keys
//       CHECK:   false, true, true, true, false
func.func @window_of_three_keys() -> tensor<1x1x1x5xi1> {
  %left = arith.constant 2 : index
  %right = arith.constant 0 : index
  %offset = arith.constant 3 : index
  %mask = posenc.window left(%left) right(%right) offset(%offset) : tensor<1x1x1x5xi1>
  return %mask : tensor<1x1x1x5xi1>
}

// -----

func.func @operands_must_be_constant(%lengths: tensor<1xi64>) -> tensor<1x1x1x2xi1> {
  // expected-error @+1 {{the formula has no number at [0, 0, 0, 0]}}
  %mask = posenc.padding lengths(%lengths : tensor<1xi64>) : tensor<1x1x1x2xi1>
  return %mask : tensor<1x1x1x2xi1>
}
