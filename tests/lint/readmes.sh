#!/usr/bin/env bash
# Folder READMEs are true of their files: each name in the first column of a table of files is a file or folder there,
# and each file there has a row. A folder below with a README of its own answers for itself.
cd "$1" || exit 1
failed=0
complain() { echo "$1"; failed=1; }
while IFS= read -r readme; do
  folder=$(dirname "$readme")
  mapfile -t names < <(awk '/^\| (file|folder) \|/ { on = 1; next } !/^\|/ { on = 0 } on && !/^\|-/ { split($0, cells, "|"); print cells[2] }' "$readme" |
    grep -oE '`[^`]+`' | tr -d '`')
  [ ${#names[@]} = 0 ] && continue
  mapfile -t files < <(cd "$folder" && find . -type f -printf '%P\n' | grep -E '\.(h|cpp|c|inc|proto|py|sh)$')
  for name in "${names[@]}"; do
    [ -d "$folder/$name" ] || compgen -G "$folder/$name" > /dev/null || compgen -G "$folder/$name.*" > /dev/null ||
      complain "$readme names $name, which is not there"
  done
  for file in "${files[@]}"; do
    top=${file%%/*}
    [ "$top" != "$file" ] && [ -f "$folder/$top/README.md" ] && continue
    covered=no
    for name in "${names[@]}"; do
      if [[ $file == "$name" || ${file%.*} == "$name" || ($name == */ && $file == "$name"*) ]]; then covered=yes; break; fi
    done
    [ $covered = yes ] || complain "$readme has no row for $file"
  done
done < <(find core backends editor app tests/mutants -name README.md | grep -v '^core/ops/')
exit $failed
