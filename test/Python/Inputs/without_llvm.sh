# without_llvm.sh PREFIX COMMAND...: runs a command where neither LLVM's prefix nor the
# libraries that its packages put elsewhere can be read.
set -e
prefix=$(readlink -f "$1"); shift
libraries=$(for file in "$prefix"/lib/lib*.so*; do readlink -f "$file"; done | sort -u)
mount -t tmpfs tmpfs "$prefix"
for file in $libraries; do
  if [ -e "$file" ]; then mount --bind /dev/null "$file"; fi
done
echo "llvm: $(find "$prefix" -type f | wc -l) files"
exec "$@"
