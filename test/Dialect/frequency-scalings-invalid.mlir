// RUN: posenc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'alpha' is 0.000000e+00; it must be finite and positive}}
func.func private @ntk_c1() attributes {a = #posenc.ntk<alpha = 0.0>}

// -----

// expected-error @+1 {{'factor' is 0.000000e+00; it must be finite and positive}}
func.func private @yarn_c1() attributes {a = #posenc.yarn<factor = 0.0, original_length = 4096, beta_fast = 32.0, beta_slow = 1.0, truncate = true>}

// -----

// expected-error @+1 {{'beta_fast' is -1.000000e+00; it must be finite and positive}}
func.func private @yarn_c1_fast() attributes {a = #posenc.yarn<factor = 4.0, original_length = 4096, beta_fast = -1.0, beta_slow = 1.0, truncate = true>}

// -----

// expected-error @+1 {{'beta_slow' is 0.000000e+00; it must be finite and positive}}
func.func private @yarn_c1_slow() attributes {a = #posenc.yarn<factor = 4.0, original_length = 4096, beta_fast = 32.0, beta_slow = 0.0, truncate = true>}

// -----

// expected-error @+1 {{'attention_factor' is 0.000000e+00; it must be finite and positive}}
func.func private @yarn_c1_attention() attributes {a = #posenc.yarn<factor = 4.0, original_length = 4096, beta_fast = 32.0, beta_slow = 1.0, truncate = true, attention_factor = 0.0>}

// -----

// expected-error @+1 {{'beta_fast' is 1.000000e+00 and 'beta_slow' 3.200000e+01; the first must not be the smaller}}
func.func private @yarn_c2() attributes {a = #posenc.yarn<factor = 4.0, original_length = 4096, beta_fast = 1.0, beta_slow = 32.0, truncate = true>}

// -----

// expected-error @+1 {{'original_length' is 0; it must be positive}}
func.func private @yarn_c3() attributes {a = #posenc.yarn<factor = 4.0, original_length = 0, beta_fast = 32.0, beta_slow = 1.0, truncate = true>}

// -----

// expected-error @+1 {{'mscale' and 'mscale_all_dim' must be finite and not negative, and take the place of 'attention_factor'}}
func.func private @yarn_c4() attributes {a = #posenc.yarn<factor = 4.0, original_length = 4096, beta_fast = 32.0, beta_slow = 1.0, truncate = true, mscale = -1.0>}

// -----

// expected-error @+1 {{and take the place of 'attention_factor'}}
func.func private @yarn_c4_both() attributes {a = #posenc.yarn<factor = 4.0, original_length = 4096, beta_fast = 32.0, beta_slow = 1.0, truncate = true, mscale = 1.0, attention_factor = 1.0>}

// -----

// expected-error @+1 {{'factor' is 0.000000e+00; it must be finite and positive}}
func.func private @proportional_c1() attributes {a = #posenc.proportional<fraction = 0.5, factor = 0.0>}

// -----

// expected-error @+1 {{'fraction' is 1.500000e+00; it must be from 0 to 1}}
func.func private @proportional_c2() attributes {a = #posenc.proportional<fraction = 1.5, factor = 1.0>}

// -----

// expected-error @+1 {{'factor' is 5.000000e-01; it must be finite and at least 1}}
func.func private @dynamic_ntk_c1() attributes {a = #posenc.dynamic_ntk<factor = 0.5, original_length = 8>}

// -----

// expected-error @+1 {{'original_length' is 0; it must be positive}}
func.func private @dynamic_ntk_c2() attributes {a = #posenc.dynamic_ntk<factor = 2.0, original_length = 0>}

// -----

// expected-error @+1 {{'short_factor' has 1 numbers and 'long_factor' 2; they must be as many, finite and positive}}
func.func private @longrope_c1() attributes {a = #posenc.longrope<short_factor = [1.0], long_factor = [1.0, 4.0], original_length = 4096, factor = 32.0>}

// -----

// expected-error @+1 {{they must be as many, finite and positive}}
func.func private @longrope_c1_sign() attributes {a = #posenc.longrope<short_factor = [1.0, -1.0], long_factor = [1.0, 4.0], original_length = 4096, factor = 32.0>}

// -----

// expected-error @+1 {{'original_length' is 1; it must be greater than 1}}
func.func private @longrope_c2() attributes {a = #posenc.longrope<short_factor = [1.0, 2.0], long_factor = [1.0, 4.0], original_length = 1, factor = 32.0>}

// -----

// expected-error @+1 {{takes either 'factor' or 'attention_factor'}}
func.func private @longrope_c3() attributes {a = #posenc.longrope<short_factor = [1.0, 2.0], long_factor = [1.0, 4.0], original_length = 4096>}

// -----

// expected-error @+1 {{'factor' is 0.000000e+00; it must be finite and positive}}
func.func private @longrope_c3_factor() attributes {a = #posenc.longrope<short_factor = [1.0, 2.0], long_factor = [1.0, 4.0], original_length = 4096, factor = 0.0>}

// -----

// expected-error @+1 {{'attention_factor' is 0.000000e+00; it must be finite and positive}}
func.func private @longrope_c3_attention() attributes {a = #posenc.longrope<short_factor = [1.0, 2.0], long_factor = [1.0, 4.0], original_length = 4096, attention_factor = 0.0>}

// -----

// expected-error @+1 {{'max_frequency' is 0.000000e+00; it must be finite and positive}}
func.func private @pixel_c1() attributes {a = #posenc.pixel_frequencies<linear, max_frequency = 0.0>}

// -----

// expected-error @+1 {{expected a number of pairs of each axis, none negative, and at least one pair}}
func.func private @sections_c1() attributes {a = #posenc.sections<chunked, [0, 0], ordinary>}

// -----

// expected-error @+1 {{none negative}}
func.func private @sections_c1_negative() attributes {a = #posenc.sections<chunked, [4, -1], ordinary>}

// -----

// expected-error @+1 {{'interleaved' sections take their frequencies in the 'ordinary' order}}
func.func private @sections_c2() attributes {a = #posenc.sections<interleaved, [4, 4], restarting>}

// -----

// expected-error @+1 {{'strided' frequencies are for axes of equally many pairs}}
func.func private @sections_c3() attributes {a = #posenc.sections<chunked, [4, 3], strided>}

// -----

// expected-error @+1 {{'scale_base' is 0.000000e+00; it must be finite and positive}}
func.func private @xpos_c1() attributes {a = #posenc.xpos<query, scale_base = 0.0>}

// -----

// expected-error @+1 {{'scale' is no parameter, or given twice}}
func.func private @unknown_real() attributes {a = #posenc.longrope<short_factor = [1.0, 2.0], long_factor = [1.0, 4.0], original_length = 4096, scale = 1.0>}

// -----

// expected-error @+1 {{'factor' is no parameter, or given twice}}
func.func private @twice() attributes {a = #posenc.longrope<short_factor = [1.0, 2.0], long_factor = [1.0, 4.0], original_length = 4096, factor = 1.0, factor = 1.0>}
