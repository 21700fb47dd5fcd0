// RUN: posenc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// What the custom syntax cannot say: one diagnostic each, no crash.

func.func @empty_block(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{empty block: expect at least a terminator}}
  %r = "posenc.attention"(%q, %k, %v, %s, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 0>}> ({
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
  }, {}, {}, {}, {}, {})
      : (tensor<2x8x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x4xf32>, f32, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @no_terminator(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  %r = "posenc.attention"(%q, %k, %v, %s, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 0>}> ({
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @+1 {{block with no terminator}}
    %y = arith.addf %x, %x : f32
  }, {}, {}, {}, {}, {})
      : (tensor<2x8x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x4xf32>, f32, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @other_terminator(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{region 'score' must end with posenc.yield}}
  %r = "posenc.attention"(%q, %k, %v, %s, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 0>}> ({
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    "test.terminator"() : () -> ()
  }, {}, {}, {}, {}, {})
      : (tensor<2x8x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x4xf32>, f32, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @four_arguments(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{region 'score' takes ('f32', 'index', 'index', 'index'); it must take ('f32', 'index', 'index', 'index', 'index')}}
  %r = "posenc.attention"(%q, %k, %v, %s, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 0>}> ({
  ^bb0(%x: f32, %b: index, %h: index, %i: index):
    posenc.yield %x : f32
  }, {}, {}, {}, {}, {})
      : (tensor<2x8x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x4xf32>, f32, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @argument_type(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{region 'score' takes ('f64', 'index', 'index', 'index', 'index'); it must take}}
  %r = "posenc.attention"(%q, %k, %v, %s, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 0>}> ({
  ^bb0(%x: f64, %b: index, %h: index, %i: index, %j: index):
    posenc.yield %s : f32
  }, {}, {}, {}, {}, {})
      : (tensor<2x8x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x4xf32>, f32, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @two_blocks(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{region #0 ('score') failed to verify constraint: region with at most 1 blocks}}
  %r = "posenc.attention"(%q, %k, %v, %s, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 0>}> ({
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    cf.br ^bb1
  ^bb1:
    posenc.yield %x : f32
  }, {}, {}, {}, {}, {})
      : (tensor<2x8x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x4xf32>, f32, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @yield_type(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{region 'score' yields ('index'); it must yield ('f32')}}
  %r = "posenc.attention"(%q, %k, %v, %s, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 0>}> ({
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    posenc.yield %i : index
  }, {}, {}, {}, {}, {})
      : (tensor<2x8x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x4xf32>, f32, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @yield_count(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{region 'score' yields ('f32', 'f32'); it must yield ('f32')}}
  %r = "posenc.attention"(%q, %k, %v, %s, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 0>}> ({
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    posenc.yield %x, %x : f32, f32
  }, {}, {}, {}, {}, {})
      : (tensor<2x8x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x4xf32>, f32, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @yield_nothing(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{region 'score' yields (); it must yield ('f32')}}
  %r = "posenc.attention"(%q, %k, %v, %s, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 0>}> ({
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    posenc.yield
  }, {}, {}, {}, {}, {})
      : (tensor<2x8x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x4xf32>, f32, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @regions_missing(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{expected 6 regions}}
  %r = "posenc.attention"(%q, %k, %v, %s, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 0>}> ({}, {})
      : (tensor<2x8x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x4xf32>, f32, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @segments_missing(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{operand count (5) does not match with the total size (0) specified in attribute 'operandSegmentSizes'}}
  %r = "posenc.attention"(%q, %k, %v, %s, %o) ({}, {}, {}, {}, {}, {})
      : (tensor<2x8x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x4xf32>, f32, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @property_type(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x5x16xf32>, %v: tensor<2x2x5x4xf32>, %s: f32, %o: tensor<2x8x3x4xf32>) {
  // expected-error @+1 {{Invalid attribute `empty_rows` in property conversion: 3 : i32}}
  %r = "posenc.attention"(%q, %k, %v, %s, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 1, 0>, empty_rows = 3 : i32}> ({}, {}, {}, {}, {}, {})
      : (tensor<2x8x3x16xf32>, tensor<2x2x5x16xf32>, tensor<2x2x5x4xf32>, f32, tensor<2x8x3x4xf32>) -> tensor<2x8x3x4xf32>
  return
}

// -----

func.func @lanes_missing(%x: tensor<1x8x3x8xf32>) {
  // expected-error @+1 {{requires attribute 'lanes'}}
  %y = "posenc.rotary"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0>}> : (tensor<1x8x3x8xf32>) -> tensor<1x8x3x8xf32>
  return
}
