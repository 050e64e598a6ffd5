#!/usr/bin/env bash
# clang-tidy on the sources that changed since a commit, and on one source for
# each header that did: tidy-changed.sh BUILD [BASE]
# BASE is by default where this branch left origin/main, or the commit before.
# NORM_TIDY_LIMIT is the most files to check (a file takes about 20 seconds).
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"
build=$1
base=${2:-}
limit=${NORM_TIDY_LIMIT:-1000}

if [ -z "$base" ]; then
  base=$(git merge-base origin/main HEAD 2>/dev/null || true)
  if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-parse --quiet --verify HEAD~1 || true)
  fi
fi
if [ -z "$base" ]; then
  echo "tidy-changed: one commit alone, nothing to compare with; make tidy checks all"
  exit 0
fi
if ! git rev-parse --quiet --verify "$base^{commit}" >/dev/null; then
  echo "tidy-changed: no commit '$base' to compare with" >&2
  exit 1
fi

changed=$(git diff --name-only --diff-filter=d "$base" -- '*.cpp' '*.h' ':!third_party'
          git ls-files --others --exclude-standard -- '*.cpp' '*.h' ':!third_party')
sources=$(grep '\.cpp$' <<<"$changed" || true)
for header in $(grep '\.h$' <<<"$changed" || true); do
  users=$(git grep -lE "#include \"(${header#include/}|${header##*/})\"" -- '*.cpp' || true)
  # One of those that are checked anyway, or else the first.
  if ! grep -qxFf <(echo "$users") <<<"$sources"; then
    sources+=$'\n'$(head -n 1 <<<"$users")
  fi
done

files=()
for source in $(sort -u <<<"$sources"); do
  # What another project compiles (test/Embedding) is not in the list.
  if grep -qF "\"$PWD/$source\"" "$build/compile_commands.json"; then
    files+=("^$PWD/$source\$")
  fi
done
since=$(git rev-parse --short "$base")
if [ ${#files[@]} -eq 0 ]; then
  echo "tidy-changed: no source changed since $since"
  exit 0
fi
if [ ${#files[@]} -gt "$limit" ]; then
  echo "tidy-changed: ${#files[@]} files since $since, the last $((${#files[@]} - limit)) are left out: make tidy checks all"
  files=("${files[@]:0:limit}")
fi
# Without precompiled headers, so that a source that lacks an include is found.
plain=$(mktemp -d)
trap 'rm -rf "$plain"' EXIT
sed -E 's/ -Xclang -include(-pch)? -Xclang [^ ]+//g; s/ -Winvalid-pch//' \
  "$build/compile_commands.json" >"$plain/compile_commands.json"
if ! run-clang-tidy-22 -quiet -hide-progress -warnings-as-errors='*' -p "$plain" "${files[@]}"; then
  echo "tidy-changed: clang-tidy found something in ${#files[@]} files changed since $since" >&2
  exit 1
fi
echo "tidy-changed: ${#files[@]} files changed since $since are clean"
