#!/usr/bin/env bash
# Constants that a measurement of speed chose stand in core/base/tuning.inc. Where programs are compiled and run, a number
# whose name says that it is a threshold (kMax…, kFew…, kWorth…) stands elsewhere only when constants.txt lists it, with the
# reason why it is no matter of speed.
cd "$1" || exit 1
failed=0
threshold='k(Max|Min|Least|Most|Few|Many|Wanted|Worth|Long|Short|Large|Small|Deep|Dear|Spin|Chunk|Piece|Block|Task|Sample|Share)'
declare -A listed
while read -r file names; do
  [[ -z $file || $file == \#* ]] && continue
  for name in $names; do listed[$file $name]=1; done
done < tests/lint/constants.txt
declare -A found
while IFS=: read -r file line text; do
  for name in $(grep -oE "\b$threshold[A-Za-z0-9]*(<[^=]*>)? = " <<< "$text" | grep -oE '^k[A-Za-z0-9]*'); do
    found[$file $name]=1
    [ -n "${listed[$file $name]}" ] && continue
    echo "$file:$line: $name is in neither core/base/tuning.inc nor tests/lint/constants.txt"
    failed=1
  done
done < <(grep -rnE --include='*.h' --include='*.cpp' --include='*.inc' \
  '\bconstexpr (const )?(u?int[0-9]*_t|size_t|int|long|unsigned|float|double) k[A-Z]' \
  core/passes core/element core/compose core/fourier backends)
for one in "${!listed[@]}"; do
  [ -n "${found[$one]}" ] || { echo "constants.txt lists ${one#* } of ${one% *}, which is gone: remove it"; failed=1; }
done
[ ${#found[@]} -ge 20 ] || { echo "only ${#found[@]} constants were found"; failed=1; }
exit $failed
