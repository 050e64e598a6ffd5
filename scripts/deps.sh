#!/usr/bin/env bash
# Installs what norm-mlir builds with. Does nothing when all of it is there.
set -euo pipefail

packages=(libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22
          lld-22 libomp-22-dev clang-format-22 clang-tidy-22
          libclang-rt-22-dev mpich
          libbenchmark-dev libgtest-dev python3-numpy libpython3-dev
          python3-venv cmake ninja-build ccache git)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' ||
    missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "deps: run as root, or install by hand: ${missing[*]}" >&2
    exit 1
  }
  sudo=(sudo)
fi
echo "deps: installing ${missing[*]}"
"${sudo[@]}" apt-get update -qq
if ! "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/tmp/norm-deps.log 2>&1; then
  cat /tmp/norm-deps.log >&2
  echo "deps: apt-get could not install: ${missing[*]}" >&2
  exit 1
fi
