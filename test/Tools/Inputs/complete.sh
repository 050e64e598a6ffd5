# complete.sh COMPLETION.bash "LINE": what bash would offer at the line's end.
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
read -r tool _ <<< "$2"
_norm_mlir "$tool"
[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
