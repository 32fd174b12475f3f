#!/usr/bin/env bash
# count_skips.sh SKIPS_LOG CTEST_LOG OUTPUTS: how many tests were skipped and why, from what tests/support/skips.h wrote.
# Fails on a test that ctest (CTEST_LOG) or gtest (OUTPUTS of the tests) calls skipped, not run or disabled and that the
# log does not have. Used by ./test.
log=$1 ctest_log=$2 outputs=$3
list=$(dirname "$0")/../skips.txt
failed=0
total=$(wc -l < "$log")
echo "Skipped: $total tests or parts of tests, all listed in tests/skips.txt."
cut -f1 "$log" | sort | uniq -c | sort -rn | while read -r count key; do
  printf '  %5d %s: %s\n' "$count" "$key" "$(sed -n "s/^\[$key\] [a-z]*: //p" "$list")"
done
# Lines as "12/3456 Test  #12: Suite.Test .......***Skipped   0.01 sec" and "[  SKIPPED ] Suite.Test (1 ms)".
while read -r name; do
  [[ $name == corpus.whole.* ]] && continue
  cut -f2 "$log" | grep -qxF -e "$name" && continue
  echo "skipped, and not listed: $name"
  failed=1
done < <({
  sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) \.*\*\*\*(Skipped|Not Run).*/\1/p' "$ctest_log"
  sed -nE 's/^\[  SKIPPED \] ([^ ,]+).* \([0-9]+ ms\)$/\1/p' "$outputs"
} | sort -u)
exit $failed
