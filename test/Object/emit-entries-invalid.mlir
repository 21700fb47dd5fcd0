// RUN: posenc-opt %s --posenc-emit-entries=cpus=x86-64-v3 --split-input-file --verify-diagnostics

// expected-error @below {{no posenc.functions: run the phase plan first}}
module {}

// -----

// expected-error @below {{'a-b' is no C identifier: rename the graph}}
module attributes {posenc.functions = [{name = "a-b", inputs = [], outputs = []}]} {}

// -----

// expected-error @below {{argument 'x' of 'f' has element type 'i3', which DLPack lacks}}
module attributes {posenc.functions = [{name = "f", inputs = [{name = "x", type = tensor<2xi3>}], outputs = []}]} {}

// -----

// expected-error @below {{argument 'x' of 'f' needs one symbol a dimension, 2, got ["B"]}}
module attributes {posenc.functions = [{name = "f", inputs = [{name = "x", symbols = ["B"], type = tensor<2x?xf32>}], outputs = []}]} {}
