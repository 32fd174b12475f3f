#!/usr/bin/env bash
# Makes the pictures of the README anew: resources/pictures/make.sh [BIN]
set -eu
studio=$(realpath "${1:-$(dirname "$0")/../../build/release/bin}")/tessera-studio
cd "$(dirname "$0")"
export QT_QPA_PLATFORM=offscreen
"$studio" --size 1400x860 --theme dark --do studio.txt ../examples/gpt_tiny_train.hlo
"$studio" --size 1400x860 --theme light --do layout.txt ../examples/mlp_small.hlo
