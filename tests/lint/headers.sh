#!/usr/bin/env bash
# Every header of core, backends (LLVM's users aside) and app/cli compiles alone.
cd "$1" || exit 1
compiler=$2
failed=0
for header in $(find core backends/*.h app/cli -name '*.h' | sort); do
  echo "#include \"$header\"" | "$compiler" -std=c++23 -fsyntax-only -I. -Wall -Wextra -Werror -x c++ - ||
    { echo "$header does not compile alone"; failed=1; }
done
exit $failed
