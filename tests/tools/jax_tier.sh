#!/usr/bin/env bash
# jax_tier.sh TESSERA: in the long tier every program of the corpus, printed as jax.lax code, gives XLA's outputs in jax.
# tests/corpus/jax_exceptions.txt lists those that do not, with a reason. Skips as tests/support/skips.h does.
folder=$(dirname "$0")
skip() {
  local reason
  grep -A1000 "^\[$1\]" "$folder/../skips.txt" | sed '1d;/^\[/,$d' | grep -qx 'corpus.jax' ||
    { echo "corpus.jax is skipped for $1, which skips.txt does not list for it"; exit 1; }
  reason=$(sed -n "s/^\[$1\] [a-z]*: //p" "$folder/../skips.txt")
  [ -z "${TESSERA_SKIPS_LOG:-}" ] || printf '%s\tcorpus.jax\t\n' "$1" >> "$TESSERA_SKIPS_LOG"
  echo "$1: $reason"
  exit 0
}
[ "${TESSERA_TIER:-}" = long ] || skip long-tier
[ -n "${TESSERA_CORPUS:-}" ] || skip no-corpus
python3 -c 'import jax, ml_dtypes' 2>/dev/null || skip no-jax
exec python3 "$folder/jax_roundtrip.py" --tessera="$1" --corpus="$TESSERA_CORPUS" \
  --exceptions="$folder/../corpus/jax_exceptions.txt"
