#!/usr/bin/env bash
# Makes the pictures of building by hand, in both themes; some at 200 %, some at 150 % and on a screen of 2560 × 1440:
# resources/screens/make.sh [BIN [PICTURE…]]
# graphs needs DUMPS, a folder with the modules that graphs.txt opens: gpt2_small_train, unet_fwd, gpt96_micro2_train and
# gpt_tiny_train are the before.hlo of the corpus that tests/README.md tells of, decode is what dumps.py decode gives after
# optimization.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
studio=$(realpath "${1:-$here/../../build/release/bin}")/tessera-studio
shift || true
all=(first softmax wire field loop values life iteration window arranging sizes group names mlp attention training
  lesson workspaces compiled gpu text beside palette menu)
[ -z "${DUMPS:-}" ] || all+=(graphs)
large=" first wire field iteration window values sizes palette menu workspaces "
wide=" softmax attention training beside window palette menu workspaces "
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/screens"
ln -s "$here/../examples" "$work/examples"
[ -z "${DUMPS:-}" ] || ln -s "$(realpath "$DUMPS")" "$work/screens/dumps"
# A menu stands on a screen of its own size.
echo '{"screens": [{"name": "", "x": 0, "y": 0, "width": 2560, "height": 1440, "logicalDpi": 96, "dpr": 1}]}' > "$work/screen"
export QT_QPA_PLATFORM="offscreen:configfile=$work/screen"
# play ACTIONS SUFFIX OPTIONS…: the pictures of a file get the suffix.
play() {
  local actions=$1 suffix=$2
  shift 2
  cp "$here/window.hlo" "$here/accesses.hlo" "$work/screens/"
  (cd "$work/screens" && "$studio" "$@" --do "$here/$actions.txt")
  for picture in "$work"/screens/*.png; do mv "$picture" "$here/$(basename "$picture" .png)$suffix.png"; done
}
for actions in "${@:-${all[@]}}"; do
  play "$actions" "" --size 1366x768 --theme light
  play "$actions" _dark --size 1366x768 --theme dark
  if [[ $large = *" $actions "* ]]; then
    play "$actions" _200 --size 1366x768 --theme light --scale 2
    if [[ $wide = *" $actions "* ]]; then play "$actions" _200_dark --size 1366x768 --theme dark --scale 2; fi
  fi
  if [[ $wide = *" $actions "* ]]; then
    play "$actions" _150 --size 1366x768 --theme light --scale 1.5
    play "$actions" _150_dark --size 1366x768 --theme dark --scale 1.5
    play "$actions" _2560 --size 2560x1440 --theme light
    play "$actions" _2560_dark --size 2560x1440 --theme dark
  fi
done
