# repository.sh DIRECTORY CLANG-TIDY-FILE: a repository with two sources, of
# which one includes a header, and a compilation database that has a third.
set -e
rm -rf "$1"
mkdir -p "$1/include/norm" "$1/lib" "$1/build"
cp "$2" "$1"
cd "$1"
echo 'int good();' > include/norm/Header.h
echo '#include "norm/Header.h"' > lib/User.cpp
echo 'int Old_Name();' > lib/Old.cpp
for file in User Old New; do
  echo "{\"directory\": \"$PWD\", \"file\": \"$PWD/lib/$file.cpp\","
  echo "\"command\": \"clang++ -Iinclude -c $PWD/lib/$file.cpp\"},"
done | sed '1s/^/[/; $s/,$/]/' > build/compile_commands.json
git init -q
git add include lib .clang-tidy
