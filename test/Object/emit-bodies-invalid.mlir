// RUN: posenc-opt %s --posenc-emit-bodies --split-input-file --verify-diagnostics

// expected-error @below {{posenc.functions names 'f', but the module has no body @f}}
module attributes {posenc.functions = [{name = "f", inputs = [], outputs = []}]} {}

// -----

module attributes {posenc.functions = [{name = "f", inputs = [{name = "x", type = tensor<2xf32>}], outputs = []}]} {
  // expected-error @below {{takes 1 descriptor words, but posenc.functions says 5}}
  llvm.func @f(%x: !llvm.ptr) {
    llvm.return
  }
}
