# Bash completion of norm-mlir's tools: source it; an installation has it where
# bash-completion looks, under each tool's name. It asks the tool's own --help, so it knows the options of the tool that is run. (LLVM has this
# for clang alone: --autocomplete is clang's driver's.)

# norm-opt's --help has our passes only, the list has all.
_norm_mlir_help() {
  "$1" --help 2>/dev/null
  if [[ $1 == *norm-opt ]]; then "$1" --list-passes 2>/dev/null; fi
}

# One option a line; with = where it takes a value.
_norm_mlir_options() {
  _norm_mlir_help "$1" |
    sed -nE 's/^ +(--[[:alnum:]_-]+)(\[?=)?.*/\1\2/p' | tr -d '['
}

# The values that --help lists below an option.
_norm_mlir_values() {
  "$1" --help 2>/dev/null | awk -v option="$2" '
    $1 ~ /^-/ { name = $1; sub(/\[?=.*/, "", name); next }
    name == option && $1 ~ /^=./ { print substr($1, 2) }'
}

_norm_mlir() {
  local tool=$1 line=${COMP_LINE:0:COMP_POINT}
  # Not $2: readline breaks words at =.
  local word=${line##*[[:space:]]}
  COMPREPLY=()
  case $word in
  -*=*)
    local values
    values=$(_norm_mlir_values "$tool" "${word%%=*}")
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "${word#*=}")
    ;;
  -*)
    mapfile -t COMPREPLY < <(compgen -W "$(_norm_mlir_options "$tool")" -- "$word")
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
      compopt -o nospace 2>/dev/null
    fi
    ;;
  esac
}

complete -o default -F _norm_mlir \
  norm-opt norm-compile norm-run norm-bench norm-bench-device norm-lsp-server \
  norm-reduce
