// RUN: norm-opt %s --norm-expand-mx --split-input-file --verify-diagnostics

func.func @rounding(%x: f32) -> f4E2M1FN {
  // expected-error@+1 {{norm-expand-mx: no conversion from 'f32' to 'f4E2M1FN' with rounding toward_zero}}
  %r = arith.truncf %x toward_zero : f32 to f4E2M1FN
  return %r : f4E2M1FN
}

// -----

func.func @twice(%x: vector<4xf64>) -> vector<4xf4E2M1FN> {
  // expected-error@+1 {{norm-expand-mx: no conversion from 'vector<4xf64>' to 'vector<4xf4E2M1FN>': truncate to f32 first, which rounds twice}}
  %r = arith.truncf %x : vector<4xf64> to vector<4xf4E2M1FN>
  return %r : vector<4xf4E2M1FN>
}

// -----

func.func @scale_down(%x: f32) -> f8E8M0FNU {
  // expected-error@+1 {{norm-expand-mx: no conversion from 'f32' to 'f8E8M0FNU' with rounding downward}}
  %r = arith.truncf %x downward : f32 to f8E8M0FNU
  return %r : f8E8M0FNU
}
