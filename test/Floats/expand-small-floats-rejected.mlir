// What no later pass would lower either.
// RUN: norm-opt %s --norm-expand-arith --split-input-file --verify-diagnostics

func.func @rounding(%x: f32) -> f8E4M3FN {
  // expected-error@+1 {{norm-expand-arith: rounding toward_zero to 'f8E4M3FN' is not supported}}
  %r = arith.truncf %x toward_zero : f32 to f8E4M3FN
  return %r : f8E4M3FN
}

// -----

func.func @twice(%x: f64) -> f8E4M3FN {
  // expected-error@+1 {{norm-expand-arith: no conversion from 'f64' to 'f8E4M3FN': truncate to f32 first, which rounds twice}}
  %r = arith.truncf %x : f64 to f8E4M3FN
  return %r : f8E4M3FN
}

// -----

func.func @element_rounding(%x: f32) -> f4E2M1FN {
  // expected-error@+1 {{norm-expand-arith: rounding toward_zero to 'f4E2M1FN' is not supported}}
  %r = arith.truncf %x toward_zero : f32 to f4E2M1FN
  return %r : f4E2M1FN
}

// -----

func.func @twice_to_element(%x: vector<4xf64>) -> vector<4xf4E2M1FN> {
  // expected-error@+1 {{norm-expand-arith: no conversion from 'vector<4xf64>' to 'vector<4xf4E2M1FN>': truncate to f32 first, which rounds twice}}
  %r = arith.truncf %x : vector<4xf64> to vector<4xf4E2M1FN>
  return %r : vector<4xf4E2M1FN>
}

// -----

func.func @scale_down(%x: f32) -> f8E8M0FNU {
  // expected-error@+1 {{norm-expand-arith: rounding downward to 'f8E8M0FNU' is not supported}}
  %r = arith.truncf %x downward : f32 to f8E8M0FNU
  return %r : f8E8M0FNU
}

// -----

func.func @to_other_format(%x: vector<4xf32>) -> vector<4xf8E4M3FNUZ> {
  // expected-error@+1 {{norm-expand-arith: no conversion from 'vector<4xf32>' to 'vector<4xf8E4M3FNUZ>'}}
  %r = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FNUZ>
  return %r : vector<4xf8E4M3FNUZ>
}

// -----

func.func @from_other_format(%x: f6E2M3FN) -> f32 {
  // expected-error@+1 {{norm-expand-arith: no conversion from 'f6E2M3FN' to 'f32'}}
  %r = arith.extf %x : f6E2M3FN to f32
  return %r : f32
}

// -----

func.func @arithmetic(%x: f8E5M2) -> f8E5M2 {
  // expected-error@+1 {{norm-expand-arith: no arithmetic on 'f8E5M2': extend to f32 first}}
  %r = arith.mulf %x, %x : f8E5M2
  return %r : f8E5M2
}

// -----

func.func @arithmetic_in_4_bits(%x: f4E2M1FN) -> f4E2M1FN {
  // expected-error@+1 {{norm-expand-arith: no arithmetic on 'f4E2M1FN': extend to f32 first}}
  %r = arith.addf %x, %x : f4E2M1FN
  return %r : f4E2M1FN
}

// -----

func.func @arithmetic_on_scales(%x: f8E8M0FNU) -> i1 {
  // expected-error@+1 {{norm-expand-arith: no arithmetic on 'f8E8M0FNU': extend to f32 first}}
  %r = arith.cmpf oeq, %x, %x : f8E8M0FNU
  return %r : i1
}

// -----

// Bits may be moved.
func.func @moves(%c: i1, %x: f4E2M1FN, %i: i4) -> f4E2M1FN {
  %y = arith.bitcast %i : i4 to f4E2M1FN
  %z = arith.select %c, %x, %y : f4E2M1FN
  return %z : f4E2M1FN
}
