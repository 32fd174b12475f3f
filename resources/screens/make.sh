#!/usr/bin/env bash
# Makes the pictures of building by hand, in both themes, the main ones at 200 % too:
# resources/screens/make.sh [BIN [PICTURE…]]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
studio=$(realpath "${1:-$here/../../build/release/bin}")/tessera-studio
shift || true
all=(first softmax wire field loop values life iteration window arranging sizes group names mlp attention training
  lesson workspaces compiled text)
large=" first wire field iteration window values sizes "
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/screens"
ln -s "$here/../examples" "$work/examples"
export QT_QPA_PLATFORM=offscreen
# play ACTIONS SUFFIX OPTIONS…: the pictures of a file get the suffix.
play() {
  local actions=$1 suffix=$2
  shift 2
  cp "$here/window.hlo" "$work/screens/"
  (cd "$work/screens" && "$studio" --size 1366x768 "$@" --do "$here/$actions.txt")
  for picture in "$work"/screens/*.png; do mv "$picture" "$here/$(basename "$picture" .png)$suffix.png"; done
}
for actions in "${@:-${all[@]}}"; do
  play "$actions" "" --theme light
  play "$actions" _dark --theme dark
  if [[ $large = *" $actions "* ]]; then play "$actions" _200 --theme light --scale 2; fi
done
