#!/usr/bin/env bash
# Artifacts for a GPU, compiled on one machine and measured on another.
#
#   benchmarks/gpu.sh compile [DIR]   here: DIR gets artifacts, norm-bench-device
#                                     and this script, less than 20 MB together
#   bash DIR/gpu.sh run [DIR]         there: needs a driver and nothing else;
#                                     prints tables and writes DIR/*.json
#
# Environment: BUILD (build folder), CHIP (sm_90), and for a smaller grid COLS,
# TYPES, VARIANTS; for run BYTES (useful bytes of a shape, 2^28), DECODE (rows of
# 4096) and OPTIONS (more of norm-bench-device).
set -euo pipefail

compile() {
  local dir=$1 build=${BUILD:-build}
  local bench=$build/bin/norm-bench compiler=$build/bin/norm-compile
  mkdir -p "$dir"
  for variant in ${VARIANTS:-llama residual}; do
    for type in ${TYPES:-bf16 f16 f32}; do
      for n in ${COLS:-128 256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144 \
                       111 1152 2880 4095 4097 5000 7168}; do
        local name=$dir/$variant-$type-$n
        "$bench" --print-program --dynamic-rows --variant="$variant" --type="$type" \
          --cols="$n" -o "$name.mlir"
        "$compiler" "$name.mlir" --target=nvvm --emit=shared --chip="${CHIP:-sm_90}" \
          -o "$name.so"
        rm "$name.mlir"
      done
    done
  done
  cp "$build/bin/norm-bench-device" "${BASH_SOURCE[0]}" "$dir"
  local kilobytes
  kilobytes=$(du -sk "$dir" | cut -f1)
  echo "$dir: $(ls "$dir"/*.so | wc -l) artifacts, $kilobytes KB"
  if ((kilobytes > 20000)); then
    echo "error: more than 20 MB" >&2
    return 1
  fi
}

run() {
  local dir=$1 status=0
  local bench="$dir/norm-bench-device ${OPTIONS:-}"
  for variant in llama residual; do
    local artifacts
    artifacts=$(ls -v "$dir/$variant"-*.so 2>/dev/null) || continue
    $bench --variant="$variant" --bytes="${BYTES:-268435456}" \
      --json="$dir/$variant.json" $artifacts || status=1
    artifacts=$(ls -v "$dir/$variant"-*-4096.so 2>/dev/null) || continue
    $bench --variant="$variant" --rows="${DECODE:-1,2,4,8,16,32,64}" \
      --json="$dir/$variant-decode.json" $artifacts || status=1
  done
  return $status
}

here=$(dirname "${BASH_SOURCE[0]}")
case ${1:-} in
compile) compile "${2:-gpu-artifacts}" ;;
run) run "${2:-$here}" ;;
*)
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 1
  ;;
esac
