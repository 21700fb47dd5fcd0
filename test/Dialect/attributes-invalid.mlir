// RUN: posenc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'first' is -1; it must not be negative}}
func.func private @lanes_c1() attributes {a = #posenc.lanes<half, first = -1, count = 2>}

// -----

// expected-error @+1 {{'count' is 0; lanes rotate in pairs, so it must be positive and even}}
func.func private @lanes_c2() attributes {a = #posenc.lanes<half, first = 0, count = 0>}

// -----

// expected-error @+1 {{'count' is 3; lanes rotate in pairs, so it must be positive and even}}
func.func private @lanes_c2_odd() attributes {a = #posenc.lanes<half, first = 0, count = 3>}

// -----

// expected-error @+1 {{'base' is 0.000000e+00; it must be finite and positive}}
func.func private @frequencies_c1() attributes {a = #posenc.frequencies<base = 0.0>}

// -----

// expected-error @+1 {{'scaling' is 3 : i64, which is no rule for scaling frequencies}}
func.func private @frequencies_c2() attributes {a = #posenc.frequencies<base = 1.0, scaling = 3 : i64>}

// -----

// expected-error @+1 {{expected at least one frequency, all finite}}
func.func private @explicit_frequencies_c1() attributes {a = #posenc.explicit_frequencies<[], attention_factor = 1.0>}

// -----

// expected-error @+1 {{'attention_factor' is -1.000000e+00; it must be finite and positive}}
func.func private @explicit_frequencies_c2() attributes {a = #posenc.explicit_frequencies<[1.0], attention_factor = -1.0>}

// -----

// expected-error @+1 {{'factor' is 0.000000e+00; it must be finite and positive}}
func.func private @linear_c1() attributes {a = #posenc.linear<factor = 0.0>}

// -----

// expected-error @+1 {{'factor' is 0.000000e+00; it must be finite and positive}}
func.func private @llama3_c1() attributes {a = #posenc.llama3<factor = 0.0, low_freq_factor = 1.0, high_freq_factor = 4.0, original_length = 8192>}

// -----

// expected-error @+1 {{'low_freq_factor' is -1.000000e+00; it must be finite and positive}}
func.func private @llama3_c1_low() attributes {a = #posenc.llama3<factor = 8.0, low_freq_factor = -1.0, high_freq_factor = 4.0, original_length = 8192>}

// -----

// expected-error @+1 {{'high_freq_factor' is 0.000000e+00; it must be finite and positive}}
func.func private @llama3_c1_high() attributes {a = #posenc.llama3<factor = 8.0, low_freq_factor = 1.0, high_freq_factor = 0.0, original_length = 8192>}

// -----

// expected-error @+1 {{'high_freq_factor' is 1.000000e+00 and 'low_freq_factor' 4.000000e+00; the first must be the larger}}
func.func private @llama3_c2() attributes {a = #posenc.llama3<factor = 8.0, low_freq_factor = 4.0, high_freq_factor = 1.0, original_length = 8192>}

// -----

// expected-error @+1 {{'original_length' is 0; it must be positive}}
func.func private @llama3_c3() attributes {a = #posenc.llama3<factor = 8.0, low_freq_factor = 1.0, high_freq_factor = 4.0, original_length = 0>}

// -----

// expected-error @+1 {{every size of a schedule must be positive}}
func.func private @cpu_prefill_c1() attributes {a = #posenc.cpu_prefill<query_block = 0, key_block = 64, lanes = 64, rows = 6>}

// -----

// expected-error @+1 {{every size of a schedule must be positive}}
func.func private @cpu_decode_c1() attributes {a = #posenc.cpu_decode<key_block = 64, rows = 4, split = 0>}
