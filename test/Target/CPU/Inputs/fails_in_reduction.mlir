func.func @f(%ok: i1, %v: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%zero) -> f32 {
    cf.assert %ok, "fails"
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %next = arith.addf %a, %b : f32
      scf.reduce.return %next : f32
    }
  }
  return %s : f32
}
