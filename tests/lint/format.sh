#!/usr/bin/env bash
# Every source file stands as clang-format leaves it (.clang-format), and no line is longer than 120 bytes (UTF-8: never more
# columns than that).
cd "$1" || exit 1
mapfile -t files < <(find core backends editor app tests -name '*.h' -o -name '*.cpp' -o -name '*.inc' -o -name '*.c')
failed=0
if long=$(LC_ALL=C grep -nE '^.{121,}' "${files[@]}"); then
  printf 'longer than 120 bytes:\n%s\n' "$long"
  failed=1
fi
printf '%s\0' "${files[@]}" | xargs -0 -P2 -n40 clang-format --dry-run -Werror || { echo "run clang-format -i on these"; failed=1; }
exit $failed
