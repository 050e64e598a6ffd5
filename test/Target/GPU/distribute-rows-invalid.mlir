// RUN: norm-opt %s --norm-distribute-rows-to-gpu --split-input-file --verify-diagnostics

func.func @length(%x: memref<8x512xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    // expected-error @+1 {{cannot distribute 'vector<512xf32>' over threads: vectors of this loop must be 1-D and of length 256}}
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<8x512xf32>, vector<512xf32>
    %w = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<8x512xf32>, vector<256xf32>
    vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<512xf32>, memref<8x512xf32>
    vector.transfer_write %w, %x[%i, %c0] {in_bounds = [true]} : vector<256xf32>, memref<8x512xf32>
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 256, registers = 32>>}
  return
}

// -----

func.func @unsupported(%x: memref<8x512xf32>, %y: memref<8x256xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<8x512xf32>, vector<512xf32>
    // expected-error @+1 {{cannot distribute 'vector.shuffle' over the threads of a row}}
    %w = vector.shuffle %v, %v [1, 0] : vector<512xf32>, vector<512xf32>
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 512, registers = 32>>}
  return
}

// -----

func.func @read_back(%x: memref<8x2048xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    // expected-error @+1 {{cannot distribute a row loop that reads back a buffer that it writes}}
    %v = vector.transfer_read %x[%i, %c1], %pad {in_bounds = [true]} : memref<8x2048xf32>, vector<1024xf32>
    vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<1024xf32>, memref<8x2048xf32>
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 1024, registers = 32>>}
  return
}

// -----

func.func @split(%x: memref<8x512xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  // expected-error @+1 {{vectors of 512 elements cannot be split over 48 threads by 4}}
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<8x512xf32>, vector<512xf32>
    vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<512xf32>, memref<8x512xf32>
  } {norm.loop = #norm.loop<rows, <threads = 48, vector = 4, lanes = 512, registers = 32>>}
  return
}

// -----

func.func @outside(%x: memref<8x512xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  // expected-error @+1 {{cannot distribute a row loop that takes a vector from outside}}
  %v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true]} : memref<8x512xf32>, vector<512xf32>
  scf.forall (%i) in (8) {
    vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<512xf32>, memref<8x512xf32>
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 512, registers = 32>>}
  return
}

// -----

func.func @buffer_of_the_row(%x: memref<100xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (100) {
    %size = arith.muli %i, %n : index
    // expected-error @+1 {{a kernel cannot hold a buffer of type 'memref<?xf32>' whose size differs from row to row}}
    %t = memref.alloc(%size) : memref<?xf32>
    %v = memref.load %t[%c0] : memref<?xf32>
    memref.store %v, %x[%i] : memref<100xf32>
  }
  return
}

// -----

// Eight rows share a warp: they must shuffle together.
func.func @divergent(%x: memref<8x64xf32>, %on: memref<8xi1>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
    %p = memref.load %on[%i] : memref<8xi1>
    scf.if %p {
      // expected-error @+1 {{cannot distribute a reduction that only some of the rows of a warp may reach}}
      %s = vector.reduction <add>, %v : vector<64xf32> into f32
      memref.store %s, %y[%i] : memref<8xf32>
    }
  } {norm.loop = #norm.loop<rows, <threads = 4, vector = 4, lanes = 64, registers = 32>>}
  return
}

// -----

func.func @blocks(%x: memref<8x960xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  // expected-error @+1 {{norm-distribute-rows-to-gpu: 96 threads cannot be 3 blocks of whole warps}}
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<8x960xf32>, vector<960xf32>
    vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<960xf32>, memref<8x960xf32>
  } {norm.loop = #norm.loop<rows, <threads = 96, vector = 1, lanes = 960, registers = 32, cluster = 3>>}
  return
}

// -----

func.func @bits(%x: memref<8x512xi1>, %y: memref<8xi1>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant false
  scf.forall (%i) in (8) {
    // expected-error @+1 {{rows of 'i1' in memory are not supported on GPUs: an element is no whole number of bytes}}
    %v = vector.transfer_read %x[%i, %c0], %pad {in_bounds = [true]} : memref<8x512xi1>, vector<512xi1>
    %s = vector.reduction <and>, %v : vector<512xi1> into i1
    memref.store %s, %y[%i] : memref<8xi1>
  } {norm.loop = #norm.loop<rows, <threads = 32, vector = 4, lanes = 512, registers = 32>>}
  return
}
