#!/usr/bin/env bash
# web_model.sh TESSERA SOURCE TEXTS: HTML exports of real programs, opened as a browser opens them, in node.
set -eu
skip() {
  [ -z "${TESSERA_SKIPS_LOG:-}" ] || printf '%s\tcli.web_model\t\n' "$1" >> "$TESSERA_SKIPS_LOG"
  echo "$1: $(sed -n "s/^\[$1\] [a-z]*: //p" "$(dirname "$0")/../skips.txt")"
  exit 0
}
command -v node > /dev/null || skip no-node
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pages=()
while IFS= read -r file; do
  page=$work/${#pages[@]}.html
  "$1" render "$file" -o "$page"
  pages+=("$page")
done < <(ls "$2"/resources/examples/*.hlo; find "$3" -name '*.hlo' -size -400k | sort | awk 'NR % 12 == 0')
printf 'digraph g { subgraph cluster_a { label=inside; a -> b } b -> c }' > "$work/g.dot"
"$1" render "$work/g.dot" -o "$work/g.html"
node "$2/tests/tools/web_model_test.js" "$2/core/export/web/model.js" "${pages[@]}" "$work/g.html"
