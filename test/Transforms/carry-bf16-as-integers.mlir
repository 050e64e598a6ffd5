// RUN: norm-opt %s --pass-pipeline='builtin.module(llvm.func(norm-carry-bf16-as-integers))' | FileCheck %s

// CHECK-LABEL: llvm.func @phi
// CHECK: %[[V:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK: llvm.br ^bb1(%[[V]] : i16)
// CHECK: ^bb1(%[[A:.*]]: i16):
// CHECK: llvm.cond_br %{{.*}}, ^bb1(%[[A]] : i16), ^bb2(%[[A]], %[[V]] : i16, i16)
// CHECK: ^bb2(%[[B:.*]]: i16, %[[C:.*]]: i16):
// CHECK: llvm.store %[[B]], %{{.*}} : i16, !llvm.ptr
// CHECK: %[[S:.*]] = llvm.select %{{.*}}, %[[C]], %[[V]] : i1, i16
// CHECK: llvm.store %[[S]], %{{.*}} : i16, !llvm.ptr
// CHECK-NOT: bf16
llvm.func @phi(%p: !llvm.ptr, %c: i1) {
  %v = llvm.load %p {alignment = 2 : i64} : !llvm.ptr -> bf16
  llvm.br ^bb1(%v : bf16)
^bb1(%a: bf16):
  llvm.cond_br %c, ^bb1(%a : bf16), ^bb2(%a, %v : bf16, bf16)
^bb2(%b: bf16, %d: bf16):
  llvm.store %b, %p : bf16, !llvm.ptr
  %s = llvm.select %c, %d, %v : i1, bf16
  llvm.store %s, %p : bf16, !llvm.ptr
  llvm.return
}

// What a function takes and returns keeps its type; elsewhere it is integers.
// CHECK-LABEL: llvm.func @argument
// CHECK-SAME: %[[X:[a-z0-9]+]]: bf16
// CHECK: %[[N:.*]] = llvm.bitcast %[[X]] : bf16 to i16
// CHECK: llvm.cond_br
// CHECK: %[[HERE:.*]] = llvm.bitcast %[[N]] : i16 to bf16
// CHECK: %[[R:.*]] = llvm.call @argument(%{{.*}}, %{{.*}}, %[[HERE]])
// CHECK: %[[RN:.*]] = llvm.bitcast %[[R]] : bf16 to i16
// CHECK: llvm.br ^bb3(%[[RN]] : i16)
// CHECK: llvm.store %[[N]], %{{.*}} : i16, !llvm.ptr
// CHECK: llvm.br ^bb3(%[[N]] : i16)
// CHECK: ^bb3(%[[A:.*]]: i16):
// CHECK: %[[BACK:.*]] = llvm.bitcast %[[A]] : i16 to bf16
// CHECK: llvm.return %[[BACK]] : bf16
llvm.func @argument(%p: !llvm.ptr, %c: i1, %x: bf16) -> bf16 {
  llvm.cond_br %c, ^bb1, ^bb2
^bb1:
  %r = llvm.call @argument(%p, %c, %x) : (!llvm.ptr, i1, bf16) -> bf16
  llvm.br ^bb3(%r : bf16)
^bb2:
  llvm.store %x, %p : bf16, !llvm.ptr
  llvm.br ^bb3(%x : bf16)
^bb3(%a: bf16):
  llvm.return %a : bf16
}

// CHECK-LABEL: llvm.func @vectors
// CHECK: %[[L:.*]] = llvm.intr.masked.load %{{.*}}, %{{.*}}, %[[Z:.*]] {alignment = 2 : i32} : (!llvm.ptr, vector<16xi1>, vector<16xi16>) -> vector<16xi16>
// CHECK: llvm.shufflevector %[[L]], %[[L]] [0, 1, 2, 3] : vector<16xi16>
// CHECK: llvm.extractelement %{{.*}} : vector<4xi16>
// CHECK: %[[I:.*]] = llvm.insertelement %{{.*}} : vector<16xi16>
// CHECK: %[[W:.*]] = llvm.bitcast %[[I]] : vector<16xi16> to vector<8xi32>
// CHECK: llvm.intr.masked.store %[[I]], %{{.*}}, %{{.*}} {alignment = 2 : i32} : vector<16xi16>, vector<16xi1> into !llvm.ptr
// CHECK: llvm.return %[[W]]
llvm.func @vectors(%p: !llvm.ptr, %m: vector<16xi1>, %i: i32) -> vector<8xi32> {
  %z = llvm.mlir.constant(dense<0.0> : vector<16xbf16>) : vector<16xbf16>
  %v = llvm.intr.masked.load %p, %m, %z {alignment = 2 : i32} : (!llvm.ptr, vector<16xi1>, vector<16xbf16>) -> vector<16xbf16>
  %s = llvm.shufflevector %v, %v [0, 1, 2, 3] : vector<16xbf16>
  %e = llvm.extractelement %s[%i : i32] : vector<4xbf16>
  %w = llvm.insertelement %e, %v[%i : i32] : vector<16xbf16>
  %b = llvm.bitcast %w : vector<16xbf16> to vector<8xi32>
  llvm.intr.masked.store %w, %p, %m {alignment = 2 : i32} : vector<16xbf16>, vector<16xi1> into !llvm.ptr
  llvm.return %b : vector<8xi32>
}

// A conversion by an instruction of the machine stays beside its bitcast; other
// types are nothing of this pass.
// CHECK-LABEL: llvm.func @instruction
// CHECK: %[[T:.*]] = llvm.fptrunc %{{.*}} : f32 to bf16
// CHECK: %[[N:.*]] = llvm.bitcast %[[T]] : bf16 to i16
// CHECK: llvm.store %[[N]], %{{.*}} : i16, !llvm.ptr
// CHECK: %[[H:[0-9]+]] = llvm.load %{{.*}} : !llvm.ptr -> f16
// CHECK: llvm.br ^bb1(%[[H]], %{{.*}} : f16, i16)
// CHECK: ^bb1(%{{.*}}: f16, %[[A:.*]]: i16):
// CHECK: %[[B:.*]] = llvm.bitcast %[[A]] : i16 to bf16
// CHECK: llvm.fpext %[[B]] : bf16 to f32
llvm.func @instruction(%p: !llvm.ptr, %x: f32) -> f32 {
  %t = llvm.fptrunc %x : f32 to bf16
  llvm.store %t, %p : bf16, !llvm.ptr
  %h = llvm.load %p : !llvm.ptr -> f16
  llvm.br ^bb1(%h, %t : f16, bf16)
^bb1(%g: f16, %a: bf16):
  %r = llvm.fpext %a : bf16 to f32
  llvm.return %r : f32
}
