#!/usr/bin/env bash
# ptxas.sh TESSERA TEXTS: the PTX of programs of the corpus for sm_70, sm_80 and sm_90 assembles without a complaint; all programs in the long tier, else some of each kind. Skips as tests/support/skips.h does.
tessera=$1 texts=$2 folder=$(dirname "$0")
skip() {
  local reason
  grep -A1000 "^\[$1\]" "$folder/../skips.txt" | sed '1d;/^\[/,$d' | grep -qx 'cuda.ptxas' ||
    { echo "cuda.ptxas is skipped for $1, which skips.txt does not list for it"; exit 1; }
  reason=$(sed -n "s/^\[$1\] [a-z]*: //p" "$folder/../skips.txt")
  [ -z "${TESSERA_SKIPS_LOG:-}" ] || printf '%s\tcuda.ptxas\t\n' "$1" >> "$TESSERA_SKIPS_LOG"
  echo "$1: $reason"
  exit 0
}
ptxas=$(command -v ptxas || ls /usr/local/cuda/bin/ptxas 2>/dev/null) || skip no-ptxas
few='attention axpy convnet f16_softmax f8_quantize int8_matmul lenet_train mlp_small reductions rng_threefry softmax sort'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What assembles code for an architecture: the oldest that this ptxas knows from there on.
assembles() {
  printf '.version 7.0\n.target sm_70\n.address_size 64\n' > "$work/empty.ptx"
  for real in $1 sm_75 sm_80 sm_90; do
    [[ ! $real < $1 ]] && "$ptxas" -arch=$real "$work/empty.ptx" -o "$work/empty.cubin" > "$work/log" 2>&1 && echo $real && return
  done
}
count=0 failed=0
for file in "$texts"/*/before.hlo; do
  name=$(basename "$(dirname "$file")")
  [[ $name == bad_* ]] && continue
  [ "${TESSERA_TIER:-}" = long ] || [[ " $few " == *" $name "* ]] || continue
  for architecture in sm_70 sm_80 sm_90; do
    real=$(assembles $architecture)
    [ -n "$real" ] || continue
    if ! "$tessera" compile "$file" --device=cuda:$architecture -o "$work/k.ptx" > "$work/log" 2>&1; then
      echo "$name for $architecture:"; head -3 "$work/log"; failed=1
    elif grep -q '\.entry' "$work/k.ptx"; then
      "$ptxas" -arch="$real" "$work/k.ptx" -o "$work/k.cubin" > "$work/log" 2>&1 ||
        { echo "$name for $architecture:"; head -3 "$work/log"; failed=1; }
      count=$((count + 1))
    fi
  done
done
echo "$count modules of PTX"
[ "$count" -ge 10 ] || { echo "those are too few"; failed=1; }
exit $failed
