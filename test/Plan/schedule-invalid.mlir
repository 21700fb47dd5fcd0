// RUN: posenc-opt %s --posenc-schedule --verify-diagnostics

!q = memref<1x8x128x64xf32>

func.func @no_target(%q: !q, %scale: f32) {
  // expected-error @+1 {{the module does not say what CPU it is for; run posenc-attach-target before}}
  posenc.attention query(%q : !q) key(%q : !q) value(%q : !q) scale(%scale) outs(%q : !q)
  return
}
