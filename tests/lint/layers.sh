#!/usr/bin/env bash
# Folders stand in an order and include only what stands before them. core's folders: the rows tessera_core_folder of
# core/CMakeLists.txt say what each may use, all of it listed before. Within folders: layers.txt beside this script.
cd "$1" || exit 1
{
  sed -n 's/^tessera_core_folder(\([a-z_]*\)\( LIGHT\)\{0,1\}\( USES\)\{0,1\}\(.*\))$/row \1\4/p' core/CMakeLists.txt
  sed -n 's/^\([a-z_/]*\): \(.*\)$/order \1 \2/p' tests/lint/layers.txt
  for folder in core/*/; do echo "folder $(basename "$folder")"; done
  grep -rnoE --include='*.h' --include='*.cpp' --include='*.inc' '^ *# *include "(core|backends|editor|app)/[^"]+' core backends editor app |
    sed 's/^\([^:]*\):\([0-9]*\):.*"\(.*\)$/include \1 \3 \2/'
} | awk '
function complain(text) { print text; failed = 1 }
function folderOf(path, parts) { split(path, parts, "/"); return parts[2] }
# The place of a path in the order of a folder; 0: the path is not in it.
function placeOf(path, folder, rest, file, first) {
  if (index(path, folder "/") != 1) return 0
  rest = substr(path, length(folder) + 2)
  first = rest; sub(/\/.*/, "", first)
  if ((folder, first) in place) return place[folder, first]
  file = first; sub(/\.[a-z]*$/, "", file)
  if (rest == first && (folder, file ".") in place) return place[folder, file "."]
  if (rest != first) { complain(path ": the folder " first " has no place in the order of " folder " in tests/lint/layers.txt"); return 0 }
  if (!((folder, ".") in place)) { complain(path ": it has no place in the order of " folder " in tests/lint/layers.txt"); return 0 }
  return place[folder, "."]
}
$1 == "row" {
  if ($2 in known) complain("core/CMakeLists.txt lists " $2 " twice")
  known[$2] = 1; uses[$2, $2] = 1
  for (i = 3; i <= NF; ++i) {
    if (!($i in known)) complain("core/CMakeLists.txt: " $2 " uses " $i ", which does not stand before it")
    uses[$2, $i] = 1
  }
}
$1 == "order" {
  orders[++count] = $2; step = 1
  for (i = 3; i <= NF; ++i)
    if ($i == "|") ++step
    else if ($i == "." || $i ~ /\.h$/ || system("test -d " $2 "/" $i) == 0) {
      place[$2, $i] = step
      # a file beside a folder of its name (hlo_text.h) is named with its suffix
    } else place[$2, $i "."] = step
}
$1 == "folder" && !($2 in known) { complain("core/" $2 " has no row in core/CMakeLists.txt") }
$1 == "include" {
  ++includes
  if ($2 ~ /^core\// && $3 ~ /^core\// && !((folderOf($2), folderOf($3)) in uses))
    complain($2 ":" $4 ": core/" folderOf($2) " does not use core/" folderOf($3) " (core/CMakeLists.txt): " $3)
  for (o = 1; o <= count; ++o) {
    from = placeOf($2, orders[o]); to = placeOf($3, orders[o])
    if (from && to && from < to) complain($2 ":" $4 ": it stands before what it includes (tests/lint/layers.txt): " $3)
  }
}
END {
  if (includes < 100) complain("only " includes + 0 " includes were found")
  exit failed
}'
