#!/usr/bin/env bash
# Artifacts for a GPU, compiled on one machine and measured on another.
#
#   benchmarks/gpu.sh compile [DIR]   here: DIR gets artifacts, norm-bench-device
#                                     and this script, less than 20 MB together
#   bash DIR/gpu.sh run [DIR]         there: needs a driver and nothing else;
#                                     checks all, then measures; writes
#                                     DIR/gpu.jsonl, a line for each result
#   benchmarks/gpu_targets.py DIR     anywhere with Python: a table of them
#
# Beside an artifact lies NAME.reference, the same program with f64 in the place
# of f32, compiled for the CPU.
#
# Environment: BUILD (build folder), CHIP (sm_90), and for a smaller grid COLS,
# TYPES, VARIANTS (measured at all COLS), MORE and MORE_COLS (other variants),
# CLASSES and CLASS_COLS (more of them), CHANNEL_ROWS (of channels, fixed),
# OPTION_COLS (llama with each option); for run BUDGET (480 seconds, after which
# nothing more is timed), LIMIT (120 seconds, of a step), JOBS (checks at a time, a
# processor each), BYTES (useful bytes of a shape, 2^28), DECODE (rows of 4096) and
# OPTIONS (more of norm-bench-device).
set -euo pipefail

# Usage: print_program VARIANT TYPE N
print_program() {
  # A norm over the rows is divided by their number.
  local rows=--dynamic-rows
  if [[ $1 == channels ]]; then rows=--rows=${CHANNEL_ROWS:-4096}; fi
  "$build/bin/norm-bench" --print-program "$rows" --variant="$1" --type="$2" --cols="$3"
}

# Usage: compile_reference DIR VARIANT TYPE N
# Roundings from f64 to 8 bits have f32 between: there is no such instruction, and
# only a number within 2^-25 of a tie is another one then.
compile_reference() {
  local name=$1/$2-$3-$4
  print_program "$2" "$3" "$4" |
    sed -e 's/f32/f64/g' \
      -e 's/\(.*\) = arith.truncf \(.*\) : f64 to f8E4M3FN/%single = arith.truncf \2 : f64 to f32\n\1 = arith.truncf %single : f32 to f8E4M3FN/' \
      >"$name.mlir"
  "$build/bin/norm-compile" "$name.mlir" --emit=shared --rounding=exact -o "$name.reference"
  rm "$name.mlir"
}

# Usage: compile_one DIR VARIANT TYPE N [OPTION]
compile_one() {
  local dir=$1 variant=$2 type=$3 n=$4 option=${5:-}
  local name=$dir/$variant-$type-$n${option:++$option}
  print_program "$variant" "$type" "$n" >"$name.mlir"
  "$build/bin/norm-compile" "$name.mlir" --target=nvvm --emit=shared \
    --chip="${CHIP:-sm_90}" ${option:+"--$option"} -o "$name.so"
  rm "$name.mlir"
  if [[ ! $option ]]; then compile_reference "$dir" "$variant" "$type" "$n"; fi
}

# Prints the options of norm-compile that are not the default for want of a figure.
options() {
  local help
  help=$("$build/bin/norm-compile" --help)
  if [[ $help == *" --dependent-launch "* ]]; then echo dependent-launch; fi
}

compile() {
  local dir=$1 build=${BUILD:-build}
  mkdir -p "$dir"
  for type in ${TYPES-bf16 f16 f32}; do
    for variant in ${VARIANTS-llama residual}; do
      for n in ${COLS-128 256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144 \
                       111 1152 2880 4095 4097 5000 7168}; do
        compile_one "$dir" "$variant" "$type" "$n"
      done
    done
    for variant in ${MORE-gemma plain residuals}; do
      for n in ${MORE_COLS-1152 4096 16384}; do
        compile_one "$dir" "$variant" "$type" "$n"
      done
    done
    for variant in ${CLASSES-gate quantize fp8 rotary columns channels layernorm backward}; do
      for n in ${CLASS_COLS-1152 4096}; do
        compile_one "$dir" "$variant" "$type" "$n"
      done
    done
  done
  for option in $(options); do
    for n in ${OPTION_COLS-1024 4096 16384}; do
      compile_one "$dir" llama bf16 "$n" "$option"
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

# Usage: list DIR
# Names of artifacts; what most programs use comes first.
list() {
  ls -v "$1" | grep '^llama-.*\.so$' || true
  ls -v "$1" | grep '^residual-.*\.so$' || true
  ls -v "$1" | grep '\.so$' | grep -v -e '^llama-' -e '^residual-' || true
}

# Usage: note LABEL ARTIFACT FIELDS
note() { echo "{\"label\": \"$1\", \"artifact\": \"$2\", $3}" >>"$dir/gpu.jsonl"; }

# Usage: step LABEL ARTIFACT [OPTION...]
# Each step is a process: a kernel that faults ends its context, and a wrong artifact
# may crash or wait forever.
step() {
  local label=$1 name=$2 code=0
  shift 2
  # shellcheck disable=SC2086
  timeout "${LIMIT:-120}" "$dir/norm-bench-device" ${OPTIONS:-} --label="$label" \
    --json="$dir/gpu.jsonl" --bytes="${BYTES:-268435456}" "$@" "$dir/$name" || code=$?
  if ((code == 0)); then return; fi
  local error="wrong or failed"
  if ((code == 124)); then error="took more than ${LIMIT:-120} seconds"; fi
  if ((code > 124)); then error="crashed, exit status $code"; fi
  echo "error: $name: $error" >&2
  note "$label" "$name" "\"error\": \"$error\""
  return 1
}

# Usage: check ARTIFACT
check() {
  local strict=
  # No terms cancel in these.
  case $1 in llama-* | residual-* | gemma-* | plain-*) strict=--strict ;; esac
  step check "$1" --check ${strict:+"$strict"} --reference="$dir/$(base "$1").reference"
}

# Usage: check_all ARTIFACT...
# In parallel: the references take the time of the processors, not of the GPU.
check_all() {
  local -A checks=()
  local name
  for name in "$@"; do
    while (($(jobs -rp | wc -l) >= ${JOBS:-$(nproc)})); do wait -n || true; done
    check "$name" &
    checks[$name]=$!
  done
  for name in "$@"; do wait "${checks[$name]}" || bad[$name]=1; done
}

# Usage: measure LABEL ARTIFACT [OPTION...]
measure() {
  if [[ ${bad[$2]:-} ]]; then return; fi
  if ((SECONDS >= ${BUDGET:-480})); then
    note "$1" "$2" '"left_out": true'
    left_out=$((left_out + 1))
    return
  fi
  if step "$@" --reference=none; then measured=$((measured + 1)); else bad[$2]=1; fi
}

run() {
  dir=$1
  declare -gA bad=()
  measured=0 left_out=0
  rm -f "$dir/gpu.jsonl"
  local artifacts=() name
  mapfile -t artifacts < <(list "$dir")
  if ((${#artifacts[@]} == 0)); then
    echo "error: no artifacts in $dir" >&2
    return 1
  fi
  check_all "${artifacts[@]}"
  for name in "${artifacts[@]}"; do
    if [[ $name != *+* ]]; then measure table "$name"; fi
  done
  for name in "${artifacts[@]}"; do
    if [[ $name == *-4096.so ]]; then measure decode "$name" --rows="${DECODE:-1,2,4,8,16,32,64}"; fi
  done
  # Options stand behind their default, which is timed again: clocks change.
  for rows in "" --rows=16; do
    for name in "${artifacts[@]}"; do
      if compgen -G "$dir/$(base "$name")+*.so" >/dev/null; then
        measure option "$name" ${rows:+"$rows"}
      fi
    done
  done
  echo "${#artifacts[@]} artifacts checked, ${#bad[@]} wrong or failed; $measured measured, $left_out left out"
  return $((${#bad[@]} > 0))
}

# Usage: base NAME[+OPTION].so
base() {
  local name=${1%.so}
  echo "${name%%+*}"
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
