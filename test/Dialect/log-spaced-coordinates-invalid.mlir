// RUN: posenc-opt %s --split-input-file --verify-diagnostics

func.func @log_spaced_coordinates_c1() {
  // expected-error @+1 {{'window' is [2, 3, 4]; it must be [Wh, Ww], both positive, with at most 65536 places}}
  %r = posenc.log_spaced_coordinates spacing(<window>) {window = array<i64: 2, 3, 4>} : tensor<15x2xf32>
  return
}

// -----

func.func @log_spaced_coordinates_c2() {
  // expected-error @+1 {{result is 'tensor<15x3xf32>'; it must be [15, 2], a row for each distance between places}}
  %r = posenc.log_spaced_coordinates spacing(<window>) {window = array<i64: 2, 3>} : tensor<15x3xf32>
  return
}

// -----

func.func @log_spaced_coordinates_c3() {
  // expected-error @+1 {{'pretrained_window' says nothing with spacing(<natural>); drop it}}
  %r = posenc.log_spaced_coordinates spacing(<natural>) {pretrained_window = array<i64: 8, 8>, window = array<i64: 2, 3>} : tensor<15x2xf32>
  return
}

// -----

func.func @log_spaced_coordinates_c3_rank() {
  // expected-error @+1 {{'pretrained_window' has 1 extents; it must be [Wh', Ww']}}
  %r = posenc.log_spaced_coordinates spacing(<window>) {pretrained_window = array<i64: 8>, window = array<i64: 2, 3>} : tensor<15x2xf32>
  return
}

// -----

func.func @log_spaced_coordinates_c3_one() {
  // expected-error @+1 {{'pretrained_window' has an axis of 1 for one of 3 places; it must have at least two}}
  %r = posenc.log_spaced_coordinates spacing(<window>) {pretrained_window = array<i64: 8, 1>, window = array<i64: 2, 3>} : tensor<15x2xf32>
  return
}
