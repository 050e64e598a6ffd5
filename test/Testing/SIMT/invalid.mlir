// RUN: norm-opt %s --norm-emulate-gpu --split-input-file --verify-diagnostics

func.func @not_outlined() {
  %c1 = arith.constant 1 : index
  // expected-error@below {{'gpu.launch' cannot be emulated on the host}}
  gpu.launch blocks(%a, %b, %c) in (%d = %c1, %e = %c1, %f = %c1) threads(%g, %h, %i) in (%j = %c1, %k = %c1, %l = %c1) {
    gpu.terminator
  }
  return
}

// -----

gpu.module @kernels {
  // expected-error@below {{only kernels of a gpu.module can be emulated, not 'gpu.func'}}
  gpu.func @helper() {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @k(%x: f32) kernel {
    // expected-error@below {{'gpu.all_reduce' cannot be emulated}}
    %r = gpu.all_reduce add %x {} : (f32) -> f32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @k() kernel {
    // expected-error@below {{'nvvm.fence.sc.cluster' cannot be emulated}}
    nvvm.fence.sc.cluster
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @k(%x: vector<4xf32>, %i: i32) kernel {
    // expected-error@below {{a shuffle of 'vector<4xf32>' cannot be emulated}}
    %r, %ok = gpu.shuffle xor %x, %i, %i : vector<4xf32>
    gpu.return
  }
}

// -----

#wg = #gpu.address_space<workgroup>
gpu.module @kernels {
  // expected-error@below {{workgroup memory of type 'memref<?xf32, #gpu.address_space<workgroup>>' cannot be emulated}}
  gpu.func @k() workgroup(%s: memref<?xf32, #wg>) kernel {
    gpu.return
  }
}

// -----

#wg = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @k(%i: index, %x: f32) workgroup(%s: memref<4xf32, #wg>) kernel {
    // expected-error@below {{'vector.transfer_read' accesses workgroup memory in a way that is not checked}}
    %v = vector.transfer_read %s[%i], %x : memref<4xf32, #wg>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @k(%p: !llvm.ptr<3>, %q: !llvm.ptr, %n: i64) kernel {
    // expected-error@below {{'llvm.intr.memcpy' accesses workgroup memory in a way that is not checked}}
    "llvm.intr.memcpy"(%p, %q, %n) <{isVolatile = false}> : (!llvm.ptr<3>, !llvm.ptr, i64) -> ()
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @k(%i: i32) kernel {
    // expected-error@below {{an address of workgroup memory in an integer of type 'i32' cannot be emulated}}
    %p = llvm.inttoptr %i : i32 to !llvm.ptr<3>
    gpu.return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  func.func @dynamic(%bytes: i32) {
    %c1 = arith.constant 1 : index
    // expected-error@below {{dynamic workgroup memory cannot be emulated}}
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %bytes
    return
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k() kernel {
      gpu.return
    }
  }
  llvm.func @other_function() {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    // expected-error@below {{a launch outside func.func cannot be emulated}}
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) : i64
    llvm.return
  }
}

// -----

func.func @token(%c: i1) {
  // expected-error@below {{a token that another op uses cannot be emulated}}
  %t = gpu.wait async
  %u = arith.select %c, %t, %t : !gpu.async.token
  return
}

// -----

gpu.module @kernels {
  // expected-error@below {{an argument of type 'tf32' cannot be emulated}}
  gpu.func @no_llvm_type(%x: tf32) kernel {
    gpu.return
  }
}
