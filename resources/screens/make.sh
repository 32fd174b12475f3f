#!/usr/bin/env bash
# Makes the pictures of building by hand anew: resources/screens/make.sh [BIN]
set -eu
cd "$(dirname "$0")"
studio=$(realpath "${1:-../../build/release/bin}")/tessera-studio
export QT_QPA_PLATFORM=offscreen
for actions in softmax wire field loop first values life iteration window arranging sizes; do "$studio" --size 1366x768 --theme light --do "$actions.txt"; done
