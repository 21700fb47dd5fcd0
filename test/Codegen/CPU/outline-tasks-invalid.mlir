// RUN: posenc-opt %s --posenc-outline-tasks --split-input-file --verify-diagnostics

func.func @grows_the_stack(%y: memref<?xf32>, %n: index) {
  scf.forall (%i) in (%n) {
    // expected-error @below {{stack allocation of run-time size in a task: make its size constant or use memref.alloc}}
    %a = memref.alloca(%i) : memref<?xf32>
    %x = memref.load %a[%i] : memref<?xf32>
    memref.store %x, %y[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @tensors(%y: tensor<8xf32>, %v: tensor<1xf32>) -> tensor<8xf32> {
  // expected-error @below {{scf.forall with results reached posenc-outline-tasks: bufferize first}}
  %r = scf.forall (%i) in (8) shared_outs(%o = %y) -> tensor<8xf32> {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @huge(%n: index) {
  scf.forall (%i) in (%n) {
    // expected-error @below {{a task's scratch is over the limit of 2 GiB with 'memref<4611686018427387904x8xf32>': make its tiles smaller}}
    %a = memref.alloc() : memref<4611686018427387904x8xf32>
    memref.dealloc %a : memref<4611686018427387904x8xf32>
  }
  return
}
