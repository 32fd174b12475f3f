#!/usr/bin/env bash
# Tests are skipped through tests/support/skips.h alone, under keys that tests/skips.txt lists; every key is used.
cd "$1" || exit 1
failed=0
if hits=$(grep -rnE '\b(GTEST_SKIP|QSKIP|SKIP_RETURN_CODE)\b' tests --include='*.h' --include='*.cpp' --include=CMakeLists.txt |
  grep -v '^tests/support/skips.h:'); then
  printf 'skips that tests/skips.txt does not hold:\n%s\n' "$hits"
  failed=1
fi
used=$(grep -rhoE '(TESSERA_SKIP|isListedSkip|skipsPart)\("[a-z-]+"' tests --include='*_test.cpp' | grep -oE '[a-z-]+"$' | tr -d '"' | sort -u)
used=$(printf '%s\n' "$used" $(sed -nE 's/.*\|\| skip ([a-z-]+)$/\1/p' tests/tools/*.sh) | sort -u)
listed=$(sed -n 's/^\[\([a-z-]*\)\].*/\1/p' tests/skips.txt | sort -u)
if left=$(comm -3 <(echo "$used") <(echo "$listed") | grep .); then
  printf 'used and not listed, or (indented) listed and not used:\n%s\n' "$left"
  failed=1
fi
exit $failed
