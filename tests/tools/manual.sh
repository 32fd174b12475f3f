#!/usr/bin/env bash
# manual.sh BIN SOURCE: every shell block of resources/manual runs, in a folder with the examples, each chapter's one after
# the other in a folder of its own. Blocks that need other software say so (```sh needs=WHAT) and only have to parse.
# Links lead to chapters that are there, and pictures are there; `tessera help --html` makes a page of each.
set -u
bin=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$bin:$PATH HOME=$work/home TESSERA_KERNEL_CACHE=off
mkdir -p "$HOME"
failed=0
complain() { echo "$1"; failed=1; }
blocks=0
for chapter in "$source"/resources/manual/*.md; do
  name=$(basename "$chapter" .md)
  mkdir -p "$work/$name"
  ln -s "$source/resources/examples" "$work/$name/examples"
  # Files BLOCK-NUMBER, or BLOCK-NUMBER.needs.
  awk -v out="$work/$name/block" '
    /^```sh/ { on = 1; file = sprintf("%s-%02d%s", out, ++n, /needs=/ ? ".needs" : ""); printf "" > file; next }
    /^```/ { on = 0 } on { print > file }' "$chapter"
  for block in "$work/$name"/block-*; do
    [ -f "$block" ] || continue
    blocks=$((blocks + 1))
    case $block in
      *.needs) bash -n "$block" || complain "$chapter: a block does not parse" ;;
      *) (cd "$work/$name" && bash -e "$block" > log 2>&1) || { complain "$chapter: a block fails:"; cat "$block"; tail -20 "$work/$name/log"; } ;;
    esac
  done
  while read -r link; do
    case $link in
      command_line.md | http* | op:*) ;;
      *) [ -f "$source/resources/manual/$link" ] || complain "$chapter names $link, which is not there" ;;
    esac
  done < <(grep -oE '\]\([^)]*\)' "$chapter" | sed 's/^](//; s/)$//')
done
[ "$blocks" -ge 20 ] || complain "only $blocks blocks were found"
tessera help --html="$work/html" > /dev/null || complain "tessera help --html fails"
(cd "$work" && page=$(tessera help --html) && test -s "$page") || complain "tessera help --html without a folder fails"
for chapter in "$source"/resources/manual/*.md command_line.md operations.md; do
  page=$work/html/$(basename "$chapter" .md).html
  [ -s "$page" ] || complain "$page was not made"
done
grep -q '<table>' "$work/html/command_line.html" || complain "the command line has no tables"
while read -r link; do
  [ -e "$work/html/$link" ] || complain "the HTML links to $link, which was not made"
done < <(grep -ohE '(href|src)="[^":#]*"' "$work"/html/{index,build,learn,inspect,import,panels,formats,questions,command_line}.html | sed 's/^[a-z]*="//; s/"$//' | sort -u)
for topic in import index command_line; do
  [ "$(tessera help "$topic" | head -c 2)" = "# " ] || complain "tessera help $topic is no chapter"
done
echo "$blocks blocks"
exit $failed
