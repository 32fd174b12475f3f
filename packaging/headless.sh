#!/usr/bin/env bash
# headless.sh TESSERA FILE: check, run with a profile, list the hottest instructions, write an SVG with the overlay.
set -u
tessera=$1
file=$2
name=$(basename "$(dirname "$file")")-$(basename "$file")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$tessera" check "$file" || exit $?
inputs=()
[ -f "$(dirname "$file")/inputs.npz" ] && inputs=(--inputs="$(dirname "$file")/inputs.npz")
"$tessera" run "$file" "${inputs[@]}" --runs=5 --profile="$work/profile.json" --hottest=12 || exit $?
svg=$PWD/${name%.*}.svg
[ -w "$PWD" ] || svg=/tmp/${name%.*}.svg
"$tessera" render "$file" -o "$svg" --profile="$work/profile.json" || exit $?
echo "Graph with its profile: $svg"
