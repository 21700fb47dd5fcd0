// RUN: posenc-opt %s --posenc-expand-math --split-input-file --verify-diagnostics

func.func @wide(%x: f64) -> f64 {
  // expected-error @below {{'math.exp' op has no expansion for 'f64' on a CPU: use f32 or express it in other functions}}
  %y = math.exp %x : f64
  return %y : f64
}

// -----

func.func @unknown(%x: f32) -> f32 {
  // expected-error @below {{'math.cbrt' op has no expansion for 'f32'}}
  %y = math.cbrt %x : f32
  return %y : f32
}
