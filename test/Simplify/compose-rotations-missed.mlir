// RUN: posenc-opt %s --posenc-compose-rotations --remarks-filter='posenc.*' --remark-format=emitRemark --verify-diagnostics --split-input-file

func.func @other_lanes(%x: tensor<1x8x?x16xf32>, %p: tensor<1x?xi64>) -> tensor<1x8x?x16xf32> {
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 8>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  // expected-remark @below {{the rotations differ in more than their positions}}
  %z = posenc.rotary %y positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) inverse : tensor<1x8x?x16xf32>
  return %z : tensor<1x8x?x16xf32>
}

// -----

func.func @other_base(%x: tensor<1x8x?x16xf32>, %p: tensor<1x?xi64>) -> tensor<1x8x?x16xf32> {
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  // expected-remark @below {{the rotations differ in more than their positions}}
  %z = posenc.rotary %y positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 500000.0>) inverse : tensor<1x8x?x16xf32>
  return %z : tensor<1x8x?x16xf32>
}

// -----

// Caches may hold any numbers: turning back by them need not give the input.

func.func @caches(%x: tensor<1x8x?x16xf32>, %p: tensor<1x?xi64>, %c: tensor<32x8xf32>) -> tensor<1x8x?x16xf32> {
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) cos(%c : tensor<32x8xf32>) sin(%c : tensor<32x8xf32>) lanes(<half, first = 0, count = 16>) : tensor<1x8x?x16xf32>
  // expected-remark @below {{the rotations differ in more than their positions}}
  %z = posenc.rotary %y positions(%p : tensor<1x?xi64>) cos(%c : tensor<32x8xf32>) sin(%c : tensor<32x8xf32>) lanes(<half, first = 0, count = 16>) inverse : tensor<1x8x?x16xf32>
  return %z : tensor<1x8x?x16xf32>
}

// -----

// An attention factor multiplies twice.

func.func @factor(%x: tensor<1x8x?x2xf32>, %p: tensor<1x?xi64>) -> tensor<1x8x?x2xf32> {
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 2>) frequencies(#posenc.explicit_frequencies<[1.0], attention_factor = 1.5>) : tensor<1x8x?x2xf32>
  // expected-remark @below {{the rotations differ in more than their positions}}
  %z = posenc.rotary %y positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 2>) frequencies(#posenc.explicit_frequencies<[1.0], attention_factor = 1.5>) inverse : tensor<1x8x?x2xf32>
  return %z : tensor<1x8x?x2xf32>
}

// -----

func.func @composed(%x: tensor<1x8x4x16xf32>) -> tensor<1x8x4x16xf32> {
  %y = posenc.rotary %x lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x4x16xf32>
  // expected-remark @below {{'posenc.rotary' and the rotation before it, 'posenc.rotary' at}}
  %z = posenc.rotary %y lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) inverse : tensor<1x8x4x16xf32>
  return %z : tensor<1x8x4x16xf32>
}

// -----

// An attribute that says something of one rotation does not say it of both.

func.func @other_attribute(%x: tensor<1x8x?x16xf32>, %p: tensor<1x?xi64>) -> tensor<1x8x?x16xf32> {
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) {axis = 1 : i64} : tensor<1x8x?x16xf32>
  // expected-remark @below {{the rotations differ in more than their positions}}
  %z = posenc.rotary %y positions(%p : tensor<1x?xi64>) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) : tensor<1x8x?x16xf32>
  return %z : tensor<1x8x?x16xf32>
}

// -----

func.func @decay(%x: tensor<1x8x?x16xf32>, %p: tensor<1x?xi64>, %c: index) -> tensor<1x8x?x16xf32> {
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) centre(%c) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) decay(<query, scale_base = 512.0>) : tensor<1x8x?x16xf32>
  // expected-remark @below {{the rotations differ in more than their positions}}
  %z = posenc.rotary %y positions(%p : tensor<1x?xi64>) centre(%c) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0>) decay(<query, scale_base = 512.0>) : tensor<1x8x?x16xf32>
  return %z : tensor<1x8x?x16xf32>
}

// -----

func.func @length(%x: tensor<1x8x?x16xf32>, %p: tensor<1x?xi64>, %m: index, %n: index) -> tensor<1x8x?x16xf32> {
  %y = posenc.rotary %x positions(%p : tensor<1x?xi64>) length(%m) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original_length = 8>>) : tensor<1x8x?x16xf32>
  // expected-remark @below {{the rotations differ in more than their positions}}
  %z = posenc.rotary %y positions(%p : tensor<1x?xi64>) length(%n) lanes(<half, first = 0, count = 16>) frequencies(#posenc.frequencies<base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original_length = 8>>) inverse : tensor<1x8x?x16xf32>
  return %z : tensor<1x8x?x16xf32>
}
