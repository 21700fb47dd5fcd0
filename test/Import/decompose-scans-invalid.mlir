// RUN: posenc-opt %s --posenc-decompose-scans --verify-diagnostics --split-input-file

func.func @no_neutral_element(%x: tensor<9xf32>, %total: tensor<f32>) -> tensor<9xf32> {
  // expected-error @+1 {{combines by more than one operation, or by one without a neutral element; posenc takes running sums, products, minima and maxima}}
  %0:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<9xf32>)
      outs(%x, %total : tensor<9xf32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.divf %a, %b : f32
    tm_tensor.yield %1 : f32
  } -> tensor<9xf32>, tensor<f32>
  return %0#0 : tensor<9xf32>
}

// -----

func.func @dimension(%x: tensor<9xf32>, %total: tensor<f32>) {
  // expected-error @+1 {{dimension 1 is not one of the 1 dimensions of 'tensor<9xf32>'}}
  %0:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x : tensor<9xf32>)
      outs(%x, %total : tensor<9xf32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<9xf32>, tensor<f32>
  return
}

// -----

func.func @accumulator(%x: tensor<9xf32>, %total: tensor<1xf32>) {
  // expected-error @+1 {{accumulator is 'tensor<1xf32>'; it must be 'tensor<f32>', the input without dimension 0}}
  %0:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<9xf32>)
      outs(%x, %total : tensor<9xf32>, tensor<1xf32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<9xf32>, tensor<1xf32>
  return
}

// -----

func.func @output(%x: tensor<9xf32>, %y: tensor<8xf32>, %total: tensor<f32>) {
  // expected-error @+1 {{output is 'tensor<8xf32>'; it must be 'tensor<9xf32>' as the input is}}
  %0:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<9xf32>)
      outs(%y, %total : tensor<8xf32>, tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    tm_tensor.yield %a : f32
  } -> tensor<9xf32>, tensor<f32>
  return
}

// -----

func.func @body(%x: tensor<9xf32>, %total: tensor<f32>) {
  // expected-error @+1 {{must combine two elements of type 'f32' to one}}
  %0:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%x : tensor<9xf32>)
      outs(%x, %total : tensor<9xf32>, tensor<f32>) {
  ^bb0(%a: f32):
    tm_tensor.yield %a : f32
  } -> tensor<9xf32>, tensor<f32>
  return
}
