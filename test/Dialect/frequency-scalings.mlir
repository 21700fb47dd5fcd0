// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

// CHECK-LABEL: @ntk
//  CHECK-SAME:   #posenc.ntk<alpha = 8.0>
func.func private @ntk() attributes {a = #posenc.ntk<alpha = 8.0>}

// CHECK-LABEL: @yarn
//  CHECK-SAME:   #posenc.yarn<factor = 4.0, original_length = 32768, beta_fast = 32.0, beta_slow = 1.0, truncate = true>
func.func private @yarn() attributes {a = #posenc.yarn<factor = 4.0, original_length = 32768, beta_fast = 32.0, beta_slow = 1.0, truncate = true>}

// CHECK-LABEL: @yarn_explicit
//  CHECK-SAME:   #posenc.yarn<factor = 4.0, original_length = 32768, beta_fast = 32.0, beta_slow = 1.0, truncate = false, attention_factor = 1.25>
func.func private @yarn_explicit() attributes {a = #posenc.yarn<factor = 4.0, original_length = 32768, beta_fast = 32.0, beta_slow = 1.0, truncate = false, attention_factor = 1.25>}

// CHECK-LABEL: @yarn_terms
//  CHECK-SAME:   truncate = true, mscale = 1.0, mscale_all_dim = 0.5>
func.func private @yarn_terms() attributes {a = #posenc.yarn<factor = 4.0, original_length = 32768, beta_fast = 32.0, beta_slow = 1.0, truncate = true, mscale_all_dim = 0.5, mscale = 1.0>}

// CHECK-LABEL: @proportional
//  CHECK-SAME:   #posenc.proportional<fraction = 0.25, factor = 8.0>
func.func private @proportional() attributes {a = #posenc.proportional<fraction = 0.25, factor = 8.0>}

// CHECK-LABEL: @dynamic_ntk
//  CHECK-SAME:   #posenc.dynamic_ntk<factor = 2.0, original_length = 2048>
func.func private @dynamic_ntk() attributes {a = #posenc.dynamic_ntk<factor = 2.0, original_length = 2048>}

// CHECK-LABEL: @longrope
//  CHECK-SAME:   #posenc.longrope<short_factor = [1.0, 1.5], long_factor = [1.0, 32.0], original_length = 4096, factor = 32.0>
func.func private @longrope() attributes {a = #posenc.longrope<short_factor = [1.0, 1.5], long_factor = [1.0, 32.0], original_length = 4096, factor = 32.0>}

// CHECK-LABEL: @longrope_explicit
//  CHECK-SAME:   original_length = 4096, attention_factor = 1.1000000000000001>
func.func private @longrope_explicit() attributes {a = #posenc.longrope<short_factor = [1.0], long_factor = [1.0], original_length = 4096, attention_factor = 1.1>}

// CHECK-LABEL: @pixel
//  CHECK-SAME:   #posenc.pixel_frequencies<geometric, max_frequency = 224.0>
func.func private @pixel() attributes {a = #posenc.pixel_frequencies<geometric, max_frequency = 224.0>}

// CHECK-LABEL: @sections
//  CHECK-SAME:   #posenc.sections<chunked, [16, 24, 24], ordinary>
//  CHECK-SAME:   #posenc.sections<interleaved, [24, 20, 20], ordinary>
//  CHECK-SAME:   #posenc.sections<chunked, [2, 2], strided>
func.func private @sections() attributes {a = #posenc.sections<chunked, [16, 24, 24], ordinary>,
  b = #posenc.sections<interleaved, [24, 20, 20], ordinary>, c = #posenc.sections<chunked, [2, 2], strided>}

// CHECK-LABEL: @xpos
//  CHECK-SAME:   #posenc.xpos<key, scale_base = 512.0>
func.func private @xpos() attributes {a = #posenc.xpos<key, scale_base = 512.0>}
