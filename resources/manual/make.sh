#!/usr/bin/env bash
# Makes the manual's pictures anew, in this folder: resources/manual/make.sh [BIN]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
studio=$(realpath "${1:-$here/../../build/release/bin}")/tessera-studio
work=/tmp/tessera  # pictures show the path, so it is the same every time
mkdir "$work"
trap 'rm -rf "$work"' EXIT
ln -s "$here/../examples" "$work/examples"
mkdir -p "$work/pictures" "$here/pictures"
cd "$work"
"$(dirname "$studio")/tessera" opt examples/gpt_tiny_train.hlo -o optimized.hlo
"$(dirname "$studio")/tessera" opt examples/softmax.hlo -o softmax_optimized.hlo
"$(dirname "$studio")/tessera" opt examples/softmax.hlo --dump=dump
QT_QPA_PLATFORM=offscreen "$studio" --size 1100x720 --theme light --do "$here/pictures.txt"
mv "$work"/pictures/*.png "$here/pictures/"
